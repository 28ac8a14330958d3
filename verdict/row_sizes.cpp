#include "verdict/row_sizes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace plumbline::verdict {

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLeastSizes = 3;
}  // namespace

void RowSizes::Numbers::add(core::Id number) {
  if (!seen_.empty() && seen_.back() == number) return;
  constexpr std::size_t kFew = 1024;
  if (seen_.size() >= 2 * different_ + kFew) keep_one_of_each();
  seen_.push_back(number);
}

std::size_t RowSizes::Numbers::count() {
  keep_one_of_each();
  return different_;
}

void RowSizes::Numbers::keep_one_of_each() {
  std::sort(seen_.begin(), seen_.end());
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
  different_ = seen_.size();
}

double RowSizes::positive(core::Id text) const {
  const std::string_view digits = measurement_.pool().view(text);
  double value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return end.ec == std::errc() && end.ptr == digits.data() + digits.size() && value > 0 ? value : kNone;
}

void RowSizes::see(std::uint32_t klass, const core::Row& row) {
  for (const auto& [dimension, value] : measurement_.dims(row)) {
    if (!std::isnan(positive(value))) classes_[klass].values[dimension].add(value);
  }
}

double RowSizes::of(std::uint32_t klass, const core::Row& row) {
  const auto at = classes_.find(klass);
  if (at == classes_.end()) return kNone;
  Class& its = at->second;
  if (!its.chosen) {
    its.chosen = true;
    std::size_t most = kLeastSizes - 1;
    for (auto& [dimension, values] : its.values) {
      const std::size_t count = values.count();
      const bool more = count > most || (count == most && its.size && dimension < *its.size);
      if (!more) continue;
      most = count;
      its.size = dimension;
    }
  }
  if (!its.size) return kNone;
  for (const auto& [dimension, value] : measurement_.dims(row)) {
    if (dimension == *its.size) return std::log(positive(value));
  }
  return kNone;
}

}  // namespace plumbline::verdict
