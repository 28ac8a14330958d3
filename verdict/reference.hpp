// The reference tool's rule (systems/reference/rule.hpp) as a policy; reached through the table (verdict/policy.hpp).
#pragma once

#include "verdict/policy.hpp"

namespace plumbline::verdict {

[[nodiscard]] Judgement judge_reference(const JudgeInput& input);

}  // namespace plumbline::verdict
