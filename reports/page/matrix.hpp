// Rows that are cells of a matrix (their shape says row and col: bandwidth by device pair), put together as the tool printed
// them. Internal to reports/.
#pragma once

#include <string>
#include <vector>

#include "reports/rows.hpp"

namespace plumbline::reports {

struct Matrix {
  std::string title;                     // "device_to_device_memcpy_read_ce bandwidth, GB/s"
  std::vector<std::string> rows, cols;   // in the order of the baseline
  std::vector<std::vector<int>> deltas;  // by row and col: index of the delta, -1 where there is none
};
// Matrices with two rows or two columns at least, at most 64 of each, the twelve with the worst cells first.
[[nodiscard]] std::vector<Matrix> matrices_of(const core::DiffResult& result);

}  // namespace plumbline::reports
