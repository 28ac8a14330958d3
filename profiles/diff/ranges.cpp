#include "profiles/diff/ranges.hpp"

#include <algorithm>
#include <cmath>
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
// Walls are bounded (bounded.hpp), so this is, too, for any sensible scale.
std::int64_t scaled(std::int64_t value, double scale) {
  constexpr double kBound = 4e18;
  return scale == 1 ? value : std::llround(std::clamp(static_cast<double>(value) / scale, -kBound, kBound));
}

std::int64_t self_change(const core::ProfileRange& row) {
  return (row.candidate ? row.candidate->self_gpu_ns : 0) - (row.baseline ? row.baseline->self_gpu_ns : 0);
}

// Both trees in one: nodes in order of their first appearance, so parents stand before their children.
class Overlay {
 public:
  using Side = std::optional<core::ProfileRangeSide> core::ProfileRange::*;
  void add(std::span<const RangeNode> tree, Side side, bool without_stacks) {
    std::vector<std::uint32_t> place(tree.size(), kNoParent);
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const RangeNode& node = tree[i];
      const std::uint32_t parent = node.parent < i ? place[node.parent] : kNoParent;
      if (without_stacks && is_stack(node)) {
        place[i] = parent;
        add_to_parent(node, parent, side);
        continue;
      }
      place[i] = row_of(parent, node.name);
      auto& sums = rows_[place[i]].*side;
      if (!sums) sums.emplace();
      sums->count += node.count;
      sums->kernels += node.kernels;
      sums->host_ns += node.host_ns;
      sums->gpu_ns += node.gpu_ns;
      sums->self_gpu_ns += node.self_gpu_ns;
      sums->wall_ns += node.wall_ns;
      sums->self_wall_ns += node.self_wall_ns;
      sums->idle_ns += node.idle_ns;
      sums->self_idle_ns += node.self_idle_ns;
    }
  }

  static bool is_stack(const RangeNode& node) { return node.kind == "module" || node.kind == "frame"; }
  static bool any_stack(std::span<const RangeNode> tree) { return std::any_of(tree.begin(), tree.end(), is_stack); }

  std::vector<core::ProfileRange> rows(double scale) {
    for (core::ProfileRange& row : rows_) {
      const core::ProfileRangeSide none;
      const core::ProfileRangeSide& before = row.baseline ? *row.baseline : none;
      const core::ProfileRangeSide& after = row.candidate ? *row.candidate : none;
      row.delta_gpu_ns = after.gpu_ns - before.gpu_ns;
      row.delta_host_ns = after.host_ns - before.host_ns;
      row.delta_wall_ns = scaled(after.wall_ns, scale) - before.wall_ns;
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
  std::uint32_t row_of(std::uint32_t parent, std::string_view node_name) {
    const auto name = names_.try_emplace(node_name, static_cast<std::uint32_t>(names_.size())).first->second;
    const std::uint32_t at = nodes_.id(parent, name);
    if (at == rows_.size()) {
      core::ProfileRange row;
      row.name = node_name;
      row.depth = parent == kNoParent ? 0 : rows_[parent].depth + 1;
      rows_.push_back(std::move(row));
    }
    return at;
  }

  // What a node that is no level launches itself; its children are the parent's already.
  void add_to_parent(const RangeNode& node, std::uint32_t parent, Side side) {
    if (node.kernels == 0 && node.self_wall_ns == 0) return;
    const bool outside = parent == kNoParent;
    auto& sums = rows_[outside ? row_of(kNoParent, kNoRange) : parent].*side;
    if (!sums) sums.emplace();
    sums->kernels += node.kernels;
    sums->self_gpu_ns += node.self_gpu_ns;
    sums->self_wall_ns += node.self_wall_ns;
    sums->self_idle_ns += node.self_idle_ns;
    if (!outside) return;
    sums->gpu_ns += node.self_gpu_ns;
    sums->wall_ns += node.self_wall_ns;
    sums->idle_ns += node.self_idle_ns;
  }

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

std::vector<core::ProfileRange> compare_range_trees(std::span<const RangeNode> baseline, std::span<const RangeNode> candidate,
                                                    double scale) {
  Overlay overlay;
  const bool one_side = Overlay::any_stack(baseline) != Overlay::any_stack(candidate);
  overlay.add(baseline, &core::ProfileRange::baseline, one_side);
  overlay.add(candidate, &core::ProfileRange::candidate, one_side);
  return overlay.rows(scale);
}

namespace {

// The rows as a tree with what each holds of the movement that is to be explained.
class Explanation {
 public:
  Explanation(std::vector<core::ProfileRange>& rows, double scale) : rows_(rows) {
    double net = 0;
    for (const core::ProfileRange& row : rows) net += row.depth == 0 ? static_cast<double>(row.delta_wall_ns) : 0;
    children_.resize(rows.size() + 1);  // the last: above the roots
    weight_.assign(rows.size() + 1, 0);
    std::vector<std::size_t> above;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      above.resize(rows[i].depth);
      children_[above.empty() ? rows.size() : above.back()].push_back(i);
      above.push_back(i);
      const double self = self_wall(rows[i], scale);
      all_ += std::abs(self);
      weight_[i] = (self < 0) == (net < 0) ? std::abs(self) : 0;
    }
    if (net == 0) {
      weight_.assign(rows.size() + 1, 0);
      return;
    }
    for (std::size_t i = rows.size(); i-- > 0;) {
      for (const std::size_t child : children_[i]) weight_[i] += weight_[child];
    }
    for (const std::size_t root : children_[rows.size()]) weight_[rows.size()] += weight_[root];
  }

  void shares() {
    if (all_ <= 0) return;
    for (core::ProfileRange& row : rows_) row.share_pct = 100 * static_cast<double>(row.delta_wall_ns) / all_;
  }

  void mark() {
    const double whole = weight_.back();
    if (whole <= 0) return;
    std::vector<std::size_t> chosen = largest(rows_.size(), whole * (1 - kExplainedShare), kMostExplaining);
    if (chosen.empty()) return;  // spread over more roots than anyone reads
    double slack = sum(chosen) - kExplainedShare * whole;
    while (refine(chosen, slack)) {
    }
    for (const std::size_t row : chosen) rows_[row].explains = true;
  }

 private:
  static double self_wall(const core::ProfileRange& row, double scale) {
    return static_cast<double>(row.candidate ? scaled(row.candidate->self_wall_ns, scale) : 0) -
           static_cast<double>(row.baseline ? row.baseline->self_wall_ns : 0);
  }
  [[nodiscard]] double time(std::size_t row) const {
    const core::ProfileRange& each = rows_[row];
    return static_cast<double>(
        std::max(each.baseline ? each.baseline->wall_ns : 0, each.candidate ? each.candidate->wall_ns : 0));
  }
  [[nodiscard]] double sum(const std::vector<std::size_t>& rows) const {
    double total = 0;
    for (const std::size_t row : rows) total += weight_[row];
    return total;
  }

  // The fewest children that hold what `of` does but for `slack`; none if that takes more than `most`.
  [[nodiscard]] std::vector<std::size_t> largest(std::size_t of, double slack, std::size_t most) const {
    std::vector<std::size_t> list = children_[of];
    std::erase_if(list, [this](std::size_t row) { return rows_[row].name == kFoldedRange || weight_[row] <= 0; });
    std::stable_sort(list.begin(), list.end(), [this](std::size_t a, std::size_t b) { return weight_[a] > weight_[b]; });
    double missing = weight_[of];
    std::size_t taken = 0;
    while (taken < list.size() && missing > slack) missing -= weight_[list[taken++]];
    if (missing > slack || taken > most) return {};
    list.resize(taken);
    return list;
  }

  // The smallest range inside that holds what `row` does but for what `slack` allows.
  std::size_t sunk(std::size_t row, double& slack) const {
    for (;;) {
      const std::vector<std::size_t> one = largest(row, slack, 1);
      if (one.empty()) return row;
      slack -= weight_[row] - weight_[one.front()];
      row = one.front();
    }
  }

  // Puts children in the place of one of the chosen, the fewest and those that lose least first. False: nothing is smaller.
  bool refine(std::vector<std::size_t>& chosen, double& slack) const {
    std::size_t at = chosen.size();
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::vector<std::size_t> children = largest(chosen[i], slack, kMostExplaining + 1 - chosen.size());
      if (children.empty()) continue;
      if (children.size() > 1) {
        double inside = 0;
        double left = slack - (weight_[chosen[i]] - sum(children));
        for (const std::size_t child : children) inside += time(sunk(child, left));
        if (2 * inside > time(chosen[i])) continue;
      }
      const double loss = weight_[chosen[i]] - sum(children);
      if (at == chosen.size() || children.size() < best.size() ||
          (children.size() == best.size() && loss < weight_[chosen[at]] - sum(best))) {
        at = i;
        best = std::move(children);
      }
    }
    if (at == chosen.size()) return false;
    slack -= weight_[chosen[at]] - sum(best);
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(at));
    chosen.insert(chosen.end(), best.begin(), best.end());
    return true;
  }

  std::vector<core::ProfileRange>& rows_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<double> weight_;
  double all_ = 0;
};

// By row, which stand in preorder: where what lies under it ends.
std::vector<std::size_t> ends_of_subtrees(std::span<const core::ProfileRange> rows) {
  std::vector<std::size_t> ends(rows.size(), rows.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (; !open.empty() && rows[open.back()].depth >= rows[i].depth; open.pop_back()) ends[open.back()] = i;
    open.push_back(i);
  }
  return ends;
}

}  // namespace

void explain_wall(std::vector<core::ProfileRange>& rows, double scale) {
  Explanation explanation(rows, scale);
  explanation.shares();
  explanation.mark();
}

std::optional<core::ProfileSubtree> most_changed_subtree(std::span<const core::ProfileRange> rows) {
  std::int64_t net = 0;
  for (const core::ProfileRange& row : rows) net += row.depth == 0 ? row.delta_gpu_ns : 0;
  if (net == 0) return std::nullopt;
  const auto along = [net](std::int64_t delta) { return (delta < 0) == (net < 0) ? delta : 0; };
  std::int64_t amount = 0;
  const core::ProfileRange* found = nullptr;
  const std::vector<std::size_t> ends = ends_of_subtrees(rows);
  for (std::size_t from = 0; from < rows.size();) {
    const std::uint32_t depth = found == nullptr ? 0 : found->depth + 1;
    std::int64_t moved = found == nullptr ? 0 : along(self_change(*found));
    std::size_t largest = rows.size();
    for (std::size_t i = from; i < rows.size() && rows[i].depth >= depth; i = ends[i]) {
      if (along(rows[i].delta_gpu_ns) == 0) continue;
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
