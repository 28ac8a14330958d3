// What further trials would decide, and how to run them without peeking: for the recommendation of a YELLOW.
#pragma once

#include <string>

#include "policies/policy.hpp"

namespace plumbline::policies {

// "4 more trials a side, 7 in all, interleaved A B A B; ... --alpha 0.025" for rows that trials left open or suspect; the
// general advice where single numbers have to be repeated first.
[[nodiscard]] std::string more_trials(const JudgeInput& input);

}  // namespace plumbline::policies
