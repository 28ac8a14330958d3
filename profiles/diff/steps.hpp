// Two captures' steps against each other. Walls are compared as logarithms, so swapping the sides negates the shift and turns
// every ratio into its reciprocal: the shift of the walls is the Hodges-Lehmann estimate with its 95 % interval, p the one-sided
// Mann-Whitney probability of "slower by more than the gate" (core/statistics.hpp). Both take the steps of a capture for
// independent; steps of one run are not quite (clocks, neighbours), so a small p speaks for these two runs. Pure.
// The mean step stands beside it: a regression of every third step moves no median, and throughput all the same.
// Steps are the same unit when the kernels that both sides have run about as often per step on both; where they do not, one
// side's step is two of the other's or a part of it, whatever they are called: then both sides are shown and no change is given.
#pragma once

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// `work_ratio`: candidate work / baseline work (diff/wall.hpp). Nothing where neither side has steps; without delta_pct where
// only one has, or where they are not the same unit.
[[nodiscard]] std::optional<core::ProfileSteps> compare_steps(const Profile& baseline, const Profile& candidate,
                                                              std::optional<double> work_ratio, double gate_pct);

// The mean step: every part divided by the number of steps and rounded so that the parts sum to the rounded mean wall. Idle time
// is split only where every step's is.
[[nodiscard]] std::optional<core::ProfileBuckets> mean_step(const Steps& steps);

}  // namespace plumbline::profiles
