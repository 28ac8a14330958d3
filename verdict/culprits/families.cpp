#include "verdict/culprits/families.hpp"

#include <cmath>

#include "verdict/culprits/chance.hpp"

namespace plumbline::verdict::culprits {

namespace {

// Shares of alpha: a third each for values and for cuts, a twelfth each for ranges, prefixes, unions and pairs.
constexpr double kSimple = 3, kOther = 12;

double logarithm(double count, double kinds) { return std::log(kinds * std::max(1.0, count)); }

}  // namespace

Tried::Tried(std::span<const Column> columns) {
  double values = 0, cuts = 0, ranges = 0;
  std::vector<double> unions(kMostOfUnion + 1);
  for (const Column& column : columns) {
    const auto n = static_cast<double>(column.values.size());
    values += n;
    if (column.ordered()) {
      cuts += 2 * n;
      ranges += n * n / 2;
    }
    for (std::size_t k = 2; k <= kMostOfUnion && 2 * k <= column.values.size(); ++k) {
      unions[k] += std::exp(log_choose(n, static_cast<double>(k)));
    }
  }
  values_ = logarithm(values, kSimple);
  cuts_ = logarithm(cuts, kSimple);
  prefixes_ = logarithm(values, kOther);  // there are fewer groups of names by prefix than names
  ranges_ = logarithm(ranges, kOther);
  pairs_ = logarithm((values + cuts) * (values + cuts) / 2, kOther);
  for (const double count : unions) unions_.push_back(logarithm(count * static_cast<double>(kMostOfUnion - 1), kOther));
}

std::vector<std::size_t> by_magnitude(const Column& column) {
  std::vector<std::size_t> order;
  for (std::size_t code = 1; code <= column.values.size(); ++code) order.push_back(code);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return column.magnitudes[a - 1] < column.magnitudes[b - 1]; });
  return order;
}

std::string common_prefix(const Column& column, const std::vector<std::uint8_t>& holds) {
  const std::string* first = nullptr;
  std::size_t length = 0;
  for (std::size_t code = 1; code < holds.size(); ++code) {
    if (holds[code] == 0) continue;
    const std::string& value = column.values[code - 1];
    if (first == nullptr) {
      first = &value;
      length = value.size();
    }
    length = std::min<std::size_t>(
        length,
        static_cast<std::size_t>(std::mismatch(first->begin(), first->end(), value.begin(), value.end()).first - first->begin()));
  }
  return first == nullptr ? std::string() : first->substr(0, length);
}

bool is_prefix(const Column& column, const std::vector<std::uint8_t>& holds) {
  const std::string prefix = common_prefix(column, holds);
  if (prefix.empty()) return false;
  for (std::size_t code = 1; code < holds.size(); ++code) {
    if (holds[code] == 0 && column.values[code - 1].starts_with(prefix)) return false;
  }
  return true;
}

}  // namespace plumbline::verdict::culprits
