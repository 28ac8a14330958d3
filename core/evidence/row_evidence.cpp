#include "core/evidence/row_evidence.hpp"

#include <algorithm>
#include <array>
#include <boost/sort/spreadsort/float_sort.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/evidence/resemblance.hpp"
#include "core/evidence/scale.hpp"
#include "core/evidence/suite_effect.hpp"
#include "core/evidence/tests_of_means.hpp"
#include "core/large_block.hpp"
#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr double kSlack = 1e-12;       // relative, as for tolerances
constexpr double kPriorDegrees = 2;    // a side: what the class knows of a row's variance counts as so many
constexpr double kMostUnequal = 2;     // trials of the longer side over those of the shorter, up to which ranks alone tell
constexpr double kOutlierSpreads = 4;  // of the class: a trial further from its side's median is drawn back to there
constexpr double kSuiteReach = 1.2;    // … and this times the root of the rows
constexpr double kOwnSpreads = 3;      // of its own side
constexpr double kFree = std::numeric_limits<double>::infinity();
constexpr double kNormalSpread = 1.4826;    // of the median distance (Hampel 1974)
constexpr double kCommonNoise = 2;          // means over rows scatter so many times as those of independent rows would
constexpr double kCorrelatedErrors = 2.33;  // standard errors of the lag-1 ratio: 1 %
constexpr std::size_t kWays = 3;
constexpr std::size_t kKinds = 2 * kWays;  // of a way, with and without trials

bool exceeds(double value, double limit) {
  if (std::isinf(value) || std::isinf(limit)) return value > limit;
  return value > limit + kSlack * std::max(std::fabs(value), std::fabs(limit));
}
bool at_most(double p, double alpha) { return p <= alpha * (1 + kSlack); }

bool has_trials(const EvidenceRow& row) { return std::min(row.baseline.size(), row.current.size()) >= kLeastTrials; }
bool is_unequal(double a, double b) { return std::max(a, b) > kMostUnequal * std::min(a, b); }

double median_of(std::vector<double>& x) {
  if (x.empty()) return 0;
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  if (x.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(x.begin(), middle), *middle);
}

template <class T>
void make_room(std::vector<T>& into, std::size_t count) {
  reserve_large(into, count);
  into.resize(count);
}

class Weigher {
 public:
  Weigher(std::span<const ClassName> classes, std::span<const EvidenceRow> rows, double alpha)
      : classes_(classes), rows_(rows), alpha_(alpha), least_t_(normal_upper_quantile(std::min(alpha, 0.5))) {}

  Evidence run() {
    group_rows();
    weigh_runs();
    weigh_trials();
    correct_suite_effects();
    correct_rows();
    correct_headlines();
    count_points();
    return std::move(out_);
  }

 private:
  // What a group's weighing leaves for others of its unit and direction that are too small to know it themselves.
  struct Known {
    std::size_t kind = 0;
    double baseline_variance = 0, current_variance = 0;  // of a trial
    double spread = 0, worse = 0;                        // of differences of runs, and their worse quantile
    std::size_t rows = 0;                                // that it rests on
    bool equal_runs = true;
    double unequal = 0;    // sum over rows of what unequal numbers of runs widen
    double allowance = 0;  // of a single run
  };
  struct Trials {
    std::uint32_t row = 0;
    SideMoments baseline, current;  // outliers drawn back
    double difference = 0;          // of the means of all trials as they are
  };
  struct TrialGroup {
    std::size_t start = 0;        // into trials_
    SuiteSide baseline, current;  // of the trials as they are
    SuiteSide bounded_baseline, bounded_current;
  };
  struct Lag {
    double sum = 0, weight = 0;                     // over rows, of what the lag-1 ratio exceeds its mean under independence
    double squared_error = 0, variance = 0;         // of the sum: as rows show it, and as normal noise has it
    double shown = 0, independent = 0, trials = 0;  // variances of the means over rows; trials of both sides
  };

  [[nodiscard]] RowScale scale_of(const EvidenceRow& row) {
    if (row.tolerance != tolerance_) {  // rows of one tolerance stand together
      tolerance_ = row.tolerance;
      logs_ = ToleranceLogs(tolerance_);
    }
    const bool positive = row.absolute || is_positive(row.baseline);
    return {row.baseline, positive ? 0 : middle(row.baseline), classes_[row.klass].direction, row.tolerance, logs_, row.absolute};
  }
  static bool is_positive(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return x > 0; });
  }
  static Way way_of(const EvidenceRow& row) {
    if (row.absolute) return Way::absolute;
    return is_positive(row.baseline) ? Way::ratio : Way::relative;
  }
  static double middle(std::span<const double> values) { return values.size() == 1 ? values.front() : median(values); }
  void to_scale(std::span<const double> values, const RowScale& scale, std::vector<double>& out) const {
    out.resize(values.size());
    std::transform(values.begin(), values.end(), out.begin(), scale);
  }

  // ---- groups ----

  void group_rows() {
    make_room(out_.rows, rows_.size());
    std::vector<std::uint8_t> kinds(rows_.size(), kKinds);
    std::array<std::vector<std::uint32_t>, kKinds> counts;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const EvidenceRow& row = rows_[i];
      if (row.baseline.empty() || row.current.empty() || row.klass >= classes_.size()) continue;
      const bool trials = has_trials(row);
      const auto way = static_cast<std::size_t>(way_of(row));
      kinds[i] = static_cast<std::uint8_t>(way + (trials ? kWays : 0));
      out_.rows[i].trials = trials;
      std::vector<std::uint32_t>& of_kind = counts[kinds[i]];
      if (of_kind.empty()) of_kind.resize(classes_.size());
      ++of_kind[row.klass];
      ++out_.judged;
      with_trials_ += trials ? 1 : 0;
    }
    std::array<ClassGroups, kKinds> groups;
    std::array<std::uint32_t, kKinds> first{};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      first[kind] = static_cast<std::uint32_t>(out_.groups.size());
      groups[kind] = group_classes(classes_, counts[kind]);
      add_groups(kind, groups[kind], counts[kind]);
    }
    first_row_.assign(out_.groups.size() + 1, 0);
    for (std::size_t g = 0; g < out_.groups.size(); ++g) first_row_[g + 1] = first_row_[g] + out_.groups[g].rows;
    make_room(order_, out_.judged);
    std::vector<std::size_t> next(first_row_.begin(), first_row_.end());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      if (kinds[i] == kKinds) continue;
      const std::uint32_t g = first[kinds[i]] + groups[kinds[i]].of_class[rows_[i].klass];
      out_.rows[i].group = g;
      order_[next[g]++] = i;
    }
  }

  void add_groups(std::size_t kind, const ClassGroups& groups, const std::vector<std::uint32_t>& counts) {
    const std::size_t first = out_.groups.size();
    out_.groups.resize(first + groups.count);
    known_.resize(out_.groups.size());
    for (std::uint32_t klass = 0; klass < counts.size(); ++klass) {
      if (groups.of_class[klass] == kNoGroup) continue;
      GroupEvidence& group = out_.groups[first + groups.of_class[klass]];
      if (group.rows == 0) group.klass = klass;
      group.rows += counts[klass];
      group.trials = kind >= kWays;
      group.small = group.rows < kClassRows;
      known_[first + groups.of_class[klass]].kind = kind;
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> rows_of(std::uint32_t g) const {
    return std::span(order_).subspan(first_row_[g], first_row_[g + 1] - first_row_[g]);
  }

  // The group of this unit, direction and kind that scatters most, for a small one; null where there is none.
  template <class Spread>
  [[nodiscard]] const Known* lender(std::uint32_t g, Spread spread) const {
    const ClassName& name = classes_[out_.groups[g].klass];
    const Known* best = nullptr;
    for (std::uint32_t other = 0; other < out_.groups.size(); ++other) {
      const ClassName& its = classes_[out_.groups[other].klass];
      if (out_.groups[other].small || known_[other].kind != known_[g].kind) continue;
      if (its.unit != name.unit || its.direction != name.direction) continue;
      if (best == nullptr || spread(known_[other]) > spread(*best)) best = &known_[other];
    }
    return best;
  }

  // ---- one or two runs on a side ----

  // Differences are taken in the order of the rows, which is that of memory, and judged in it: only numbers go to and fro.
  void weigh_runs() {
    if (with_trials_ == out_.judged) return;
    take_differences();
    for (const bool small : {false, true}) {  // small groups take what the others know
      for (std::uint32_t g = 0; g < out_.groups.size(); ++g) {
        if (!out_.groups[g].trials && out_.groups[g].small == small) weigh_group_of_runs(g);
      }
    }
    std::vector<std::size_t> next(first_row_.begin(), first_row_.end());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const std::uint32_t g = out_.rows[i].group;
      if (g == kNoGroup || out_.rows[i].trials) continue;
      const std::size_t place = next[g]++;
      judge_run(i, differences_[place], allowance_at(place, g));
    }
  }

  void take_differences() {
    make_room(differences_, order_.size());
    std::vector<std::size_t> next(first_row_.begin(), first_row_.end());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::uint32_t g = out_.rows[i].group;
      if (g == kNoGroup || out_.rows[i].trials) continue;
      const EvidenceRow& row = rows_[i];
      const RowScale scale = scale_of(row);
      differences_[next[g]++] = scale(middle(row.current)) - scale(middle(row.baseline));
      out_.groups[g].limit += scale.limit() / static_cast<double>(out_.groups[g].rows);
      Known& known = known_[g];
      if (row.baseline.size() == row.current.size()) {
        known.unequal += 1;
      } else {
        known.equal_runs = false;
        known.unequal += unequal_runs_factor(static_cast<double>(row.baseline.size()), static_cast<double>(row.current.size()));
      }
    }
  }

  void weigh_group_of_runs(std::uint32_t g) {
    GroupEvidence& group = out_.groups[g];
    Known& known = known_[g];
    reserve_large(sorted_, group.rows);
    sorted_.assign(differences_of(g).begin(), differences_of(g).end());
    boost::sort::spreadsort::float_sort(sorted_.begin(), sorted_.end());  // of a million rows three times as fast as std::sort
    group.effect = std::midpoint(sorted_[(group.rows - 1) / 2], sorted_[group.rows / 2]);
    const Known* source = &known;
    if (group.small) {
      source = lender(g, [](const Known& one) { return one.spread; });
    } else {
      know_spread(known, known.unequal / static_cast<double>(group.rows));
      judge_median(group, known);
    }
    if (source == nullptr) return;
    group.scatter = source->spread;
    known.allowance = allowance_of(*source);
    if (!group.small) allow_by_size(g);
  }

  [[nodiscard]] std::span<const double> differences_of(std::uint32_t g) const {
    return std::span(differences_).subspan(first_row_[g], out_.groups[g].rows);
  }

  // Of the rows whose differences are sorted.
  void know_spread(Known& known, double unequal_factor) const {
    known.rows = sorted_.size();
    known.spread = shortest_share_spread(sorted_) * unequal_factor;
    known.worse = known.equal_runs ? worse_quantile(sorted_) : 0;
  }

  // Small messages scatter more than large ones: each part of the sizes has the allowance of its own rows.
  void allow_by_size(std::uint32_t g) {
    const std::span<const double> differences = differences_of(g);
    if (std::isnan(rows_[rows_of(g).front()].size)) return;
    std::vector<double> sizes;
    for (const std::uint32_t i : rows_of(g)) sizes.push_back(rows_[i].size);
    const auto parts = parts_by_size(sizes, differences);
    if (parts.size() == 1) return;
    part_allowances_.resize(order_.size(), kOfGroup);
    for (const std::vector<std::uint32_t>& part : parts) {
      sorted_.clear();
      for (const std::uint32_t i : part) sorted_.push_back(differences[i]);
      std::sort(sorted_.begin(), sorted_.end());
      Known own = known_[g];
      know_spread(own, own.unequal / static_cast<double>(out_.groups[g].rows));
      const double allowance = allowance_of(own);
      for (const std::uint32_t i : part) part_allowances_[first_row_[g] + i] = allowance;
    }
  }

  // Of the row at this place of the order.
  [[nodiscard]] double allowance_at(std::size_t place, std::uint32_t g) const {
    const bool of_group = part_allowances_.empty() || part_allowances_[place] == kOfGroup;
    return of_group ? known_[g].allowance : part_allowances_[place];
  }

  [[nodiscard]] double allowance_of(const Known& known) const {
    const double spread = known.spread * spread_multiplier(known.rows, out_.judged);
    if (!(known.worse > 0)) return spread;
    return std::min(spread, known.worse * worse_quantile_multiplier(known.rows, out_.judged));
  }

  // The class as a whole: its median row against tolerance and what chance does to a median.
  void judge_median(GroupEvidence& group, const Known& known) const {
    const auto m = static_cast<double>(group.rows);
    const double allowance = known.spread * median_multiplier(group.rows) / std::sqrt(m);
    group.worse = exceeds(is_two_sided(group) ? std::fabs(group.effect) : group.effect, group.limit + allowance);
  }

  void judge_run(std::uint32_t i, double difference, double allowance) {
    const EvidenceRow& row = rows_[i];
    const RowScale scale = scale_of(row);
    RowEvidence& out = out_.rows[i];
    // Where half of the rows changed, no quiet part is left to measure and the spread is that of the change. What is four times
    // the other run is no noise all the same, unless something else than these rows says so.
    constexpr double kMost = 1.3862943611198906;  // ln 4
    if (!row.absolute) allowance = std::min(allowance, kMost);
    out.allowance = allowance;
    if (row.known_spread > 0) {
      const double runs = 1 / static_cast<double>(row.baseline.size()) + 1 / static_cast<double>(row.current.size());
      out.allowance = std::max(allowance, row.known_spread * std::sqrt(runs) * known_spread_multiplier(out_.judged));
    }
    const auto beyond = [&](double more) {
      return exceeds(difference, scale.limit() + more) || (scale.two_sided() && exceeds(-difference, scale.other_limit() + more));
    };
    out.regressed = beyond(0);
    out.suspect = out.regressed && !beyond(out.allowance);
  }

  // ---- trials ----

  void weigh_trials() {
    trial_groups_.resize(out_.groups.size());
    trials_.reserve(with_trials_);
    for_trial_groups([&](std::uint32_t g) {
      measure_trials(g);
      bound_outliers(g);
      know_variances(g);
      add_lag(g);
    });
    find_correlation();
    for_trial_groups([&](std::uint32_t g) {
      count_effective_trials(g);
      if (!out_.groups[g].small) judge_suite(g);
      judge_rows(g);
    });
  }
  template <class Work>
  void for_trial_groups(Work work) {
    for (std::uint32_t g = 0; g < out_.groups.size(); ++g) {
      if (out_.groups[g].trials) work(g);
    }
  }
  [[nodiscard]] std::span<Trials> trials_of(std::uint32_t g) {
    return std::span(trials_).subspan(trial_groups_[g].start, out_.groups[g].rows);
  }

  void measure_trials(std::uint32_t g) {
    TrialGroup& sides = trial_groups_[g];
    sides.start = trials_.size();
    double limits = 0;
    for (const std::uint32_t i : rows_of(g)) {
      const RowScale scale = scale_of(rows_[i]);
      to_scale(rows_[i].baseline, scale, baseline_);
      to_scale(rows_[i].current, scale, current_);
      Trials one{i, side_moments(baseline_), side_moments(current_), 0};
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
  void bound_outliers(std::uint32_t g) {
    TrialGroup& sides = trial_groups_[g];
    sides.bounded_baseline = sides.baseline;
    sides.bounded_current = sides.current;
    if (is_two_sided(out_.groups[g])) return;
    const std::span<Trials> rows = trials_of(g);
    const bool small = out_.groups[g].small;
    const double reach = std::min(kOutlierSpreads, kSuiteReach * std::sqrt(static_cast<double>(rows.size())));
    const double class_width = small ? 0 : reach * std::sqrt(upper_quartile_of_variances(rows));
    if (!small && !(class_width > 0)) return;  // nearly all rows repeat exactly: what varies is no outlier
    for (Trials& one : rows) {
      const EvidenceRow& row = rows_[one.row];
      const RowScale scale = scale_of(row);
      const double width = small ? scale.limit() : class_width;
      bound_side(row.baseline, scale, {-width, kFree}, one.baseline, sides.bounded_baseline);
      bound_side(row.current, scale, {-kFree, width}, one.current, sides.bounded_current);
    }
  }

  double upper_quartile_of_variances(std::span<const Trials> rows) {
    sorted_.clear();
    for (const Trials& one : rows) {
      sorted_.push_back(one.baseline.variance());
      sorted_.push_back(one.current.variance());
    }
    const auto at = sorted_.begin() + static_cast<std::ptrdiff_t>(3 * sorted_.size() / 4);
    std::nth_element(sorted_.begin(), at, sorted_.end());
    return *at;
  }

  struct Bounds {
    double low, high;  // about the median of the side
  };
  void bound_side(std::span<const double> values, const RowScale& scale, Bounds bounds, SideMoments& moments, SuiteSide& suite) {
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

  void know_variances(std::uint32_t g) {
    if (out_.groups[g].small) return;
    Known& known = known_[g];
    known.rows = out_.groups[g].rows;
    known.baseline_variance = typical_variance(trials_of(g), &Trials::baseline);
    known.current_variance = typical_variance(trials_of(g), &Trials::current);
    out_.groups[g].scatter = std::sqrt((known.baseline_variance + known.current_variance) / 2);
  }

  // The median over rows, corrected for a sample variance's median lying below its mean.
  double typical_variance(std::span<const Trials> rows, SideMoments Trials::*side) {
    sorted_.clear();
    std::size_t trials = 0;
    double factor = 1;
    for (const Trials& one : rows) {
      const SideMoments& moments = one.*side;
      if (moments.trials != trials) {
        trials = moments.trials;
        factor = variance_median_factor(static_cast<double>(trials - 1));
      }
      sorted_.push_back(moments.variance() / factor);
    }
    return median_of(sorted_);
  }

  // How much a group's trials resemble their neighbours. A row that happens to vary little shows little of it, so rows count by
  // how much they vary, as far as the class does; the mean under independence stays 0 whatever a row's values are.
  void add_lag(std::uint32_t g) {
    const bool small = out_.groups[g].small;
    const std::span<const Trials> rows = trials_of(g);
    const TrialGroup& sides = trial_groups_[g];
    const auto m = static_cast<double>(rows.size());
    double sum = 0;
    double squares = 0;
    double variances = 0;
    for (const Trials& one : rows) {
      const LagExcess b = lag_excess(one.baseline, small ? 0 : known_[g].baseline_variance);
      const LagExcess c = lag_excess(one.current, small ? 0 : known_[g].current_variance);
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
  void find_correlation() {
    const auto m = static_cast<double>(with_trials_);
    double squared_error = lag_.squared_error;
    if (lag_.shown > kCommonNoise * lag_.independent) {
      const double groups = static_cast<double>(out_.groups.size());
      squared_error = std::max(squared_error, lag_.variance * std::min(m, groups * lag_.shown / lag_.independent));
    }
    if (!(squared_error > 0) || !(lag_.sum > kCorrelatedErrors * std::sqrt(squared_error))) return;
    const auto trials = static_cast<std::size_t>(std::lround(lag_.trials / m / 2));
    correlation_ = correlation_from_lag(lag_.sum / lag_.weight, trials);
  }

  void count_effective_trials(std::uint32_t g) {
    GroupEvidence& group = out_.groups[g];
    group.correlated = correlation_.rho > 0;
    group.rho = correlation_.rho;
    const auto effective = [&](const SuiteSide& side) {
      const double trials = side.trials() / static_cast<double>(group.rows);
      return trials / correlation_.inflation(static_cast<std::size_t>(std::lround(trials)));
    };
    group.effective_baseline = effective(trial_groups_[g].baseline);
    group.effective_current = effective(trial_groups_[g].current);
  }

  [[nodiscard]] DifferenceVariance variance_of_suite(std::uint32_t g, const SuiteSide& baseline, const SuiteSide& current) const {
    const GroupEvidence& group = out_.groups[g];
    const auto m = static_cast<double>(group.rows);
    return suite_variance(baseline, current, group.rows, baseline.trials() / m / group.effective_baseline,
                          current.trials() / m / group.effective_current);
  }

  // Effect and interval are those of the trials as they are; what is worse is told by the bounded ones.
  void judge_suite(std::uint32_t g) {
    GroupEvidence& group = out_.groups[g];
    const TrialGroup& sides = trial_groups_[g];
    const auto m = static_cast<double>(group.rows);
    double sum = 0;
    double bounded = 0;
    for (const Trials& one : trials_of(g)) {
      sum += one.difference;
      bounded += one.current.mean - one.baseline.mean;
    }
    group.effect = sum / m;
    bounded /= m;
    const DifferenceVariance variance = variance_of_suite(g, sides.baseline, sides.current);
    const double error = std::sqrt(variance.value);
    const double reach = student_upper_quantile(0.025, variance.degrees) * error;
    group.low = group.effect - reach;
    group.high = group.effect + reach;
    const double bound = student_upper_quantile(alpha_, variance.degrees) * error;
    const bool two_sided = is_two_sided(group);
    group.proven = !exceeds(group.effect + bound, group.limit) && !(two_sided && exceeds(bound - group.effect, group.limit));
    const DifferenceVariance tested = variance_of_suite(g, sides.bounded_baseline, sides.bounded_current);
    group.p = mean_difference_greater(bounded, group.limit, tested);
    if (two_sided) group.p = std::min(1.0, 2 * std::min(group.p, mean_difference_greater(-bounded, group.limit, tested)));
    // Means of few trials beside those of many: a long tail on the one side must not speak alone.
    if (is_unequal(sides.baseline.trials(), sides.current.trials()) && !exceeds(effect_of_medians(g), group.limit)) group.p = 1;
  }

  double effect_of_medians(std::uint32_t g) {
    double sum = 0;
    for (const Trials& one : trials_of(g)) {
      const RowScale scale = scale_of(rows_[one.row]);
      sum += scale(median(rows_[one.row].current)) - scale(median(rows_[one.row].baseline));
    }
    const double effect = sum / static_cast<double>(out_.groups[g].rows);
    return is_two_sided(out_.groups[g]) ? std::fabs(effect) : effect;
  }

  void judge_rows(std::uint32_t g) {
    const GroupEvidence& group = out_.groups[g];
    const Known* known =
        group.small ? lender(g, [](const Known& one) { return one.baseline_variance + one.current_variance; }) : &known_[g];
    VariancePrior baseline_prior;
    VariancePrior current_prior;
    if (known != nullptr) {
      baseline_prior = {known->baseline_variance, kPriorDegrees};
      current_prior = {known->current_variance, kPriorDegrees};
      if (group.small) out_.groups[g].scatter = std::sqrt((known->baseline_variance + known->current_variance) / 2);
    }
    const double pooled = group.small ? 0 : pooled_variance(g);
    const double reach = normal_upper_quantile(alpha_ / static_cast<double>(std::max<std::size_t>(with_trials_, 1)));
    for (const Trials& one : trials_of(g)) {
      RowEvidence& out = out_.rows[one.row];
      const EvidenceRow& row = rows_[one.row];
      const double b_inflation = correlation_.inflation(one.baseline.trials);
      const double c_inflation = correlation_.inflation(one.current.trials);
      DifferenceVariance variance = difference_variance(one.baseline, baseline_prior, one.current, current_prior);
      variance.value *= std::max(b_inflation, c_inflation);
      out.p = row_p(one.current.mean - one.baseline.mean, scale_of(row), variance);
      out.regressed = at_most(row.rank_p, alpha_);
      out.allowance = reach * std::sqrt(pooled * (b_inflation / static_cast<double>(one.baseline.trials) +
                                                  c_inflation / static_cast<double>(one.current.trials)));
      out.explained = std::fabs(one.difference) <= out.allowance;
      if (at_most(out.p, alpha_)) moderated_.push_back(out.p);
      if (ranks_tell(row) && out.regressed) ranks_.push_back(row.rank_p);
    }
  }

  double pooled_variance(std::uint32_t g) {
    double sum = 0;
    for (const Trials& one : trials_of(g)) sum += one.baseline.variance() + one.current.variance();
    return sum / static_cast<double>(2 * out_.groups[g].rows);
  }

  // p of the t against the tolerance; 1 where it is above alpha, which is most rows and needs no distribution.
  [[nodiscard]] double row_p(double difference, const RowScale& scale, const DifferenceVariance& variance) const {
    const double least = least_t_ * std::sqrt(variance.value);
    double p = 1;
    if (difference - scale.limit() >= least) p = mean_difference_greater(difference, scale.limit(), variance);
    if (!scale.two_sided()) return p;
    if (-difference - scale.other_limit() >= least) p = mean_difference_greater(-difference, scale.other_limit(), variance);
    return std::min(1.0, 2 * p);
  }

  [[nodiscard]] bool ranks_tell(const EvidenceRow& row) const {
    return !is_unequal(static_cast<double>(row.baseline.size()), static_cast<double>(row.current.size())) &&
           !(correlation_.rho > 0);
  }

  // ---- over all groups ----

  void correct_suite_effects() {
    std::vector<double> p;
    std::vector<std::size_t> tested;
    for (std::size_t g = 0; g < out_.groups.size(); ++g) {
      if (!out_.groups[g].trials || out_.groups[g].small) continue;
      p.push_back(out_.groups[g].p);
      tested.push_back(g);
    }
    const std::vector<bool> survives = holm(p, alpha_);
    for (std::size_t j = 0; j < tested.size(); ++j) out_.groups[tested[j]].worse = survives[j];
  }

  void correct_rows() {
    const double moderated = largest_surviving(moderated_, with_trials_, alpha_);
    const double ranks = largest_surviving(ranks_, with_trials_, alpha_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      RowEvidence& out = out_.rows[i];
      if (!out.trials || !out.regressed) continue;
      out.suspect = !(out.p <= moderated) && !(ranks_tell(rows_[i]) && rows_[i].rank_p <= ranks);
    }
  }

  // Headlines are few and named beforehand: they are corrected among themselves. One test of two suffices, except where the sides
  // have very different numbers of trials: there each of them errs in its own way, and both must agree.
  void correct_headlines() {
    std::vector<std::uint32_t> headlines;
    std::vector<double> p;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].headline || !out_.rows[i].trials) continue;
      headlines.push_back(i);
      p.push_back(headline_p(i));
    }
    const std::vector<bool> survives = holm(p, alpha_);
    for (std::size_t j = 0; j < headlines.size(); ++j) {
      RowEvidence& out = out_.rows[headlines[j]];
      out.suspect = out.regressed && !survives[j];
    }
  }

  double headline_p(std::uint32_t i) {
    const EvidenceRow& row = rows_[i];
    const RowScale scale = scale_of(row);
    to_scale(row.baseline, scale, baseline_);
    to_scale(row.current, scale, current_);
    const SideMoments before = side_moments(baseline_);
    const SideMoments after = side_moments(current_);
    DifferenceVariance variance = difference_variance(before, {}, after, {});
    variance.value *= std::max(correlation_.inflation(row.baseline.size()), correlation_.inflation(row.current.size()));
    const double welch = row_p(after.mean - before.mean, scale, variance);
    return ranks_tell(row) ? std::min(welch, row.rank_p) : std::max(welch, row.rank_p);
  }

  void count_points() {
    enum : std::uint8_t { judged = 1, worse = 2 };
    std::uint32_t last = 0;
    for (const EvidenceRow& row : rows_) last = std::max(last, row.point);
    std::vector<std::uint8_t> points(rows_.empty() ? 0 : last + std::size_t{1});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const RowEvidence& out = out_.rows[i];
      if (out.group == kNoGroup) continue;
      points[rows_[i].point] |= judged;
      if (out.regressed && !out.suspect) points[rows_[i].point] |= worse;
    }
    for (const std::uint8_t point : points) {
      out_.judged_points += (point & judged) != 0 ? 1 : 0;
      out_.regressed_points += (point & worse) != 0 ? 1 : 0;
    }
  }

  [[nodiscard]] bool is_two_sided(const GroupEvidence& group) const {
    const Direction direction = classes_[group.klass].direction;
    return direction == Direction::two_sided || direction == Direction::unknown;
  }

  std::span<const ClassName> classes_;
  std::span<const EvidenceRow> rows_;
  double alpha_, least_t_;
  Evidence out_;
  std::vector<std::size_t> first_row_;  // of each group, into order_
  std::vector<std::uint32_t> order_;    // rows by group
  std::vector<Known> known_;            // by group
  static constexpr double kOfGroup = -1;
  std::vector<double> part_allowances_;  // by place in order_; empty where no group is told apart by size
  std::size_t with_trials_ = 0;
  std::vector<Trials> trials_;  // by group
  std::vector<TrialGroup> trial_groups_;
  Lag lag_;
  Correlation correlation_;
  double tolerance_ = 0;
  ToleranceLogs logs_{0};
  std::vector<double> differences_, sorted_, baseline_, current_;  // of what is being weighed
  // p at most alpha, over all groups.
  std::vector<double> moderated_, ranks_;
};

}  // namespace

Evidence weigh_rows(std::span<const ClassName> classes, std::span<const EvidenceRow> rows, double alpha) {
  return Weigher(classes, rows, alpha).run();
}

}  // namespace plumbline::core
