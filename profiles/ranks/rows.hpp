// Rows by name and trees of ranges, added up over captures. Counts, totals, minima, maxima, exclusive times, shares and kernel
// times of ranges are exact; the standard deviation is that of all events together, from each capture's own (T. F. Chan, G. H.
// Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979). A median cannot be
// had from medians: the middle of the captures' medians stands in, each with the weight of its count.
#pragma once

#include <functional>
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

class MergedRows {
 public:
  // `device`: a capture's device number -> the merged one's.
  void add(std::vector<NamedAggregate>&& rows, const std::function<std::int64_t(std::int64_t)>& device);
  // In the order in which the names came up; `total` is the sum of all. False beyond kTimeBound.
  [[nodiscard]] bool finish(std::vector<NamedAggregate>& out, std::int64_t& total);

 private:
  struct Pool {
    NamedAggregate row;
    Int128 total = 0, exclusive = 0;
    double mean = 0, squares = 0;  // of the events so far, and the sum of their squared distances from it
    std::vector<std::pair<double, std::uint64_t>> medians;
  };
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Pool> pools_;
};

// Paths beyond kMaxRangeNodes count with the range around them, roots with a root kFoldedRange.
class MergedRanges {
 public:
  void add(const std::vector<RangeNode>& tree);
  [[nodiscard]] std::vector<RangeNode> finish();

 private:
  PairIndex paths_;  // (parent, name) -> node
  std::unordered_map<std::string, std::uint32_t> names_;
  std::vector<RangeNode> nodes_;
};

}  // namespace plumbline::profiles
