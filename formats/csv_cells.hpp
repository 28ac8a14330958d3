// The cells of one line of a tool's CSV whose columns the reader knows; generic tables are read in formats/generic. Private to
// formats/.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::formats {

// Quotes are resolved and doubled ones undone; a quote that never closes lasts to the end.
[[nodiscard]] std::vector<std::string> csv_cells(std::string_view line, char separator = ',');
// Whether the last cell goes on in the next line.
[[nodiscard]] inline bool ends_in_quotes(std::string_view line) { return std::count(line.begin(), line.end(), '"') % 2 != 0; }

}  // namespace plumbline::formats
