// Rows that are cells of a matrix (their shape says row and col: bandwidth by device pair) drawn as one: which pair, which
// device, which direction got slower is seen, not read. Internal to reports/.
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

// A square a cell: its colour the row's state, its strength the size of the change, its text the change in percent where it fits.
[[nodiscard]] std::string matrix_chart(const Matrix& matrix, const Rows& rows);

}  // namespace plumbline::reports
