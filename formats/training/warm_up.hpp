// Which steps of a run warm it up: slower than those behind them. Private to formats/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/statistics.hpp"

namespace plumbline::formats {

// So many times from the first on are slower than the rest, at most half of all, and at most `most`.
[[nodiscard]] inline std::size_t cold_times(std::span<const double> times, std::size_t most = SIZE_MAX) {
  constexpr double kSlower = 1.25;  // times the median of the rest
  std::size_t cold = 0;
  while (cold < std::min(times.size() / 2, most) && times[cold] > kSlower * core::median(times.subspan(cold + 1))) ++cold;
  return cold;
}

}  // namespace plumbline::formats
