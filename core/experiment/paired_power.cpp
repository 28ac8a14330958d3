#include "core/experiment/paired_power.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace plumbline::core {
namespace {

constexpr std::array<std::pair<double, double>, 13> kPoints{{{5, 2.42},
                                                             {6, 1.76},
                                                             {7, 1.65},
                                                             {8, 1.50},
                                                             {9, 1.32},
                                                             {10, 1.29},
                                                             {12, 1.14},
                                                             {15, .99},
                                                             {20, .841},
                                                             {25, .750},
                                                             {30, .678},
                                                             {40, .583},
                                                             {60, .472}}};

}  // namespace

std::optional<double> paired_mde80(std::uint32_t pairs, double sigma) {
  const double n = pairs;
  if (n < kPoints.front().first) return std::nullopt;
  if (n >= kPoints.back().first) return 3.66 / std::sqrt(n) * sigma;
  const auto above = std::ranges::upper_bound(kPoints, n, {}, &std::pair<double, double>::first);
  const auto below = std::prev(above);
  const double share = std::log(n / below->first) / std::log(above->first / below->first);
  return below->second * std::pow(above->second / below->second, share) * sigma;
}

}  // namespace plumbline::core
