// Where a sibling is slow, if not everywhere, and what several slow ones have in common: the search of verdict/culprits/ over the
// rows of all siblings, each held against the median of the others. Internal to verdict/siblings/.
#pragma once

#include <string>
#include <vector>

#include "verdict/siblings/fleet.hpp"

namespace plumbline::verdict::siblings {

struct Part {
  std::string predicate;
  double p = 1;
  std::vector<std::size_t> members;  // ascending
  std::vector<std::uint32_t> lines;  // of the fleet, ascending
  bool names_only = false;           // it tells siblings by a part of their names, and no rows
  bool whole = false;                // it tells siblings alone: all of their rows
};

// `kind` is what siblings are called ("node"); parts that name no sibling are left out.
[[nodiscard]] std::vector<Part> parts_of(const Fleet& fleet, const std::vector<Member>& members, const std::string& kind);

}  // namespace plumbline::verdict::siblings
