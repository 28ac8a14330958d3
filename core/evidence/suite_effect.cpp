#include "core/evidence/suite_effect.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline::core {
namespace {

constexpr double kCommonNoise = 2;   // the trials' means scatter so many times as independent rows: something moves them together
constexpr double kPriorDegrees = 4;  // that the rows' own variances count where nothing does
constexpr double kRowsPerDegree = 4;  // fewer rows know less

}  // namespace

// A trial's residual enters with 1/n, its share in the row's mean, and the variance that the row's mean takes from it given back.
void SuiteSide::change(std::span<const double> scaled, const SideMoments& moments, double sign) {
  const auto n = static_cast<double>(scaled.size());
  if (scaled.size() < 2) return;
  if (deviations_.size() < scaled.size()) deviations_.resize(scaled.size());
  const double weight = sign / std::sqrt(n * (n - 1));
  for (std::size_t t = 0; t < scaled.size(); ++t) deviations_[t] += weight * (scaled[t] - moments.mean);
  of_means_ += sign * moments.variance() / n;
  trials_ += sign * n;
  degrees_ += sign * (n - 1);
}

DifferenceVariance SuiteSide::shown(std::size_t rows) const {
  double squares = 0;
  for (const double deviation : deviations_) squares += deviation * deviation;
  const auto m = static_cast<double>(rows);
  return {squares / (m * m), degrees_ / m};
}

double SuiteSide::independent(std::size_t rows) const {
  const auto m = static_cast<double>(rows);
  return of_means_ / (m * m);
}

DifferenceVariance suite_variance(const SuiteSide& baseline, const SuiteSide& current, std::size_t rows,
                                  double baseline_inflation, double current_inflation) {
  const DifferenceVariance b = baseline.shown(rows);
  const DifferenceVariance c = current.shown(rows);
  const double of_b = baseline_inflation * b.value;
  const double of_c = current_inflation * c.value;
  const double independent = baseline_inflation * baseline.independent(rows) + current_inflation * current.independent(rows);
  const double shown = of_b + of_c;
  const double spread = of_b * of_b / b.degrees + of_c * of_c / c.degrees;
  const double degrees = spread > 0 ? shown * shown / spread : 1;
  if (!(shown < kCommonNoise * independent)) return {shown, degrees};
  const double prior = std::min(kPriorDegrees, static_cast<double>(rows) / kRowsPerDegree);
  return {(degrees * shown + prior * independent) / (degrees + prior), degrees + prior};
}

}  // namespace plumbline::core
