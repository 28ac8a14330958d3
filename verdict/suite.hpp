// How the cases of a suite add up: each was judged by itself (verdict/policy.hpp), here they become one verdict, with the reasons
// that only all of them together give. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/results/common.hpp"
#include "core/results/suite.hpp"
#include "core/row_marks.hpp"
#include "verdict/culprits/culprits.hpp"

namespace plumbline::core {
struct NativeReport;
}

namespace plumbline::verdict {

// Of a case that was compared.
struct CaseJudgement {
  std::string id;
  core::Verdict verdict = core::Verdict::green;
  core::Tier tier = core::Tier::draft;
  std::vector<std::string> promote;
  std::vector<core::Reason> reasons;
  core::Recommendation recommendation;
  std::optional<core::NextLever> next_lever;
};
// A result without a baseline whose own gates say that the run is no good.
struct BrokenCase {
  std::string id;
  core::Reason reason;
};

struct SuiteInput {
  std::span<const core::SuiteCase> cases;   // with the states that they have by themselves
  std::span<const CaseJudgement> compared;  // in the order in which they were
  std::span<const BrokenCase> broken;
  const core::Comparison& rows;  // of all cases, each key behind its case
  const core::RowMarks& marks;   // of those rows
  bool own_rules = true;         // no case was judged by another policy: what rows of several cases say together is ours alone
};

struct SuiteJudgement {
  core::Verdict verdict = core::Verdict::green;
  core::Tier tier = core::Tier::draft;
  std::vector<std::string> promote;
  std::vector<core::Reason> reasons;
  CulpritFindings parts;  // of the rows of all cases
  core::Recommendation recommendation;
  std::optional<core::NextLever> next_lever;
  std::vector<core::CaseState> states;     // of the cases: one that passes by itself may fail with the others
  std::vector<std::uint32_t> worst_first;  // the cases in the order in which they are told
};
[[nodiscard]] SuiteJudgement judge_suite(const SuiteInput& input);

// What a case has become by itself: `native` is what another system says of it, null where none does.
[[nodiscard]] core::CaseState state_of(core::Verdict verdict, const core::NativeReport* native);
// The gates among the rows of a result without a baseline that fail by themselves ("ok" is 0): there is nothing that it could
// have regressed from, and yet a folder with it in it has not passed.
[[nodiscard]] std::optional<core::Reason> gates_failed_alone(const core::Comparison& rows);

// "a.json: …  (and in 3 more cases)": a sentence that several cases say, by the first of them.
[[nodiscard]] std::string said_by_cases(const std::string& id, const std::string& message, std::uint64_t cases);

}  // namespace plumbline::verdict
