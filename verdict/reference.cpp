// The reference tool's rule (systems/reference/rule.hpp) as a policy.

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "systems/reference/rule.hpp"
#include "verdict/advising/advice.hpp"
#include "verdict/counting.hpp"
#include "verdict/policy.hpp"
#include "verdict/row_text.hpp"

namespace plumbline::verdict {

namespace {

systems::reference::Rule rule_of(const DecideInput& in) {
  return {.scalar = in.shape == core::Shape::scalar,
          .direction = in.direction,
          .tolerance_percent = in.tolerance_percent,
          .tolerance_absolute = in.tolerance_absolute};
}

core::Comparison decide_by_reference(core::Comparison rows, const DecideInput& in) {
  return systems::reference::decide_rows(std::move(rows), rule_of(in));
}

Judgement judge_reference(const JudgeInput& in) {
  const core::Comparison& c = *in.comparison;
  const bool scalar = in.shape == core::Shape::scalar;
  systems::reference::Outcome decided = systems::reference::outcome_of(c, rule_of(in));
  Judgement out;
  out.counts = count_states(c);
  out.counts.compared = decided.rows.size();
  out.verdict = decided.verdict;
  if (const auto& over = decided.over; !over.empty()) {
    core::Reason reason{scalar ? core::ReasonCode("scalar_regressed") : "reference_over_tolerance"};
    reason.keys_count = over.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(over.size(), 20); ++i)
      reason.keys.emplace_back(c.baseline->pool().view(c.deltas[over[i]].key));
    reason.message = core::counted(over.size(), "row") + " over tolerance, largest " + row_text(c, c.deltas[over.front()]);
    out.reasons.push_back(std::move(reason));
  }
  out.promote.emplace_back("policy: the reference rule has no noise model; use --policy plumbline");
  out.tier = core::Tier::draft;
  if (decided.rows.size() > 1000) decided.rows.resize(1000);
  out.order = std::move(decided.rows);
  out.parts = find_culprits(*in.comparison, out.marks);
  out.recommendation = recommend(in, out);
  out.next_lever = next_lever(in, out);
  return out;
}

}  // namespace

extern constinit const Policy reference_policy{
    "reference", "the Python tool's rule: one direction, one tolerance, counts of rows", &decide_by_reference, &judge_reference};

}  // namespace plumbline::verdict
