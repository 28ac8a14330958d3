// The reference tool's rule (systems/reference/rule.hpp) as a policy; reached through the table (verdict/policy.hpp).
#pragma once

#include "verdict/policy.hpp"

namespace plumbline::verdict {

[[nodiscard]] core::Comparison decide_by_reference(core::Comparison rows, const DecideInput& input);
[[nodiscard]] Judgement judge_reference(const JudgeInput& input);

}  // namespace plumbline::verdict
