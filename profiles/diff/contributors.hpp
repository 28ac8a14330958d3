// Which parts of the wall moved, for the same work: exclusive times of kernels, collectives and copies, and idle time by its
// cause. Over all parts the differences sum to the change of the wall (rounding apart); what the list leaves out is the residual.
// Where a side has totals only, kernel times stand for the wall. Pure.
#pragma once

#include <string_view>

#include "profiles/diff/wall.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Idle time by its cause; where a capture does not say it, all of it is kIdleOther.
inline constexpr std::string_view kIdleHost = "idle: the host had not launched", kIdleSync = "idle: a synchronising call",
                                  kIdleLaunch = "idle: launched, not yet started", kIdleOther = "idle";

// From the rows and buckets in `diff`; sets contributors, wall_baseline_ns, wall_delta_ns and residual_ns.
void find_contributors(const Wall& wall, core::ProfileDiff& diff);

}  // namespace plumbline::profiles
