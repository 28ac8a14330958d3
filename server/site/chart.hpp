// The trend of a measurement as an SVG figure, twice, for wide and for narrow windows (the style shows one): its values in order,
// the level between changes of level with the noise that is normal around it, the changes, and the accepted entry. It draws what
// history found and finds nothing itself.
#pragma once

#include <string>

#include "core/results/baseline.hpp"

namespace plumbline::server::site {

struct TrendFigure {
  std::string svg;  // "" for fewer than two values
  bool band = false, changes = false, accepted = false;
};
[[nodiscard]] TrendFigure trend_figure(const core::HistoryResult& history);

}  // namespace plumbline::server::site
