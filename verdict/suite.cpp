#include "verdict/suite.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/citing.hpp"
#include "core/native.hpp"
#include "core/text.hpp"
#include "verdict/advising/culprit_words.hpp"

namespace plumbline::verdict {
namespace {

using core::CaseState;
using core::SuiteCase;

constexpr std::size_t kReasonKeys = 20;
constexpr std::uint64_t kManyRows = 3;

bool fails_alone(const core::Delta& delta) {
  return delta.gate && delta.state == core::State::regressed && delta.baseline_row == core::kNoRow;
}

// Counts a key of a reason, of which the first are shown.
void add_key(core::Reason& reason, std::string key) {
  ++reason.keys_count;
  if (reason.keys.size() < kReasonKeys) reason.keys.push_back(std::move(key));
}

// The reasons of cases by code, heaviest first: of each code the first as it stands, the others counted.
class GatheredReasons {
 public:
  void add(const std::string& id, const core::Reason& reason) {
    One& one = by_code_.try_emplace(reason.code, One{id, reason.message}).first->second;
    ++one.cases;
    one.keys_count += std::max<std::uint64_t>(reason.keys_count, reason.keys.size());
    for (const std::string& key : reason.keys) {
      if (one.keys.size() < kReasonKeys) one.keys.push_back(id + ":" + key);
    }
  }
  void take(std::vector<core::Reason>& out) {
    for (auto& [code, one] : by_code_)
      out.push_back({code, said_by_cases(one.id, one.message, one.cases), std::move(one.keys), one.keys_count});
  }

 private:
  struct One {
    std::string id, message;  // of the first case
    std::uint64_t cases = 0;
    std::vector<std::string> keys = {};
    std::uint64_t keys_count = 0;
  };
  std::map<core::ReasonCode, One> by_code_;
};

class SuiteJudge {
 public:
  explicit SuiteJudge(const SuiteInput& in) : in_(in) {
    for (const SuiteCase& one : in.cases) out_.states.push_back(one.state);
  }

  SuiteJudgement run() {
    GatheredReasons gathered;
    for (const CaseJudgement& one : in_.compared) {
      out_.verdict = std::max(out_.verdict, one.verdict);
      for (const core::Reason& reason : one.reasons) gathered.add(one.id, reason);
    }
    if (in_.own_rules) {
      for (const BrokenCase& one : in_.broken) {
        gathered.add(one.id, one.reason);
        out_.verdict = std::max(out_.verdict, one.reason.code.weight());
      }
      many_regressed();
    }
    order_cases();
    case_reasons();
    nothing_compared();
    gathered.take(out_.reasons);
    if (std::find(out_.states.begin(), out_.states.end(), CaseState::failed) == out_.states.end()) {
      // No case failed against its baseline: what makes the suite RED all the same stands first.
      std::stable_partition(out_.reasons.begin(), out_.reasons.end(),
                            [](const core::Reason& reason) { return reason.code == "gate_failed"; });
    }
    find_tier();
    advise();
    return std::move(out_);
  }

 private:
  void give(core::Reason reason) {
    out_.verdict = std::max(out_.verdict, reason.code.weight());
    out_.reasons.push_back(std::move(reason));
  }

  // Each case by itself may be no more than doubtful; three rows beyond tolerance are no chance, in whichever files they stand.
  // Then those cases have not passed: totals that say so beside a RED would be believed.
  void many_regressed() {
    core::Reason many{"many_regressed"};
    for (const core::Delta& delta : in_.rows.deltas) {
      if (delta.state != core::State::regressed || is_excused(delta) || fails_alone(delta)) continue;
      add_key(many, std::string(in_.rows.baseline->pool().view(delta.key)));
    }
    if (many.keys_count < kManyRows) return;
    std::size_t cases = 0;
    for (std::size_t i = 0; i < in_.cases.size(); ++i) {
      const SuiteCase& one = in_.cases[i];
      if (!one.verdict || one.counts.standing() == 0) continue;
      ++cases;
      if (one.state == CaseState::passed) out_.states[i] = CaseState::failed;
    }
    if (out_.verdict == core::Verdict::red) return;  // it was said by the cases
    many.message = core::counted(many.keys_count, "row") + " of " + core::counted(cases, "case") +
                   " regressed beyond tolerance, first " + core::cited(many.keys.front());
    give(std::move(many));
  }

  void order_cases() {
    out_.worst_first.resize(in_.cases.size());
    std::iota(out_.worst_first.begin(), out_.worst_first.end(), 0U);
    const auto rank = [this](std::uint32_t i) {
      return core::case_rank(out_.states[i], in_.cases[i].verdict.value_or(core::Verdict::green));
    };
    std::stable_sort(out_.worst_first.begin(), out_.worst_first.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : in_.cases[a].id < in_.cases[b].id;
    });
  }

  // What the states of the cases say, before what stands in them.
  void case_reasons() {
    const auto in = [](CaseState wanted) { return [wanted](const SuiteCase&, CaseState state) { return state == wanted; }; };
    const auto untracked = [](bool unmatched) {
      return [unmatched](const SuiteCase& one, CaseState state) {
        return state == CaseState::untracked && one.unmatched == unmatched;
      };
    };
    const auto doubtful = [](const SuiteCase& one, CaseState state) {
      return state == CaseState::passed && one.verdict == core::Verdict::yellow;
    };
    case_reason("case_failed", in(CaseState::failed), "failed", "failed");
    case_reason("case_error", in(CaseState::error), "cannot be compared", "cannot be compared");
    case_reason("case_doubtful", doubtful, "is YELLOW", "are YELLOW");
    case_reason("case_stale", in(CaseState::stale), "has a baseline and no result", "have a baseline and no result");
    case_reason("case_unmatched", untracked(true), "has no baseline that answers to it", "have no baseline that answers to them");
    case_reason("case_no_baseline", in(CaseState::no_baseline), "has no baseline value", "have no baseline value");
    case_reason("case_untracked", untracked(false), "has no baseline", "have no baseline");
    case_reason("case_skipped", in(CaseState::skipped), "was skipped", "were skipped");
  }

  [[nodiscard]] bool is_excused(const core::Delta& delta) const {
    const std::uint32_t i = in_.rows.index(delta);
    return in_.marks.suspect(i) || in_.marks.waived(i);
  }

  template <class Belongs>
  void case_reason(core::ReasonCode code, const Belongs& belongs, const std::string& singular, const std::string& plural) {
    core::Reason reason{code};
    std::vector<std::string> said;
    for (const std::uint32_t i : out_.worst_first) {
      const SuiteCase& one = in_.cases[i];
      if (!belongs(one, out_.states[i])) continue;
      add_key(reason, one.id);
      if (said.size() < 3) said.push_back(core::cited_path(one.id) + (one.reason.empty() ? "" : " (" + one.reason + ")"));
    }
    if (reason.keys_count == 0) return;
    reason.message = core::counted(reason.keys_count, "case " + singular, "cases " + plural) + ": " + core::listed(said, 3);
    if (reason.keys_count > said.size()) reason.message += " and " + std::to_string(reason.keys_count - said.size()) + " more";
    give(std::move(reason));
  }

  // An answer without a comparison is no GREEN.
  void nothing_compared() {
    if (!in_.compared.empty()) return;
    core::Reason reason{"nothing_compared", "no case has both a baseline and a result that answers to it"};
    for (const std::uint32_t i : out_.worst_first) add_key(reason, in_.cases[i].id);
    give(std::move(reason));
  }

  void find_tier() {
    const auto proven = [](const CaseJudgement& one) { return one.tier == core::Tier::verdict; };
    if (!in_.compared.empty() && std::all_of(in_.compared.begin(), in_.compared.end(), proven)) {
      out_.tier = core::Tier::verdict;
      return;
    }
    for (const CaseJudgement& one : in_.compared) {
      for (const std::string& text : one.promote) {
        // One line of a kind: how many rows of it lack trials is each case's own.
        const std::string shown = text.substr(0, text.find(" ("));
        if (std::find(out_.promote.begin(), out_.promote.end(), shown) == out_.promote.end()) out_.promote.push_back(shown);
      }
    }
  }

  // The advice of the worst case, of equals the first. Where that is to bisect, the rows of all cases may tell
  // more of where to than its own.
  void advise() {
    const auto worst = std::max_element(in_.compared.begin(), in_.compared.end(),
                                        [](const CaseJudgement& a, const CaseJudgement& b) { return a.verdict < b.verdict; });
    if (worst != in_.compared.end()) {
      out_.recommendation = worst->recommendation;
      out_.next_lever = worst->next_lever;
      std::string& message = out_.recommendation.message;
      if (!message.empty() && out_.recommendation.action != "none") message = core::cited_path(worst->id) + ": " + message;
    }
    if (in_.own_rules) out_.parts = find_culprits(in_.rows, in_.marks);
    if (out_.recommendation.action == "bisect" && !out_.parts.culprits.empty()) {
      out_.recommendation = {"bisect", where_it_regressed(out_.parts) + ": look there first", predicates(out_.parts)};
    }
    if (out_.recommendation.action.empty()) {
      out_.recommendation.action = "compare_like_with_like";
      out_.recommendation.message =
          "no case has both a baseline and a result: `plumbline record --as suite` makes baselines of results";
    }
  }

  const SuiteInput& in_;
  SuiteJudgement out_;
};

}  // namespace

SuiteJudgement judge_suite(const SuiteInput& input) { return SuiteJudge(input).run(); }

core::CaseState state_of(core::Verdict verdict, const core::NativeReport* native) {
  if (native != nullptr && native->verdict.starts_with("NO_BASELINE")) return CaseState::no_baseline;
  return verdict == core::Verdict::red ? CaseState::failed : CaseState::passed;
}

std::optional<core::Reason> gates_failed_alone(const core::Comparison& rows) {
  core::Reason failed{"gate_failed"};
  for (const core::Delta& delta : rows.deltas) {
    if (fails_alone(delta)) add_key(failed, std::string(rows.baseline->pool().view(delta.key)));
  }
  if (failed.keys_count == 0) return std::nullopt;
  failed.message =
      core::counted(failed.keys_count, "gate") + " without a baseline failed, first " + core::cited(failed.keys.front());
  return failed;
}

std::string said_by_cases(const std::string& id, const std::string& message, std::uint64_t cases) {
  std::string out = core::cited_path(id) + ": " + message;
  if (cases > 1) out += " (and in " + core::counted(cases - 1, "more case") + ")";
  return out;
}

}  // namespace plumbline::verdict
