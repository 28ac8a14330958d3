// What a verdict lacks to be a VERDICT.
#include "verdict/tier.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/citing.hpp"
#include "core/context.hpp"
#include "core/text.hpp"

namespace plumbline::verdict {
namespace {

using core::Comparison;
using core::Delta;
using core::State;

// An end-to-end latency that moved says nothing about decoding as long as no phase stands beside it.
bool phases_are_apart(const Comparison& c, std::span<const std::uint32_t> notable) {
  constexpr auto kWhole = std::to_array<std::string_view>({"e2e", "end_to_end", "request_latency"});
  constexpr auto kPhases =
      std::to_array<std::string_view>({"tpot", "itl", "ttft", "inter_token", "time_per_output", "time_to_first", "first_token"});
  const auto has = [](std::string_view key, std::span<const std::string_view> words) {
    const std::string lower = core::to_lower(key);
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return lower.find(word) != std::string::npos; });
  };
  const bool whole = std::any_of(notable.begin(), notable.end(), [&](std::uint32_t i) {
    const Delta& d = c.deltas[i];
    return !d.gate && (d.state == State::regressed || d.state == State::inconclusive) &&
           has(c.baseline->pool().view(d.key), kWhole);
  });
  return !whole || std::any_of(c.deltas.begin(), c.deltas.end(), [&](const Delta& d) {
    return d.state != State::context && has(c.baseline->pool().view(d.key), kPhases);
  });
}

bool warned_of(const core::Measurement& measurement, core::WarningCode code) {
  return std::any_of(measurement.warnings.begin(), measurement.warnings.end(),
                     [&](const core::Warning& warning) { return warning.code == code; });
}

// The warning that says that a measurement ended before its end; none for a whole one.
std::optional<core::WarningCode> not_whole(const core::Measurement& measurement) {
  for (const core::WarningCode code :
       {core::WarningCode("run_incomplete"), core::WarningCode("truncated_tail"), core::WarningCode("capture_incomplete")}) {
    if (warned_of(measurement, code)) return code;
  }
  return std::nullopt;
}

std::string proof_lacking(const Unproven& open) {
  std::string text = "proof: " + std::to_string(open.open) + " of " +
                     (open.headlines ? core::counted(open.questions, "headline")
                                     : core::counted(open.questions, "suite effect or row", "suite effects and rows")) +
                     (open.open == 1 ? " is" : " are") + " not proven within tolerance";
  if (!open.trials) return text + ", and too close to it for more trials to tell; less noise or a wider tolerance would";
  return text + "; about " + std::to_string(*open.trials) + " trials a side would prove it";
}

std::string decision_lacking(const TierQuestion& question) {
  const std::string text =
      "decision: the trials of " + core::counted(question.undecided, "row") + " do not tell a change from chance";
  if (!question.decide) return text + ", nor would more of them; less noise or a wider tolerance would";
  return text + "; " + std::to_string(*question.decide) + " trials a side would";
}

// Keys that make a comparison weaker or void where they differ, and that one side does not state.
std::string stated_by_one_side(const JudgeInput& in) {
  std::vector<std::string> keys;
  for (const core::ContextDifference& difference : in.context_differences) {
    if (difference.declared || difference.baseline_known == difference.current_known) continue;
    if (core::context_severity(difference.key) == core::Severity::informative) continue;
    keys.push_back(core::cited_word(difference.key) + (difference.baseline_known ? " (baseline)" : " (current)"));
  }
  return keys.empty() ? std::string() : core::listed(keys);
}

}  // namespace

std::vector<std::string> lacking_for_verdict(const JudgeInput& in, const Comparison& c, const TierQuestion& question) {
  std::vector<std::string> promote;
  if (question.without_trials > 0) {
    promote.push_back("trials: three or more independent runs on both sides (" + core::counted(question.without_trials, "row") +
                      " of " + std::to_string(question.promotable) + " have fewer)");
  }
  if (question.open != nullptr && question.open->open > 0) promote.push_back(proof_lacking(*question.open));
  if (question.undecided > 0) promote.push_back(decision_lacking(question));
  if (c.baseline->replication == core::Replication::in_process || c.current->replication == core::Replication::in_process) {
    promote.emplace_back("replication: the trials are iterations inside one process; repeat the whole run");
  }
  if (!phases_are_apart(c, question.notable)) {
    promote.emplace_back(
        "metric isolation: an end-to-end figure moved and none of its phases was recorded; record the median TTFT and TPOT or "
        "ITL beside it");
  }
  if (!in.same_host) promote.emplace_back("same node: record and compare with environment.hostname equal on both sides");
  bool context = false;
  for (const auto& difference : in.context_differences) {
    context = context || (!difference.declared && difference.severity != core::Severity::informative);
  }
  if (context) promote.emplace_back("context: match the differing keys, or declare them with --varying");
  if (std::string keys = stated_by_one_side(in); !keys.empty()) {
    promote.push_back("context: only one side states " + keys + "; record or pass it (--context) for both");
  }
  if (!in.baseline_verified) promote.emplace_back("provenance: the baseline is no verified registry entry; record it");
  for (const auto& [side, measurement] : {std::pair{"baseline", c.baseline}, std::pair{"current", c.current}}) {
    if (const auto code = not_whole(*measurement)) {
      promote.push_back("capture: the " + std::string(side) + " measurement is not whole (" + std::string(code->text()) +
                        "); measure it to its end");
    }
    if (warned_of(*measurement, "several_tasks")) {
      promote.push_back("replication: trials of the " + std::string(side) +
                        " side are lines of several tasks of one launch; keep the lines of one task, and repeat the whole run");
    }
  }
  for (const std::string& text : in.disturbed) promote.push_back("quiet machine: " + text + "; measure again when it is quiet");
  if (!in.uncertain_ceilings.empty()) {
    promote.push_back("ceilings: " + core::listed(in.uncertain_ceilings) + (in.uncertain_ceilings.size() == 1 ? " is" : " are") +
                      " marked uncertain; record with a published figure by --ceiling");
  }
  return promote;
}

}  // namespace plumbline::verdict
