#include "profiles/analysis/ranges.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "core/text.hpp"
#include "profiles/analysis/pair_index.hpp"
#include "profiles/analysis/tree.hpp"
#include "profiles/bounded.hpp"
#include "profiles/names/ranges.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint32_t kMaxPaths = 1U << 20U;
constexpr std::uint32_t kRoot = kNone;
constexpr std::size_t kMaxParents = 16;

std::string_view text_of(RangeKind kind) {
  return kind == RangeKind::nvtx ? "nvtx" : kind == RangeKind::op ? "op" : "annotation";
}

bool is_kernel(OpKind kind) { return kind == OpKind::kernel || kind == OpKind::graph; }

// Names of ranges without their running numbers, each distinct name worked on once.
class CanonicalNames {
 public:
  explicit CanonicalNames(const NameTable& names) : names_(names), of_name_(names.size(), kNone) {}
  std::uint32_t of(std::uint32_t name) {
    if (of_name_[name] == kNone) {
      std::string_view raw = names_.text(name);
      if (raw.size() > 1 && raw[0] == ':' && raw[1] != ':') raw.remove_prefix(1);  // NVTX's default domain: ":forward"
      std::string text = range_name(raw);
      if (text.empty()) text = "(unnamed)";
      const auto added = ids_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
      if (added.second) texts_.push_back(&added.first->first);
      of_name_[name] = added.first->second;
    }
    return of_name_[name];
  }
  [[nodiscard]] const std::string& text(std::uint32_t canonical) const { return *texts_[canonical]; }

 private:
  const NameTable& names_;
  std::vector<std::uint32_t> of_name_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<const std::string*> texts_;  // into ids_, whose nodes do not move
};

struct Node {  // of the tree while it grows; children come after their parents
  std::uint32_t parent = kRoot, depth = 1;
  RangeKind kind = RangeKind::nvtx;
  std::uint64_t count = 0, kernels = 0;
  std::int64_t host_ns = 0, gpu_ns = 0, self_gpu_ns = 0;
};

class Sweep {
 public:
  explicit Sweep(const Capture& capture) : capture_(capture), names_(capture.names), open_(capture.threads.size()) {}

  RangeAttribution run() {
    place_calls();
    RangeAttribution result;
    attribute_kernels(result);
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      nodes_[i].gpu_ns += nodes_[i].self_gpu_ns;
      if (nodes_[i].parent != kRoot) nodes_[nodes_[i].parent].gpu_ns += nodes_[i].gpu_ns;
    }
    write(result);
    result.folded_ranges = folded_ranges_;
    return result;
  }

 private:
  struct Open {  // a range of a thread that has begun
    std::int64_t end;
    std::uint32_t node;
  };

  // Both columns are in order of time: ranges that begin at or before a call are begun, those that ended are dropped when they
  // come to the top. What lies below the top and ended earlier (ranges that overlap) is dropped as soon as it is uncovered.
  void place_calls() {
    const Ranges& ranges = capture_.ranges;
    const Calls& calls = capture_.calls;
    node_of_call_.resize(calls.size());
    std::size_t next = 0;
    for (std::size_t call = 0; call < calls.size(); ++call) {
      const std::int64_t now = calls.times.start(call);
      for (; next < ranges.size() && ranges.times.start(next) <= now; ++next) begin(next);
      std::vector<Open>& open = open_[calls.thread[call]];
      drop_ended(open, now);
      node_of_call_[call] = open.empty() ? kNone : open.back().node;
    }
    for (; next < ranges.size(); ++next) begin(next);
  }

  static void drop_ended(std::vector<Open>& open, std::int64_t now) {
    while (!open.empty() && open.back().end <= now) open.pop_back();
  }

  void begin(std::size_t range) {
    const Ranges& ranges = capture_.ranges;
    const std::int64_t length = ranges.times.length(range);
    std::vector<Open>& open = open_[ranges.thread[range]];
    drop_ended(open, ranges.times.start(range));
    const std::uint32_t parent = open.empty() ? kRoot : open.back().node;
    std::uint32_t node = kNone;
    if (parent == kRoot || nodes_[parent].depth < kMaxRangeDepth) {
      node = paths_.id(parent, names_.of(ranges.name[range]), kMaxPaths);
    }
    if (node == kNone) {
      ++folded_ranges_;
      if (parent == kRoot) return;  // a root that came too late: its kernels count as outside any range
      open.push_back({ranges.times.end(range), parent});
      return;
    }
    if (node == nodes_.size()) {
      nodes_.push_back({parent, parent == kRoot ? 1 : nodes_[parent].depth + 1, ranges.kind[range]});
    }
    ++nodes_[node].count;
    add_bounded(nodes_[node].host_ns, length);
    open.push_back({ranges.times.end(range), node});
  }

  void attribute_kernels(RangeAttribution& result) {
    const GpuOps& ops = capture_.ops;
    PairIndex pairs;  // (kernel name, range name)
    std::vector<Share> shares;
    for (std::size_t op = 0; op < ops.size(); ++op) {
      if (!is_kernel(ops.kind[op])) continue;
      const std::uint32_t node = ops.launch[op] < node_of_call_.size() ? node_of_call_[ops.launch[op]] : kNone;
      Node& to = node == kNone ? outside_ : nodes_[node];
      const std::int64_t length = ops.times.length(op);
      ++to.kernels;
      to.self_gpu_ns += length;
      if (node == kNone) continue;
      const std::uint32_t pair = pairs.id(ops.name[op], paths_.second(node));
      if (pair == shares.size()) shares.push_back({});
      ++shares[pair].count;
      shares[pair].total += length;
    }
    result.parents.resize(capture_.names.size());
    for (std::uint32_t i = 0; i < shares.size(); ++i) {
      shares[i].name = names_.text(pairs.second(i));
      result.parents[pairs.first(i)].push_back(std::move(shares[i]));
    }
    for (std::vector<Share>& list : result.parents) {
      std::sort(list.begin(), list.end(),
                [](const Share& a, const Share& b) { return a.total != b.total ? a.total > b.total : a.name < b.name; });
      if (list.size() > kMaxParents) list.resize(kMaxParents);
    }
  }

  [[nodiscard]] const std::string& name(std::uint32_t node) const { return names_.text(paths_.second(node)); }

  // Which nodes stay. A parent has at least its child's kernel time, and stands before it in the list: with every kept node its
  // ancestors are kept, those without kernel time included.
  [[nodiscard]] std::vector<bool> kept(RangeAttribution& result) const {
    std::vector<bool> keep(nodes_.size(), true);
    if (nodes_.size() + 1 <= kMaxRangeNodes) return keep;  // one for kNoRange
    std::vector<std::uint32_t> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0U);
    constexpr std::size_t kKept = kMaxRangeNodes / 2 - 1;
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return nodes_[a].gpu_ns != nodes_[b].gpu_ns ? nodes_[a].gpu_ns > nodes_[b].gpu_ns : a < b;
    });
    for (std::size_t i = kKept; i < order.size(); ++i) keep[order[i]] = false;
    result.folded_paths = order.size() - kKept;
    return keep;
  }

  void write(RangeAttribution& result) const {
    if (nodes_.empty()) return;
    const std::vector<bool> keep = kept(result);
    std::vector<RangeNode> list;
    std::vector<std::uint32_t> place(nodes_.size(), kNone);
    std::unordered_map<std::uint32_t, RangeNode> folded;  // by the kept node above
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (!keep[i]) {
        fold(i, keep, folded);
        continue;
      }
      const Node& n = nodes_[i];
      place[i] = static_cast<std::uint32_t>(list.size());
      list.push_back({name(i), n.parent == kRoot ? kNone : place[n.parent], std::string(text_of(n.kind)), n.count, n.kernels,
                      n.host_ns, n.gpu_ns, n.self_gpu_ns});
    }
    for (auto& [above, node] : folded) {
      node.parent = above == kRoot ? kNone : place[above];
      list.push_back(std::move(node));
    }
    if (outside_.kernels > 0) {
      list.push_back({std::string(kNoRange), kNone, {}, 0, outside_.kernels, 0, outside_.self_gpu_ns, outside_.self_gpu_ns});
    }
    result.nodes = in_preorder(std::move(list));
  }

  // Adds a node that does not stay to the child kFoldedRange of the nearest ancestor that does.
  void fold(std::uint32_t node, const std::vector<bool>& keep, std::unordered_map<std::uint32_t, RangeNode>& folded) const {
    const Node& n = nodes_[node];
    const bool outermost = n.parent == kRoot || keep[n.parent];
    std::uint32_t above = n.parent;
    while (above != kRoot && !keep[above]) above = nodes_[above].parent;
    RangeNode& to = folded[above];
    if (to.name.empty()) {
      to.name = kFoldedRange;
      to.kind = text_of(n.kind);
    }
    to.count += n.count;
    to.kernels += n.kernels;
    to.gpu_ns += n.self_gpu_ns;
    to.self_gpu_ns += n.self_gpu_ns;
    if (outermost) add_bounded(to.host_ns, n.host_ns);  // the others lie inside these
  }

  const Capture& capture_;
  CanonicalNames names_;
  PairIndex paths_;  // (parent, canonical name) -> node
  std::vector<Node> nodes_;
  Node outside_;
  std::vector<std::vector<Open>> open_;  // by thread, outermost first
  Column<std::uint32_t> node_of_call_;
  std::uint64_t folded_ranges_ = 0;
};

}  // namespace

RangeAttribution attribute_ranges(const Capture& capture) {
  if (capture.ranges.size() == 0) return {};
  return Sweep(capture).run();
}

void add_ranges(const Capture& capture, Profile& profile) {
  RangeAttribution found = attribute_ranges(capture);
  profile.ranges = std::move(found.nodes);
  if (!found.parents.empty()) {
    std::unordered_map<std::string_view, std::uint32_t> ids;
    for (std::uint32_t id = 0; id < found.parents.size(); ++id) {
      if (!found.parents[id].empty()) ids.emplace(capture.names.text(id), id);
    }
    for (std::vector<NamedAggregate>* rows : {&profile.kernels, &profile.nccl}) {
      for (NamedAggregate& row : *rows) {
        const auto at = ids.find(row.name);
        if (at != ids.end()) row.parents = found.parents[at->second];
      }
    }
  }
  if (found.folded_paths > 0) {
    profile.warnings.push_back(
        {"ranges_folded", core::counted(found.folded_paths, "path") +
                              " of ranges with the least kernel time were put together under \"…\": a tree has at most " +
                              std::to_string(kMaxRangeNodes) + " nodes"});
  }
  if (found.folded_ranges > 0) {
    profile.warnings.push_back({"ranges_folded", core::counted(found.folded_ranges, "range is", "ranges are") +
                                                     " nested deeper than " + std::to_string(kMaxRangeDepth) +
                                                     " or of a path beyond the first " + std::to_string(kMaxPaths) +
                                                     ", and counted with the range around"});
  }
}

}  // namespace plumbline::profiles
