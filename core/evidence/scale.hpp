// The scale on which a row is judged: oriented so that + is worse, tolerance included. Logarithms where the tolerance is relative
// and the baseline positive, else differences. Each row has its own; rows of one way share a group.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/measurement.hpp"

namespace plumbline::core {

enum class Way : std::uint8_t { ratio, relative, absolute };

// A relative tolerance as logarithms: how far a value may rise, and fall.
struct ToleranceLogs {
  explicit ToleranceLogs(double tolerance)
      : up(std::log1p(tolerance)), down(tolerance < 1 ? -std::log1p(-tolerance) : std::numeric_limits<double>::infinity()) {}
  double up, down;
};

class RowScale {
 public:
  // `logs` are those of `tolerance`; baseline_median is used where the baseline has values that are not positive.
  RowScale(std::span<const double> baseline, double baseline_median, Direction direction, double tolerance,
           const ToleranceLogs& logs, bool is_absolute)
      : sign_(direction == Direction::higher ? -1 : 1),
        two_sided_(direction == Direction::two_sided || direction == Direction::unknown) {
    const double smallest = baseline.empty() ? 0 : *std::min_element(baseline.begin(), baseline.end());
    double up = tolerance;
    double down = tolerance;
    if (is_absolute) {
      way_ = Way::absolute;
    } else if (smallest > 0) {
      way_ = Way::ratio;
      factor_ = inverse(smallest);  // logarithms near 0 keep the last digits of a ratio
      up = logs.up;
      down = logs.down;
    } else {
      way_ = Way::relative;
      const double size = std::fabs(baseline_median);
      if (size > 0) factor_ = inverse(size);
      if (!(size > 0)) up = down = 0;  // any share of nothing is nothing
    }
    limit_ = sign_ > 0 ? up : down;
    other_limit_ = down;
  }

  [[nodiscard]] Way way() const { return way_; }
  [[nodiscard]] bool two_sided() const { return two_sided_; }
  [[nodiscard]] double limit() const { return limit_; }              // the tolerance on this scale
  [[nodiscard]] double other_limit() const { return other_limit_; }  // two-sided rows: that of a fall
  // Whatever is finite stays so, and its fourth power, too: no difference is that of two infinities, and no variance infinite.
  [[nodiscard]] double operator()(double value) const {
    const double scaled = std::clamp(value * factor_, -kMost, kMost);
    return sign_ * (way_ == Way::ratio ? std::log(std::max(scaled, kFloor)) : scaled);
  }

 private:
  // What is below the smallest normal number has no inverse.
  static double inverse(double size) { return 1 / std::max(size, std::numeric_limits<double>::min()); }

  static constexpr double kFloor = 1e-6, kMost = 1e70;
  double sign_, factor_ = 1, limit_ = 0, other_limit_ = 0;
  Way way_ = Way::ratio;
  bool two_sided_;
};

}  // namespace plumbline::core
