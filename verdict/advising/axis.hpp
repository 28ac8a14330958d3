// What the regressed rows have in common that the others have not: one node pair, one collective, one size, or all sizes
// from some point on. Read from dims and from the words of the keys; nothing is claimed that the rows do not show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/comparison.hpp"
#include "core/row_marks.hpp"

namespace plumbline::verdict {

struct Axis {
  std::string name;  // "size=1048576", "n7", "size >= 64MiB"
  std::uint64_t regressed = 0, regressed_total = 0, rows = 0;
};

// The best axis that holds at least 60 % of the regressed rows (suspects apart) and whose rows are at least 60 % regressed;
// nullopt when there is none, or when all rows regressed alike.
[[nodiscard]] std::optional<Axis> suspect_axis(const core::Comparison& comparison, const core::RowMarks& marks);

}  // namespace plumbline::verdict
