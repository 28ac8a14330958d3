// From rows and buckets to a verdict. What is held against the gate is the wall per unit of work, never the sum of kernel
// times: a window of fixed length that holds fewer steps looks faster by its sums while every step got slower. Work is
// counted in calls of the kernels both sides have, each weighted with the mean of its two average durations. Pure.
#pragma once

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Fills work_ratio, comparability, wall_delta_pct, verdict, tier, promote, reasons, recommendation and next_lever from the
// rows, buckets and differences already in `diff`.
void judge(const Profile& baseline, const Profile& candidate, const DiffOptions& options, core::ProfileDiff& diff);

// "26.0 ms", "-13.9 us", for messages.
[[nodiscard]] std::string time_text(double nanoseconds);

}  // namespace plumbline::profiles
