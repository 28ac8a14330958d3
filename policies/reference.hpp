// The reference tool's rule (systems/reference/rule.hpp) as a policy; reached through the table (policies/policy.hpp).
#pragma once

#include "policies/policy.hpp"

namespace plumbline::policies {

[[nodiscard]] Judgement judge_reference(const JudgeInput& input);

}  // namespace plumbline::policies
