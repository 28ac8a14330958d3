// The one number that the gate is held against: wall time for the same work. A window of fixed length that holds fewer steps
// looks faster by its sums while every step got slower, so sums are never held against anything. In order of strength:
//   step_wall                    the typical step's wall, where both sides have three whole steps that markers or ranges name;
//   work_normalised_wall         the devices' spans over the work ratio;
//   work_normalised_kernel_time  the kernel time over the work ratio, where a side has totals only;
//   total_kernel_time            nothing shared to measure work by: shown, never judged.
// How much work each window holds work.hpp tells.
//
// Sums over devices hold the number of devices too: a job on eight GPUs counts twice the calls of the same job on four. What is
// said of work is said per device; sums of the candidate's are divided by `scale`, which is the work on one device times the
// ratio of the numbers of devices. Pure.
#pragma once

#include "profiles/diff/work.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

struct Wall {
  std::string basis;                // as above, "" where there is no GPU time at all
  std::optional<double> delta_pct;  // candidate against baseline
  Work work;
  std::optional<double> work_ratio;  // work.ratio
  double device_ratio = 1;           // devices of the candidate / of the baseline, see device_ratio()
  std::optional<double> window_pct;  // of the whole windows for the same work, whatever the basis; null without timelines
  // Spans or totals as compared, summed over devices: nanoseconds, the candidate's already over `scale`, which is the work ratio
  // or, where there is none, the ratio of how many mean steps a device's window holds times the device ratio.
  double baseline_ns = 0, candidate_ns = 0, scale = 1;
  // Mean steps that the windows of all devices hold together, where both sides' steps may be compared.
  std::optional<double> baseline_steps, candidate_steps;

  [[nodiscard]] std::optional<double> work_per_device() const {
    return work_ratio ? std::optional<double>(*work_ratio / device_ratio) : std::nullopt;
  }
};

// `steps` may be null.
[[nodiscard]] Wall wall_change(const Profile& baseline, const Profile& candidate, Work work, const core::ProfileSteps* steps);

}  // namespace plumbline::profiles
