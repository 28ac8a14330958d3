// Figures whose places are in percent of their width and whose heights and texts are in pixels: they fit any screen, and a text
// is as large on a telephone as it is on a wall. Colours come from the page's style by class. Internal to reports/.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.hpp"
#include "reports/text.hpp"

namespace plumbline::reports::svg {

inline std::string number(double value, int decimals = 2) {
  const double factor = std::pow(10.0, decimals);
  return core::short_number(std::round(value * factor) / factor, 12);
}
inline std::string percent(double value) { return number(value) + "%"; }

inline std::string open(double height, std::string_view title, std::string_view kind) {
  return "<svg class=\"" + std::string(kind) + "\" width=\"100%\" height=\"" + number(height) + "\" role=\"img\" aria-label=\"" +
         markup(title) + "\">";
}
inline std::string rect(double x, double y, double width, double height, std::string_view tone) {
  return "<rect x=\"" + percent(x) + "\" y=\"" + number(y) + "\" width=\"" + percent(std::max(width, 0.0)) + "\" height=\"" +
         number(height) + "\" class=\"" + std::string(tone) + "\"/>";
}
inline std::string line(double x1, double y1, double x2, double y2, std::string_view tone) {
  return "<line x1=\"" + percent(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + percent(x2) + "\" y2=\"" + number(y2) +
         "\" class=\"" + std::string(tone) + "\"/>";
}
inline std::string text(double x, double y, std::string_view words, std::string_view tone) {
  return "<text x=\"" + percent(x) + "\" y=\"" + number(y) + "\" class=\"" + std::string(tone) + "\">" + markup(words) +
         "</text>";
}
inline std::string circle(double x, double y, double radius, std::string_view tone) {
  return "<circle cx=\"" + percent(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) + "\" class=\"" + std::string(tone) +
         "\"/>";
}
// A line through places of which both coordinates are in percent; as thin as its class says, however it is stretched.
inline std::string polyline(std::span<const std::pair<double, double>> points, std::string_view tone) {
  std::string out =
      "<svg viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" width=\"100%\" height=\"100%\"><polyline class=\"" +
      std::string(tone) + "\" points=\"";
  for (const auto& [x, y] : points) out += number(x, 2) + "," + number(y, 2) + " ";
  return out + "\"/></svg>";
}
// Words inside a box, cut off where it ends.
inline std::string boxed_text(double x, double y, double width, double height, std::string_view words, std::string_view tone) {
  return "<svg x=\"" + percent(x) + "\" y=\"" + number(y) + "\" width=\"" + percent(width) + "\" height=\"" + number(height) +
         "\" class=\"" + std::string(tone) + "\"><text x=\"3\" y=\"" + number(height / 2 + 4) + "\">" + markup(words) +
         "</text></svg>";
}

// 1, 2 or 5 times a power of ten, at least `value`, which is above 0.
inline double nice(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    if (value <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

}  // namespace plumbline::reports::svg
