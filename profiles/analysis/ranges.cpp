#include "profiles/analysis/ranges.hpp"

#include <algorithm>
#include <limits>
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
  switch (kind) {
    case RangeKind::nvtx:
      return "nvtx";
    case RangeKind::op:
      return "op";
    case RangeKind::module:
      return "module";
    case RangeKind::frame:
      return "frame";
    case RangeKind::annotation:
    case RangeKind::gpu:
      break;
  }
  return "annotation";
}

bool is_kernel(OpKind kind) { return kind == OpKind::kernel || kind == OpKind::graph; }

// Names of ranges without their running numbers, each distinct name worked on once.
class CanonicalNames {
 public:
  explicit CanonicalNames(const NameTable& names) : names_(names), of_name_(names.size(), kNone) {}
  std::uint32_t of(std::uint32_t name) {
    if (of_name_[name] == kNone) of_name_[name] = of_text(names_.text(name));
    return of_name_[name];
  }
  std::uint32_t of_text(std::string_view raw) {
    if (raw.size() > 1 && raw[0] == ':' && raw[1] != ':') raw.remove_prefix(1);  // NVTX's default domain: ":forward"
    std::string text = range_name(raw);
    if (text.empty()) text = "(unnamed)";
    const auto added = ids_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (added.second) texts_.push_back(&added.first->first);
    return added.first->second;
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
  std::string_view kind;
  std::uint64_t count = 0, kernels = 0;
  std::int64_t host_ns = 0, gpu_ns = 0, self_gpu_ns = 0, self_wall_ns = 0, self_idle_ns = 0;
  std::int64_t weight = 0;  // kernel time and wall, children's included: what decides whether it stays
};

}  // namespace

struct RangeTree::State {
  explicit State(const Capture& the_capture) : capture(the_capture), names(the_capture.names), open(the_capture.threads.size()) {
    const Column<RangeKind>& kinds = capture.ranges.kind;
    modules = std::find(kinds.begin(), kinds.end(), RangeKind::module) != kinds.end();
    node_of_range.reserve(capture.ranges.size());
    for (std::size_t i = 0; i < capture.ranges.size(); ++i) node_of_range.push_back(kNone);
  }

  struct Open {  // a range of a thread that has begun
    std::int64_t end;
    std::uint32_t node;
  };

  // Both columns are in order of time: ranges that begin at or before a call are begun, those that ended are dropped when they
  // come to the top. What lies below the top and ended earlier (ranges that overlap) is dropped as soon as it is uncovered.
  void place_calls(Column<std::uint32_t>& node_of_call) {
    const Ranges& ranges = capture.ranges;
    const Calls& calls = capture.calls;
    node_of_call.resize(calls.size());
    std::size_t next = 0;
    for (std::size_t call = 0; call < calls.size(); ++call) {
      const std::int64_t now = calls.times.start(call);
      for (; next < ranges.size() && ranges.times.start(next) <= now; ++next) begin(next);
      node_of_call[call] = innermost(calls.thread[call], now);
    }
    for (; next < ranges.size(); ++next) begin(next);
  }

  // Where scopes, or ranges on the device, say what an operation is of. A compiler's scope says more than whatever launched it.
  void place_operations(const Column<std::uint32_t>& node_of_call, Column<std::uint32_t>& node_of_op) {
    const Ranges& ranges = capture.ranges;
    const GpuOps& ops = capture.ops;
    const bool on_gpu = std::find(ranges.kind.begin(), ranges.kind.end(), RangeKind::gpu) != ranges.kind.end();
    if (!on_gpu && ops.scope.empty()) return;
    node_of_op.resize(ops.size());
    std::map<std::int64_t, std::vector<Open>> on_device;
    std::size_t next = 0;
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const std::int64_t now = ops.times.start(op);
      for (; on_gpu && next < ranges.size() && ranges.times.start(next) <= now; ++next) begin_on_device(next, on_device);
      std::uint32_t& node = node_of_op[op];
      node = of_scope(ops.scope_of(op));
      if (node == kNone && ops.launch[op] < node_of_call.size()) node = node_of_call[ops.launch[op]];
      if (node != kNone || !on_gpu) continue;
      const auto found = on_device.find(capture.queues[ops.queue[op]].device);
      if (found == on_device.end()) continue;
      drop_ended(found->second, now);
      if (!found->second.empty()) node = found->second.back().node;
    }
    for (; on_gpu && next < ranges.size(); ++next) begin_on_device(next, on_device);
  }

  // The rest: outside any range.
  static void place_outside(Column<std::uint32_t>& column, std::size_t count) {
    for (std::uint32_t& node : column) {
      if (node == kNone) node = static_cast<std::uint32_t>(count);
    }
  }

  static void drop_ended(std::vector<Open>& list, std::int64_t now) {
    while (!list.empty() && list.back().end <= now) list.pop_back();
  }
  std::uint32_t innermost(std::uint16_t thread, std::int64_t now) {
    std::vector<Open>& list = open[thread];
    drop_ended(list, now);
    return list.empty() ? kNone : list.back().node;
  }

  std::uint32_t child(std::uint32_t parent, std::uint32_t canonical, std::string_view kind) {
    if (parent != kRoot && nodes[parent].depth >= kMaxRangeDepth) return kNone;
    const std::uint32_t node = paths.id(parent, canonical, kMaxPaths);
    if (node == nodes.size()) {
      nodes.push_back({parent, parent == kRoot ? 1 : nodes[parent].depth + 1, kind});
    }
    return node;
  }

  void begin(std::size_t range) {
    const RangeKind kind = capture.ranges.kind[range];
    if (kind == RangeKind::gpu || (kind == RangeKind::frame && modules)) return;
    begin(range, open[capture.ranges.thread[range]]);
  }
  // Rows of one device (streams, steps) together.
  void begin_on_device(std::size_t range, std::map<std::int64_t, std::vector<Open>>& on_device) {
    const Ranges& ranges = capture.ranges;
    if (ranges.kind[range] == RangeKind::gpu) begin(range, on_device[capture.threads[ranges.thread[range]].process]);
  }
  void begin(std::size_t range, std::vector<Open>& list) {
    const Ranges& ranges = capture.ranges;
    const std::int64_t length = ranges.times.length(range);
    drop_ended(list, ranges.times.start(range));
    const std::uint32_t parent = list.empty() ? kRoot : list.back().node;
    const std::uint32_t node = child(parent, names.of(ranges.name[range]), text_of(ranges.kind[range]));
    if (node == kNone) {
      ++folded_ranges;
      if (parent == kRoot) return;  // a root that came too late: its kernels count as outside any range
      list.push_back({ranges.times.end(range), parent});
      node_of_range[range] = parent;
      return;
    }
    node_of_range[range] = node;
    ++nodes[node].count;
    add_bounded(nodes[node].host_ns, length);
    list.push_back({ranges.times.end(range), node});
  }

  std::uint32_t of_scope(std::uint32_t scope) {
    if (scope == kNone) return kNone;
    const auto [known, added] = scopes.try_emplace(scope, kNone);
    if (!added) return known->second;
    std::uint32_t node = kRoot;
    std::string_view rest = capture.names.text(scope);
    while (!rest.empty()) {
      const std::size_t cut = std::min(rest.find('/'), rest.size());
      const std::string_view part = rest.substr(0, cut);
      rest.remove_prefix(std::min(cut + 1, rest.size()));
      if (part.empty()) continue;
      const std::uint32_t next = child(node, names.of_text(part), "scope");
      if (next == kNone) {
        ++folded_ranges;
        break;
      }
      node = next;
    }
    return known->second = node;
  }

  void attribute_kernels(const RangeTree& tree, RangeAttribution& result) {
    const GpuOps& ops = capture.ops;
    const std::size_t outside_node = nodes.size();
    PairIndex pairs;  // (kernel name, range name)
    std::vector<Share> shares;
    for (std::size_t op = 0; op < ops.size(); ++op) {
      if (!is_kernel(ops.kind[op])) continue;
      const std::uint32_t node = tree.node_of(op);
      Node& to = node == outside_node ? outside : nodes[node];
      const std::int64_t length = ops.times.length(op);
      ++to.kernels;
      to.self_gpu_ns += length;
      if (node == outside_node) continue;
      const std::uint32_t pair = pairs.id(ops.name[op], paths.second(node));
      if (pair == shares.size()) shares.push_back({});
      ++shares[pair].count;
      shares[pair].total += length;
    }
    result.parents.resize(capture.names.size());
    for (std::uint32_t i = 0; i < shares.size(); ++i) {
      shares[i].name = names.text(pairs.second(i));
      result.parents[pairs.first(i)].push_back(std::move(shares[i]));
    }
    for (std::vector<Share>& list : result.parents) {
      std::sort(list.begin(), list.end(),
                [](const Share& a, const Share& b) { return a.total != b.total ? a.total > b.total : a.name < b.name; });
      if (list.size() > kMaxParents) list.resize(kMaxParents);
    }
  }

  void add_walls(const NodeWalls& walls) {
    if (walls.busy.empty()) return;
    const auto add = [&walls](Node& to, std::size_t at) {
      to.self_idle_ns = walls.idle[at];
      to.self_wall_ns = walls.busy[at] + walls.idle[at];
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) add(nodes[i], i);
    add(outside, nodes.size());
  }

  void sum_up() {
    for (std::size_t i = nodes.size(); i-- > 0;) {
      nodes[i].gpu_ns += nodes[i].self_gpu_ns;
      nodes[i].weight += nodes[i].self_gpu_ns + nodes[i].self_wall_ns;
      if (nodes[i].parent == kRoot) continue;
      nodes[nodes[i].parent].gpu_ns += nodes[i].gpu_ns;
      nodes[nodes[i].parent].weight += nodes[i].weight;
    }
  }

  [[nodiscard]] const std::string& name(std::uint32_t node) const { return names.text(paths.second(node)); }

  // Which nodes stay. A parent weighs at least what its child does, and stands before it in the list: with every kept node its
  // ancestors are kept, those without any time included.
  [[nodiscard]] std::vector<bool> kept(RangeAttribution& result) const {
    std::vector<bool> keep(nodes.size(), true);
    if (nodes.size() + 1 <= kMaxRangeNodes) return keep;  // one for kNoRange
    std::vector<std::uint32_t> order(nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    constexpr std::size_t kKept = kMaxRangeNodes / 2 - 1;
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return nodes[a].weight != nodes[b].weight ? nodes[a].weight > nodes[b].weight : a < b;
    });
    for (std::size_t i = kKept; i < order.size(); ++i) keep[order[i]] = false;
    result.folded_paths = order.size() - kKept;
    return keep;
  }

  void write(RangeAttribution& result) const {
    if (nodes.empty()) return;
    const std::vector<bool> keep = kept(result);
    std::vector<RangeNode> list;
    std::vector<std::uint32_t> place(nodes.size(), kNone);
    std::unordered_map<std::uint32_t, RangeNode> folded;  // by the kept node above
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (!keep[i]) {
        fold(i, keep, folded);
        continue;
      }
      const Node& n = nodes[i];
      place[i] = static_cast<std::uint32_t>(list.size());
      list.push_back({name(i), n.parent == kRoot ? kNone : place[n.parent], std::string(n.kind), n.count, n.kernels, n.host_ns,
                      n.gpu_ns, n.self_gpu_ns, 0, n.self_wall_ns, 0, n.self_idle_ns});
    }
    for (auto& [above, node] : folded) {
      node.parent = above == kRoot ? kNone : place[above];
      list.push_back(std::move(node));
    }
    if (outside.kernels > 0 || outside.self_wall_ns > 0) {
      list.push_back({std::string(kNoRange),
                      kNone,
                      {},
                      0,
                      outside.kernels,
                      0,
                      outside.self_gpu_ns,
                      outside.self_gpu_ns,
                      0,
                      outside.self_wall_ns,
                      0,
                      outside.self_idle_ns});
    }
    result.nodes = in_preorder(std::move(list));
    for (std::size_t i = result.nodes.size(); i-- > 0;) {
      RangeNode& node = result.nodes[i];
      node.wall_ns += node.self_wall_ns;
      node.idle_ns += node.self_idle_ns;
      if (node.parent == kNone) continue;
      result.nodes[node.parent].wall_ns += node.wall_ns;
      result.nodes[node.parent].idle_ns += node.idle_ns;
    }
  }

  // Adds a node that does not stay to the child kFoldedRange of the nearest ancestor that does.
  void fold(std::uint32_t node, const std::vector<bool>& keep, std::unordered_map<std::uint32_t, RangeNode>& folded) const {
    const Node& n = nodes[node];
    const bool outermost = n.parent == kRoot || keep[n.parent];
    std::uint32_t above = n.parent;
    while (above != kRoot && !keep[above]) above = nodes[above].parent;
    RangeNode& to = folded[above];
    if (to.name.empty()) {
      to.name = kFoldedRange;
      to.kind = n.kind;
    }
    to.count += n.count;
    to.kernels += n.kernels;
    to.gpu_ns += n.self_gpu_ns;
    to.self_gpu_ns += n.self_gpu_ns;
    to.self_wall_ns += n.self_wall_ns;
    to.self_idle_ns += n.self_idle_ns;
    if (outermost) add_bounded(to.host_ns, n.host_ns);  // the others lie inside these
  }

  const Capture& capture;
  CanonicalNames names;
  bool modules = false;  // the capture names parts of a model
  PairIndex paths;       // (parent, canonical name) -> node
  std::vector<Node> nodes;
  Node outside;
  Column<std::uint32_t> node_of_range;                      // kNone: no level of the tree
  std::vector<std::vector<Open>> open;                      // by thread, outermost first
  std::unordered_map<std::uint32_t, std::uint32_t> scopes;  // name -> node
  std::uint64_t folded_ranges = 0;
};

RangeTree::RangeTree(const Capture& capture) : launch_(capture.ops.launch) {
  if (capture.ranges.size() == 0 && capture.ops.scope.empty()) return;
  state_ = std::make_unique<State>(capture);
  state_->place_calls(node_of_call_);
  state_->place_operations(node_of_call_, node_of_op_);
  nodes_ = state_->nodes.size();
  State::place_outside(node_of_call_, nodes_);
  State::place_outside(node_of_op_, nodes_);
}
RangeTree::~RangeTree() = default;

namespace {

// The time in which a thread had not launched yet what its device waited for, and what its ranges say of it.
class WaitsOfThread {
 public:
  WaitsOfThread(std::size_t outside, std::vector<std::int64_t>& idle) : idle_(idle), outside_(outside) {}
  void add(std::int64_t from, std::int64_t to) { waits_.push_back({from, to}); }
  void sort() { std::sort(waits_.begin(), waits_.end()); }
  [[nodiscard]] bool empty() const { return waits_.empty(); }

  void begin(std::int64_t start, std::int64_t end, std::uint32_t node) {
    advance(start);
    open_.push_back({end, node});
  }
  // Time goes on to `to`; ranges that end before it give way to those around them.
  void advance(std::int64_t to) {
    while (!open_.empty() && open_.back().end <= to) {
      credit(open_.back().end, open_.back().node);
      open_.pop_back();
    }
    credit(to, open_.empty() ? outside_ : open_.back().node);
  }

 private:
  void credit(std::int64_t to, std::size_t node) {
    if (to <= now_) return;
    while (first_ < waits_.size() && waits_[first_].second <= now_) ++first_;
    for (std::size_t i = first_; i < waits_.size() && waits_[i].first < to; ++i) {  // those of several devices may overlap
      const std::int64_t inside = std::min(waits_[i].second, to) - std::max(waits_[i].first, now_);
      if (inside > 0) idle_[node] += inside;
    }
    now_ = to;
  }
  struct Range {
    std::int64_t end;
    std::uint32_t node;
  };
  std::vector<std::int64_t>& idle_;
  std::size_t outside_;
  std::vector<std::pair<std::int64_t, std::int64_t>> waits_;
  std::vector<Range> open_;
  std::size_t first_ = 0;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace

void RangeTree::place_gaps(const std::map<std::int64_t, GapLog>& gaps, NodeWalls& walls) const {
  if (empty() || !state_->capture.ops.scope.empty()) return;
  const Capture& capture = state_->capture;
  std::vector<WaitsOfThread> threads(capture.threads.size(), WaitsOfThread(nodes_, walls.idle));
  bool any = false;
  for (const auto& [device, log] : gaps) {
    for (const GapLog::Gap& gap : log.long_ones()) {
      const std::uint32_t call = gap.next == kNone ? kNone : launch_[gap.next];
      if (call == kNone) continue;
      const std::int64_t launched = std::clamp(capture.calls.times.start(call), gap.from, gap.to);
      if (launched == gap.from) continue;
      walls.idle[node_of(gap.next)] -= launched - gap.from;
      threads[capture.calls.thread[call]].add(gap.from, launched);
      any = true;
    }
  }
  if (!any) return;
  for (WaitsOfThread& thread : threads) thread.sort();
  const Ranges& ranges = capture.ranges;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::uint32_t node = state_->node_of_range[i];
    WaitsOfThread& thread = threads[ranges.thread[i]];
    if (node != kNone && ranges.kind[i] != RangeKind::gpu && !thread.empty())
      thread.begin(ranges.times.start(i), ranges.times.end(i), node);
  }
  for (WaitsOfThread& thread : threads) thread.advance(std::numeric_limits<std::int64_t>::max());
}

RangeAttribution RangeTree::take(const NodeWalls& walls) {
  RangeAttribution result;
  if (empty()) return result;
  state_->attribute_kernels(*this, result);
  state_->add_walls(walls);
  state_->sum_up();
  state_->write(result);
  result.folded_ranges = state_->folded_ranges;
  return result;
}

void add_ranges(const Capture& capture, RangeAttribution&& found, Profile& profile) {
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
