// The checks themselves, for whoever has a case and a run at hand: the export of a refreshed case asks them.
#pragma once

#include "systems/msmodeling/model.hpp"

namespace plumbline::systems::msmodeling {

// Check 1 (total time) and check 2 (operators) of a run against a case.
[[nodiscard]] Report check(const Case& expected, const Run& run, Rules rules);
// Its automatic baseline: the first of two runs is the baseline of the second.
[[nodiscard]] Report auto_baseline(const Run& baseline, const Run& current, double tolerance);

}  // namespace plumbline::systems::msmodeling
