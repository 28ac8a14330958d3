// The suite effect of a group of rows with trials: the mean over rows of their differences (of logarithms: the geometric mean of
// their ratios), judged by how the trials' means over all rows scatter. What is common to a run moves them together, so it counts
// as noise, which no row by itself can show. Welch 1947 for the test; where the trials' means scatter no more than independent
// rows would, the rows' own variances are weighed in as up to four degrees of freedom, one for four rows (as Smyth 2004 does for
// rows).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/evidence/tests_of_means.hpp"

namespace plumbline::core {

// One side: deviations of the trials' means over rows, and what they would be with independent rows. Rows are added one by one.
class SuiteSide {
 public:
  // `scaled` are the row's trials on its scale, `moments` theirs.
  void add(std::span<const double> scaled, const SideMoments& moments) { change(scaled, moments, 1); }
  void remove(std::span<const double> scaled, const SideMoments& moments) { change(scaled, moments, -1); }
  // Variance of the mean over rows and trials as the trials show it, and as independent rows would have it.
  [[nodiscard]] DifferenceVariance shown(std::size_t rows) const;
  [[nodiscard]] double independent(std::size_t rows) const;
  [[nodiscard]] std::span<const double> deviations() const { return deviations_; }  // by trial, of the sum over rows, weighted
  [[nodiscard]] double trials() const { return trials_; }                           // sum over rows

 private:
  void change(std::span<const double> scaled, const SideMoments& moments, double sign);
  std::vector<double> deviations_;
  double of_means_ = 0, trials_ = 0, degrees_ = 0;
};

// Of both sides, correlated trials counted as fewer (inflation factors of the variances, 1 for none).
[[nodiscard]] DifferenceVariance suite_variance(const SuiteSide& baseline, const SuiteSide& current, std::size_t rows,
                                                double baseline_inflation, double current_inflation);

}  // namespace plumbline::core
