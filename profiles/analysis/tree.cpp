#include "profiles/analysis/tree.hpp"

#include <tuple>

#include "profiles/analysis/ranges.hpp"

namespace plumbline::profiles {

std::vector<RangeNode> in_preorder(std::vector<RangeNode> nodes) {
  std::vector<std::uint32_t> parents;
  parents.reserve(nodes.size());
  for (const RangeNode& node : nodes) parents.push_back(node.parent);
  const auto order = preorder(parents, [&nodes](std::uint32_t a, std::uint32_t b) {
    const auto last = [](const RangeNode& node) { return node.name == kNoRange ? 2 : node.name == kFoldedRange ? 1 : 0; };
    const RangeNode& left = nodes[a];
    const RangeNode& right = nodes[b];
    return std::tuple(last(left), -left.gpu_ns, -left.host_ns, std::string_view(left.name)) <
           std::tuple(last(right), -right.gpu_ns, -right.host_ns, std::string_view(right.name));
  });
  std::vector<std::uint32_t> place(nodes.size());
  std::vector<RangeNode> result;
  result.reserve(nodes.size());
  for (const std::uint32_t from : order) {
    place[from] = static_cast<std::uint32_t>(result.size());
    result.push_back(std::move(nodes[from]));
    if (result.back().parent != kNoParent) result.back().parent = place[result.back().parent];
  }
  return result;
}

}  // namespace plumbline::profiles
