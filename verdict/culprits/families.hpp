// How many descriptions of each kind there are, which a finding has to pay for, and the orders in which values are taken
// together. Internal to verdict/culprits/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "verdict/culprits/table.hpp"

namespace plumbline::verdict::culprits {

inline constexpr std::size_t kMostOfUnion = 8;  // values

// Logarithms of the number of descriptions of the kind in all columns, over the share of alpha that the kind has.
class Tried {
 public:
  explicit Tried(std::span<const Column> columns);
  [[nodiscard]] double values() const { return values_; }
  [[nodiscard]] double cuts() const { return cuts_; }
  [[nodiscard]] double ranges() const { return ranges_; }
  [[nodiscard]] double prefixes() const { return prefixes_; }
  [[nodiscard]] double unions(std::size_t of) const { return unions_[std::min(of, unions_.size() - 1)]; }
  [[nodiscard]] double pairs() const { return pairs_; }

 private:
  double values_ = 0, cuts_ = 0, ranges_ = 0, prefixes_ = 0, pairs_ = 0;
  std::vector<double> unions_;  // by the number of values
};

// Codes by ascending magnitude.
[[nodiscard]] std::vector<std::size_t> by_magnitude(const Column& column);

// Codes by descending mean of their scores.
template <class Sum>
[[nodiscard]] std::vector<std::size_t> by_mean(const std::vector<Sum>& sums) {
  std::vector<std::size_t> order;
  for (std::size_t code = 1; code < sums.size(); ++code) order.push_back(code);
  const auto mean = [&](std::size_t code) { return sums[code].rows > 0 ? sums[code].slow / sums[code].rows : -1.0; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return mean(a) > mean(b); });
  return order;
}

// The values that hold are all that begin as they do.
[[nodiscard]] bool is_prefix(const Column& column, const std::vector<std::uint8_t>& holds);
[[nodiscard]] std::string common_prefix(const Column& column, const std::vector<std::uint8_t>& holds);

}  // namespace plumbline::verdict::culprits
