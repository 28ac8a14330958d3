#include "core/history/series.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr std::size_t kExactKendall = 60;
constexpr std::size_t kFenceAtLeast = 30;

// P(at most `inversions` in a random order of n values): the generating function prod (1 + q + ... + q^(i-1)) / n!.
double inversions_at_most(std::size_t n, std::size_t inversions) {
  const std::size_t most = n * (n - 1) / 2;
  std::vector<double> probability(most + 1, 0.0), next(most + 1);
  probability[0] = 1;
  std::size_t reach = 0;
  for (std::size_t i = 2; i <= n; ++i) {
    double window = 0;
    for (std::size_t k = 0; k <= reach + i - 1; ++k) {
      if (k <= reach) window += probability[k];
      if (k >= i) window -= probability[k - i];
      next[k] = std::max(0.0, window) / static_cast<double>(i);
    }
    reach += i - 1;
    std::swap(probability, next);
  }
  double sum = 0;
  for (std::size_t k = 0; k <= std::min(inversions, most); ++k) sum += probability[k];
  return std::min(1.0, sum);
}

// Quantile of sorted values, linear between order statistics (Hyndman & Fan 1996, type 7).
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

}  // namespace

std::optional<double> theil_sen(std::span<const double> x) {
  if (x.size() < 2) return std::nullopt;
  std::vector<double> slopes;
  slopes.reserve(x.size() * (x.size() - 1) / 2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) slopes.push_back((x[j] - x[i]) / static_cast<double>(j - i));
  }
  const double slope = median(slopes);
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

double mann_kendall(std::span<const double> x) {
  const std::size_t n = x.size();
  if (n < 3) return 1;
  std::size_t falling = 0, rising = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      falling += x[j] < x[i] ? 1 : 0;
      rising += x[j] > x[i] ? 1 : 0;
    }
  }
  const bool ties = falling + rising < n * (n - 1) / 2;
  if (!ties && n <= kExactKendall) return std::min(1.0, 2 * inversions_at_most(n, std::min(falling, rising)));
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  const auto term = [](double t) { return t * (t - 1) * (2 * t + 5); };
  double variance = term(static_cast<double>(n));
  for (std::size_t i = 0; i < n;) {
    std::size_t j = i;
    while (j < n && sorted[j] == sorted[i]) ++j;
    variance -= term(static_cast<double>(j - i));
    i = j;
  }
  if (!(variance > 0)) return 1;
  const double s = std::abs(static_cast<double>(rising) - static_cast<double>(falling));
  return std::erfc(std::max(0.0, s - 1) / std::sqrt(variance / 18) / std::sqrt(2.0));
}

std::optional<double> noise_floor(std::span<const double> x) {
  if (x.size() < kNoiseFloorAtLeast) return std::nullopt;
  std::vector<double> steps;
  steps.reserve(x.size() - 1);
  for (std::size_t i = 1; i < x.size(); ++i) steps.push_back(x[i] - x[i - 1]);
  const auto away_from = [&](double centre) {
    std::vector<double> away = steps;
    for (double& step : away) step = std::abs(step - centre);
    std::sort(away.begin(), away.end());
    return away;
  };
  std::vector<double> away = away_from(0);
  if (const auto slope = theil_sen(x); slope && *slope != 0) {
    std::vector<double> detrended = away_from(*slope);
    if (quantile(detrended, .5) < quantile(away, .5)) away = std::move(detrended);
  }
  double floor = 3 * 1.4826 * quantile(away, .5);
  if (x.size() >= kFenceAtLeast) {
    const double upper = quantile(away, .75);
    floor = upper + 3 * (upper - quantile(away, .25));
  }
  return std::isfinite(floor) ? std::optional(floor) : std::nullopt;
}

}  // namespace plumbline::core
