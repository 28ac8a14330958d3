// See verdict/plumbline.cpp and verdict/among_rows.cpp; reached through the table (verdict/policy.hpp).
#pragma once

#include "verdict/policy.hpp"

namespace plumbline::verdict {

[[nodiscard]] core::Comparison decide_plumbline(core::Comparison rows, const DecideInput& input);
[[nodiscard]] Judgement judge_plumbline(const JudgeInput& input);

}  // namespace plumbline::verdict
