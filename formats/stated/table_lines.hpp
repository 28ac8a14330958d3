// A table of a statement as it is met in a text: its heading line, then cells a line. Private to formats/stated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/stated/statement.hpp"

namespace plumbline::formats::stated {

// Cells of a line, in `kept` where quotes had to be resolved.
void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells, std::vector<std::string>& kept);
// "-----", "+---+---+", "|:---|---:|", "====": a line that separates and says nothing.
[[nodiscard]] bool is_rule(std::string_view line);
// A cell of a heading line: an index into the table's columns, or kOther, and what its hole holds.
inline constexpr std::size_t kOther = static_cast<std::size_t>(-1);
struct HeadingCell {
  std::size_t column = kOther;
  std::string number = {};
  bool operator==(const HeadingCell&) const = default;
};
// Empty: not this table's heading.
[[nodiscard]] std::vector<HeadingCell> heading_of(std::string_view line, const Table& table);
// The name of the hole in a heading, "" for none.
[[nodiscard]] std::string_view hole_of(std::string_view heading);
// Joins the cells of a row of blanks until there are `wanted`: a number with its unit, then the words of the first column.
void join_cells(std::vector<std::string_view>& cells, std::size_t wanted);

}  // namespace plumbline::formats::stated
