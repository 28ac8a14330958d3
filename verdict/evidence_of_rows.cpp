#include "verdict/evidence_of_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/large_block.hpp"
#include "verdict/known_noise.hpp"
#include "verdict/row_sizes.hpp"

namespace plumbline::verdict {

namespace {

using core::Delta;
using core::Direction;
using core::EvidenceRow;
using core::kNoRow;
using core::State;

// Classes by metric, unit and direction. A flat file has as many metrics as rows: they are found by the metric's id, and those
// of one metric are few.
class Classes {
 public:
  explicit Classes(std::vector<core::ClassName>& names) : names_(names) {}

  std::uint32_t of(core::Id metric, core::Id unit, Direction direction) {
    if (metric >= first_.size()) first_.resize(std::max<std::size_t>(metric + 1, 2 * first_.size()), kNoRow);
    for (std::uint32_t at = first_[metric]; at != kNoRow; at = next_[at]) {
      if (names_[at].unit == unit && names_[at].direction == direction) return at;
    }
    const auto made = static_cast<std::uint32_t>(names_.size());
    names_.push_back({metric, unit, direction});
    next_.push_back(first_[metric]);
    first_[metric] = made;
    return made;
  }

 private:
  std::vector<core::ClassName>& names_;
  std::vector<std::uint32_t> first_, next_;  // by metric, and from class to class of one metric
};

class Weighing {
 public:
  explicit Weighing(const JudgeInput& in) : in_(in), c_(*in.comparison), classes_(out_.classes) {}

  WeighedRows run() {
    core::reserve_large(out_.rows, c_.deltas.size());
    core::reserve_large(out_.deltas, c_.deltas.size());
    for (std::uint32_t i = 0; i < c_.deltas.size(); ++i) {
      const Delta& d = c_.deltas[i];
      if (!is_decided(d) || d.gate || d.baseline_row == kNoRow || d.current_row == kNoRow) continue;
      if (!std::isfinite(d.baseline) || !std::isfinite(d.current)) continue;
      add(i, d);
    }
    set_sizes();
    out_.evidence = core::weigh_rows(out_.classes, out_.rows, in_.alpha);
    return std::move(out_);
  }

 private:
  // Rows of one class differ in their dimensions; the number among them that takes most values is their size.
  void set_sizes() {
    RowSizes sizes(*c_.baseline);
    bool any = false;
    for (std::size_t j = 0; j < out_.rows.size(); ++j) {
      if (baseline_row(j).dims == 0) continue;
      sizes.see(out_.rows[j].klass, baseline_row(j));
      any = true;
    }
    if (!any) return;
    for (std::size_t j = 0; j < out_.rows.size(); ++j) out_.rows[j].size = sizes.of(out_.rows[j].klass, baseline_row(j));
  }
  [[nodiscard]] const core::Row& baseline_row(std::size_t j) const {
    return c_.baseline->rows()[c_.deltas[out_.deltas[j]].baseline_row];
  }

  void add(std::uint32_t i, const Delta& d) {
    const core::Row& before = c_.baseline->rows()[d.baseline_row];
    EvidenceRow row;
    row.baseline = c_.baseline->values(before);
    row.current = current_values(i, c_.current->rows()[d.current_row]);
    row.klass = classes_.of(before.metric, c_.baseline->metric_class(before).unit, d.direction);
    set_tolerance(row, d, c_.baseline->unit(before));
    row.rank_p = rank_p(d);
    row.headline = d.headline;
    // Only a regressed row can be excused.
    if (d.state == State::regressed && !row.absolute) row.known_spread = std::max(prior_spread(in_, d), history_spread(in_, d));
    out_.rows.push_back(row);
    out_.deltas.push_back(i);
  }

  std::span<const double> current_values(std::uint32_t i, const core::Row& row) {
    const std::span<const double> values = c_.current->values(row);
    while (next_factor_ < c_.unit_factors.size() && c_.unit_factors[next_factor_].first < i) ++next_factor_;
    if (next_factor_ == c_.unit_factors.size() || c_.unit_factors[next_factor_].first != i) return values;
    std::vector<double>& scaled = out_.converted.emplace_back(values.begin(), values.end());
    for (double& x : scaled) x *= c_.unit_factors[next_factor_].second;
    return scaled;
  }

  void set_tolerance(EvidenceRow& row, const Delta& d, std::string_view unit) const {
    const core::Tolerance& tolerance = c_.tolerances[d.tolerance];
    row.absolute = tolerance.kind != core::ToleranceKind::percent;
    row.tolerance = tolerance.value;
    if (tolerance.kind == core::ToleranceKind::percent) row.tolerance /= 100;
    if (tolerance.kind == core::ToleranceKind::points) {
      row.tolerance /= core::points_per_unit(unit, d.baseline, d.current).value_or(1);
    }
  }

  // Two-sided rows are decided by either bound, and their p is twice the smaller tail: what is regressed by its ranks stays so.
  [[nodiscard]] double rank_p(const Delta& d) const {
    const double p = d.statistics == kNoRow ? 1 : c_.statistics[d.statistics].p.value_or(1);
    return d.state == State::regressed ? std::min(p, in_.alpha) : p;
  }

  const JudgeInput& in_;
  const core::Comparison& c_;
  WeighedRows out_;
  Classes classes_;
  std::size_t next_factor_ = 0;
};

}  // namespace

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
