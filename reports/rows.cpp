#include "reports/rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.hpp"
#include "reports/culprits.hpp"
#include "reports/second_look.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using core::State;
using core::ValueState;

bool has_number(const core::Row& row) {
  switch (row.state) {
    case ValueState::number:
    case ValueState::numeric_string:
    case ValueState::boolean:
    case ValueState::big_integer:
      return row.value_count > 0;
    default:
      return false;
  }
}

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional<double>(value) : std::nullopt; }

// What stands in the place of a number, for rows that have none (or more digits than a double).
std::string_view spoken(const core::Measurement& side, const core::Row& row) {
  if (row.state == ValueState::number) return {};
  if (row.text != 0) return side.pool().view(row.text);
  return row.state == ValueState::numeric_string || row.state == ValueState::boolean ? std::string_view{} : to_string(row.state);
}

}  // namespace

Rows::Rows(const core::DiffResult& result) : result_(result), comparison_(result.comparison()) {
  if (comparison_ != nullptr) {
    const core::Measurement* side = comparison_->baseline != nullptr ? comparison_->baseline : comparison_->current;
    for (const core::SolLine& line : result.sol) {
      const core::Id id = side->pool().find(line.row_key);
      if (id != core::kNoId) sol_.emplace(id, &line);
    }
  } else if (result.profile() != nullptr) {
    const core::ProfileDiff& profile = *result.profile();
    const auto take = [this](const char* kind, const std::vector<core::ProfileRow>& rows) {
      for (const core::ProfileRow& row : rows) profile_rows_.push_back({std::string(kind) + "." + row.name, &row});
    };
    take("kernels", profile.kernels);
    take("nccl", profile.nccl);
    take("memory", profile.memory);
    take("cuda_api", profile.cuda_api);
    take("nvtx", profile.nvtx);
    profile_order_.resize(profile_rows_.size());
    std::iota(profile_order_.begin(), profile_order_.end(), 0U);
    std::stable_sort(profile_order_.begin(), profile_order_.end(), [this](std::uint32_t a, std::uint32_t b) {
      const std::int64_t left = profile_rows_[a].row->delta_ns, right = profile_rows_[b].row->delta_ns;
      if ((left > 0) != (right > 0)) return left > 0;
      return std::llabs(left) > std::llabs(right);
    });
  }
  leaves_out_ = !result.all_rows && size() > kRowsBeforeOmission;
}

std::size_t Rows::size() const { return comparison_ != nullptr ? comparison_->deltas.size() : profile_rows_.size(); }

bool Rows::omitted(std::size_t index) const {
  return leaves_out_ && comparison_ != nullptr && comparison_->deltas[index].uneventful();
}

std::uint64_t Rows::omitted_count() const {
  if (!leaves_out_ || comparison_ == nullptr) return 0;
  if (result_.rows_omitted > 0) return result_.rows_omitted;  // counted already
  return static_cast<std::uint64_t>(std::count_if(comparison_->deltas.begin(), comparison_->deltas.end(),
                                                  [](const core::Delta& delta) { return delta.uneventful(); }));
}

const core::SolLine* Rows::sol_of(core::Id key) const {
  if (sol_.empty()) return nullptr;
  const auto found = sol_.find(key);
  return found == sol_.end() ? nullptr : found->second;
}

std::vector<std::uint32_t> Rows::top(std::size_t count) const {
  const std::span<const std::uint32_t> order = comparison_ != nullptr ? result_.order() : profile_order_;
  return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()))};
}

RowView Rows::at(std::size_t index) const {
  RowView view;
  if (comparison_ == nullptr) {
    const ProfileEntry& entry = profile_rows_[index];
    const core::ProfileRow& row = *entry.row;
    view.key = entry.key;
    view.metric = "total_time";
    view.unit = "ns";
    view.direction = core::Direction::lower;
    // A capture is judged as a whole (see profile-diff.json): its rows are evidence, not rows with a tolerance of their own.
    view.state = row.state == "new" ? State::added : row.state == "vanished" ? State::missing : State::context;
    if (row.baseline_count || row.baseline_ns != 0) view.baseline = static_cast<double>(row.baseline_ns);
    if (row.candidate_count || row.candidate_ns != 0) view.current = static_cast<double>(row.candidate_ns);
    view.delta = static_cast<double>(row.delta_ns);
    view.delta_pct = row.pct;
    view.n_baseline = row.baseline_count.value_or(0);
    view.n_current = row.candidate_count.value_or(0);
    view.adverse = row.delta_ns > 0;
    return view;
  }
  const core::Comparison& all = *comparison_;
  const core::Delta& delta = all.deltas[index];
  const core::Row* before = delta.baseline_row != core::kNoRow ? &all.baseline->rows()[delta.baseline_row] : nullptr;
  const core::Row* after = delta.current_row != core::kNoRow ? &all.current->rows()[delta.current_row] : nullptr;
  const core::Measurement& named = before != nullptr ? *all.baseline : *all.current;
  const core::Row* row = before != nullptr ? before : after;
  view.key = named.pool().view(delta.key);
  if (row != nullptr) {
    view.metric = named.metric(*row);
    view.unit = named.unit(*row);
  }
  view.state = delta.state;
  view.culprit = in_culprit(result_, static_cast<std::uint32_t>(index));
  view.direction = delta.direction;
  if (before != nullptr) {
    if (has_number(*before)) view.baseline = finite(delta.baseline);
    view.baseline_text = spoken(*all.baseline, *before);
    view.n_baseline = before->value_count;
  }
  if (after != nullptr) {
    if (has_number(*after)) view.current = finite(delta.current);
    view.current_text = spoken(*all.current, *after);
    view.n_current = after->value_count;
  }
  if (view.baseline && view.current) {
    view.delta = finite(delta.delta);
    view.delta_pct = finite(delta.delta_pct);
  }
  if (delta.tolerance < all.tolerances.size()) view.tolerance = &all.tolerances[delta.tolerance];
  if (delta.statistics != core::kNoRow && delta.statistics < all.statistics.size()) {
    view.statistics = &all.statistics[delta.statistics];
    view.n_baseline = view.statistics->n_baseline;
    view.n_current = view.statistics->n_current;
  }
  view.sol = sol_of(delta.key);
  if (!all.notes.empty()) {
    if (const auto note = all.notes.find(static_cast<std::uint32_t>(index)); note != all.notes.end()) view.note = note->second;
  }
  view.used = delta.used;
  view.suspect = result_.marks().suspect(index);
  view.waiver = result_.marks().waiver(index);
  view.exceeds = delta.exceeds;
  view.adverse = delta.adverse;
  view.headline = delta.headline;
  view.gate = delta.gate;
  view.proven = delta.proven;
  return view;
}

namespace {
// Times of captures are nanoseconds: shown as a reader of profiles expects them.
bool is_profile_time(const RowView& row) { return row.tolerance == nullptr && row.unit == "ns"; }
}  // namespace

std::string state_text(const RowView& row) {
  if (is_profile_time(row)) return row.state == State::added ? "new" : row.state == State::missing ? "vanished" : "matched";
  std::string text(row.gate && row.state == State::regressed ? "gate failed" : to_string(row.state));
  std::string beside = row.suspect && text != "gate failed" ? "suspect" : "";
  if (row.waiver != nullptr) {
    const core::WaiverState said = row.waiver->state;
    beside += std::string(beside.empty() ? "" : ", ") + (said == core::WaiverState::holds      ? "waived"
                                                         : said == core::WaiverState::exceeded ? "beyond its waiver"
                                                                                               : "its waiver ended");
  }
  return beside.empty() ? text : text + " (" + beside + ")";
}

namespace {
std::string value_cell(const std::optional<double>& value, std::string_view text, const RowView& row) {
  const std::string_view unit = row.unit;
  if (value) {
    if (is_profile_time(row)) return time_text(static_cast<std::int64_t>(*value));
    // Beyond 2^53 the file's digits are the value; the double is only its neighbour.
    if (!text.empty() && std::fabs(*value) >= 9007199254740992.0)
      return one_line(text) + (unit.empty() ? "" : " " + one_line(unit));
    return figure(*value, unit);
  }
  return text.empty() ? "-" : shorten_middle(one_line(text), 60);
}
}  // namespace

std::string baseline_cell(const RowView& row) { return value_cell(row.baseline, row.baseline_text, row); }
std::string current_cell(const RowView& row) { return value_cell(row.current, row.current_text, row); }

std::string short_cell(const std::optional<double>& value, std::string_view text, const RowView& row) {
  return value && !is_profile_time(row) ? short_figure(*value, row.unit) : value_cell(value, text, row);
}

std::vector<const core::SolLine*> worst_first(const std::vector<core::SolLine>& lines) {
  std::vector<const core::SolLine*> out;
  out.reserve(lines.size());
  for (const core::SolLine& line : lines) out.push_back(&line);
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->delta_pp < b->delta_pp; });
  return out;
}

std::string change_cell(const RowView& row) {
  if (!row.delta) return "-";
  if (is_profile_time(row)) {
    std::string text = signed_time_text(static_cast<std::int64_t>(*row.delta));
    if (row.delta_pct && std::fabs(*row.delta_pct) < 1000) text += " (" + signed_percent(*row.delta_pct) + ")";
    return text;
  }
  if (row.tolerance != nullptr && row.tolerance->kind == core::ToleranceKind::points) {
    const auto scale = core::points_per_unit(row.unit, row.baseline.value_or(0), row.current.value_or(0));
    if (scale) return core::signed_number(*row.delta * *scale, 4) + " pp";
  }
  if (row.tolerance != nullptr && row.tolerance->kind == core::ToleranceKind::absolute)
    return signed_figure(*row.delta, row.unit);
  return row.delta_pct ? signed_percent(*row.delta_pct) : signed_figure(*row.delta, row.unit);
}

std::string_view direction_word(const core::DiffResult& result) {
  return result.direction == core::Direction::unknown ? "auto" : to_string(result.direction);
}

std::string tolerance_word(const core::DiffResult& result) {
  if (result.tolerance_absolute) return "absolute " + core::short_number(*result.tolerance_absolute, 6);
  return core::short_number(result.tolerance_percent, 6) + "%";
}

std::string title_of(const core::DiffResult& result) {
  if (result.family.empty()) return result.measurement;
  return result.family + " / " + result.measurement;
}

namespace {

std::string captures_compared(const core::DiffResult& result) {
  if (result.profile()->baseline.trials.empty()) return "two captures compared";
  return std::to_string(result.baseline.trials) + " and " + core::counted(result.current.trials, "capture") + " compared";
}

}  // namespace

std::string summary_sentence(const core::DiffResult& result) {
  const core::Counts& counts = result.counts;
  std::vector<std::string> parts;
  const auto say = [&parts](std::uint64_t n, const char* what) {
    if (n > 0) parts.push_back(grouped(n) + " " + what);
  };
  say(counts.standing(), "regressed");
  say(counts.suspect, "suspect");
  say(counts.waived, "waived");
  say(counts.missing, "missing");
  say(counts.invalid, "invalid");
  say(counts.inconclusive, "inconclusive");
  say(counts.unclassified, "of unknown direction");
  say(counts.improved, "improved");
  say(counts.unchanged, "unchanged");
  say(counts.added, "added");
  std::string text = result.profile() != nullptr
                         ? captures_compared(result)
                         : grouped(counts.compared) + (counts.compared == 1 ? " row compared" : " rows compared");
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? ": " : ", ") + parts[i];
  if (result.second) text += "; " + second_look_sentence(*result.second);
  return text;
}

}  // namespace plumbline::reports
