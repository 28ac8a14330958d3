#include "verdict/row_sizes.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace plumbline::verdict {

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLeastSizes = 3;
}  // namespace

double RowSizes::logarithm(core::Id text) {
  const auto [known, fresh] = logarithms_.try_emplace(text, kNone);
  if (!fresh) return known->second;
  const std::string_view digits = measurement_.pool().view(text);
  double value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end.ec == std::errc() && end.ptr == digits.data() + digits.size() && value > 0) known->second = std::log(value);
  return known->second;
}

void RowSizes::see(std::uint32_t klass, const core::Row& row) {
  for (const auto& [dimension, value] : measurement_.dims(row)) {
    if (!std::isnan(logarithm(value))) classes_[klass].values[dimension].insert(value);
  }
}

double RowSizes::of(std::uint32_t klass, const core::Row& row) {
  const auto at = classes_.find(klass);
  if (at == classes_.end()) return kNone;
  Class& its = at->second;
  if (!its.chosen) {
    its.chosen = true;
    std::size_t most = kLeastSizes - 1;
    for (const auto& [dimension, values] : its.values) {
      const bool more = values.size() > most || (values.size() == most && its.size && dimension < *its.size);
      if (!more) continue;
      most = values.size();
      its.size = dimension;
    }
  }
  if (!its.size) return kNone;
  for (const auto& [dimension, value] : measurement_.dims(row)) {
    if (dimension == *its.size) return logarithm(value);
  }
  return kNone;
}

}  // namespace plumbline::verdict
