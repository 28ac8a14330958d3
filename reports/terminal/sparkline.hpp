// A row of numbers as a row of blocks. Internal to reports/.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace plumbline::reports {

// One block a value, the lowest of all the lowest block, oldest left; of more than `most` values, so many means of neighbours. ""
// for fewer than three, in which nothing can be seen.
[[nodiscard]] std::string sparkline(std::span<const double> values, std::size_t most = 40);

// Both on one scale, so that they can be compared: "▁▂▁ ▆█▇". "" where neither has three.
[[nodiscard]] std::string two_sparklines(std::span<const double> baseline, std::span<const double> current, std::size_t most = 8);

}  // namespace plumbline::reports
