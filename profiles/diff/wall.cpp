#include "profiles/diff/wall.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kFewestSteps = 3;

double real(std::int64_t value) { return static_cast<double>(value); }

double sum_of_spans(const Profile& profile) {
  double sum = 0;
  for (const DeviceWall& device : profile.devices) sum += real(device.buckets.span_ns);
  return sum;
}

bool comparable(const core::ProfileSteps& steps) {
  return steps.baseline.steps >= kFewestSteps && steps.candidate.steps >= kFewestSteps && steps.baseline.median_ns > 0 &&
         steps.candidate.median_ns > 0 && steps.baseline.basis == steps.candidate.basis && steps.delta_pct.has_value();
}

double mean_wall(const core::ProfileStepsSide& side) {
  double sum = 0;
  for (const std::int64_t wall : side.wall_ns) sum += real(wall);
  return side.wall_ns.empty() ? side.median_ns : sum / static_cast<double>(side.wall_ns.size());
}

}  // namespace

Wall wall_change(const Profile& baseline, const Profile& candidate, Work work, const core::ProfileSteps* steps) {
  Wall wall;
  wall.work_ratio = work.ratio;
  wall.device_ratio = device_ratio(baseline, candidate);
  wall.baseline_ns = sum_of_spans(baseline);
  wall.candidate_ns = sum_of_spans(candidate);
  const bool timelines = wall.baseline_ns > 0 && wall.candidate_ns > 0;
  // Both sums hold the number of devices: their ratio does not.
  if (timelines && wall.work_ratio) {
    wall.scale = *wall.work_ratio;
    wall.window_pct = 100 * (wall.candidate_ns / wall.scale / wall.baseline_ns - 1);
  }
  if (timelines && steps != nullptr && comparable(*steps)) {
    wall.baseline_steps = wall.baseline_ns / mean_wall(steps->baseline);
    wall.candidate_steps = wall.candidate_ns / mean_wall(steps->candidate);
  }
  // A period was guessed from the kernels' names: it may be a layer and no step, so it is no measure where there is another.
  const bool told = steps != nullptr && comparable(*steps) && (steps->baseline.basis != "period" || !wall.work_ratio);
  if (timelines && told) {
    wall.basis = "step_wall";
    wall.delta_pct = steps->delta_pct;
    if (work.told_by == "steps") wall.window_pct = std::nullopt;  // the parts of steps at its ends were counted as whole
    // Steps that the windows of all devices hold together: the ratio of the numbers of devices is in it.
    if (!wall.work_ratio) wall.scale = *wall.candidate_steps / *wall.baseline_steps;
  } else if (timelines && wall.window_pct) {
    wall.basis = "work_normalised_wall";
    wall.delta_pct = wall.window_pct;
  } else {
    wall.baseline_ns = real(baseline.info.kernel_ns);
    wall.candidate_ns = real(candidate.info.kernel_ns);
    if (wall.baseline_ns <= 0 || wall.candidate_ns <= 0) {
      wall.work = std::move(work);
      return wall;
    }
    wall.basis = wall.work_ratio ? "work_normalised_kernel_time" : "total_kernel_time";
    wall.scale = wall.work_ratio.value_or(1);
    wall.delta_pct = 100 * (wall.candidate_ns / wall.scale / wall.baseline_ns - 1);
  }
  wall.candidate_ns /= wall.scale;
  wall.work = std::move(work);
  return wall;
}

}  // namespace plumbline::profiles
