// The rows of a comparison as columns of small integers: what a search over millions of rows can count. Internal to
// verdict/culprits/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/row_marks.hpp"

namespace plumbline::verdict::culprits {

// A row without a value of this column has code 0; values[code - 1] is the text of the others.
using Code = std::uint16_t;
inline constexpr std::size_t kMostValues = 4096;  // a column with more tells rows, not parts

struct Column {
  enum class Kind : std::uint8_t { dimension, test, metric, word };
  Kind kind = Kind::dimension;
  std::string name;
  std::vector<std::string> values;
  std::vector<double> magnitudes;  // by value; empty where the values have no order
  std::vector<Code> codes;         // by row
  // Of an endpoint in either role: the code of the other end, of the same values, and that column's name ("" where both stand in
  // one text). Empty for all others.
  std::vector<Code> seconds;
  std::string second_name;
  bool too_fine = false;  // tells rows, not parts

  [[nodiscard]] bool ordered() const { return !magnitudes.empty(); }
  [[nodiscard]] bool either() const { return !seconds.empty(); }
};

struct Table {
  std::vector<std::uint32_t> deltas;    // of each row
  std::vector<std::uint32_t> metrics;   // by row, numbered from 0
  std::vector<float> changes;           // by row, in tolerances: + is worse, 1 is exactly at tolerance
  std::vector<std::uint8_t> regressed;  // by row
  std::vector<std::uint8_t> sound;      // … and chance does not explain the row by itself
  std::vector<Column> columns;          // none where rows tell no parts: then nothing is known of them but `regressed`
  std::size_t metric_count = 0;

  [[nodiscard]] std::size_t rows() const { return deltas.size(); }
};

[[nodiscard]] Table table_of(const core::Comparison& comparison, const core::RowMarks& marks);

// Gives the column magnitudes where all of its values are numbers of something, three at least.
void set_order(Column& column);

// "64MiB", "1048576", "4K" as a number of the base unit; NaN for anything else.
[[nodiscard]] double magnitude(std::string_view text);

}  // namespace plumbline::verdict::culprits
