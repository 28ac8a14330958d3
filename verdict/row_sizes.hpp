// Which number among a row's dimensions is its size (message size, concurrency, batch): the one that takes most values among the
// rows of its class. Noise often depends on it (core/evidence/scatter.hpp, parts_by_size).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::verdict {

class RowSizes {
 public:
  explicit RowSizes(const core::Measurement& measurement) : measurement_(measurement) {}

  // All rows are shown first, then asked for.
  void see(std::uint32_t klass, const core::Row& row);
  // The logarithm of the size; NaN where the class has none, or the row lacks it.
  [[nodiscard]] double of(std::uint32_t klass, const core::Row& row);

 private:
  struct Class {
    std::unordered_map<core::Id, std::set<core::Id>> values;  // by dimension, its numbers
    std::optional<core::Id> size;                             // chosen on the first question
    bool chosen = false;
  };
  [[nodiscard]] double logarithm(core::Id text);  // of a positive number, NaN for what is none

  const core::Measurement& measurement_;
  std::unordered_map<std::uint32_t, Class> classes_;  // those whose rows have dimensions
  std::unordered_map<core::Id, double> logarithms_;
};

}  // namespace plumbline::verdict
