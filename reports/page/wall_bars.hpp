// Wall time of each device and side, stacked by what the device did. Internal to reports/.
#pragma once

#include <span>
#include <string>

#include "core/results/profile_diff.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string wall_bars(std::span<const core::DeviceBuckets> devices);

}  // namespace plumbline::reports
