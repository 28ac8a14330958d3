// Which kernel of one side is which of the other, when their names are not the same: another compiler's spelling, another tile,
// another algorithm, another vendor's library. A ladder from certain to likely, each step working on what the steps before it
// left over:
//   exact      the same name                                                       confidence 1
//   canonical  the same name up to spelling (names/canonical.hpp)                   0.98
//   family     the same work by what the name says (names/family.hpp), the narrow   0.9 to 0.5
//              keys first, where both sides call it about as often
//   parent     the same category launched by the same operator or range             0.65
//   fuzzy      the same category, words of the name, counts, shapes and operators   0.3 to 0.6
//              alike; the best assignment of the 200 longest on each side
// Counts are compared for the same work: a window that holds fewer steps calls everything less often. Inside a family kernels
// whose counts agree are paired one to one; what remains becomes one row (three tiles replaced by two). Every aggregate ends
// in exactly one row, so the rows' times sum to the totals; swapping the sides swaps the rows. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "configs/kernel_categories.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Rows with category, rule and confidence; "switched" where the same work is done by another implementation, with `change`
// saying what is told of it. Of several names in one row the one with the most time stands first.
[[nodiscard]] std::vector<core::ProfileRow> match_kernels(std::span<const NamedAggregate> baseline,
                                                          std::span<const NamedAggregate> candidate,
                                                          const configs::KernelCategories& categories);

// Share of both sides' time in rows that are on both sides, in percent; nothing where there is no time.
[[nodiscard]] std::optional<double> matched_share(std::span<const core::ProfileRow> rows);

}  // namespace plumbline::profiles
