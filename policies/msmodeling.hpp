// See policies/msmodeling.cpp; reached through the table (policies/native.hpp). The checks themselves are here for whoever has
// a case and a run at hand: the export of a refreshed case asks them.
#pragma once

#include "core/native/msmodeling.hpp"
#include "policies/native.hpp"

namespace plumbline::policies {

[[nodiscard]] NativeSystem msmodeling_system();

// Check 1 (total time) and check 2 (operators) of a run against a case.
[[nodiscard]] core::msmodeling::Report check_msmodeling(const core::msmodeling::Case& expected, const core::msmodeling::Run& run,
                                                        core::msmodeling::Rules rules);
// Its automatic baseline: the first of two runs is the baseline of the second.
[[nodiscard]] core::msmodeling::Report auto_baseline_msmodeling(const core::msmodeling::Run& baseline,
                                                                const core::msmodeling::Run& current, double tolerance);

}  // namespace plumbline::policies
