// What the renderings of outliers share. Internal to reports/.
#pragma once

#include <string>

#include "core/results/outliers.hpp"

namespace plumbline::reports {

// The deviation that a sibling is told by: its worst class, else its worst row; null where it has none.
[[nodiscard]] const core::SiblingDeviation* telling(const core::Sibling& sibling);

// "10 nodes of nccl-tests held against each other, 100 rows in 1 class"
[[nodiscard]] std::string outliers_summary(const core::OutliersResult& result);

}  // namespace plumbline::reports
