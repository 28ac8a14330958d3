// What the renderings of a history share. Internal to reports/.
#pragma once

#include <vector>

#include "core/results/baseline.hpp"

namespace plumbline::reports {

// Of every key where there are several, else of the one value that entries have.
[[nodiscard]] std::vector<core::HistoryChangePoint> all_change_points(const core::HistoryResult& result);

}  // namespace plumbline::reports
