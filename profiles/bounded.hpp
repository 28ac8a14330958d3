// Sums of nanoseconds that come from files: they stop at 2^61 (73 years) on either side, so that differences of two stay in
// int64.
#pragma once

#include <algorithm>
#include <cstdint>

namespace plumbline::profiles {

inline void add_bounded(std::int64_t& sum, std::int64_t more) {
  constexpr std::int64_t kBound = std::int64_t{1} << 61;
  sum = std::clamp(std::clamp(sum, -kBound, kBound) + std::clamp(more, -kBound, kBound), -kBound, kBound);
}

}  // namespace plumbline::profiles
