// Shares of ceilings as a table with bars: what lost most of its share first. Internal to reports/.
#pragma once

#include <span>
#include <string>

#include "core/speed_of_light.hpp"

namespace plumbline::reports {

// Of many the first few are in sight and the others folded; of very many the rest is counted.
[[nodiscard]] std::string sol_bars(std::span<const core::SolLine> lines);

}  // namespace plumbline::reports
