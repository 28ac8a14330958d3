// One number over time: its trend, whether the trend is more than chance, and how far two neighbours lie apart when nothing
// happened. Pure functions over values in order, oldest first; an impossible question gives nullopt, never NaN.
#pragma once

#include <optional>
#include <span>

namespace plumbline::core {

// Theil 1950 / Sen 1968: the median of the slopes of all pairs, per step. nullopt for fewer than two values. O(n^2).
[[nodiscard]] std::optional<double> theil_sen(std::span<const double> x);

// Mann 1945 / Kendall 1938: two-sided p that values this much in order came in any order. Exact without ties up to 60 values,
// else normal with continuity and tie correction. 1 for fewer than three values.
[[nodiscard]] double mann_kendall(std::span<const double> x);

// Noise floor on the scale of x (logarithms, for a floor in percent): how far apart two neighbours lie by noise alone.
// Three robust standard deviations, 3 * 1.4826 * median |step - centre|, of consecutive steps; from 30 values on the fence
// Q3 + 3 IQR of |step - centre| (the rule of rustc-perf; quartiles of type 7). The centre is 0 or the Theil-Sen slope,
// whichever explains more: a steady drift is not noise, and neither is one jump. It is not the steps' own median: in a series
// that goes up and down in turn the median is one of the two step sizes, and their MAD is nearly 0 however far they swing.
// nullopt for fewer than kNoiseFloorAtLeast values.
inline constexpr std::size_t kNoiseFloorAtLeast = 5;
[[nodiscard]] std::optional<double> noise_floor(std::span<const double> x);

}  // namespace plumbline::core
