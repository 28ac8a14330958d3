// Tests for trials whose number is decided while looking at them. A fixed number of trials is the premise of every p of
// core/statistics.hpp: who looks after each trial and stops at the first small p is wrong far oftener than alpha. Here there are
// looks at fixed numbers of trials, the same for everybody and ever, and each look may spend its share of alpha alone. The shares
// add up to one, so by Bonferroni's inequality the chance to be wrong at any of them is at most alpha, whatever made one stop and
// however the looks depend on each other (error spending: Lan & DeMets 1983; group sequential rank tests: Jennison & Turnbull
// 2000, chapter 15). A p is the smallest over the looks so far, each divided by its share; a bound is the tightest. Trials behind
// the last look count at the next one.
//
// Whoever said beforehand how many trials there will be at most (`last`, --max-runs; 0: nobody did) looks once more there, and
// that look spends whatever those before it have left of alpha: nobody looks again. It must have been said before the first
// trial.
//
// Every look is an exact rank test of core/statistics.hpp: no shape of the noise is assumed, and a value that gets worse never
// makes worse look less likely. Simulated with normal noise: 12 of 1,000 equal sequences looked at up to 60 times are called
// worse at .05; docs/methodology.md has the powers. Values in the order in which the trials ran, on a scale where differences
// count. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "core/statistics.hpp"

namespace plumbline::core {

enum class Design : std::uint8_t { pairs, ranks };  // recorded pairs; trials of one side against a baseline that is there already

// How many pairs (trials of the current side) there are at the first look behind `trials`.
[[nodiscard]] std::uint32_t next_look(Design design, std::uint32_t trials, std::uint32_t last = 0);
// What the look at so many trials may spend of alpha; 0 where there is none.
[[nodiscard]] double look_share(Design design, std::uint32_t trials, std::uint32_t last = 0);

// Recorded pairs: `differences` are current minus baseline. p that they lie above `shift`, at most 1; 1 before the first look (7
// pairs, or fewer where `last` is less). Bounds one-sided, each at confidence 1 - alpha.
[[nodiscard]] double pairs_greater_at_any_stop(std::span<const double> differences, double shift = 0, std::uint32_t last = 0);
[[nodiscard]] ShiftEstimate pairs_at_any_stop(std::span<const double> differences, double alpha, std::uint32_t last = 0);

// A baseline of any number of trials, chosen before the current side was seen. The first look is at 4 current trials.
[[nodiscard]] double ranks_greater_at_any_stop(std::span<const double> baseline, std::span<const double> current,
                                               double shift = 0, std::uint32_t last = 0);
[[nodiscard]] ShiftEstimate ranks_at_any_stop(std::span<const double> baseline, std::span<const double> current, double alpha,
                                              std::uint32_t last = 0);

}  // namespace plumbline::core
