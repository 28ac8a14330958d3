// Who belongs to whom, when everybody on one side may be given to at most one on the other and the sum of what the pairs are
// worth is to be as large as possible: the assignment problem, by the shortest augmenting paths of the Hungarian method
// (Kuhn 1955, Munkres 1957; potentials after Jonker and Volgenant 1987), O(n^3) time and O(n^2) room. Pure; exact in integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::profiles {

inline constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// `worth` holds rows x columns values of at least 0 and at most 2^50, row by row; a pair worth 0 is no pair. For each row its
// column, or kNobody. Where several assignments are worth the same one of them is returned.
[[nodiscard]] std::vector<std::size_t> best_assignment(const std::vector<std::int64_t>& worth, std::size_t rows,
                                                       std::size_t columns);

}  // namespace plumbline::profiles
