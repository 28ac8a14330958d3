// Which number among a row's dimensions is its size (message size, concurrency, batch): the one that takes most values among the
// rows of its class. Noise often depends on it (core/evidence/scatter.hpp, parts_by_size).
#pragma once

#include <cstdint>
#include <optional>
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
  // Numbers that were seen. Those seen again are kept too, until they are more than half.
  class Numbers {
   public:
    void add(core::Id number);
    [[nodiscard]] std::size_t count();  // of different ones

   private:
    void keep_one_of_each();
    std::vector<core::Id> seen_;
    std::size_t different_ = 0;  // when last asked
  };
  struct Class {
    std::unordered_map<core::Id, Numbers> values;  // by dimension
    std::optional<core::Id> size;                  // chosen on the first question
    bool chosen = false;
  };
  // Of a positive number, NaN for what is none. Read again each time: a table of a million texts is slower to ask.
  [[nodiscard]] double positive(core::Id text) const;

  const core::Measurement& measurement_;
  std::unordered_map<std::uint32_t, Class> classes_;  // those whose rows have dimensions
};

}  // namespace plumbline::verdict
