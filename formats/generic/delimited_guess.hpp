// Whether a text is a table of separated fields, and by what they are separated; and what a cell of it is. Private to
// formats/generic/delimited*. Views are into the text looked at. Thread-safe: nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/decimal.hpp"
#include "formats/format.hpp"

namespace plumbline::formats::delimited {

enum class Cell : std::uint8_t { absent, number, grouped, text, cut };  // cut: a number that may not be whole
// What is no plain number; use cell_of().
[[nodiscard]] Cell unusual_cell(std::string_view text);
// Asked of every cell of a long table, most of which are plain numbers.
[[nodiscard]] inline Cell cell_of(std::string_view text) {
  if (double plain = 0; plain_decimal(text, plain)) return Cell::number;
  return unusual_cell(text);
}

// The separator under which the first lines have the same number of fields. 0 = none.
struct Guess {
  char separator = 0;
  std::size_t columns = 0;
  std::size_t lines = 0;
  double agreement = 0;
};

// `said_table`: the file's name or its user says that it is a table, so that less is asked of its lines.
[[nodiscard]] Guess guess_separator(const Input& input, bool said_table);

// One line of names and nothing else.
[[nodiscard]] bool is_header_only(std::string_view head);

}  // namespace plumbline::formats::delimited
