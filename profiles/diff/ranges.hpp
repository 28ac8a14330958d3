// Two trees of ranges (analysis/ranges.hpp) laid over each other by path, and where in them most of the change sits. Differences
// are candidate - baseline of summed times, exact; swapping the sides negates every one and keeps the order of the rows. Those of
// the wall are for the same work: the candidate's over `scale`, rounded.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Modules and functions of Python that only one side's profiler wrote (with_stack) are no levels: what they launch belongs to the
// range around them.
// Every path of either side in preorder, depth 0 first; of siblings the one with the larger |change of kernel time| first, then
// of host time, then by name. A path's text is bounded: its middle becomes "…" beyond 1,000 bytes.
[[nodiscard]] std::vector<core::ProfileRange> compare_range_trees(std::span<const RangeNode> baseline,
                                                                  std::span<const RangeNode> candidate, double scale = 1);

// Marks (`explains`) the fewest and smallest ranges that hold kExplainedShare of the wall's change, none inside another, at most
// kMostExplaining, and gives every row its share. What moves is the self time of nodes, which sums to the wall; only what moves
// in the direction of the whole change is to be explained. From the roots down: a range gives way to one child that holds its
// part of that, or to several which hold it in half of the range's time. share_pct is of all movement, up and down, so it lies
// within
// +-100 and the shares of all self times sum to it. Nothing is marked where the wall did not change.
inline constexpr double kExplainedShare = 0.9;
inline constexpr std::size_t kMostExplaining = 8;
void explain_wall(std::vector<core::ProfileRange>& rows, double scale = 1);

// The change's direction is the sign of the roots' summed change of kernel time; its amount is the sum over the roots that moved
// that way (equal to the net change where nothing moved against it). From the roots down, as long as one child holds
// kSubtreeShare of that amount, and of all that moved that way on its own level: where large moves of siblings cancel out, their
// parent is the answer. total_delta_gpu_ns is the amount with its sign, share_pct the subtree's part of it; more than 100 where
// something beside the subtree, inside one root, moved against it. Nothing when the kernel time did not change or no root holds
// that much.
inline constexpr double kSubtreeShare = 0.8;
[[nodiscard]] std::optional<core::ProfileSubtree> most_changed_subtree(std::span<const core::ProfileRange> rows);

}  // namespace plumbline::profiles
