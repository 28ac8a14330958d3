#include "core/experiment/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/evidence/tests_of_means.hpp"
#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr std::array<double, 19> kLadder{.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100};
constexpr std::size_t kFewest = 5;
constexpr double kFourOfFive = 0.8416;  // quantile of the standard normal at .8

double normal_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

}  // namespace

std::optional<CalibratedTolerance> calibrate_tolerance(std::span<const double> values, bool higher_is_better, double alarms) {
  if (values.size() < kFewest || std::any_of(values.begin(), values.end(), [](double x) { return !(x > 0); }))
    return std::nullopt;
  std::vector<double> worse;  // steps, + is worse
  std::vector<double> sizes;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double step = std::log(values[i] / values[i - 1]);
    worse.push_back(higher_is_better ? -step : step);
    sizes.push_back(std::fabs(step));
  }
  const double spread = 1.4826 * median(sizes);  // of a difference of two runs
  for (const double percent : kLadder) {
    const double limit = higher_is_better ? (percent < 100 ? -std::log1p(-percent / 100) : HUGE_VAL) : std::log1p(percent / 100);
    const double tail = spread > 0 ? normal_tail(limit / spread) : 0;
    const auto exceeded =
        static_cast<std::uint32_t>(std::count_if(worse.begin(), worse.end(), [&](double step) { return step > limit; }));
    // One step beyond is what a real change looks like; with more, the noise is wider than its middle says.
    const double seen = exceeded > 1 ? static_cast<double>(exceeded) / static_cast<double>(worse.size()) : 0;
    if (std::max(tail, seen) > alarms) continue;
    CalibratedTolerance out;
    out.percent = percent;
    out.spread_pct = 100 * std::expm1(spread / std::sqrt(2.0));
    out.false_alarms_pct = 100 * std::max(tail, seen);
    out.exceeded = exceeded;
    out.steps = static_cast<std::uint32_t>(worse.size());
    const double found = limit + kFourOfFive * spread;
    out.sees_pct = 100 * (higher_is_better ? -std::expm1(-found) : std::expm1(found));
    return out;
  }
  return std::nullopt;
}

}  // namespace plumbline::core
