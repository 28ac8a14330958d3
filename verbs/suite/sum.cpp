#include "verbs/suite/sum.hpp"

#include <algorithm>
#include <cmath>

#include "core/native.hpp"
#include "core/text.hpp"
#include "verdict/advising/advice.hpp"

namespace plumbline::verbs {

namespace {

using core::CaseState;
using core::Measurement;
using core::SuiteCase;

core::CaseHeadline headline_of(const core::RowsResult& result, std::uint32_t index) {
  const core::Delta& delta = result.comparison->deltas[index];
  core::CaseHeadline out;
  out.key = result.comparison->baseline->pool().view(delta.key);
  out.state = std::string(core::to_string(delta.state)) + (result.marks.waived(index)    ? " (waived)"
                                                           : result.marks.suspect(index) ? " (suspect)"
                                                                                         : "");
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
std::optional<core::CaseHeadline> headline_of(const core::RowsResult& result) {
  if (result.comparison == nullptr || result.comparison->deltas.empty()) return std::nullopt;
  const auto& deltas = result.comparison->deltas;
  std::optional<std::uint32_t> first_headline;
  for (const std::uint32_t index : result.order) {
    if (deltas[index].state == core::State::added) continue;
    if (deltas[index].state == core::State::regressed && !result.marks.suspect(index) && !result.marks.waived(index))
      return headline_of(result, index);
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

std::string reason_text(const core::Reason& reason) { return std::string(reason.code.text()) + ": " + reason.message; }

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
  into.waived += more.waived;
  into.waived_sound += more.waived_sound;
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
  const auto& rows = std::get<core::RowsResult>(diff.evidence);
  own_rules_ = own_rules_ && verdict::find(diff.policy)->judges_keys;
  one.verdict = diff.verdict;
  one.tier = diff.tier;
  one.reasons = diff.reasons;
  one.counts = diff.counts;
  one.headline = headline_of(rows);
  one.native = rows.native;
  if (!diff.reasons.empty()) one.reason = reason_text(diff.reasons.front());
  one.state = verdict::state_of(diff.verdict, diff.native());
  if (one.state == CaseState::no_baseline) one.reason = diff.native()->system + " has no baseline value for it";
  add_warnings(one.id, diff.warnings);
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
  keep_common(result_.baseline_context, diff.baseline_context, compared_.empty());
  keep_common(result_.current_context, diff.current_context, compared_.empty());
  compared_.push_back({one.id, diff.verdict, diff.tier, diff.promote, diff.reasons, diff.recommendation, diff.next_lever});
  add_waivers(diff.waivers);
  all_->marks.append(rows.marks, all_->comparison.deltas.size());
  append_comparison(all_->baseline, all_->current, all_->comparison, *rows.comparison, one.id);
  add(std::move(one));
}

void SuiteSum::apart(SuiteCase one, const Measurement* baseline, const Measurement* current) {
  const Measurement none(pool_);
  const core::Comparison rows =
      core::compare(baseline != nullptr ? *baseline : none, current != nullptr ? *current : none, core::CompareRules());
  one.counts = counts_of(rows);
  if (auto failed = verdict::gates_failed_alone(rows)) broken_.push_back({one.id, std::move(*failed)});
  append_comparison(all_->baseline, all_->current, all_->comparison, rows, one.id);
  add(std::move(one));
}

void SuiteSum::add(SuiteCase one) {
  add_counts(result_.counts, one.counts);
  cases_.push_back(std::move(one));
}

core::DiffResult SuiteSum::finish() {
  core::SuiteResult suite;
  suite.report = take(verdict::judge_suite({cases_, compared_, broken_, all_->comparison, all_->marks, own_rules_}));
  for (const core::WarningCode code : warning_order_) {
    const auto& gathered = warnings_.at(code);
    result_.warnings.push_back({code, verdict::said_by_cases(gathered.id, gathered.message, gathered.cases)});
  }
  if (all_->comparison.tolerances.empty()) all_->comparison.tolerances.emplace_back();
  suite.comparison = std::shared_ptr<const core::Comparison>(all_, &all_->comparison);
  suite.order = verdict::advice_order(all_->comparison, all_->marks);
  suite.marks = all_->marks;
  result_.evidence = std::move(suite);
  return std::move(result_);
}

std::shared_ptr<const core::SuiteReport> SuiteSum::take(verdict::SuiteJudgement judgement) {
  result_.verdict = judgement.verdict;
  result_.tier = judgement.tier;
  result_.promote = std::move(judgement.promote);
  result_.reasons = std::move(judgement.reasons);
  result_.culprits = std::move(judgement.parts.culprits);
  result_.recommendation = std::move(judgement.recommendation);
  result_.next_lever = std::move(judgement.next_lever);
  core::SuiteReport report;
  report.left_out = left_out_;
  for (const std::uint32_t i : judgement.worst_first) {
    cases_[i].state = judgement.states[i];
    ++report.totals[static_cast<std::size_t>(cases_[i].state)];
    report.cases.push_back(std::move(cases_[i]));
  }
  return std::make_shared<const core::SuiteReport>(std::move(report));
}

void SuiteSum::add_waivers(const std::vector<core::WaiverUse>& waivers) {
  auto& all = result_.waivers;
  for (const core::WaiverUse& use : waivers) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const auto& other) { return other.waiver == use.waiver; });
    if (same == all.end()) {
      all.push_back(use);
    } else {
      same->waived += use.waived;
      same->exceeded += use.exceeded;
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.waiver->line < b.waiver->line; });
}

void SuiteSum::add_warnings(const std::string& id, const std::vector<core::Warning>& warnings) {
  for (const core::Warning& warning : warnings) {
    const auto [it, fresh] = warnings_.try_emplace(warning.code, GatheredWarning{id, warning.message});
    if (fresh) warning_order_.push_back(warning.code);
    ++it->second.cases;
  }
}

}  // namespace plumbline::verbs
