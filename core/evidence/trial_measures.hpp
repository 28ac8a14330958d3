// What the trials of a comparison show of themselves, before anything is judged: each row's moments with wild trials drawn back,
// how a group's trials scatter and how alike its rows are in that, how much neighbours resemble each other, how often a trial
// goes astray.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/evidence/row_groups.hpp"
#include "core/evidence/suite_effect.hpp"
#include "core/evidence/tests_of_means.hpp"

namespace plumbline::core {

struct TrialRow {
  std::uint32_t row = 0;
  SideMoments baseline, current;  // outliers drawn back
  double difference = 0;          // of the means of all trials as they are
};

struct TrialGroup {
  std::size_t start = 0;        // of its rows
  SuiteSide baseline, current;  // of the trials as they are
  SuiteSide bounded_baseline, bounded_current;
  double baseline_variance = 0, current_variance = 0;  // typical ones, of a trial; 0 in small groups
  // Degrees of freedom of the chi-square by which the variances of the baseline's rows differ beyond their own sampling: infinite
  // where all rows scatter alike (variance_degrees).
  double degrees = std::numeric_limits<double>::infinity();
};

// Trials that stand off from the others of their side and row further than their class scatters.
struct StrayTrials {
  double strays = 0, values = 0;
  // How likely it is that all of n trials do so.
  [[nodiscard]] double all_of(std::size_t n) const;
};

class TrialMeasures {
 public:
  // Writes into the groups of `out`: limit, scatter, drift, correlation and effective trials.
  TrialMeasures(RowGroups& groups, Evidence& out);

  [[nodiscard]] const TrialGroup& group(std::uint32_t g) const { return measured_[g]; }
  [[nodiscard]] std::span<const TrialGroup> all() const { return measured_; }
  [[nodiscard]] std::span<const TrialRow> rows_of(std::uint32_t g) const {
    return std::span(trials_).subspan(measured_[g].start, out_.groups[g].rows);
  }
  [[nodiscard]] const Correlation& correlation() const { return correlation_; }
  // That a row looks worse because each trial of one of its sides went astray: slow ones as often as the baseline shows them,
  // fast ones as often as the current side does. So a value that gets worse never makes chance likelier.
  [[nodiscard]] double all_astray(const EvidenceRow& row) const;

 private:
  struct Lag {
    double sum = 0, weight = 0;                     // over rows, of what the lag-1 ratio exceeds its mean under independence
    double squared_error = 0, variance = 0;         // of the sum: as rows show it, and as normal noise has it
    double shown = 0, independent = 0, trials = 0;  // variances of the means over rows; trials of both sides
  };
  struct Bounds {
    double low, high;  // about the median of the side
  };

  [[nodiscard]] std::span<TrialRow> trials_of(std::uint32_t g) {
    return std::span(trials_).subspan(measured_[g].start, out_.groups[g].rows);
  }
  void measure_trials(std::uint32_t g);
  void bound_outliers(std::uint32_t g);
  void bound_side(std::span<const double> values, const RowScale& scale, Bounds bounds, SideMoments& moments, SuiteSide& suite);
  double upper_quartile_of_variances(std::span<const TrialRow> rows);
  void know_variances(std::uint32_t g);
  double typical_variance(std::span<const TrialRow> rows, SideMoments TrialRow::*side);
  void count_strays(std::uint32_t g);
  double slow_trials(std::span<const double> values, const RowScale& scale, double width, double sign);
  void add_lag(std::uint32_t g);
  void find_correlation();
  void count_effective_trials(std::uint32_t g);

  RowGroups& groups_;
  Evidence& out_;
  std::vector<TrialRow> trials_;      // by group
  std::vector<TrialGroup> measured_;  // by group
  StrayTrials slow_, fast_;           // of the baseline, of the current side
  Lag lag_;
  Correlation correlation_;
  std::vector<double> sorted_, baseline_, current_;  // of what is being measured
  std::vector<SampleVariance> variances_;
};

// `out` gets the values on the row's scale.
void to_scale(std::span<const double> values, const RowScale& scale, std::vector<double>& out);

}  // namespace plumbline::core
