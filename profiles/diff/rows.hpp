// Two tables of aggregates matched by name, each difference split exactly into what the number of calls did and what the
// time per call did. With a = total / n: delta = (n1 - n0)(a0 + a1)/2 + (a1 - a0)(n0 + n1)/2, the symmetric decomposition
// (the Shapley value of the two factors); the count part is rounded to whole nanoseconds with halves toward zero and the
// duration part is the rest, so the two sum to delta and swapping the sides negates each. New and vanished names are all count.
//
// Where every call's launch shape is known on both sides the duration part is split once more, by the same rule: with p = the
// share of calls of a shape and a = its time per call, a1 - a0 = sum (a1s - a0s)(p0s + p1s)/2 + sum (p1s - p0s)(a0s + a1s)/2,
// the same shapes taking longer and other shapes being launched. A shape that only one side has costs on the other what it
// costs where it is: it is all mix.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// The count part for totals and counts of two sides; 0 when n0 == n1.
[[nodiscard]] std::int64_t count_effect(std::int64_t total0, std::uint64_t n0, std::int64_t total1, std::uint64_t n1);

// One row of what stands on either side, nullptr = nothing does; not both. Matched by "exact" unless the caller says otherwise.
[[nodiscard]] core::ProfileRow make_row(const NamedAggregate* baseline, const NamedAggregate* candidate);

// Several names as one: counts, times, shapes and parents add up, the standard deviation is that of all instances, the longest
// instance is the longest of all. The median is the members' medians' weighted by their counts, which is not that of all
// instances: nothing here holds those. `members` must not be empty.
[[nodiscard]] NamedAggregate merge_aggregates(std::span<const NamedAggregate* const> members, std::string name);
// The list with names that stand in it more than once made one.
[[nodiscard]] std::vector<NamedAggregate> without_repeats(std::span<const NamedAggregate> list);

// Union of the names, largest |delta| first, ties by name.
[[nodiscard]] std::vector<core::ProfileRow> compare_rows(std::span<const NamedAggregate> baseline,
                                                         std::span<const NamedAggregate> candidate);
// The same for ranges, whose names may hold running numbers ("step_15", "aten::mm, op_id = 999599"): where such names are the
// same on both sides each keeps its row, else all that differ in the number only (names/ranges.hpp) become one row.
[[nodiscard]] std::vector<core::ProfileRow> compare_ranges(std::span<const NamedAggregate> baseline,
                                                           std::span<const NamedAggregate> candidate);

void sort_rows(std::vector<core::ProfileRow>& rows);  // largest |delta| first, ties by name

}  // namespace plumbline::profiles
