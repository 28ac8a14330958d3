// Rows as a table one of whose columns is drawn: the change against the baseline in percent as a dot, with the tolerance as a
// band, the interval of the change as a line and every trial as a small dot of its own. Internal to reports/.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "reports/rows.hpp"

namespace plumbline::reports {

// One axis for all of them. "" where none of the rows has a number to draw.
[[nodiscard]] std::string dots_table(const Rows& rows, std::span<const std::uint32_t> shown);

}  // namespace plumbline::reports
