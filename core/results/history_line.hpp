// One number over the entries of its measurement that are comparable with a run, and that run after them: what a reader sees of
// the history beside a verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::core {

struct HistoryLine {
  std::string key;  // "" of a scalar
  std::string unit;
  Direction direction = Direction::unknown;
  std::vector<double> values;           // medians of the trials, oldest first
  std::vector<std::string> slugs;       // of the entries, one a value
  std::optional<std::size_t> baseline;  // which of them this run is compared with
  double current = 0;                   // this run, in the same unit
  std::optional<double> noise_floor_pct;
  std::vector<std::size_t> changes;  // values that begin a new level
};

}  // namespace plumbline::core
