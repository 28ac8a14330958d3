// Two tables of aggregates matched by name, each difference split exactly into what the number of calls did and what the
// time per call did. With a = total / n: delta = (n1 - n0)(a0 + a1)/2 + (a1 - a0)(n0 + n1)/2, the symmetric decomposition
// (the Shapley value of the two factors); the count part is rounded to whole nanoseconds with halves toward zero and the
// duration part is the rest, so the two sum to delta and swapping the sides negates each. New and vanished names are all count.
#pragma once

#include <span>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// The count part for totals and counts of two sides; 0 when n0 == n1.
[[nodiscard]] std::int64_t count_effect(std::int64_t total0, std::uint64_t n0, std::int64_t total1, std::uint64_t n1);

// Union of the names, largest |delta| first, ties by name.
[[nodiscard]] std::vector<core::ProfileRow> compare_rows(std::span<const NamedAggregate> baseline,
                                                         std::span<const NamedAggregate> candidate);

}  // namespace plumbline::profiles
