// Trees given by their parents' numbers, walked without recursion: captures decide how deep they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::uint32_t kNoParent = 0xFFFFFFFF;

// The order of a walk: a node, then its children, of siblings the one that is `before` the others first. Parents have smaller
// numbers than their children.
template <class Before>
std::vector<std::uint32_t> preorder(std::span<const std::uint32_t> parents, Before&& before) {
  std::vector<std::uint32_t> order(parents.size());
  std::iota(order.begin(), order.end(), 0U);
  // Siblings together, the last one first: a stack gives them back in order. Roots are the last run.
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return parents[a] != parents[b] ? parents[a] < parents[b] : before(b, a); });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> children(parents.size() + 1);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    auto& run = children[std::min<std::size_t>(parents[order[i]], parents.size())];
    if (run.first == run.second) run.first = i;
    run.second = i + 1;
  }
  std::vector<std::uint32_t> result;
  result.reserve(parents.size());
  std::vector<std::uint32_t> stack;
  const auto push = [&](std::size_t of) {
    stack.insert(stack.end(), order.begin() + children[of].first, order.begin() + children[of].second);
  };
  for (push(parents.size()); !stack.empty();) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    result.push_back(node);
    push(node);
  }
  return result;
}

// Ranges as a Profile holds them: preorder, of siblings the one with more kernel time first, then more host time, then by name;
// what was folded together, and what lies outside any range, last. `nodes`: parents before children.
[[nodiscard]] std::vector<RangeNode> in_preorder(std::vector<RangeNode> nodes);

}  // namespace plumbline::profiles
