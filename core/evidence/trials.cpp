// Three trials or more on both sides: rows, classes and headlines tested against tolerance and corrected for their number.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/evidence/trial_measures.hpp"
#include "core/experiment/looks.hpp"
#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr double kSlack = 1e-12;     // relative, as for tolerances
constexpr double kPriorDegrees = 2;  // a side: what the class knows of a row's variance counts as so many
constexpr double kMostUnequal = 2;   // trials of the longer side over those of the shorter, up to which ranks alone tell
constexpr double kLeastDegrees = 5;  // of variances that differ from row to row: at fewer the noisiest rows speak for all

bool at_most(double p, double alpha) { return p <= alpha * (1 + kSlack); }
bool is_unequal(double a, double b) { return std::max(a, b) > kMostUnequal * std::min(a, b); }

class TrialWeigher {
 public:
  TrialWeigher(RowGroups& groups, const WeighRules& rules, Evidence& out)
      : groups_(groups),
        measures_(groups, out),
        out_(out),
        alpha_(rules.alpha),
        least_t_(normal_upper_quantile(std::min(rules.alpha, 0.5))),
        anytime_(rules.anytime),
        last_look_(rules.last_look) {}

  void run() {
    out_.p.assign(out_.rows.size(), 1);
    for (std::uint32_t g = 0; g < groups_.count(); ++g) {
      if (!out_.groups[g].trials) continue;
      if (!out_.groups[g].small) judge_suite(g);
      judge_rows(g);
    }
    correct_suite_effects();
    correct_rows();
    correct_headlines();
  }

 private:
  [[nodiscard]] DifferenceVariance variance_of_suite(std::uint32_t g, const SuiteSide& baseline, const SuiteSide& current) const {
    const GroupEvidence& group = out_.groups[g];
    const auto m = static_cast<double>(group.rows);
    return suite_variance(baseline, current, group.rows, baseline.trials() / m / group.effective_baseline,
                          current.trials() / m / group.effective_current);
  }

  // Effect and interval are those of the trials as they are; what is worse is told by the bounded ones.
  void judge_suite(std::uint32_t g) {
    GroupEvidence& group = out_.groups[g];
    const TrialGroup& sides = measures_.group(g);
    const auto m = static_cast<double>(group.rows);
    double sum = 0;
    double bounded = 0;
    for (const TrialRow& one : measures_.rows_of(g)) {
      sum += one.difference;
      bounded += one.current.mean - one.baseline.mean;
    }
    group.effect = sum / m;
    if (anytime_) {
      judge_suite_at_any_stop(g);
      return;
    }
    bounded /= m;
    const DifferenceVariance variance = variance_of_suite(g, sides.baseline, sides.current);
    const double error = std::sqrt(variance.value);
    const double reach = student_upper_quantile(0.025, variance.degrees) * error;
    group.low = group.effect - reach;
    group.high = group.effect + reach;
    const double bound = student_upper_quantile(alpha_, variance.degrees) * error;
    const bool two_sided = groups_.is_two_sided(group);
    group.proven = !exceeds(group.effect + bound, group.limit) && !(two_sided && exceeds(bound - group.effect, group.limit));
    const DifferenceVariance tested = variance_of_suite(g, sides.bounded_baseline, sides.bounded_current);
    group.p = mean_difference_greater(bounded, group.limit, tested);
    if (two_sided) group.p = std::min(1.0, 2 * std::min(group.p, mean_difference_greater(-bounded, group.limit, tested)));
    // Means of few trials beside those of many: a long tail on the one side must not speak alone.
    if (is_unequal(sides.baseline.trials(), sides.current.trials()) && !exceeds(effect_of_medians(g), group.limit)) group.p = 1;
  }

  // Over the means of all rows, trial by trial. Rows of unlike numbers of trials have no such means: they prove nothing.
  void judge_suite_at_any_stop(std::uint32_t g) {
    GroupEvidence& group = out_.groups[g];
    group.low = -std::numeric_limits<double>::infinity();
    group.high = std::numeric_limits<double>::infinity();
    group.p = 1;
    if (!mean_over_rows(g)) return;
    const bool paired = groups_.rows()[measures_.rows_of(g).front().row].paired;
    std::vector<double> differences(paired ? current_.size() : 0);
    for (std::size_t t = 0; t < differences.size(); ++t) differences[t] = current_[t] - baseline_[t];
    const auto estimate = [&](double alpha) {
      return paired ? pairs_at_any_stop(differences, alpha, last_look_)
                    : ranks_at_any_stop(baseline_, current_, alpha, last_look_);
    };
    const auto p_above = [&] {
      return paired ? pairs_greater_at_any_stop(differences, group.limit, last_look_)
                    : ranks_greater_at_any_stop(baseline_, current_, group.limit, last_look_);
    };
    const ShiftEstimate wide = estimate(0.025);
    group.low = wide.lower.value_or(group.low);
    group.high = wide.upper.value_or(group.high);
    const ShiftEstimate bounds = estimate(alpha_);
    const bool two_sided = groups_.is_two_sided(group);
    group.proven = bounds.upper && !exceeds(*bounds.upper, group.limit) &&
                   !(two_sided && !(bounds.lower && !exceeds(-*bounds.lower, group.limit)));
    group.p = p_above();
    if (!two_sided) return;
    for (auto* values : {&baseline_, &current_, &differences}) {
      for (double& x : *values) x = -x;
    }
    group.p = std::min(1.0, 2 * std::min(group.p, p_above()));
  }

  // Into baseline_ and current_, by trial.
  bool mean_over_rows(std::uint32_t g) {
    std::vector<double> before;
    std::vector<double> after;
    const std::span<const TrialRow> rows = measures_.rows_of(g);
    for (const TrialRow& one : rows) {
      const EvidenceRow row = groups_.rows()[one.row];
      const RowScale scale = groups_.scale_of(row);
      to_scale(row.baseline, scale, before);
      to_scale(row.current, scale, after);
      if (&one == rows.data()) {
        baseline_.assign(before.size(), 0);
        current_.assign(after.size(), 0);
      }
      if (before.size() != baseline_.size() || after.size() != current_.size()) return false;
      for (std::size_t t = 0; t < before.size(); ++t) baseline_[t] += before[t] / static_cast<double>(rows.size());
      for (std::size_t t = 0; t < after.size(); ++t) current_[t] += after[t] / static_cast<double>(rows.size());
    }
    return true;
  }

  double effect_of_medians(std::uint32_t g) {
    double sum = 0;
    for (const TrialRow& one : measures_.rows_of(g)) {
      const EvidenceRow row = groups_.rows()[one.row];
      const RowScale scale = groups_.scale_of(row);
      sum += scale(median(row.current)) - scale(median(row.baseline));
    }
    const double effect = sum / static_cast<double>(out_.groups[g].rows);
    return groups_.is_two_sided(out_.groups[g]) ? std::fabs(effect) : effect;
  }

  void judge_rows(std::uint32_t g) {
    const GroupEvidence& group = out_.groups[g];
    const TrialGroup* known = group.small ? lender_of(g) : &measures_.group(g);
    VariancePrior baseline_prior;
    VariancePrior current_prior;
    if (known != nullptr) {
      baseline_prior = {known->baseline_variance, kPriorDegrees};
      current_prior = {known->current_variance, kPriorDegrees};
      if (group.small) out_.groups[g].scatter = std::sqrt((known->baseline_variance + known->current_variance) / 2);
    }
    const double pooled = group.small ? 0 : pooled_variance(g);
    const double reach = pooled > 0 ? reach_among_rows(known->degrees) : 0;
    for (const TrialRow& one : measures_.rows_of(g)) {
      RowEvidence& out = out_.rows[one.row];
      const EvidenceRow row = groups_.rows()[one.row];
      const double b_inflation = correlation().inflation(one.baseline.trials);
      const double c_inflation = correlation().inflation(one.current.trials);
      DifferenceVariance variance = difference_variance(one.baseline, baseline_prior, one.current, current_prior);
      variance.value *= std::max(b_inflation, c_inflation);
      const double by_means = row_p(one.current.mean - one.baseline.mean, groups_.scale_of(row), variance);
      const double p = anytime_ ? 1 : std::min(1.0, std::max(by_means, measures_.all_astray(row)));
      out_.p[one.row] = p;
      out.regressed = at_most(row.rank_p, alpha_);
      out.allowance = reach * std::sqrt(pooled * (b_inflation / static_cast<double>(one.baseline.trials) +
                                                  c_inflation / static_cast<double>(one.current.trials)));
      out.explained = std::fabs(one.difference) <= out.allowance;
      if (at_most(p, alpha_)) moderated_.push_back(p);
      if (ranks_tell(row) && out.regressed) ranks_.push_back(row.rank_p);
    }
  }

  // The group of its kind that scatters most.
  [[nodiscard]] const TrialGroup* lender_of(std::uint32_t g) const {
    return groups_.lender(g, measures_.all(), [](const TrialGroup& one) { return one.baseline_variance + one.current_variance; });
  }

  // Standard deviations that chance reaches in one of so many rows: normal noise where the rows scatter alike. Rows of unlike
  // variance lie apart as Student's t of so many degrees (Smyth 2004, section 3), scaled here to the pooled variance. Skewed and
  // long-tailed noise shows itself in the same way.
  [[nodiscard]] double reach_among_rows(double degrees) const {
    const double share = alpha_ / static_cast<double>(groups_.with_trials());
    const double normal = normal_upper_quantile(share);
    if (!std::isfinite(degrees)) return normal;
    const double counted = std::max(degrees, kLeastDegrees);
    return std::max(normal, student_upper_quantile(share, counted) * std::sqrt((counted - 2) / counted));
  }

  double pooled_variance(std::uint32_t g) {
    double sum = 0;
    for (const TrialRow& one : measures_.rows_of(g)) sum += one.baseline.variance() + one.current.variance();
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

  // At any stop each trial is judged in its turn: how many the other side has is no matter.
  [[nodiscard]] bool ranks_tell(const EvidenceRow& row) const {
    return anytime_ || (!is_unequal(static_cast<double>(row.baseline.size()), static_cast<double>(row.current.size())) &&
                        !(correlation().rho > 0));
  }

  [[nodiscard]] const Correlation& correlation() const { return measures_.correlation(); }

  // ---- over all groups ----

  void correct_suite_effects() {
    std::vector<double> p;
    std::vector<std::size_t> tested;
    for (std::size_t g = 0; g < groups_.count(); ++g) {
      if (!out_.groups[g].trials || out_.groups[g].small) continue;
      p.push_back(out_.groups[g].p);
      tested.push_back(g);
    }
    const std::vector<bool> survives = holm(p, alpha_);
    for (std::size_t j = 0; j < tested.size(); ++j) out_.groups[tested[j]].worse = survives[j];
  }

  void correct_rows() {
    const double moderated = largest_surviving(moderated_, groups_.with_trials(), alpha_);
    const double ranks = largest_surviving(ranks_, groups_.with_trials(), alpha_);
    for (std::size_t i = 0; i < groups_.rows().size(); ++i) {
      RowEvidence& out = out_.rows[i];
      if (!out.trials || !out.regressed) continue;
      const EvidenceRow row = groups_.rows()[i];
      out.suspect = !(out_.p[i] <= moderated) && !(ranks_tell(row) && row.rank_p <= ranks);
    }
  }

  // Headlines are few and named beforehand: they are corrected among themselves. One test of two suffices, except where the sides
  // have very different numbers of trials: there each of them errs in its own way, and both must agree.
  void correct_headlines() {
    std::vector<std::uint32_t> headlines;
    std::vector<double> p;
    for (std::uint32_t i = 0; i < groups_.rows().size(); ++i) {
      if (!out_.rows[i].trials || !groups_.rows()[i].headline) continue;
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
    const EvidenceRow row = groups_.rows()[i];
    if (anytime_) return row.rank_p;
    const RowScale scale = groups_.scale_of(row);
    to_scale(row.baseline, scale, baseline_);
    to_scale(row.current, scale, current_);
    const SideMoments before = side_moments(baseline_);
    const SideMoments after = side_moments(current_);
    DifferenceVariance variance = difference_variance(before, {}, after, {});
    variance.value *= std::max(correlation().inflation(row.baseline.size()), correlation().inflation(row.current.size()));
    const double welch = row_p(after.mean - before.mean, scale, variance);
    return ranks_tell(row) ? std::min(welch, row.rank_p) : std::max(welch, row.rank_p);
  }

  RowGroups& groups_;
  TrialMeasures measures_;
  Evidence& out_;
  double alpha_, least_t_;
  bool anytime_;
  std::uint32_t last_look_;
  std::vector<double> baseline_, current_;  // of the headline or class that is being judged
  std::vector<double> moderated_, ranks_;   // p at most alpha, over all groups
};

}  // namespace

void weigh_trials(RowGroups& groups, const WeighRules& rules, Evidence& out) {
  if (groups.with_trials() > 0) TrialWeigher(groups, rules, out).run();
}

}  // namespace plumbline::core
