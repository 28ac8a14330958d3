// What is known of a row's noise before anybody looks at the two measurements: what its kind of benchmark scatters between runs
// (a prior, as data), and what its own history did.
#pragma once

#include <optional>

#include "verdict/policy.hpp"

namespace plumbline::verdict {

// The noise floor of a row's history, percent (three robust spreads of a step): its own, or that of the measurement for its
// headlines.
[[nodiscard]] std::optional<double> history_floor_pct(const DecideInput& in, const core::Delta& delta);

// Worse than all that the history holds by more than the tolerance: whatever the history scatters, this is none of it.
[[nodiscard]] bool is_outside_history(const JudgeInput& in, const core::Delta& delta);

// Standard deviation of the logarithm of one run, as the kind of benchmark and the history know it; 0 where neither does.
[[nodiscard]] double prior_spread(const JudgeInput& in, const core::Delta& delta);
[[nodiscard]] double history_spread(const JudgeInput& in, const core::Delta& delta);

}  // namespace plumbline::verdict
