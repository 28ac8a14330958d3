// How far each sibling lies from the others, class by class and line by line, and whether their own scatter explains it. Internal
// to verdict/siblings/.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "verdict/siblings/fleet.hpp"

namespace plumbline::verdict::siblings {

inline constexpr double kAlpha = 0.02;      // of a class, over siblings and classes
inline constexpr double kLineAlpha = 0.01;  // of single lines, over siblings and lines

// One number a sibling: a class's mean, or a line's.
struct Effect {
  std::vector<double> change;   // by sibling, from the median of the others, + is worse; NaN where it has none
  std::vector<double> p;        // family-wise
  std::vector<bool> broad;      // half of the lines agree: not one wild number
  std::vector<bool> by_trials;  // worse than tolerance by its trials, and apart from the crowd
  std::vector<bool> within;     // proven within tolerance by its trials
  double limit = 0;

  // Worse, or with `two_sided` different, by more than tolerance.
  [[nodiscard]] bool beyond(std::size_t s, bool two_sided) const;
  [[nodiscard]] bool better(std::size_t s) const;
};

// The geometric mean of the lines' ratios. `tests`: how many such questions are asked, which p pays for.
[[nodiscard]] Effect effect_of(const Fleet& fleet, const std::vector<Member>& members, const std::vector<std::uint32_t>& lines,
                               double tests);
[[nodiscard]] Effect effect_of_line(const Line& line, double tests);

}  // namespace plumbline::verdict::siblings
