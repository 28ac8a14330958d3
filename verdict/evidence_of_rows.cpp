#include "verdict/evidence_of_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/large_block.hpp"
#include "core/statistics.hpp"
#include "verdict/known_noise.hpp"
#include "verdict/row_sizes.hpp"

namespace plumbline::verdict {

namespace {

using core::Comparison;
using core::Delta;
using core::Direction;
using core::EvidenceRow;
using core::kNoRow;
using core::State;

// Classes by metric, unit and direction. A flat file has as many metrics as rows: those of few rows have no class of their own,
// they are judged with the others of their unit and direction (core::group_classes).
class Classes {
 public:
  Classes(const Comparison& c, std::vector<core::ClassName>& names)
      : names_(names), rows_of_(c.baseline->pool().size()), first_(rows_of_.size(), kNoRow) {}

  // All rows are counted first, then asked for.
  void count(core::Id metric) {
    if (rows_of_[metric] < core::kClassRows) ++rows_of_[metric];
  }

  std::uint32_t of(core::Id metric, core::Id unit, Direction direction) {
    const bool few = rows_of_[metric] < core::kClassRows;
    std::uint32_t& first = few ? first_of_few_ : first_[metric];
    for (std::uint32_t at = first; at != kNoRow; at = next_[at]) {
      if (names_[at].unit == unit && names_[at].direction == direction) return at;
    }
    const auto made = static_cast<std::uint32_t>(names_.size());
    names_.push_back({few ? core::kNoId : metric, unit, direction});
    next_.push_back(first);
    first = made;
    return made;
  }

 private:
  std::vector<core::ClassName>& names_;
  std::vector<std::uint8_t> rows_of_;        // by metric, up to kClassRows
  std::vector<std::uint32_t> first_, next_;  // by metric, and from class to class of one metric
  std::uint32_t first_of_few_ = kNoRow;
};

class Weighing {
 public:
  explicit Weighing(const JudgeInput& in) : in_(in), c_(*in.comparison), out_{ComparedRows(c_, in.alpha), {}, {}} {}

  WeighedRows run() {
    choose_rows();
    if (any_dims_) set_sizes();
    out_.evidence =
        core::weigh_rows(out_.classes, out_.rows, {.alpha = in_.alpha, .anytime = c_.anytime, .last_look = c_.last_look});
    return std::move(out_);
  }

 private:
  void choose_rows() {
    Classes classes(c_, out_.classes);
    core::reserve_large(out_.rows.deltas, c_.deltas.size());
    for (std::uint32_t i = 0; i < c_.deltas.size(); ++i) {
      const Delta& d = c_.deltas[i];
      if (!is_decided(d) || d.gate || d.baseline_row == kNoRow || d.current_row == kNoRow) continue;
      if (!std::isfinite(d.baseline) || !std::isfinite(d.current)) continue;
      convert(i, d);
      take_out_what_pairs_share(d);
      know_spread(d);
      out_.rows.deltas.push_back(i);
      const core::Row& row = c_.baseline->rows()[d.baseline_row];
      classes.count(row.metric);
      any_dims_ = any_dims_ || row.dims != 0;
    }
    core::reserve_large(out_.rows.classes, out_.rows.size());
    for (std::size_t j = 0; j < out_.rows.size(); ++j) {
      const core::Row& row = out_.rows.baseline_row(j);
      out_.rows.classes.push_back(classes.of(row.metric, c_.baseline->metric_class(row).unit, out_.rows.delta(j).direction));
    }
  }

  void convert(std::uint32_t i, const Delta& d) {
    while (next_factor_ < c_.unit_factors.size() && c_.unit_factors[next_factor_].first < i) ++next_factor_;
    if (next_factor_ == c_.unit_factors.size() || c_.unit_factors[next_factor_].first != i) return;
    const std::span<const double> values = c_.current->values(c_.current->rows()[d.current_row]);
    std::vector<double>& scaled = out_.rows.converted[next_row()];
    scaled.assign(values.begin(), values.end());
    for (double& x : scaled) x *= c_.unit_factors[next_factor_].second;
  }

  // Of pairs the differences tell: what moves both of a pair (a machine that warms up) is no noise of either side. So the
  // baseline is its middle throughout, and each current value differs from it as it does from its partner.
  void take_out_what_pairs_share(const Delta& d) {
    if (d.statistics == kNoRow || !c_.statistics[d.statistics].paired) return;
    const std::span<const double> before = c_.baseline->values(c_.baseline->rows()[d.baseline_row]);
    const auto scaled = out_.rows.converted.find(next_row());
    const std::span<const double> after =
        scaled == out_.rows.converted.end() ? c_.current->values(c_.current->rows()[d.current_row]) : scaled->second;
    const double middle = core::median(before);
    const bool ratios = c_.tolerances[d.tolerance].kind == core::ToleranceKind::percent &&
                        std::all_of(before.begin(), before.end(), [](double x) { return x > 0; });
    ComparedRows::Pairs pairs;
    pairs.baseline.assign(before.size(), middle);
    pairs.current.reserve(after.size());
    for (std::size_t t = 0; t < after.size(); ++t) {
      pairs.current.push_back(ratios ? middle * (after[t] / before[t]) : middle + (after[t] - before[t]));
    }
    out_.rows.pairs.emplace(next_row(), std::move(pairs));
  }

  // Only a regressed row can be excused.
  void know_spread(const Delta& d) {
    if (d.state != State::regressed || c_.tolerances[d.tolerance].kind != core::ToleranceKind::percent) return;
    const double spread = std::max(prior_spread(in_, d), history_spread(in_, d));
    if (spread > 0) out_.rows.known_spreads.emplace_back(next_row(), spread);
  }
  [[nodiscard]] std::uint32_t next_row() const { return static_cast<std::uint32_t>(out_.rows.deltas.size()); }

  // Rows of one class differ in their dimensions; the number among them that takes most values is their size.
  void set_sizes() {
    RowSizes sizes(*c_.baseline);
    for (std::size_t j = 0; j < out_.rows.size(); ++j) {
      if (out_.rows.baseline_row(j).dims != 0) sizes.see(out_.rows.classes[j], out_.rows.baseline_row(j));
    }
    core::reserve_large(out_.rows.sizes, out_.rows.size());
    for (std::size_t j = 0; j < out_.rows.size(); ++j) {
      out_.rows.sizes.push_back(sizes.of(out_.rows.classes[j], out_.rows.baseline_row(j)));
    }
  }

  const JudgeInput& in_;
  const Comparison& c_;
  WeighedRows out_;
  std::size_t next_factor_ = 0;
  bool any_dims_ = false;
};

}  // namespace

ComparedRows::ComparedRows(const core::Comparison& comparison, double alpha) : c_(&comparison), alpha_(alpha) {
  allowed_.reserve(comparison.tolerances.size());
  for (const core::Tolerance& tolerance : comparison.tolerances) {
    const bool percent = tolerance.kind == core::ToleranceKind::percent;
    allowed_.push_back({tolerance.kind, percent ? tolerance.value / 100 : tolerance.value});
  }
}

core::EvidenceRow ComparedRows::operator[](std::size_t i) const {
  const Delta& d = delta(i);
  EvidenceRow row;
  row.baseline = c_->baseline->values(c_->baseline->rows()[d.baseline_row]);
  const auto scaled = converted.empty() ? converted.end() : converted.find(static_cast<std::uint32_t>(i));
  row.current = scaled == converted.end() ? c_->current->values(c_->current->rows()[d.current_row]) : scaled->second;
  if (const auto at = pairs.empty() ? pairs.end() : pairs.find(static_cast<std::uint32_t>(i)); at != pairs.end()) {
    row.baseline = at->second.baseline;
    row.current = at->second.current;
    row.paired = true;
  }
  row.klass = classes[i];
  set_tolerance(row, d);
  row.rank_p = rank_p(d);
  row.headline = d.headline;
  if (d.state == State::regressed) row.known_spread = known_spread(i);
  if (!sizes.empty()) row.size = sizes[i];
  return row;
}

void ComparedRows::set_tolerance(EvidenceRow& row, const Delta& d) const {
  const Allowed& allowed = allowed_[d.tolerance];
  row.absolute = allowed.kind != core::ToleranceKind::percent;
  row.tolerance = allowed.value;
  if (allowed.kind == core::ToleranceKind::points) {
    const std::string_view unit = c_->baseline->unit(c_->baseline->rows()[d.baseline_row]);
    row.tolerance /= core::points_per_unit(unit, d.baseline, d.current).value_or(1);
  }
}

// Two-sided rows are decided by either bound, and their p is twice the smaller tail: what is regressed by its ranks stays so.
double ComparedRows::rank_p(const Delta& d) const {
  const double p = d.statistics == kNoRow ? 1 : c_->statistics[d.statistics].p.value_or(1);
  return d.state == State::regressed ? std::min(p, alpha_) : p;
}

double ComparedRows::known_spread(std::size_t i) const {
  const auto at = std::lower_bound(known_spreads.begin(), known_spreads.end(), i,
                                   [](const auto& known, std::size_t row) { return known.first < row; });
  return at != known_spreads.end() && at->first == i ? at->second : 0;
}

WeighedRows weigh(const JudgeInput& in) { return Weighing(in).run(); }

double oriented_log_ratio(const Delta& delta) {
  const double x = std::log(delta.current / delta.baseline);
  return delta.direction == Direction::higher ? -x : x;
}

bool is_decided(const Delta& delta) {
  return delta.state == State::regressed || delta.state == State::improved || delta.state == State::unchanged ||
         delta.state == State::inconclusive;
}

bool has_tested_trials(const core::Comparison& comparison, const Delta& delta) {
  return delta.statistics != kNoRow && comparison.statistics[delta.statistics].statistical;
}

}  // namespace plumbline::verdict
