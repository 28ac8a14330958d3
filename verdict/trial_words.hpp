// What the trials of a comparison show beside their verdict: spreads too small to promise by, and single trials far from the
// others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verdict/policy.hpp"

namespace plumbline::verdict {

// Two or three values say little about their own spread: what other rows of the unit and direction scatter, or the history of a
// headline, is weighed in, and the warning `variance_shrunk` says so. Only what is promised of further trials rests on it, no
// state does. `tested` are the rows that their trials decide.
void shrink_variances(const JudgeInput& in, std::span<const std::uint32_t> tested, std::vector<core::Warning>& warnings);

// Trials far from the others of their side (`outlier_trial`), and the run that most of them point to.
void say_outliers(const core::Comparison& comparison, std::span<const std::uint32_t> tested,
                  std::vector<core::Warning>& warnings);

}  // namespace plumbline::verdict
