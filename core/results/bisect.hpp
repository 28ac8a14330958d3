// What `bisect` found: the commits it measured and how likely each made the change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/results/common.hpp"

namespace plumbline::core {

struct BisectCommit {
  std::string sha, subject;
  bool merge = false;
  std::uint32_t pairs = 0;           // with the good revision, measured in turn
  std::optional<double> change_pct;  // from it; of those pairs
  std::string problem;               // why it could not be measured; "" = it could, or nobody tried
  double probability = 0;            // that it is the culprit
};

struct BisectResult {
  std::string good, bad;  // as given
  Verdict verdict = Verdict::green;
  Tier tier = Tier::draft;  // of bad against good
  std::string key;          // the row that is searched for
  std::optional<double> change_pct;
  bool searched = false;            // there was a regression to search for
  bool found = false;               // one answer is as likely as was asked for
  std::size_t first = 0, last = 0;  // into `commits`: the culprit, or several that nothing can tell apart
  double probability = 0;
  std::uint32_t runs = 0;  // of the benchmark, warm-ups among them
  double elapsed_s = 0;
  std::vector<BisectCommit> commits;  // oldest first, behind the good revision up to the bad one
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
