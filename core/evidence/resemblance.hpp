// How much the trials of one side resemble their neighbours.
#pragma once

#include "core/evidence/tests_of_means.hpp"

namespace plumbline::core {

// The lag-1 ratio of one side above -1/n, which is its mean whatever the noise when the order means nothing, times its weight,
// and the variance of that under normal noise (Moran 1948).
struct LagExcess {
  double value = 0, weight = 0, variance = 0;
};
// A row counts by how much it varies, as far as its class does (`typical_variance`; 0: alike, whatever it varies).
[[nodiscard]] LagExcess lag_excess(const SideMoments& side, double typical_variance);

}  // namespace plumbline::core
