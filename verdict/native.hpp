// The rules of other systems (systems/table.hpp) as policies of ours: the system's verdict is the verdict, its words are the
// reasons.
#pragma once

#include <vector>

#include "core/native.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verdict {

// The policy of a system's name. DecideInput::native must be its report.
[[nodiscard]] core::Comparison decide_by_native(core::Comparison rows, const DecideInput& input);
[[nodiscard]] Judgement judge_native(const JudgeInput& input);

// Reasons that stand beside a verdict which is not that system's: how the two verdicts differ and what theirs misses.
[[nodiscard]] std::vector<core::Reason> native_reasons(const core::NativeReport& report, core::Verdict ours);

// The judgement of a policy that is no system's own, with those reasons behind its own, and with a signature that does not fit,
// which makes the verdict YELLOW at least. `report` is null where the sides are not files of one system.
[[nodiscard]] Judgement with_native(Judgement judgement, const core::NativeReport* report, const core::Comparison& rows);

}  // namespace plumbline::verdict
