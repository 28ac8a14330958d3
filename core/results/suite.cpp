#include "core/results/suite.hpp"

#include "core/text.hpp"

namespace plumbline::core {

std::string_view to_string(CaseState state) {
  switch (state) {
    case CaseState::passed:
      return "passed";
    case CaseState::failed:
      return "failed";
    case CaseState::error:
      return "error";
    case CaseState::stale:
      return "stale";
    case CaseState::no_baseline:
      return "no_baseline";
    case CaseState::untracked:
      return "untracked";
    case CaseState::skipped:
      return "skipped";
  }
  return "error";
}

int case_rank(CaseState state, Verdict verdict) {
  switch (state) {
    case CaseState::failed:
      return 0;
    case CaseState::error:
      return 1;
    case CaseState::passed:
      return verdict == Verdict::green ? 6 : 2;
    case CaseState::stale:
      return 3;
    case CaseState::no_baseline:
      return 4;
    case CaseState::untracked:
      return 5;
    case CaseState::skipped:
      return 7;
  }
  return 7;
}

std::string totals_text(const SuiteReport& suite) {
  std::string out = std::to_string(suite.count(CaseState::passed)) + " of " + counted(suite.cases.size(), "case") + " passed";
  for (const CaseState state : {CaseState::failed, CaseState::error, CaseState::stale, CaseState::no_baseline,
                                CaseState::untracked, CaseState::skipped}) {
    if (suite.count(state) == 0) continue;
    out += ", " + std::to_string(suite.count(state)) + " " +
           (state == CaseState::no_baseline ? "without a baseline value" : std::string(to_string(state)));
  }
  if (suite.left_out > 0) out += "; " + std::to_string(suite.left_out) + " left out by the tier";
  return out;
}

}  // namespace plumbline::core
