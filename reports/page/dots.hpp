// Rows as a table one of whose columns is drawn: the change against the baseline in percent as a dot, with the tolerance as a
// band, the interval of the change as a line and every trial as a small dot of its own. Internal to reports/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reports/rows.hpp"

namespace plumbline::reports {

struct DrawnRow {
  RowView row;
  double band = 0;                        // half the tolerance in percent of the baseline; 0 where it cannot be drawn
  std::vector<double> baseline, current;  // trials, in percent away from the baseline
};
[[nodiscard]] DrawnRow drawn_row(const Rows& rows, std::uint32_t index);
// The furthest that any of them goes from its baseline, in percent: changes, intervals, trials and tolerances.
[[nodiscard]] double reach_of(const std::vector<DrawnRow>& all);
// The rows that a picture of at most `most` shows, worst first: no context, and unchanged ones only up to `quiet` rows.
[[nodiscard]] std::vector<std::uint32_t> rows_to_draw(const Rows& rows, std::size_t most, std::size_t quiet);

// One axis for all of them. "" where none of the rows has a number to draw.
[[nodiscard]] std::string dots_table(const Rows& rows, std::span<const std::uint32_t> shown);

}  // namespace plumbline::reports
