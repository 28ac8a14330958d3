// Which of a few numbers that should be alike stand apart from the crowd of the others: nodes of one test, GPUs of one node.
//
// For every m below half of the n numbers the crowd is the shortest interval that holds n - m of them (the shorth's family:
// Rousseeuw & Leroy 1987), so that neither several outliers nor a group of them hide each other. How far those outside lie is
// told in half-widths of the crowd (Dixon 1950; for blocks of outliers Tietjen & Moore 1972): of heavy tails the ratio of
// neighbouring extremes does not know the scale, and falls off as a power of at most three times m for Student's t with three
// degrees of freedom, or with the number of the crowd where a few agree by chance. The critical ratios are simulated
// (tests/bench/sibling_points.cpp holds them to their bound). Pure and total.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace plumbline::core {

// By value: at most how often noise, normal or with tails as heavy as those of Student's t with three degrees of freedom, would
// set a number as far apart, anywhere among these, to either side. 1 for what belongs to the crowd, and for fewer than three.
// Numbers closer than `resolution` to each other are not told apart (they were printed with so many digits).
[[nodiscard]] std::vector<double> chance_apart(std::span<const double> values, double resolution = 0);

// As many numbers in one group as in the other, and a gap of three times the wider group's half-width between them. Neither is
// the crowd then.
struct TwoGroups {
  std::vector<bool> upper;   // by value
  double low = 0, high = 0;  // middles of the groups
};
[[nodiscard]] std::optional<TwoGroups> two_groups(std::span<const double> values);

}  // namespace plumbline::core
