// The one number that the gate is held against: wall time for the same work. A window of fixed length that holds fewer steps
// looks faster by its sums while every step got slower, so sums are never held against anything. In order of strength:
//   step_wall                    the median step's wall, where both sides have three whole steps found the same way;
//   work_normalised_wall         the mean span of the devices over the work ratio;
//   work_normalised_kernel_time  the kernel time over the work ratio, where a side has totals only;
//   total_kernel_time            nothing shared to measure work by: shown, never judged.
// The work ratio (candidate / baseline) is the weighted median of the count ratios of kernels that both sides have, each with
// the smaller of its two shares of kernel time for a weight: a kernel that is suddenly called a hundred times more is then
// more work done badly, not a window with more steps in it. Where two ratios share the middle their geometric mean is taken,
// so swapping the sides gives the reciprocal. Pure.
#pragma once

#include "profiles/profile.hpp"

namespace plumbline::profiles {

struct Wall {
  std::string basis;                // as above, "" where there is no GPU time at all
  std::optional<double> delta_pct;  // candidate against baseline
  std::optional<double> work_ratio;
  // Spans or totals as compared: nanoseconds, the candidate's already over `scale`, which is the work ratio or, by steps, the
  // ratio of how many mean steps the two windows hold.
  double baseline_ns = 0, candidate_ns = 0, scale = 1;
};

// Of rows already matched; `steps` may be null.
[[nodiscard]] Wall wall_change(const Profile& baseline, const Profile& candidate, const std::vector<core::ProfileRow>& kernels,
                               const core::ProfileSteps* steps);

[[nodiscard]] std::optional<double> work_ratio(const std::vector<core::ProfileRow>& kernels);

}  // namespace plumbline::profiles
