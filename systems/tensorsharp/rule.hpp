// The analysis itself, for whoever has a baseline and cells at hand: the export of a refreshed baseline asks it.
#pragma once

#include <span>

#include "systems/tensorsharp/model.hpp"

namespace plumbline::systems::tensorsharp {

// Its regression analysis of a run's cells. Without a baseline (null, or one that it cannot read) every cell is untracked.
[[nodiscard]] Report analyze(const Baseline* baseline, std::span<const Cell> cells, double threshold_pct);

}  // namespace plumbline::systems::tensorsharp
