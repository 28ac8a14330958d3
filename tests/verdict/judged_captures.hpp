// Two profiles compared and judged, as profile-diff does it.
#pragma once

#include <utility>

#include "verdict/captures.hpp"

namespace plumbline::verdict::test {

inline core::ProfileDiff judged_diff(const profiles::Profile& baseline, const profiles::Profile& candidate,
                                     const profiles::DiffOptions& options = {}) {
  profiles::CaptureEvidence evidence = profiles::diff(baseline, candidate, options);
  CaptureJudgement judgement = judge_captures({baseline, candidate, evidence, options.same_content});
  return judged(std::move(evidence.diff), std::move(judgement));
}

}  // namespace plumbline::verdict::test
