// How much this machine scatters, measured with a loop of the shell: what no benchmark can be quieter than here, and the smallest
// change that trials in turn can tell from it. For `doctor --machine`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

inline constexpr double kNoiseTolerance = 0.05;  // beside which changes are promised

struct NoiseFloor {
  std::uint32_t pairs = 0;
  double trial_s = 0;      // of one run of the loop
  double run_cv_pct = 0;   // one run among all: with what drifts
  double pair_cv_pct = 0;  // one run, as two neighbours show it: what interleaving leaves
  // Trials a side, and the change that they call RED four times out of five at a tolerance of 5 % (core::paired_mde80).
  std::vector<std::pair<std::uint32_t, double>> sees;
  std::uint32_t disturbed = 0;
  std::string disturbance;  // of the first of them
};

// Takes `seconds` at most; stops when asked to, with what there is by then. An error where there are fewer than five pairs.
[[nodiscard]] Expected<NoiseFloor> measure_noise_floor(double seconds, const Context& context);

}  // namespace plumbline::verbs
