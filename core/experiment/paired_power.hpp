// How small a change trials in pairs can tell. Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace plumbline::core {

// The excess over a tolerance, as a logarithm of a ratio, that the signed-rank test of so many pairs finds four times out of five
// at a level of .05: c(n) * sigma, sigma the standard deviation of the logarithm of one run as neighbours show it. c is simulated
// for Gaussian noise (n = 5: 2.42, where all five must agree, n = 30: .68), between its points it is interpolated in logarithms,
// above it is 3.66 / sqrt(n). nullopt for fewer than five pairs, which can show nothing at that level.
[[nodiscard]] std::optional<double> paired_mde80(std::uint32_t pairs, double sigma);

}  // namespace plumbline::core
