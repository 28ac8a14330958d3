// What `calibrate` proposes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/calibration.hpp"
#include "core/experiment/tolerance_rules.hpp"
#include "core/results/common.hpp"

namespace plumbline::core {

struct CalibratedKey {
  std::string key;
  CalibratedTolerance tolerance;
};

struct CalibrateResult {
  std::string family, measurement;  // "" of files that belong to none
  double alarms_pct = 1;
  Series series = Series::history;
  std::uint64_t entries = 0;  // of the history, or runs
  std::vector<CalibratedRule> rules;
  std::vector<CalibratedKey> keys;     // the noisiest first
  std::vector<std::string> undecided;  // keys with too few values, or too noisy for any tolerance
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
