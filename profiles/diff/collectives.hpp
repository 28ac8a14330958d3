// Collectives of two sides matched by type, size bucket, data type, group and group size. Process groups have names that differ
// from run to run in nothing but a number: a kind that finds no partner under its group's name finds the one of the same type,
// bucket, data type and group size when each side has exactly one such left. Swapping the sides negates delta_ns.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Largest |delta_ns| first, then by type, size, data type, group.
[[nodiscard]] std::vector<core::ProfileCollective> compare_collectives(std::span<const CollectiveGroup> baseline,
                                                                       std::span<const CollectiveGroup> candidate);

// "the baseline is merged from 4 ranks, the candidate from 8 …" where the sides hold different ranks: sums over ranks then differ
// by that alone. Code ranks_differ.
[[nodiscard]] std::optional<core::Warning> compare_ranks(const core::ProfileSideInfo& baseline,
                                                         const core::ProfileSideInfo& candidate);

}  // namespace plumbline::profiles
