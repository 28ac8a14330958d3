// From rows, buckets and the wall (profiles/diff) to a verdict: RED when the wall for the same work grew by the gate or more, by
// steps only beyond what the steps of one capture scatter; YELLOW for what makes the comparison doubtful: unequal work, large
// moves that cancel out, work that vanished, other GPUs, other capture modes. Profiles of the host and of single
// kernels (replayed under locked clocks) hold no wall time: what they show is at most YELLOW. Of several captures a side the
// walls of all decide (capture_trials.hpp), and what else is said is of the pair in the middle. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/results/common.hpp"
#include "profiles/diff/diff.hpp"
#include "verdict/capture_trials.hpp"

namespace plumbline::verdict {

struct CaptureInput {
  const profiles::Profile& baseline;
  const profiles::Profile& candidate;
  const profiles::CaptureEvidence& evidence;  // of these two
  bool same_content = false;                  // both sides have the same digest: GREEN and a warning
  const CaptureTrials* trials = nullptr;      // where a side has several captures; those above are then the pair in the middle
};

struct CaptureJudgement {
  core::Verdict verdict = core::Verdict::green;
  core::Tier tier = core::Tier::draft;
  std::vector<std::string> promote;
  std::vector<core::Reason> reasons;
  double comparability = 1;  // 0..1
  std::vector<std::string> comparability_notes;
  // What the gate was held against, see core::ProfileDiff.
  std::optional<double> wall_delta_pct;
  std::string wall_basis;
  std::optional<double> work_ratio;
  std::string work_basis;
  std::optional<core::ProfileWallTrials> wall_trials;
  core::Recommendation recommendation;
  std::vector<core::Warning> warnings;
};
[[nodiscard]] CaptureJudgement judge_captures(const CaptureInput& input);

// The comparison with what was judged of it; its warnings come first.
[[nodiscard]] core::ProfileDiff judged(core::ProfileDiff diff, CaptureJudgement judgement);

}  // namespace plumbline::verdict
