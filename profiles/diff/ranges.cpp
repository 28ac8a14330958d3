#include "profiles/diff/ranges.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "profiles/analysis/pair_index.hpp"
#include "profiles/analysis/ranges.hpp"
#include "profiles/analysis/tree.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kPathBytes = 1000;

std::int64_t magnitude(std::int64_t value) { return value < 0 ? -value : value; }

std::int64_t self_change(const core::ProfileRange& row) {
  return (row.candidate ? row.candidate->self_gpu_ns : 0) - (row.baseline ? row.baseline->self_gpu_ns : 0);
}

// Both trees in one: nodes in order of their first appearance, so parents stand before their children.
class Overlay {
 public:
  void add(std::span<const RangeNode> tree, std::optional<core::ProfileRangeSide> core::ProfileRange::*side) {
    std::vector<std::uint32_t> place(tree.size(), kNoParent);
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const RangeNode& node = tree[i];
      const std::uint32_t parent = node.parent < i ? place[node.parent] : kNoParent;
      const auto name = names_.try_emplace(node.name, static_cast<std::uint32_t>(names_.size())).first->second;
      const std::uint32_t at = nodes_.id(parent, name);
      place[i] = at;
      if (at == rows_.size()) {
        core::ProfileRange row;
        row.name = node.name;
        row.depth = parent == kNoParent ? 0 : rows_[parent].depth + 1;
        rows_.push_back(std::move(row));
      }
      auto& sums = rows_[at].*side;
      if (!sums) sums.emplace();
      sums->count += node.count;
      sums->kernels += node.kernels;
      sums->host_ns += node.host_ns;
      sums->gpu_ns += node.gpu_ns;
      sums->self_gpu_ns += node.self_gpu_ns;
    }
  }

  std::vector<core::ProfileRange> rows() {
    for (core::ProfileRange& row : rows_) {
      const core::ProfileRangeSide none;
      const core::ProfileRangeSide& before = row.baseline ? *row.baseline : none;
      const core::ProfileRangeSide& after = row.candidate ? *row.candidate : none;
      row.delta_gpu_ns = after.gpu_ns - before.gpu_ns;
      row.delta_host_ns = after.host_ns - before.host_ns;
    }
    std::vector<std::uint32_t> parents;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) parents.push_back(nodes_.first(i));
    const auto order = preorder(parents, [this](std::uint32_t a, std::uint32_t b) { return before(rows_[a], rows_[b]); });
    std::vector<core::ProfileRange> result;
    result.reserve(rows_.size());
    std::vector<const std::string*> above;  // paths of the row's ancestors in `result`, which does not grow beyond its reserve
    for (const std::uint32_t at : order) {
      core::ProfileRange& row = rows_[at];
      above.resize(row.depth);
      row.path = above.empty() ? row.name : joined(*above.back(), row.name);
      result.push_back(std::move(row));
      above.push_back(&result.back().path);
    }
    return result;
  }

 private:
  static bool before(const core::ProfileRange& a, const core::ProfileRange& b) {
    const auto key = [](const core::ProfileRange& row) {
      return std::tuple(-magnitude(row.delta_gpu_ns), -magnitude(row.delta_host_ns), std::string_view(row.name));
    };
    return key(a) < key(b);
  }

  static std::string joined(const std::string& path, const std::string& name) {
    constexpr std::string_view kCut = " / … / ";
    if (path.size() + 3 + name.size() <= kPathBytes) return path + " / " + name;
    const std::size_t cut = std::min(path.find(kCut), path.rfind(" / "));
    return (cut == std::string::npos ? std::string("…") : path.substr(0, cut)) +
           std::string(cut == std::string::npos ? " / " : kCut) + name;
  }

  PairIndex nodes_;  // (parent, name) -> row
  std::unordered_map<std::string_view, std::uint32_t> names_;
  std::vector<core::ProfileRange> rows_;
};

}  // namespace

std::vector<core::ProfileRange> compare_range_trees(std::span<const RangeNode> baseline, std::span<const RangeNode> candidate) {
  Overlay overlay;
  overlay.add(baseline, &core::ProfileRange::baseline);
  overlay.add(candidate, &core::ProfileRange::candidate);
  return overlay.rows();
}

std::optional<core::ProfileSubtree> most_changed_subtree(std::span<const core::ProfileRange> rows) {
  std::int64_t net = 0;
  for (const core::ProfileRange& row : rows) net += row.depth == 0 ? row.delta_gpu_ns : 0;
  if (net == 0) return std::nullopt;
  const auto along = [net](std::int64_t delta) { return (delta < 0) == (net < 0) ? delta : 0; };
  std::int64_t amount = 0;
  const core::ProfileRange* found = nullptr;
  for (std::size_t from = 0; from < rows.size();) {  // preorder: what follows a row and is deeper lies under it
    const std::uint32_t depth = found == nullptr ? 0 : found->depth + 1;
    std::int64_t moved = found == nullptr ? 0 : along(self_change(*found));
    std::size_t largest = rows.size();
    for (std::size_t i = from; i < rows.size() && rows[i].depth >= depth; ++i) {
      if (rows[i].depth > depth || along(rows[i].delta_gpu_ns) == 0) continue;
      moved += rows[i].delta_gpu_ns;
      if (rows[i].name == kFoldedRange) continue;
      if (largest == rows.size() || magnitude(rows[i].delta_gpu_ns) > magnitude(rows[largest].delta_gpu_ns)) largest = i;
    }
    if (found == nullptr) amount = moved;
    const double whole = static_cast<double>(std::max(magnitude(amount), magnitude(moved)));
    if (largest == rows.size() || static_cast<double>(magnitude(rows[largest].delta_gpu_ns)) < kSubtreeShare * whole) break;
    found = &rows[largest];
    from = largest + 1;
  }
  if (found == nullptr) return std::nullopt;
  core::ProfileSubtree result;
  result.path = found->path;
  result.delta_gpu_ns = found->delta_gpu_ns;
  result.total_delta_gpu_ns = amount;
  result.share_pct = 100 * static_cast<double>(found->delta_gpu_ns) / static_cast<double>(amount);
  return result;
}

}  // namespace plumbline::profiles
