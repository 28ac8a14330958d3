// How rows become a verdict: one file per rule set, one table of them. A policy has two steps, each a function of what it is
// given. It decides: core::compare's rows go in, each decided by itself, and come out as its rules decide them among each other.
// Then it judges that comparison, which from there on is evidence and const: marks, counts, reasons, verdict, tier, promote,
// recommendation and next lever. Pure like core.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/comparison.hpp"
#include "core/gates/more_failures.hpp"
#include "core/results/diff.hpp"
#include "core/results/second_look.hpp"
#include "verdict/culprits/culprits.hpp"

namespace plumbline::verdict {

// What the rules know beside the rows.
struct DecideInput {
  core::Shape shape = core::Shape::structured;
  std::optional<double> registry_floor_pct;  // robust noise floor of this measurement's history; of several keys the median
  const std::unordered_map<core::Id, double>* key_floors_pct = nullptr;  // the same key by key, where there is enough history
  // What the caller asked for as a whole: the reference rules know one direction and one tolerance for all rows.
  core::Direction direction = core::Direction::two_sided;
  double tolerance_percent = 5;
  std::optional<double> tolerance_absolute;
  const core::NativeReport* native = nullptr;  // where both sides are another system's files
};

struct JudgeInput : DecideInput {
  const core::Comparison* comparison = nullptr;  // as the policy decided it
  std::span<const core::ContextDifference> context_differences;
  std::span<const core::SolLine> sol;
  // What the class of benchmark is known to scatter between runs, percent, by key: a prior for single trials. May be empty.
  std::function<std::optional<double>(std::string_view key)> class_noise_pct;
  // The least and the most that the history holds of a key.
  const std::unordered_map<core::Id, std::pair<double, double>>* key_ranges = nullptr;
  double alpha = 0.05;
  const core::SecondLook* second_look = nullptr;  // only its rows are judged, each for itself
  bool same_host = false;                         // both sides known to be one node
  bool baseline_verified = true;
  bool accepted_baseline = false;
  // Of trials that `run` made: how many of each side failed, and what disturbed more of them than few.
  core::Failures baseline_runs, current_runs;
  std::vector<std::string> disturbed;
  std::vector<std::string> uncertain_ceilings;  // of `sol`: keys whose figures the ceilings file calls uncertain
  core::Waivers waivers;                        // of this measurement, in the project file's order
  std::string today;                            // the day on which they hold or do not, "2026-11-23"
};

struct Judgement {
  core::Verdict verdict = core::Verdict::green;
  core::Tier tier = core::Tier::draft;
  std::vector<std::string> promote;
  std::vector<core::Reason> reasons;
  core::RowMarks marks;  // what was found of single rows
  core::Counts counts;
  std::vector<core::SecondAnswer> answers;  // of JudgeInput::second_look's rows
  std::vector<core::WaiverUse> waivers;     // that speak of these rows
  CulpritFindings parts;                    // which part of the rows regressed
  core::Recommendation recommendation;
  std::optional<core::NextLever> next_lever;
  std::vector<core::Warning> warnings;
  std::vector<std::uint32_t> order;  // delta indices: adverse first, worst first, then the rest by size (at most 1000)
};

// A caller decides, then judges what came out: find(name)->decide(core::compare(…), input).
struct Policy {
  std::string_view name;  // "plumbline" "reference", and the systems of systems/table.hpp
  std::string_view title;
  core::Comparison (*decide)(core::Comparison rows, const DecideInput& input) = nullptr;
  Judgement (*judge)(const JudgeInput& input) = nullptr;
  bool judges_keys = false;  // by the rules that were asked for by key; rows of several cases may then be judged together
};
[[nodiscard]] std::span<const Policy* const> table();
[[nodiscard]] std::vector<std::string_view> policy_choices();  // the names, in the table's order
[[nodiscard]] const Policy* find(std::string_view name);
[[nodiscard]] std::string policy_names();  // "plumbline, reference, … and spec_decode"

// Rules that a declared schema brings under the default policy, by format name ("inference_perfbench_v1").
[[nodiscard]] std::optional<core::DeclaredRules> declared_rules(std::string_view format);

}  // namespace plumbline::verdict
