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
  step.reasons.push_back(std::move(reason));
  step.verdict = std::max(step.verdict, older.verdict);
  if (step.recommendation.action == "none" || step.recommendation.action == "re-baseline") {
    step.recommendation = older.recommendation;
    step.recommendation.message = "drift since the initial reference: " + step.recommendation.message;
  }
  return step;
}

}  // namespace plumbline::verdict
