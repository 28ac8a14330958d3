#include "verbs/suite/sum.hpp"

#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/native.hpp"
#include "core/text.hpp"
#include "verdict/advice.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verbs {

namespace {

using core::CaseState;
using core::Measurement;
using core::SuiteCase;

core::CaseHeadline headline_of(const core::DiffResult& result, std::uint32_t index) {
  const core::Delta& delta = result.comparison->deltas[index];
  core::CaseHeadline out;
  out.key = result.comparison->baseline->pool().view(delta.key);
  out.state = std::string(core::to_string(delta.state)) + (result.marks.suspect(index) ? " (suspect)" : "");
  const bool both =
      delta.baseline_row != core::kNoRow && delta.current_row != core::kNoRow && delta.state != core::State::invalid;
  const auto value = [](const Measurement& side, std::uint32_t row) { return side.rows()[row].value_count > 0; };
  if (delta.baseline_row != core::kNoRow) {
    out.unit = result.comparison->baseline->unit(result.comparison->baseline->rows()[delta.baseline_row]);
    if (value(*result.comparison->baseline, delta.baseline_row)) out.baseline = delta.baseline;
  }
  if (delta.current_row != core::kNoRow) {
    if (out.unit.empty()) out.unit = result.comparison->current->unit(result.comparison->current->rows()[delta.current_row]);
    if (value(*result.comparison->current, delta.current_row)) out.current = delta.current;
  }
  if (both && std::isfinite(delta.delta_pct)) out.delta_pct = delta.delta_pct;
  return out;
}

// The number a case is told by: a row that decided it, the worst first, else the first headline, else the largest change.
std::optional<core::CaseHeadline> headline_of(const core::DiffResult& result) {
  if (result.comparison == nullptr || result.comparison->deltas.empty()) return std::nullopt;
  const auto& deltas = result.comparison->deltas;
  std::optional<std::uint32_t> first_headline;
  for (const std::uint32_t index : result.order) {
    if (deltas[index].state == core::State::added) continue;
    if (deltas[index].state == core::State::regressed && !result.marks.suspect(index)) return headline_of(result, index);
    break;
  }
  for (std::uint32_t i = 0; i < deltas.size(); ++i) {
    const core::Delta& delta = deltas[i];
    if (!delta.headline || delta.state == core::State::added) continue;
    if (!first_headline || delta.used > deltas[*first_headline].used) first_headline = i;
  }
  if (first_headline) return headline_of(result, *first_headline);
  if (!result.order.empty()) return headline_of(result, result.order.front());
  return std::nullopt;
}

std::string reason_text(const core::Reason& reason) { return reason.code + ": " + reason.message; }

std::uint32_t append_rows(Measurement& into, const Measurement& from, const std::string& id, core::Id dim) {
  core::StringPool& pool = into.pool();
  const auto offset = static_cast<std::uint32_t>(into.rows().size());
  const core::Id name = pool.intern(id);
  std::vector<std::pair<core::Id, core::Id>> dims;
  for (const core::Row& row : from.rows()) {
    core::Row copy = row;
    copy.key = pool.intern(id + ":" + std::string(from.key(row)));
    copy.metric_class = into.intern_class(from.metric_class(row));
    dims.assign(1, {dim, name});
    const auto own = from.dims(row);
    dims.insert(dims.end(), own.begin(), own.end());
    copy.dims = into.add_dims(dims);
    into.add_row(copy, from.values(row));
  }
  return offset;
}

void append_comparison(Measurement& baseline, Measurement& current, core::Comparison& into, const core::Comparison& one,
                       const std::string& id) {
  core::StringPool& pool = baseline.pool();
  const core::Id dim = pool.intern("case");
  const std::uint32_t baseline_rows = append_rows(baseline, *one.baseline, id, dim);
  const std::uint32_t current_rows = append_rows(current, *one.current, id, dim);
  const auto tolerances = static_cast<std::uint32_t>(into.tolerances.size());
  const auto statistics = static_cast<std::uint32_t>(into.statistics.size());
  const auto deltas = static_cast<std::uint32_t>(into.deltas.size());
  into.tolerances.insert(into.tolerances.end(), one.tolerances.begin(), one.tolerances.end());
  into.statistics.insert(into.statistics.end(), one.statistics.begin(), one.statistics.end());
  for (const core::Delta& delta : one.deltas) {
    core::Delta copy = delta;
    copy.key = pool.intern(id + ":" + std::string(pool.view(delta.key)));
    if (copy.baseline_row != core::kNoRow) copy.baseline_row += baseline_rows;
    if (copy.current_row != core::kNoRow) copy.current_row += current_rows;
    copy.tolerance += tolerances;
    if (copy.statistics != core::kNoRow) copy.statistics += statistics;
    into.deltas.push_back(copy);
  }
  for (const auto& [index, note] : one.notes) into.notes.emplace(index + deltas, note);
}

core::Counts counts_of(const core::Comparison& comparison) {
  core::Counts out;
  for (const core::Delta& delta : comparison.deltas) {
    if (delta.state == core::State::missing) ++out.missing;
    if (delta.state == core::State::added) ++out.added;
    if (delta.state == core::State::context) ++out.context;
    if (delta.state == core::State::invalid) ++out.invalid;
    if (delta.state == core::State::regressed) ++out.regressed;
  }
  return out;
}

// A result without a baseline whose gate says by itself that the run is no good ("ok" is 0): there is nothing that it could have
// regressed from, and yet a folder with it in it has not passed.
bool fails_by_itself(const core::Delta& delta) {
  return delta.gate && delta.state == core::State::regressed && delta.baseline_row == core::kNoRow;
}

void add_counts(core::Counts& into, const core::Counts& more) {
  into.compared += more.compared;
  into.regressed += more.regressed;
  into.suspect += more.suspect;
  into.improved += more.improved;
  into.unchanged += more.unchanged;
  into.inconclusive += more.inconclusive;
  into.missing += more.missing;
  into.added += more.added;
  into.invalid += more.invalid;
  into.unclassified += more.unclassified;
  into.context += more.context;
}

std::string gathered_text(const std::string& id, const std::string& message, std::uint64_t cases) {
  std::string out = core::cited_path(id) + ": " + message;
  if (cases > 1) out += " (and in " + core::counted(cases - 1, "more case") + ")";
  return out;
}

void keep_common(core::Context& into, const core::Context& more, bool first) {
  if (first) {
    into = more;
    return;
  }
  std::erase_if(into, [&](const auto& entry) {
    const auto it = more.find(entry.first);
    return it == more.end() || it->second != entry.second;
  });
}

}  // namespace

struct SuiteSum::Combined {
  explicit Combined(const std::shared_ptr<core::StringPool>& pool) : baseline(pool), current(pool) {
    comparison.baseline = &baseline;
    comparison.current = &current;
  }
  Combined(const Combined&) = delete;
  Combined& operator=(const Combined&) = delete;

  Measurement baseline, current;
  core::Comparison comparison;
  core::RowMarks marks;
};

SuiteSum::SuiteSum(const std::shared_ptr<core::StringPool>& pool) : pool_(pool), all_(std::make_shared<Combined>(pool)) {}

void SuiteSum::compared(SuiteCase one, const core::DiffResult& diff) {
  own_rules_ = own_rules_ && diff.policy == "plumbline";
  one.verdict = diff.verdict;
  one.tier = diff.tier;
  one.reasons = diff.reasons;
  one.counts = diff.counts;
  one.headline = headline_of(diff);
  one.native = diff.native;
  if (!diff.reasons.empty()) one.reason = reason_text(diff.reasons.front());
  one.state = diff.verdict == core::Verdict::red ? CaseState::failed : CaseState::passed;
  if (diff.native != nullptr && diff.native->verdict.starts_with("NO_BASELINE")) {
    one.state = CaseState::no_baseline;
    one.reason = diff.native->system + " has no baseline value for it";
  }
  for (const core::Reason& reason : diff.reasons) add_reason(one.id, reason);
  add_warnings(one.id, diff.warnings);
  for (const std::string& text : diff.promote) {
    // One line of a kind: how many rows of it lack trials is each case's own.
    const std::string shown = text.substr(0, text.find(" ("));
    if (std::find(result_.promote.begin(), result_.promote.end(), shown) == result_.promote.end())
      result_.promote.push_back(shown);
  }
  for (core::ContextDifference difference : diff.context_differences) {
    const auto same = [&](const core::ContextDifference& other) {
      return other.key == difference.key && other.baseline == difference.baseline && other.current == difference.current;
    };
    if (std::none_of(result_.context_differences.begin(), result_.context_differences.end(), same))
      result_.context_differences.push_back(std::move(difference));
  }
  for (core::SolLine line : diff.sol) {
    line.row_key = one.id + ":" + line.row_key;
    result_.sol.push_back(std::move(line));
  }
  keep_common(result_.baseline_context, diff.baseline_context, compared_ == 0);
  keep_common(result_.current_context, diff.current_context, compared_ == 0);
  if (compared_ == 0 || diff.verdict > advised_) {
    advised_ = diff.verdict;
    result_.recommendation = diff.recommendation;
    result_.next_lever = diff.next_lever;
    if (!result_.recommendation.message.empty() && result_.recommendation.action != "none")
      result_.recommendation.message = core::cited_path(one.id) + ": " + result_.recommendation.message;
  }
  ++compared_;
  if (diff.tier == core::Tier::draft) all_verdicts_ = false;
  result_.verdict = std::max(result_.verdict, diff.verdict);
  all_->marks.append(diff.marks, all_->comparison.deltas.size());
  append_comparison(all_->baseline, all_->current, all_->comparison, *diff.comparison, one.id);
  add(std::move(one));
}

void SuiteSum::apart(SuiteCase one, const Measurement* baseline, const Measurement* current) {
  const Measurement none(pool_);
  const core::Comparison rows =
      core::compare(baseline != nullptr ? *baseline : none, current != nullptr ? *current : none, core::CompareRules());
  one.counts = counts_of(rows);
  core::Reason failed;
  failed.code = "gate_failed";
  for (const core::Delta& delta : rows.deltas) {
    if (!fails_by_itself(delta)) continue;
    ++failed.keys_count;
    if (failed.keys.size() < 20) failed.keys.emplace_back(pool_->view(delta.key));
  }
  if (failed.keys_count > 0) {
    failed.message = core::counted(failed.keys_count, "gate") + " without a baseline failed, first " + failed.keys.front();
    broken_.emplace_back(one.id, std::move(failed));
  }
  append_comparison(all_->baseline, all_->current, all_->comparison, rows, one.id);
  add(std::move(one));
}

void SuiteSum::add(SuiteCase one) {
  add_counts(result_.counts, one.counts);
  ++report_.totals[static_cast<std::size_t>(one.state)];
  report_.cases.push_back(std::move(one));
}

core::DiffResult SuiteSum::finish() {
  if (own_rules_ && !broken_.empty()) {
    for (const auto& [id, reason] : broken_) add_reason(id, reason);
    result_.verdict = core::Verdict::red;
  }
  const std::optional<core::Reason> many = own_rules_ ? many_regressed() : std::nullopt;
  std::stable_sort(report_.cases.begin(), report_.cases.end(), [](const SuiteCase& a, const SuiteCase& b) {
    const int x = core::case_rank(a.state, a.verdict.value_or(core::Verdict::green));
    const int y = core::case_rank(b.state, b.verdict.value_or(core::Verdict::green));
    return x != y ? x < y : a.id < b.id;
  });
  case_reasons();
  if (many) result_.reasons.insert(result_.reasons.begin(), *many);
  nothing_compared();
  for (const verdict::ReasonCode& code : verdict::reason_codes()) {
    const auto it = reasons_.find(code.code);
    if (it == reasons_.end()) continue;
    core::Reason reason = it->second.first;
    reason.message = gathered_text(it->second.id, reason.message, it->second.cases);
    reason.keys = it->second.keys;
    reason.keys_count = it->second.keys_count;
    result_.reasons.push_back(std::move(reason));
  }
  if (report_.count(CaseState::failed) == 0) {
    // No case failed against its baseline: what makes the suite RED all the same stands first.
    std::stable_partition(result_.reasons.begin(), result_.reasons.end(),
                          [](const core::Reason& reason) { return reason.code == "gate_failed"; });
  }
  for (const std::string& code : warning_order_) {
    const auto& gathered = warnings_.at(code);
    result_.warnings.push_back({code, gathered_text(gathered.id, gathered.first.message, gathered.cases)});
  }
  result_.tier = compared_ > 0 && all_verdicts_ ? core::Tier::verdict : core::Tier::draft;
  if (result_.tier == core::Tier::verdict) result_.promote.clear();
  if (all_->comparison.tolerances.empty()) all_->comparison.tolerances.emplace_back();
  result_.order = verdict::advice_order(all_->comparison, all_->marks);
  result_.shape = core::Shape::suite;
  result_.comparison = std::shared_ptr<const core::Comparison>(all_, &all_->comparison);
  result_.marks = all_->marks;
  result_.suite = std::make_shared<const core::SuiteReport>(std::move(report_));
  if (result_.recommendation.action.empty()) {
    result_.recommendation.action = "compare_like_with_like";
    result_.recommendation.message =
        "no case has both a baseline and a result: `plumbline record --as suite` makes baselines of results";
  }
  return std::move(result_);
}

void SuiteSum::add_reason(const std::string& id, const core::Reason& reason) {
  auto [it, fresh] = reasons_.try_emplace(reason.code);
  auto& gathered = it->second;
  if (fresh) {
    gathered.first = reason;
    gathered.id = id;
  }
  ++gathered.cases;
  gathered.keys_count += std::max<std::uint64_t>(reason.keys_count, reason.keys.size());
  for (const std::string& key : reason.keys) {
    if (gathered.keys.size() < 20) gathered.keys.push_back(id + ":" + key);
  }
}

void SuiteSum::add_warnings(const std::string& id, const std::vector<core::Warning>& warnings) {
  for (const core::Warning& warning : warnings) {
    auto [it, fresh] = warnings_.try_emplace(warning.code);
    if (fresh) {
      it->second.first = warning;
      it->second.id = id;
      warning_order_.push_back(warning.code);
    }
    ++it->second.cases;
  }
}

// Each case by itself may be no more than doubtful; three rows beyond tolerance are no chance, in whichever files they stand.
// Then those cases have not passed: totals that say so beside a RED would be believed.
std::optional<core::Reason> SuiteSum::many_regressed() {
  core::Reason out;
  out.code = "many_regressed";
  for (const core::Delta& delta : all_->comparison.deltas) {
    if (delta.state != core::State::regressed || fails_by_itself(delta)) continue;
    if (all_->marks.suspect(all_->comparison.index(delta))) continue;
    ++out.keys_count;
    if (out.keys.size() < 20) out.keys.emplace_back(pool_->view(delta.key));
  }
  if (out.keys_count < 3) return std::nullopt;
  std::size_t cases = 0;
  for (SuiteCase& one : report_.cases) {
    if (!one.verdict || one.counts.regressed <= one.counts.suspect) continue;
    ++cases;
    if (one.state != CaseState::passed) continue;
    --report_.totals[static_cast<std::size_t>(CaseState::passed)];
    ++report_.totals[static_cast<std::size_t>(CaseState::failed)];
    one.state = CaseState::failed;
  }
  const bool new_here = result_.verdict != core::Verdict::red;
  result_.verdict = core::Verdict::red;
  if (!new_here) return std::nullopt;
  out.message = core::counted(out.keys_count, "row") + " of " + core::counted(cases, "case") +
                " regressed beyond tolerance, first " + out.keys.front();
  return out;
}

// An answer without a comparison is no GREEN.
void SuiteSum::nothing_compared() {
  if (compared_ > 0) return;
  core::Reason out;
  out.code = "nothing_compared";
  out.message = "no case has both a baseline and a result that answers to it";
  out.keys_count = report_.cases.size();
  for (const SuiteCase& one : report_.cases) {
    if (out.keys.size() < 20) out.keys.push_back(one.id);
  }
  result_.verdict = std::max(result_.verdict, core::Verdict::yellow);
  result_.reasons.push_back(std::move(out));
}

// What the states of the cases say, before what stands in them.
void SuiteSum::case_reasons() {
  const auto reason = [&](std::string_view code, auto&& belongs, std::string_view singular, std::string_view plural) {
    core::Reason out;
    out.code = code;
    std::vector<std::string> said;
    for (const SuiteCase& one : report_.cases) {
      if (!belongs(one)) continue;
      ++out.keys_count;
      if (out.keys.size() < 20) out.keys.push_back(one.id);
      if (said.size() < 4) said.push_back(core::cited_path(one.id) + (one.reason.empty() ? "" : " (" + one.reason + ")"));
    }
    if (out.keys_count == 0) return;
    said.resize(std::min<std::size_t>(said.size(), 3));
    out.message =
        core::counted(out.keys_count, std::string("case ") + std::string(singular), std::string("cases ") + std::string(plural)) +
        ": " + core::listed(said, 3);
    if (out.keys_count > said.size()) out.message += " and " + std::to_string(out.keys_count - said.size()) + " more";
    for (const verdict::ReasonCode& known : verdict::reason_codes()) {
      if (known.code == code) result_.verdict = std::max(result_.verdict, known.at_least);
    }
    result_.reasons.push_back(std::move(out));
  };
  const auto in = [](CaseState state) { return [state](const SuiteCase& one) { return one.state == state; }; };
  reason("case_failed", in(CaseState::failed), "failed", "failed");
  reason("case_error", in(CaseState::error), "cannot be compared", "cannot be compared");
  reason(
      "case_doubtful",
      [](const SuiteCase& one) { return one.state == CaseState::passed && one.verdict == core::Verdict::yellow; }, "is YELLOW",
      "are YELLOW");
  reason("case_stale", in(CaseState::stale), "has a baseline and no result", "have a baseline and no result");
  reason(
      "case_unmatched", [](const SuiteCase& one) { return one.state == CaseState::untracked && one.unmatched; },
      "has no baseline that answers to it", "have no baseline that answers to them");
  reason("case_no_baseline", in(CaseState::no_baseline), "has no baseline value", "have no baseline value");
  reason(
      "case_untracked", [](const SuiteCase& one) { return one.state == CaseState::untracked && !one.unmatched; },
      "has no baseline", "have no baseline");
  reason("case_skipped", in(CaseState::skipped), "was skipped", "were skipped");
}

}  // namespace plumbline::verbs
