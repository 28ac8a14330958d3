// Curves over a dimension that is a number (size, concurrency, batch): both sides on one pair of axes, logarithmic where the
// values ask for it, with the ceiling that they are held against. Internal to reports/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/rows.hpp"

namespace plumbline::reports {

struct CurvePoint {
  double x = 0;
  std::string words;  // "64 MiB"
  std::uint32_t delta = 0;
};
struct Curve {
  std::string title;               // "all_reduce dtype=float busbw, GB/s"
  std::string dimension;           // "size"
  std::vector<CurvePoint> points;  // by x
};
// Of 4 to 256 points with a judged one among them, the worst first. None of very many rows, which are no sweep.
[[nodiscard]] std::vector<Curve> curves_of(const core::DiffResult& result);

// What these rows are held against, in their unit, where they are.
[[nodiscard]] std::optional<double> ceiling_of(const std::vector<RowView>& rows);

[[nodiscard]] std::string curve_chart(const Curve& curve, const Rows& rows);

}  // namespace plumbline::reports
