#include "core/evidence/resemblance.hpp"

#include <algorithm>

namespace plumbline::core {

namespace {
constexpr double kMostWeight = 4;  // of a row that varies more than its class
}  // namespace

LagExcess lag_excess(const SideMoments& side, double typical_variance) {
  if (!(side.squares > 0)) return {};
  const auto n = static_cast<double>(side.trials);
  const double weight = n * (typical_variance > 0 ? std::min(side.variance() / typical_variance, kMostWeight) : 1);
  const double moran = (n - 2) * (n - 2) / (n * n * (n - 1));
  return {weight * (side.lag_squares / side.squares + 1 / n), weight, weight * weight * moran};
}

}  // namespace plumbline::core
