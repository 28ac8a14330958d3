// See policies/reference.cpp; reached through the table (policies/policy.hpp).
#pragma once

#include "policies/policy.hpp"

namespace plumbline::policies {

[[nodiscard]] Judgement judge_reference(const JudgeInput& input);

}  // namespace plumbline::policies
