// What `calibrate` proposes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/calibration.hpp"
#include "core/results/common.hpp"

namespace plumbline::core {

struct CalibratedKey {
  std::string key;
  CalibratedTolerance tolerance;
};

struct CalibratedRule {
  std::string glob;    // "" = the whole measurement
  double percent = 0;  // the widest that its keys need
  std::uint64_t keys = 0;
};

struct CalibrateResult {
  std::string family, measurement;
  double alarms_pct = 1;
  std::uint64_t entries = 0;
  std::vector<CalibratedRule> rules;
  std::vector<CalibratedKey> keys;     // the noisiest first
  std::vector<std::string> undecided;  // keys with too few values, or too noisy for any tolerance
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
