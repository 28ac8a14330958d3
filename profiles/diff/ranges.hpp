// Two trees of ranges (analysis/ranges.hpp) laid over each other by path, and where in them most of the change sits. Differences
// are candidate - baseline of summed times, exact; swapping the sides negates every one and keeps the order of the rows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Every path of either side in preorder, depth 0 first; of siblings the one with the larger |change of kernel time| first, then
// of host time, then by name. A path's text is bounded: its middle becomes "…" beyond 1,000 bytes.
[[nodiscard]] std::vector<core::ProfileRange> compare_range_trees(std::span<const RangeNode> baseline,
                                                                  std::span<const RangeNode> candidate);

// The change's direction is the sign of the roots' summed change of kernel time; its amount is the sum over the roots that moved
// that way (equal to the net change where nothing moved against it). From the roots down, as long as one child holds
// kSubtreeShare of that amount, and of all that moved that way on its own level: where large moves of siblings cancel out, their
// parent is the answer. total_delta_gpu_ns is the amount with its sign, share_pct the subtree's part of it; more than 100 where
// something beside the subtree, inside one root, moved against it. Nothing when the kernel time did not change or no root holds
// that much.
inline constexpr double kSubtreeShare = 0.8;
[[nodiscard]] std::optional<core::ProfileSubtree> most_changed_subtree(std::span<const core::ProfileRange> rows);

}  // namespace plumbline::profiles
