// The pictures of an image, by what the answer is about. Each is drawn into a box of the canvas's full width and returns how high
// it came out; drawn on a canvas of one pixel it only measures. Internal to reports/.
#pragma once

#include "core/results/diff.hpp"
#include "reports/captures/parts.hpp"
#include "reports/image/canvas.hpp"
#include "reports/page/curves.hpp"
#include "reports/page/matrix.hpp"
#include "reports/rows.hpp"

namespace plumbline::reports::image {

inline constexpr int kWidth = 1000;
inline constexpr double kMargin = 28;
inline constexpr Colour kInk{21, 25, 30}, kSoft{71, 79, 89}, kFaint{90, 99, 110}, kLine{217, 222, 229}, kGround{255, 255, 255};

[[nodiscard]] double draw_fall(Canvas& canvas, double top, const Fall& fall);
[[nodiscard]] double draw_matrix(Canvas& canvas, double top, const Matrix& matrix, const Rows& rows);
[[nodiscard]] double draw_curve(Canvas& canvas, double top, const Curve& curve, const Rows& rows);
// 0 where none of the rows has a number.
[[nodiscard]] double draw_changes(Canvas& canvas, double top, const Rows& rows);

}  // namespace plumbline::reports::image
