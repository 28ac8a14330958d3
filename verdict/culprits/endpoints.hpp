// Columns that name the two ends of something (source and destination, row and column of a matrix, "n3-n7"): what is slow at one
// end is slow in both roles. Internal to verdict/culprits/.
#pragma once

#include <vector>

#include "verdict/culprits/table.hpp"

namespace plumbline::verdict::culprits {

// Adds a column for each pair of ends among those that there are, and for each column whose values are pairs.
void add_endpoints(std::vector<Column>& columns);

// A number in these columns is a name: no row has more of it than another.
[[nodiscard]] bool names_an_end(std::string_view column);

}  // namespace plumbline::verdict::culprits
