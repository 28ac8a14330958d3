// Which range launched which kernel. Ranges nest per host thread by time; a kernel belongs to the innermost range that was open
// on its launching thread when the launch call began: of the ranges with begin <= t < end the one that began last (of two that
// began together, the shorter). Ranges need not nest properly: NVTX start/end ranges may overlap. Paths of range names
// (names/ranges.hpp) are merged over threads and instances into one tree, with kernel time summed up the path. One sweep over
// ranges and calls in order of time, linear in both; the tree is bounded, and what does not fit is folded into what does, never
// dropped. Functions of Python are levels of the tree only where no module of a model is: they say the same at more length.
//
// An operation that a compiler names a scope for (jit(step)/Dense_0/dot) belongs to that, each part a level. One that no range of
// the host launched belongs to the innermost range that the capture has on its device's own timeline.
//
// Besides kernel time a node has its part of the devices' walls: the exclusive time (timeline.hpp) of what it launched, and the
// gaps. A gap is of the node that launched what ended it; of a long one (gaps.hpp) the time before the launching call is of the
// innermost range that its thread was in, moment by moment. So the walls of the roots sum to the devices' spans, and no time is
// in two nodes.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "profiles/analysis/gaps.hpp"
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

// Of the devices' walls by node, see RangeTree::node_of.
struct NodeWalls {
  std::vector<std::int64_t> busy, idle;
};

struct RangeAttribution {
  std::vector<RangeNode> nodes;             // preorder; siblings with more kernel time first
  std::vector<std::vector<Share>> parents;  // by name id: the names of the innermost ranges that launched this kernel, at most 16
  std::uint64_t folded_paths = 0;           // that became part of a kFoldedRange
  std::uint64_t folded_ranges = 0;          // instances that count with the range around them
};

class RangeTree {
 public:
  // `capture` sorted and its launches joined (order.hpp); it must outlive the tree.
  explicit RangeTree(const Capture& capture);
  ~RangeTree();
  RangeTree(const RangeTree&) = delete;
  RangeTree& operator=(const RangeTree&) = delete;
  // Without ranges and scopes there is no tree.
  [[nodiscard]] bool empty() const { return nodes_ == 0; }
  // Nodes, and kNoRange behind them: how many sums NodeWalls has.
  [[nodiscard]] std::size_t sums() const { return nodes_ + 1; }
  // Of an operation; below sums().
  [[nodiscard]] std::uint32_t node_of(std::size_t op) const {
    if (!node_of_op_.empty()) return node_of_op_[op];
    const std::uint32_t call = launch_[op];
    return call < node_of_call_.size() ? node_of_call_[call] : static_cast<std::uint32_t>(nodes_);
  }
  // Gives the parts of long gaps to the ranges that the launching threads were in. Not where scopes say what operations are of.
  void place_gaps(const std::map<std::int64_t, GapLog>& gaps, NodeWalls& walls) const;
  // Without walls (empty columns) these are 0. Once.
  [[nodiscard]] RangeAttribution take(const NodeWalls& walls = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::size_t nodes_ = 0;
  const Column<std::uint32_t>& launch_;
  Column<std::uint32_t> node_of_call_;
  Column<std::uint32_t> node_of_op_;  // where scopes or the device's own ranges say of operations what calls do not; else empty
};

// Into a Profile whose kernels and nccl rows are there already: ranges, parents, warnings.
void add_ranges(const Capture& capture, RangeAttribution&& found, Profile& profile);

}  // namespace plumbline::profiles
