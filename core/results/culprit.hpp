// A part of a measurement that regressed as one, named by what its rows have in common (verdict/culprits/ finds it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::core {

// One condition on a row: "size >= 1 GiB" is {"size", ">=", {"1073741824"}}.
struct CulpritTerm {
  std::string dimension;            // of an endpoint in either role both: "row or col"
  std::string op;                   // "=" one of the values, ">=" "<=" one bound, "range" both, "prefix", "either"
  std::vector<std::string> values;  // as the rows have them
};

// Rows of a part, and how many of them are regressed.
struct PartCount {
  std::string predicate;
  std::uint64_t regressed = 0, rows = 0;
};

struct Culprit {
  std::string predicate;  // for people: "all_to_all and size >= 64 MiB"
  std::vector<CulpritTerm> terms;
  std::uint64_t regressed_in = 0, regressed_total = 0;  // of the rows that are regressed by themselves
  std::uint64_t others_in = 0, others_total = 0;        // of those that are not
  double p = 1;                         // at most: that chance shows as much somewhere, every description that was tried paid for
  double effect_pct = 0;                // median change of its regressed rows, signed percent of the baseline
  std::vector<PartCount> not_affected;  // one term each turned round, the others kept
  std::optional<PartCount> runner_up;   // the next best description
  std::vector<std::uint32_t> rows;      // delta indices, ascending

  [[nodiscard]] double precision() const { return share(regressed_in, regressed_in + others_in); }
  [[nodiscard]] double recall() const { return share(regressed_in, regressed_total); }

 private:
  static double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

}  // namespace plumbline::core
