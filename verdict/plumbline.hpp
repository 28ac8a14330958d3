// See verdict/plumbline.cpp; reached through the table (verdict/policy.hpp).
#pragma once

#include "verdict/policy.hpp"

namespace plumbline::verdict {

[[nodiscard]] Judgement judge_plumbline(const JudgeInput& input);

}  // namespace plumbline::verdict
