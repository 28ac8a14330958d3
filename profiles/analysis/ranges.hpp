// Which range launched which kernel. Ranges nest per host thread by time; a kernel belongs to the innermost range that was open
// on its launching thread when the launch call began: of the ranges with begin <= t < end the one that began last (of two that
// began together, the shorter). Ranges need not nest properly: NVTX start/end ranges may overlap. Paths of range names
// (names/ranges.hpp) are merged over threads and instances into one tree, with kernel time summed up the path. One sweep over
// ranges and calls in order of time, linear in both; the tree is bounded, and what does not fit is folded into what does, never
// dropped.
#pragma once

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Nodes in a Profile. A tree with more keeps the half of them with the most kernel time; of the other paths, those under one node
// become its child kFoldedRange.
inline constexpr std::size_t kMaxRangeNodes = 20000;
inline constexpr std::string_view kFoldedRange = "…";
// Root that holds kernels launched outside any range, or by a call that the capture does not hold: the roots' kernel times sum to
// the capture's.
inline constexpr std::string_view kNoRange = "(outside any range)";
// Ranges nested deeper, and paths beyond the first million, count with the range around them.
inline constexpr std::uint32_t kMaxRangeDepth = 64;

struct RangeAttribution {
  std::vector<RangeNode> nodes;             // preorder; siblings with more kernel time first
  std::vector<std::vector<Share>> parents;  // by name id: the names of the innermost ranges that launched this kernel, at most 16
  std::uint64_t folded_paths = 0;           // that became part of a kFoldedRange
  std::uint64_t folded_ranges = 0;          // instances that count with the range around them
};
// `capture` sorted and its launches joined (order.hpp). A capture without ranges gives nothing.
[[nodiscard]] RangeAttribution attribute_ranges(const Capture& capture);
// The same into a Profile whose kernels and nccl rows are there already: ranges, parents, warnings.
void add_ranges(const Capture& capture, Profile& profile);

}  // namespace plumbline::profiles
