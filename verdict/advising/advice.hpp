// What to do next, from what the diff itself holds: the order of rows, the recommendation and the next lever. Nothing is
// invented: no finding, no advice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verdict/policy.hpp"

namespace plumbline::verdict {

// Delta indices: regressed rows worst first, then suspects, missing and invalid rows, then the rest by size of change;
// context rows are left out. At most 1000.
[[nodiscard]] std::vector<std::uint32_t> advice_order(const core::Comparison& comparison, const core::RowMarks& marks);

[[nodiscard]] core::Recommendation recommend(const JudgeInput& input, const Judgement& judgement);
[[nodiscard]] std::optional<core::NextLever> next_lever(const JudgeInput& input, const Judgement& judgement);

}  // namespace plumbline::verdict
