// Names that are points by themselves: "CRC32/poly=IEEE/size=1kB" is a dimension poly and a dimension size to those who wrote it.
// Internal to verdict/culprits/.
#pragma once

#include <vector>

#include "verdict/culprits/table.hpp"

namespace plumbline::verdict::culprits {

// Adds a column for each place between the slashes of a column's values, called by what stands before "=" or ":" there, else by
// the column and the place.
void add_name_parts(std::vector<Column>& columns);

}  // namespace plumbline::verdict::culprits
