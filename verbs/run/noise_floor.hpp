// How much this machine scatters, measured with a loop of the shell: what no benchmark can be quieter than here, the smallest
// change that trials in turn can tell from it, and what each setting that a command can have for itself does about it. For
// `doctor --machine`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

inline constexpr double kNoiseTolerance = 0.05;  // beside which changes are promised

// The same loop with one setting changed, its pairs between those without, so that both meet the same hour of the machine.
struct TriedSetting {
  std::string what;  // "pinned to processor 1"
  std::string how;   // "taskset -c 1 CMD"
  std::uint32_t pairs = 0;
  double pair_cv_pct = 0;
  // One-sided, exact Mann-Whitney: how far the two of a pair lie apart, without the setting and with it.
  double quieter_p = 1;
};

struct NoiseFloor {
  std::uint32_t pairs = 0;
  double trial_s = 0;      // of one run of the loop
  double run_cv_pct = 0;   // one run among all: with what drifts
  double pair_cv_pct = 0;  // one run, as two neighbours show it: what interleaving leaves
  // Trials a side, and the change that they call RED four times out of five at a tolerance of 5 % (core::paired_mde80).
  std::vector<std::pair<std::uint32_t, double>> sees;
  std::vector<TriedSetting> tried;  // without those that this machine does not let a command have
  std::uint32_t disturbed = 0;
  std::string disturbance;  // of the first of them
};

// Takes `seconds` at most; stops when asked to, with what there is by then. An error where there are fewer than five pairs.
[[nodiscard]] Expected<NoiseFloor> measure_noise_floor(double seconds, const Context& context);

}  // namespace plumbline::verbs
