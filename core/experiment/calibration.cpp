#include "core/experiment/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/evidence/tests_of_means.hpp"
#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr std::array<double, 21> kLadder{.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200};
constexpr std::size_t kFewest = 5;
constexpr double kFourOfFive = 0.8416;  // quantile of the standard normal at .8
constexpr double kSame = 1e-9;          // of a tolerance: 105 against 100 is not beyond 5 %

// Differences of two runs, as logarithms of their ratio.
struct Noise {
  std::vector<double> sizes;  // that were seen, without sign
  std::vector<double> rises;  // in the order of a history; of runs none: either may come first
  double spread = 0;          // standard deviation of a difference
  double degrees = 1;         // that it is known to
};

double mean_square(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return x.empty() ? 0 : sum / static_cast<double>(x.size());
}

Noise noise_of_runs(std::span<const double> x) {
  Noise out;
  for (std::size_t i = 1; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) out.sizes.push_back(std::fabs(x[i] - x[j]));
  }
  out.spread = std::sqrt(mean_square(out.sizes));  // of n (n - 1) / 2 pairs: twice the variance
  out.degrees = static_cast<double>(x.size() - 1);
  return out;
}

// A step beyond what its fellows do, with three values on either side of it that lie apart: something changed.
bool is_lasting(std::span<const double> x, std::size_t step, double usual) {
  constexpr std::size_t kBeside = 3;
  constexpr double kUnusual = 4;
  if (step < kBeside || x.size() - step < kBeside || std::fabs(x[step] - x[step - 1]) <= kUnusual * usual) return false;
  const auto [low_before, high_before] = std::ranges::minmax(x.subspan(step - kBeside, kBeside));
  const auto [low_after, high_after] = std::ranges::minmax(x.subspan(step, kBeside));
  return high_before < low_after || high_after < low_before;
}

Noise noise_of_history(std::span<const double> x) {
  std::vector<double> all;
  for (std::size_t i = 1; i < x.size(); ++i) all.push_back(std::fabs(x[i] - x[i - 1]));
  const double usual = 1.4826 * median(all);  // Hampel 1974: a few changes do not move it
  Noise out;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (is_lasting(x, i, usual)) continue;
    out.sizes.push_back(all[i - 1]);
    out.rises.push_back(x[i] - x[i - 1]);
  }
  out.spread = std::sqrt(mean_square(out.sizes));
  // Neighbouring steps share a value: so many count as two thirds (von Neumann 1941).
  out.degrees = std::max(1.0, 2 * static_cast<double>(out.sizes.size()) / 3);
  return out;
}

// Benchmarks have heavier tails than the normal distribution. Ten runs show nothing of them, twenty a little, and of many the
// differences themselves are counted.
double most_degrees(std::size_t runs) { return 4 + std::max(0.0, static_cast<double>(runs) - 10) / 5; }

// The logarithm of the ratio at which a tolerance ends. Rising by p % is the smaller step of the two.
double limit_of(double percent, Worse worse) {
  if (worse != Worse::fall) return std::log1p(percent / 100);
  return percent < 100 ? -std::log1p(-percent / 100) : HUGE_VAL;
}

std::uint32_t count_exceeded(const Noise& noise, double limit, Worse worse) {
  const double beyond = limit * (1 + kSame);
  std::size_t out = 0;
  if (noise.rises.empty() || worse == Worse::either) {
    out = static_cast<std::size_t>(std::ranges::count_if(noise.sizes, [&](double size) { return size > beyond; }));
  } else {
    const double sign = worse == Worse::fall ? -1 : 1;
    out = static_cast<std::size_t>(std::ranges::count_if(noise.rises, [&](double rise) { return sign * rise > beyond; }));
  }
  return static_cast<std::uint32_t>(out);
}

}  // namespace

std::optional<CalibratedTolerance> calibrate_tolerance(std::span<const double> values, Worse worse, double alarms,
                                                       Series series) {
  if (values.size() < kFewest || std::ranges::any_of(values, [](double x) { return !(x > 0) || !std::isfinite(x); }))
    return std::nullopt;
  std::vector<double> x;
  for (const double value : values) x.push_back(std::log(value));
  const Noise noise = series == Series::runs ? noise_of_runs(x) : noise_of_history(x);
  const double degrees = std::min(noise.degrees, most_degrees(values.size()));
  const double sides = worse == Worse::either ? 2 : 1;
  // A pair of runs is worse in one of its two orders.
  const double share = (series == Series::runs && worse != Worse::either ? 0.5 : 1) / static_cast<double>(noise.sizes.size());
  for (const double percent : kLadder) {
    const double limit = limit_of(percent, worse);
    const double tail = noise.spread > 0 && std::isfinite(limit) ? sides * student_upper_tail(limit / noise.spread, degrees) : 0;
    const std::uint32_t exceeded = count_exceeded(noise, limit, worse);
    const double rate = std::max(tail, share * exceeded);
    if (rate > alarms) continue;
    CalibratedTolerance out;
    out.percent = percent;
    out.spread_pct = 100 * std::expm1(noise.spread / std::sqrt(2.0));
    out.false_alarms_pct = 100 * rate;
    out.exceeded = exceeded;
    out.steps = static_cast<std::uint32_t>(noise.sizes.size());
    const double found = limit + kFourOfFive * noise.spread;
    out.sees_pct = 100 * (worse == Worse::fall ? -std::expm1(-found) : std::expm1(found));
    return out;
  }
  return std::nullopt;
}

}  // namespace plumbline::core
