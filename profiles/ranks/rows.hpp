// Rows by name and trees of ranges, added up over captures. Counts, totals, minima, maxima, exclusive times, shares and kernel
// times of ranges are exact. Where every capture's row has its sketch and its sum of squares, so is the standard deviation, and
// the median is within 1 %. Else the deviation is pooled from each capture's own (T. F. Chan, G. H. Golub, R. J. LeVeque,
// "Updating formulae and a pairwise algorithm for computing sample variances", 1979); a median cannot be had from medians, and
// the middle of them stands in, each with the weight of its count.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/analysis/pair_index.hpp"
#include "profiles/int128.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// The value below which half of the weight lies; the mean of two where the halves meet between them. 0 for nothing.
[[nodiscard]] double weighted_median(std::vector<std::pair<double, std::uint64_t>> values);

// The sample standard deviation of `count` values with that sum and that sum of squares.
[[nodiscard]] double exact_stddev(std::uint64_t count, std::int64_t total, UInt128 squares);

// How much is kept of rows and ranges.
enum class Keep : std::uint8_t {
  bounded,  // as much as a Profile has
  all       // everything, and nothing that hangs on the order in which captures come: a row without sketch in one capture of
            // several has no spread
};

class MergedRows {
 public:
  explicit MergedRows(Keep keep = Keep::bounded) : keep_(keep) {}
  void add(std::vector<NamedAggregate>&& rows);
  // In the order in which the names came up, or with Keep::all by time and name; `total` is the sum of all. False beyond
  // kTimeBound.
  [[nodiscard]] bool finish(std::vector<NamedAggregate>& out, std::int64_t& total);

 private:
  struct Pool {
    NamedAggregate row;
    Int128 total = 0, exclusive = 0;
    double mean = 0, squares = 0;  // of the events so far, and the sum of their squared distances from it
    std::uint32_t captures = 0;
    bool sketched = true;  // in each of them
    std::vector<std::pair<double, std::uint64_t>> medians;
  };
  void tell_spread(Pool& pool) const;

  Keep keep_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Pool> pools_;
};

// At most so many shapes and parents of each row as a Profile has.
void bound_shares(std::vector<NamedAggregate>& rows);

// Paths beyond kMaxRangeNodes count with the range around them, roots with a root kFoldedRange.
class MergedRanges {
 public:
  explicit MergedRanges(Keep keep = Keep::bounded) : keep_(keep) {}
  void add(const std::vector<RangeNode>& tree);
  [[nodiscard]] std::vector<RangeNode> finish();

 private:
  Keep keep_;
  PairIndex paths_;  // (parent, name) -> node
  std::unordered_map<std::string, std::uint32_t> names_;
  std::vector<RangeNode> nodes_;
};

}  // namespace plumbline::profiles
