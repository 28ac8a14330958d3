#include "verdict/initial.hpp"

#include <algorithm>
#include <utility>

namespace plumbline::verdict {

Judgement with_initial(Judgement step, const Judgement& older, const std::string& initial) {
  if (older.verdict == core::Verdict::green) return step;
  core::Reason reason{"drift_from_initial"};
  reason.message = "against the initial reference " + initial + ": ";
  if (older.reasons.empty()) {
    reason.message += "not within tolerance";
  } else {
    const core::Reason& first = older.reasons.front();
    reason.message += first.message;
    reason.keys = first.keys;
    reason.keys_count = first.keys_count;
  }
  // Reasons are in order of weight, and this one weighs what the older comparison does.
  const auto lighter = std::find_if(step.reasons.begin(), step.reasons.end(),
                                    [&](const core::Reason& one) { return one.code.weight() < older.verdict; });
  step.reasons.insert(lighter, std::move(reason));
  const bool decides = older.verdict > step.verdict;
  step.verdict = std::max(step.verdict, older.verdict);
  if (decides || step.recommendation.action == "none" || step.recommendation.action == "re-baseline") {
    step.recommendation = older.recommendation;
    step.recommendation.message = "drift since the initial reference: " + step.recommendation.message;
  }
  return step;
}

}  // namespace plumbline::verdict
