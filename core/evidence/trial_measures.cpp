#include "core/evidence/trial_measures.hpp"

#include <algorithm>
#include <cmath>

#include "core/evidence/resemblance.hpp"

namespace plumbline::core {
namespace {

constexpr double kOutlierSpreads = 4;  // of the class: a trial further from its side's median is drawn back to there
constexpr double kSuiteReach = 1.2;    // … and this times the root of the rows
constexpr double kOwnSpreads = 3;      // of its own side
constexpr double kFree = std::numeric_limits<double>::infinity();
constexpr double kNormalSpread = 1.4826;    // of the median distance (Hampel 1974)
constexpr double kCommonNoise = 2;          // means over rows scatter so many times as those of independent rows would
constexpr double kCorrelatedErrors = 2.33;  // standard errors of the lag-1 ratio: 1 %

}  // namespace

void to_scale(std::span<const double> values, const RowScale& scale, std::vector<double>& out) {
  out.resize(values.size());
  std::transform(values.begin(), values.end(), out.begin(), scale);
}

double StrayTrials::all_of(std::size_t n) const { return strays > 0 ? std::pow(strays / values, static_cast<double>(n)) : 0; }

TrialMeasures::TrialMeasures(RowGroups& groups, Evidence& out) : groups_(groups), out_(out), measured_(groups.count()) {
  trials_.reserve(groups_.with_trials());
  for (std::uint32_t g = 0; g < groups_.count(); ++g) {
    if (!out_.groups[g].trials) continue;
    measure_trials(g);
    bound_outliers(g);
    know_variances(g);
    count_strays(g);
    add_lag(g);
  }
  find_correlation();
  for (std::uint32_t g = 0; g < groups_.count(); ++g) {
    if (out_.groups[g].trials) count_effective_trials(g);
  }
}

double TrialMeasures::all_astray(const EvidenceRow& row) const {
  return slow_.all_of(row.current.size()) + fast_.all_of(row.baseline.size());
}

void TrialMeasures::measure_trials(std::uint32_t g) {
  TrialGroup& sides = measured_[g];
  sides.start = trials_.size();
  double limits = 0;
  for (const std::uint32_t i : groups_.rows_of(g)) {
    const EvidenceRow row = groups_.rows()[i];
    const RowScale scale = groups_.scale_of(row);
    to_scale(row.baseline, scale, baseline_);
    to_scale(row.current, scale, current_);
    TrialRow one{i, side_moments(baseline_), side_moments(current_), 0};
    one.difference = one.current.mean - one.baseline.mean;
    trials_.push_back(one);
    sides.baseline.add(baseline_, one.baseline);
    sides.current.add(current_, one.current);
    limits += scale.limit();
  }
  GroupEvidence& group = out_.groups[g];
  group.limit = limits / static_cast<double>(group.rows);
  group.drift_p_baseline = trend_p(sides.baseline.deviations());
  group.drift_p_current = trend_p(sides.current.deviations());
}

// A trial far on the worse side of the others says that something happened, not how much: it is drawn back to where it stands
// apart from its own side and from what the class scatters. Else one that is worse without measure would widen the variance
// until nothing is regressed any more. In a class of few rows one trial moves the mean over rows far, so its reach is shorter.
void TrialMeasures::bound_outliers(std::uint32_t g) {
  TrialGroup& sides = measured_[g];
  sides.bounded_baseline = sides.baseline;
  sides.bounded_current = sides.current;
  if (groups_.is_two_sided(out_.groups[g])) return;
  const std::span<TrialRow> rows = trials_of(g);
  const bool small = out_.groups[g].small;
  const double reach = std::min(kOutlierSpreads, kSuiteReach * std::sqrt(static_cast<double>(rows.size())));
  const double class_width = small ? 0 : reach * std::sqrt(upper_quartile_of_variances(rows));
  if (!small && !(class_width > 0)) return;  // nearly all rows repeat exactly: what varies is no outlier
  for (TrialRow& one : rows) {
    const EvidenceRow row = groups_.rows()[one.row];
    const RowScale scale = groups_.scale_of(row);
    const double width = small ? scale.limit() : class_width;
    bound_side(row.baseline, scale, {-width, kFree}, one.baseline, sides.bounded_baseline);
    bound_side(row.current, scale, {-kFree, width}, one.current, sides.bounded_current);
  }
}

double TrialMeasures::upper_quartile_of_variances(std::span<const TrialRow> rows) {
  sorted_.clear();
  for (const TrialRow& one : rows) {
    sorted_.push_back(one.baseline.variance());
    sorted_.push_back(one.current.variance());
  }
  const auto at = sorted_.begin() + static_cast<std::ptrdiff_t>(3 * sorted_.size() / 4);
  std::nth_element(sorted_.begin(), at, sorted_.end());
  return *at;
}

void TrialMeasures::bound_side(std::span<const double> values, const RowScale& scale, Bounds bounds, SideMoments& moments,
                               SuiteSide& suite) {
  const double least = std::min(-bounds.low, bounds.high);
  if (4 * moments.squares <= least * least) return;  // none can lie so far from the median
  to_scale(values, scale, baseline_);
  sorted_ = baseline_;
  const double middle = median_of(sorted_);
  std::transform(baseline_.begin(), baseline_.end(), sorted_.begin(), [&](double x) { return std::fabs(x - middle); });
  const double own = kOwnSpreads * kNormalSpread * median_of(sorted_);
  current_ = baseline_;
  for (double& x : current_) x = std::clamp(x, middle + std::min(bounds.low, -own), middle + std::max(bounds.high, own));
  if (current_ == baseline_) return;
  suite.remove(baseline_, moments);
  moments = side_moments(current_);
  suite.add(current_, moments);
}

void TrialMeasures::know_variances(std::uint32_t g) {
  if (out_.groups[g].small) return;
  TrialGroup& known = measured_[g];
  known.baseline_variance = typical_variance(trials_of(g), &TrialRow::baseline);
  known.current_variance = typical_variance(trials_of(g), &TrialRow::current);
  out_.groups[g].scatter = std::sqrt((known.baseline_variance + known.current_variance) / 2);
  variances_.clear();
  for (const TrialRow& one : trials_of(g)) {
    variances_.push_back({one.baseline.variance(), static_cast<double>(one.baseline.trials - 1)});
  }
  known.degrees = variance_degrees(variances_);
}

// The median over rows, corrected for a sample variance's median lying below its mean.
double TrialMeasures::typical_variance(std::span<const TrialRow> rows, SideMoments TrialRow::*side) {
  sorted_.clear();
  std::size_t trials = 0;
  double factor = 1;
  for (const TrialRow& one : rows) {
    const SideMoments& moments = one.*side;
    if (moments.trials != trials) {
      trials = moments.trials;
      factor = variance_median_factor(static_cast<double>(trials - 1));
    }
    sorted_.push_back(moments.variance() / factor);
  }
  return median_of(sorted_);
}

// Strays by the same measure as outliers, but of the typical variance: where a tenth of the trials go astray, a quarter of the
// rows of three has one.
void TrialMeasures::count_strays(std::uint32_t g) {
  const GroupEvidence& group = out_.groups[g];
  const TrialGroup& known = measured_[g];
  if (groups_.is_two_sided(group)) return;
  if (!group.small && !(std::min(known.baseline_variance, known.current_variance) > 0)) return;  // as for outliers
  for (const TrialRow& one : trials_of(g)) {
    const EvidenceRow row = groups_.rows()[one.row];
    const RowScale scale = groups_.scale_of(row);
    const auto width = [&](double variance) { return group.small ? scale.limit() : kOutlierSpreads * std::sqrt(variance); };
    slow_.strays += slow_trials(row.baseline, scale, width(known.baseline_variance), 1);
    slow_.values += static_cast<double>(row.baseline.size());
    fast_.strays += slow_trials(row.current, scale, width(known.current_variance), -1);
    fast_.values += static_cast<double>(row.current.size());
  }
}

// How many values stand off on the worse side of their median; with a sign of -1 on the better side.
double TrialMeasures::slow_trials(std::span<const double> values, const RowScale& scale, double width, double sign) {
  to_scale(values, scale, baseline_);
  for (double& x : baseline_) x *= sign;
  sorted_ = baseline_;
  const double middle = median_of(sorted_);
  std::transform(baseline_.begin(), baseline_.end(), sorted_.begin(), [&](double x) { return std::fabs(x - middle); });
  const double limit = middle + std::max(width, kOwnSpreads * kNormalSpread * median_of(sorted_));
  return static_cast<double>(std::count_if(baseline_.begin(), baseline_.end(), [&](double x) { return exceeds(x, limit); }));
}

// How much a group's trials resemble their neighbours. A row that happens to vary little shows little of it, so rows count by
// how much they vary, as far as the class does; the mean under independence stays 0 whatever a row's values are.
void TrialMeasures::add_lag(std::uint32_t g) {
  const bool small = out_.groups[g].small;
  const std::span<const TrialRow> rows = trials_of(g);
  const TrialGroup& sides = measured_[g];
  const auto m = static_cast<double>(rows.size());
  double sum = 0;
  double squares = 0;
  double variances = 0;
  for (const TrialRow& one : rows) {
    const LagExcess b = lag_excess(one.baseline, small ? 0 : measured_[g].baseline_variance);
    const LagExcess c = lag_excess(one.current, small ? 0 : measured_[g].current_variance);
    sum += b.value + c.value;
    squares += (b.value + c.value) * (b.value + c.value);
    variances += b.variance + c.variance;
    lag_.weight += b.weight + c.weight;
  }
  lag_.sum += sum;
  lag_.trials += sides.baseline.trials() + sides.current.trials();
  const double shown = m > 1 ? std::max(0.0, squares - sum * sum / m) * m / (m - 1) : 0;
  lag_.squared_error += small ? variances : shown;
  lag_.variance += variances;
  lag_.independent += m * m * (sides.baseline.independent(rows.size()) + sides.current.independent(rows.size()));
  lag_.shown += m * m * (sides.baseline.shown(rows.size()).value + sides.current.shown(rows.size()).value);
}

// Over all rows with trials: they come from the same runs. What is common to a run gives all rows one pattern: they are then
// fewer witnesses than they are rows.
void TrialMeasures::find_correlation() {
  const auto m = static_cast<double>(groups_.with_trials());
  double squared_error = lag_.squared_error;
  if (lag_.shown > kCommonNoise * lag_.independent) {
    const double groups = static_cast<double>(groups_.count());
    squared_error = std::max(squared_error, lag_.variance * std::min(m, groups * lag_.shown / lag_.independent));
  }
  if (!(squared_error > 0) || !(lag_.sum > kCorrelatedErrors * std::sqrt(squared_error))) return;
  const auto trials = static_cast<std::size_t>(std::lround(lag_.trials / m / 2));
  correlation_ = correlation_from_lag(lag_.sum / lag_.weight, trials);
}

void TrialMeasures::count_effective_trials(std::uint32_t g) {
  GroupEvidence& group = out_.groups[g];
  group.correlated = correlation_.rho > 0;
  group.rho = correlation_.rho;
  const auto effective = [&](const SuiteSide& side) {
    const double trials = side.trials() / static_cast<double>(group.rows);
    return trials / correlation_.inflation(static_cast<std::size_t>(std::lround(trials)));
  };
  group.effective_baseline = effective(measured_[g].baseline);
  group.effective_current = effective(measured_[g].current);
}

}  // namespace plumbline::core
