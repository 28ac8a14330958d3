#include "profiles/diff/steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/statistics.hpp"
#include "profiles/diff/work.hpp"
#include "profiles/int128.hpp"

namespace plumbline::profiles {
namespace {

constexpr double kAlpha = 0.025;     // each side of the interval
constexpr double kSameUnit = 1.3;    // kernels per step, candidate over baseline or the other way round
constexpr double kWholeSteps = 0.1;  // relative: so many steps in one
constexpr std::size_t kWallsShown = 10'000;

std::vector<double> walls_of(const Steps& steps) {
  std::vector<double> walls;
  for (const Step& step : steps.steps) walls.push_back(static_cast<double>(step.wall_ns));
  return walls;
}

core::ProfileStepsSide side_of(const Steps& steps, const std::vector<double>& walls) {
  core::ProfileStepsSide side;
  side.basis = steps.basis;
  side.name = steps.name;
  side.steps = steps.steps.size();
  side.left_out = steps.left_out;
  if (walls.empty()) return side;
  side.median_ns = core::median(walls);
  std::vector<double> away;
  away.reserve(walls.size());
  for (const double wall : walls) away.push_back(std::abs(wall - side.median_ns));
  side.mad_ns = core::median(away);
  const auto [low, high] = std::minmax_element(walls.begin(), walls.end());
  side.min_ns = *low;
  side.max_ns = *high;
  for (const Step& step : steps.steps) {
    if (side.wall_ns.size() < kWallsShown) side.wall_ns.push_back(step.wall_ns);
  }
  return side;
}

double mean_span(const Profile& profile) {
  double sum = 0;
  for (const DeviceWall& device : profile.devices) sum += static_cast<double>(device.buckets.span_ns);
  return profile.devices.empty() ? 0 : sum / static_cast<double>(profile.devices.size());
}

// Steps that the capture holds, parts included: those that were seen, or of a period as many as fit.
double steps_held(const Profile& profile, const std::vector<double>& walls) {
  if (profile.steps.basis == "period") return mean_span(profile) / core::mean(walls);
  return static_cast<double>(profile.steps.steps.size() + profile.steps.left_out);
}

bool same_unit(const Profile& baseline, const Profile& candidate, const std::vector<double>& walls0,
               const std::vector<double>& walls1, std::optional<double> work_ratio) {
  if (baseline.steps.basis != candidate.steps.basis) return false;
  const bool marked = same_marks(baseline.steps, candidate.steps);
  const double steps0 = steps_held(baseline, walls0);
  const double steps1 = steps_held(candidate, walls1);
  if (!work_ratio || !(steps0 > 0) || !(steps1 > 0)) return marked;
  const double work_per_step = *work_ratio * steps0 / steps1;
  if (work_per_step <= kSameUnit && work_per_step >= 1 / kSameUnit) return true;
  // Steps of one name that do half as much again got slower by it. Where one does the work of two, either side may have changed
  // what it calls a step.
  const double more = std::max(work_per_step, 1 / work_per_step);
  return marked && std::abs(more / std::round(more) - 1) > kWholeSteps;
}

double variance(const std::vector<double>& values) {
  const double mean = core::mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

// Upper 2.5 % point of Student's t: Hill's expansion around the normal (CACM 396, 1970), within 1 % from 3 degrees on.
double t_quantile(double degrees) {
  const double z = 1.959963984540054;
  const double g1 = (z * z * z + z) / 4;
  const double g2 = (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / 96;
  const double g3 = (3 * std::pow(z, 7) + 19 * std::pow(z, 5) + 17 * z * z * z - 15 * z) / 384;
  return z + g1 / degrees + g2 / (degrees * degrees) + g3 / (degrees * degrees * degrees);
}

// Of the mean step: what throughput sees, slow steps and all. Welch's interval of the difference, over the baseline's mean.
void compare_means(const std::vector<double>& walls0, const std::vector<double>& walls1, core::ProfileSteps& result) {
  const double mean0 = core::mean(walls0);
  const double mean1 = core::mean(walls1);
  result.mean_delta_pct = 100 * (mean1 / mean0 - 1);
  if (walls0.size() < 3 || walls1.size() < 3) return;
  const double e0 = variance(walls0) / static_cast<double>(walls0.size());
  const double e1 = variance(walls1) / static_cast<double>(walls1.size());
  double margin = 0;
  if (e0 + e1 > 0) {
    const double degrees = (e0 + e1) * (e0 + e1) /
                           (e0 * e0 / static_cast<double>(walls0.size() - 1) + e1 * e1 / static_cast<double>(walls1.size() - 1));
    margin = t_quantile(std::max(degrees, 2.0)) * std::sqrt(e0 + e1);
  }
  result.mean_lo_pct = 100 * (mean1 - mean0 - margin) / mean0;
}

std::vector<double> logs(const std::vector<double>& walls) {
  std::vector<double> result;
  result.reserve(walls.size());
  for (const double wall : walls) result.push_back(std::log(wall));
  return result;
}

double percent_of(double log_ratio) { return 100 * std::expm1(log_ratio); }

}  // namespace

std::optional<core::ProfileBuckets> mean_step(const Steps& steps) {
  if (steps.steps.empty()) return std::nullopt;
  const bool split =
      std::all_of(steps.steps.begin(), steps.steps.end(), [](const Step& step) { return step.buckets.idle_split.has_value(); });
  std::array<Int128, 7> sums{};
  Int128 hidden_comm = 0, hidden_copy = 0;
  for (const Step& step : steps.steps) {
    const core::ProfileBuckets& b = step.buckets;
    const core::ProfileIdleSplit idle = split ? *b.idle_split : core::ProfileIdleSplit{0, 0, 0, b.idle_ns};
    const std::array<std::int64_t, 7> parts = {b.compute_ns, b.exposed_comm_ns, b.exposed_copy_ns, idle.host_ns,
                                               idle.sync_ns, idle.launch_ns,    idle.other_ns};
    for (std::size_t i = 0; i < parts.size(); ++i) sums[i] += parts[i];
    hidden_comm += b.hidden_comm_ns;
    hidden_copy += b.hidden_copy_ns;
  }
  const auto count = static_cast<Int128>(steps.steps.size());
  const auto rounded = [count](Int128 sum) { return static_cast<std::int64_t>((2 * sum + count) / (2 * count)); };
  // Rounding the running sums, not the parts, keeps the whole whole.
  std::array<std::int64_t, 7> parts{};
  Int128 running = 0;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    running += sums[i];
    parts[i] = rounded(running) - before;
    before += parts[i];
  }
  core::ProfileBuckets mean;
  mean.span_ns = before;
  mean.compute_ns = parts[0];
  mean.exposed_comm_ns = parts[1];
  mean.exposed_copy_ns = parts[2];
  mean.idle_ns = parts[3] + parts[4] + parts[5] + parts[6];
  mean.hidden_comm_ns = rounded(hidden_comm);
  mean.hidden_copy_ns = rounded(hidden_copy);
  if (split) mean.idle_split = core::ProfileIdleSplit{parts[3], parts[4], parts[5], parts[6]};
  return mean;
}

std::optional<core::ProfileSteps> compare_steps(const Profile& baseline, const Profile& candidate,
                                                std::optional<double> work_ratio, double gate_pct) {
  const std::vector<double> walls0 = walls_of(baseline.steps);
  const std::vector<double> walls1 = walls_of(candidate.steps);
  if (walls0.empty() && walls1.empty()) return std::nullopt;
  core::ProfileSteps result;
  result.baseline = side_of(baseline.steps, walls0);
  result.candidate = side_of(candidate.steps, walls1);
  result.baseline_step = mean_step(baseline.steps);
  result.candidate_step = mean_step(candidate.steps);
  for (const core::ProfileStepsSide* side : {&result.baseline, &result.candidate}) {
    if (side->steps < 2 || !(side->median_ns > 0)) continue;
    result.noise_pct = std::max(result.noise_pct.value_or(0), 100 * 1.4826 * side->mad_ns / side->median_ns);
  }
  const auto positive = [](const std::vector<double>& walls) {
    return !walls.empty() && std::all_of(walls.begin(), walls.end(), [](double wall) { return wall > 0; });
  };
  if (!positive(walls0) || !positive(walls1) || !same_unit(baseline, candidate, walls0, walls1, work_ratio)) return result;
  const std::vector<double> logs0 = logs(walls0);
  const std::vector<double> logs1 = logs(walls1);
  const core::ShiftEstimate shift = core::hodges_lehmann(logs0, logs1, kAlpha);
  result.delta_pct = percent_of(shift.shift);
  compare_means(walls0, walls1, result);
  if (shift.lower && shift.upper) {
    result.interval_lo_pct = percent_of(*shift.lower);
    result.interval_hi_pct = percent_of(*shift.upper);
  }
  if (walls0.size() >= 2 && walls1.size() >= 2 && gate_pct > -100)
    result.p = core::mann_whitney_greater(logs0, logs1, std::log1p(gate_pct / 100));
  return result;
}

}  // namespace plumbline::profiles
