// See policies/plumbline.cpp; reached through the table (policies/policy.hpp).
#pragma once

#include "policies/policy.hpp"

namespace plumbline::policies {

[[nodiscard]] Judgement judge_plumbline(const JudgeInput& input);

}  // namespace plumbline::policies
