// What further trials would decide, and how to run them without peeking: for the recommendation of a YELLOW.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verdict/policy.hpp"

namespace plumbline::verdict {

// Trials a side that decide all rows which trials left open or suspect, the second look's share of alpha paid for; none where
// there are no such rows, or no number of trials helps.
[[nodiscard]] std::optional<std::uint32_t> trials_that_decide(const JudgeInput& input, const core::RowMarks& marks);

// "4 more trials a side, 7 in all, interleaved A B A B; ... --alpha 0.025" for rows that trials left open or suspect; the
// general advice where single numbers have to be repeated first.
[[nodiscard]] std::string more_trials(const JudgeInput& input, const core::RowMarks& marks);

}  // namespace plumbline::verdict
