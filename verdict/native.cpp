#include "verdict/native.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/text.hpp"
#include "systems/table.hpp"
#include "verdict/advising/advice.hpp"
#include "verdict/counting.hpp"

namespace plumbline::verdict {

namespace {

core::Verdict verdict_of(core::NativeOutcome outcome) {
  switch (outcome) {
    case core::NativeOutcome::pass:
      return core::Verdict::green;
    case core::NativeOutcome::warn:
      return core::Verdict::yellow;
    case core::NativeOutcome::fail:
      return core::Verdict::red;
  }
  return core::Verdict::red;
}

}  // namespace

core::Comparison decide_by_native(core::Comparison rows, const DecideInput& input) {
  return systems::find(input.native->system)->decide_rows(*input.native, std::move(rows));
}

Judgement judge_native(const JudgeInput& input) {
  const core::NativeReport& report = *input.native;
  const core::Comparison& comparison = *input.comparison;
  Judgement out;
  out.counts = count_states(comparison);
  out.verdict = verdict_of(report.outcome);
  if (report.outcome != core::NativeOutcome::pass) {
    core::Reason reason{report.outcome == core::NativeOutcome::fail ? core::ReasonCode("native_failed") : "native_warned"};
    reason.message = report.system + " says " + report.verdict;
    if (!report.said.empty()) reason.message += ": " + core::listed(report.said, 10);
    reason.keys_count = report.said_keys.size();
    reason.keys.assign(report.said_keys.begin(), report.said_keys.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                                                                report.said_keys.size(), 20)));
    out.reasons.push_back(std::move(reason));
  }
  for (const core::Reason& miss : report.misses) out.reasons.push_back(miss);
  out.tier = core::Tier::draft;
  out.promote.push_back("policy: the rules of " + report.system + " have no noise model; use --policy plumbline");
  out.order = advice_order(comparison, out.marks);
  out.parts = find_culprits(*input.comparison, out.marks);
  out.recommendation = recommend(input, out);
  out.next_lever = next_lever(input, out);
  return out;
}

std::vector<core::Reason> native_reasons(const core::NativeReport& report, core::Verdict ours) {
  std::vector<core::Reason> out;
  const core::Verdict theirs = verdict_of(report.outcome);
  if (theirs != ours) {
    core::Reason reason{"native_verdict_differs"};
    reason.message = report.system + " says " + report.verdict + " (" + report.summary + "), plumbline says " +
                     std::string(core::to_string(ours));
    out.push_back(std::move(reason));
  }
  out.insert(out.end(), report.misses.begin(), report.misses.end());
  return out;
}

Judgement with_native(Judgement judgement, const core::NativeReport* report, const core::Comparison& rows) {
  for (const auto& [name, side] : {std::pair("baseline", rows.baseline), std::pair("current", rows.current)}) {
    for (const core::Warning& warning : side->warnings) {
      if (warning.code != "signature_invalid") continue;
      core::Reason reason{"native_signature_invalid"};
      reason.message = std::string(name) + ": " + warning.message;
      judgement.verdict = std::max(judgement.verdict, reason.code.weight());
      judgement.reasons.push_back(std::move(reason));
    }
  }
  if (report == nullptr) return judgement;
  for (core::Reason& reason : native_reasons(*report, judgement.verdict)) judgement.reasons.push_back(std::move(reason));
  return judgement;
}

extern constinit const Policy inferencebench_policy{"inferencebench", "that tool's diff of two envelopes", &decide_by_native,
                                                    &judge_native};
extern constinit const Policy msmodeling_policy{"msmodeling", "that tool's checks of a case against a simulator run",
                                                &decide_by_native, &judge_native};
extern constinit const Policy tensorsharp_policy{"tensorsharp",
                                                 "that project's regression analysis of a result folder against its baseline",
                                                 &decide_by_native, &judge_native};
extern constinit const Policy spec_decode_policy{"spec_decode", "the bands of the vLLM RFC on speculative decoding",
                                                 &decide_by_native, &judge_native};

}  // namespace plumbline::verdict
