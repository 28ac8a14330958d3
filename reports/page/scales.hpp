// Where values lie on a picture, as a part of its width or height from 0 to 1: the same for the page and for the image. Internal
// to reports/.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reports/captures/parts.hpp"
#include "reports/page/svg.hpp"

namespace plumbline::reports {

// From the least to the most that is drawn, each end a place on the picture.
class Scale {
 public:
  static constexpr double kLogFrom = 8;  // of the largest by the smallest
  Scale(double low, double high) : log_(low > 0 && high / low >= kLogFrom), low_(of(low)), high_(of(high)) {
    if (!log_) {
      if (low_ > 0 && low_ < 0.4 * high_) low_ = 0;
      const double room = (high_ - low_) * 0.06 + (high_ == low_ ? std::max(std::fabs(high_), 1.0) * 0.1 : 0);
      low_ = low_ == 0 ? 0 : low_ - room;
      high_ += room;
    }
  }
  [[nodiscard]] double at(double value) const { return (of(value) - low_) / (high_ - low_); }
  [[nodiscard]] bool logarithmic() const { return log_; }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> out;
    if (!log_) {
      const double step = svg::nice((high_ - low_) / 4);
      for (int i = 0; i < 16; ++i) {
        const double tick = (std::ceil(low_ / step) + i) * step;
        if (tick <= high_ + step * 1e-9) out.push_back(tick);
      }
      return out;
    }
    const bool few = high_ - low_ < 2;
    const int every = std::max(1, static_cast<int>(std::ceil((high_ - low_) / 5)));
    for (int power = static_cast<int>(std::floor(low_)); power <= static_cast<int>(std::ceil(high_)); ++power) {
      for (const double part : {1.0, 2.0, 5.0}) {
        const double tick = part * std::pow(10.0, power);
        if ((part != 1 && !few) || (part == 1 && power % every != 0)) continue;
        if (of(tick) >= low_ - 1e-9 && of(tick) <= high_ + 1e-9) out.push_back(tick);
      }
    }
    return out;
  }

 private:
  [[nodiscard]] double of(double value) const { return log_ ? std::log10(value) : value; }
  bool log_;
  double low_, high_;
};

// Changes in percent of the baseline either way, none in the middle.
class ChangeAxis {
 public:
  // A few huge changes must not flatten the rest: beyond this a dot stands at the edge, with its number beside it.
  static constexpr double kFurthest = 150;
  explicit ChangeAxis(double reach) {
    reach = std::min(reach <= 0 ? 1 : reach, kFurthest);
    step_ = svg::nice(reach / 2);
    scale_ = step_ * std::ceil(reach / step_ - 1e-9);
  }
  [[nodiscard]] double at(double pct) const { return 0.5 + 0.47 * std::clamp(pct / scale_, -1.0, 1.0); }
  [[nodiscard]] bool beyond(double pct) const { return std::fabs(pct) > scale_; }
  [[nodiscard]] double end() const { return scale_; }
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] int ticks() const { return static_cast<int>(std::lround(scale_ / step_)); }  // to each side

 private:
  double step_ = 1, scale_ = 1;
};

// Of a waterfall: from 0 where the changes are large enough to be seen so, else from where they are.
struct FallAxis {
  explicit FallAxis(const Fall& fall) {
    std::int64_t running = fall.baseline_ns;
    low = static_cast<double>(std::min(fall.baseline_ns, fall.candidate_ns));
    high = static_cast<double>(std::max(fall.baseline_ns, fall.candidate_ns));
    for (const FallPart& part : fall.parts) {
      running += part.delta_ns;
      low = std::min(low, static_cast<double>(running));
      high = std::max(high, static_cast<double>(running));
    }
    const bool whole = high - low > high / 8;
    low = whole ? 0 : std::max(low - std::max((high - low) * 0.25, 1.0), 0.0);
    high = std::max(high, 1.0);
  }
  [[nodiscard]] double at(std::int64_t ns) const { return std::clamp((static_cast<double>(ns) - low) / (high - low), 0.0, 1.0); }
  double low = 0, high = 1;
};

}  // namespace plumbline::reports
