// What import found in somebody's history, and what became of it.
#pragma once

#include "core/results/common.hpp"

namespace plumbline::core {

struct ImportedPoint {
  std::string measurement, measured_at_utc, commit;  // "" where the commit is not known
  std::string origin;                                // where it comes from, as people know it
  std::string slug;                                  // "" where it was not recorded
  std::string problem;                               // why it cannot be recorded
  bool already = false;                              // the registry has it
  std::optional<double> value;
  std::string unit;
  std::uint64_t rows = 0;
};
struct ImportResult {
  std::string root, family, from;  // "files", "git-history", "github-action-benchmark", "bencher"
  bool dry_run = false;
  std::vector<ImportedPoint> points;  // by measurement, oldest first
  std::uint64_t recorded = 0, already = 0, left_out = 0;
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
