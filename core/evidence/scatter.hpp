// How far apart two measurements of the same thing lie, read from the rows of one class (one metric, unit and direction): what
// stands between "worse by more than tolerance" and "not by chance". All on the scale of oriented logarithms (a natural
// logarithm of a ratio, + is worse) or of relative or absolute differences, whichever the class is judged on.
// Pure and total; nothing here knows of files. The figures were chosen by simulation (docs/methodology.md, "How often it errs").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::core {

// A class that is smaller shows neither its own scatter nor a suite effect.
inline constexpr std::size_t kClassRows = 5;

// ---- classes ------------------------------------------------------------------------------------------------------------

struct ClassName {
  Id metric = 0, unit = 0;  // metric kNoId: of all metrics of the unit and direction that have fewer than kClassRows rows each
  Direction direction = Direction::unknown;
};
// Which group each class is judged in: its own with five rows or more, else the group of all small classes of its unit and
// direction. `rows` holds the number of rows of each class; a class without rows gets kNoGroup. Groups are numbered from 0.
// Without this a flat file of 300 differently named numbers would be 300 suite effects of one row.
inline constexpr std::uint32_t kNoGroup = 0xFFFFFFFFU;
struct ClassGroups {
  std::vector<std::uint32_t> of_class;
  std::uint32_t count = 0;
};
[[nodiscard]] ClassGroups group_classes(std::span<const ClassName> classes, std::span<const std::uint32_t> rows);

// ---- sides of one or two runs -------------------------------------------------------------------------------------------

// Standard deviation of a class's differences from the shortest interval that holds 60 % of them (the shorth's family: Andrews
// et al. 1972, Rousseeuw & Leroy 1987): about its own centre, so that a run which is slower as a whole does not widen it, and 40
// % of the rows may have changed. Takes a sorted list; 0 for fewer than three.
[[nodiscard]] double shortest_share_spread(std::span<const double> sorted);

// The 40 % quantile of the differences on the worse side: rows that improved cannot touch it. 0 where fewer than 20 are worse,
// which say too little. Takes a sorted list.
[[nodiscard]] double worse_quantile(std::span<const double> sorted);

// Rows whose noise depends on their size (a message's latency scatters by tens of percent, a gigabyte's bandwidth by tenths): a
// class is halved by size, and again, while the halves hold 24 rows or more and one scatters more than twice as much as the
// other, or both together more than twice as much as either, as where one half changed as a whole. `sizes` and `differences` are
// in one order; returned are the parts, each as indices into them, by ascending size. One part where a size is NaN. Rows of one
// size stay together.
inline constexpr std::size_t kPartRows = 24;
[[nodiscard]] std::vector<std::vector<std::uint32_t>> parts_by_size(std::span<const double> sizes,
                                                                    std::span<const double> differences);

// How many spreads (or worse quantiles) chance reaches in the third worst of `judged` rows, the spread read from `of_class` rows.
// The cube root is the growth of the third largest under t3 noise; the other term pays for a spread of few rows and for noise of
// two modes.
[[nodiscard]] double spread_multiplier(std::size_t of_class, std::size_t judged);
[[nodiscard]] double worse_quantile_multiplier(std::size_t of_class, std::size_t judged);
// The same for a spread that is known beforehand (of the kind of benchmark, or of the history).
[[nodiscard]] double known_spread_multiplier(std::size_t judged);
// Spreads over the square root of the rows that chance reaches in the median of a class.
[[nodiscard]] double median_multiplier(std::size_t of_class);

// Skewed noise cancels only between sides of as many runs: the longer side must not shrink the allowance.
[[nodiscard]] double unequal_runs_factor(double baseline_runs, double current_runs);

// ---- sides of three trials or more --------------------------------------------------------------------------------------

// median(chi-square, degrees) / degrees: so far below its mean lies the median of a sample variance (.693 at two degrees).
[[nodiscard]] double variance_median_factor(double degrees);

// Trials that count: a mean of n correlated trials (AR(1), rho between neighbours) varies as that of n / inflation independent
// ones would, seen through the sample variance, which such trials make too small. rho is read from what the lag-1 sum of the
// residuals over their sum of squares (less -1/n, its mean under independence) would be.
struct Correlation {
  double rho = 0;
  [[nodiscard]] double inflation(std::size_t trials) const;  // 1 for rho 0; 3.2 at rho .5 and 3 to 10 trials
};
// The rho at which trials of this number have the excess of lag-1 ratio over -1/n; 0 for none, at most .95.
[[nodiscard]] Correlation correlation_from_lag(double excess, std::size_t trials);

}  // namespace plumbline::core
