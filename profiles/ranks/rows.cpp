#include "profiles/ranks/rows.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "profiles/analysis/aggregates.hpp"
#include "profiles/analysis/ranges.hpp"
#include "profiles/analysis/tree.hpp"
#include "profiles/bounded.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kMaxShapes = 64, kMaxParents = 16;

// Shares by name. A few are looked through sooner than a table of them is made; a hostile digest has a million.
class SharesByName {
 public:
  // `shares` has room for all that are added.
  explicit SharesByName(std::vector<Share>& shares) : shares_(shares) {}
  Share* find(const std::string& name) {
    if (shares_.size() <= kFew) {
      const auto at = std::find_if(shares_.begin(), shares_.end(), [&name](const Share& known) { return known.name == name; });
      return at == shares_.end() ? nullptr : &*at;
    }
    for (; in_table_ < shares_.size(); ++in_table_) table_.emplace(shares_[in_table_].name, &shares_[in_table_]);
    const auto at = table_.find(name);
    return at == table_.end() ? nullptr : at->second;
  }

 private:
  static constexpr std::size_t kFew = 1024;
  std::vector<Share>& shares_;
  std::unordered_map<std::string_view, Share*> table_;
  std::size_t in_table_ = 0;
};

void add_shares(std::vector<Share>& to, std::vector<Share>&& more) {
  if (more.empty()) return;
  to.reserve(to.size() + more.size());
  SharesByName known(to);
  for (Share& each : more) {
    if (Share* const same = known.find(each.name)) {
      same->count += each.count;
      add_bounded(same->total, each.total);
    } else {
      to.push_back(std::move(each));
    }
  }
  std::sort(to.begin(), to.end(),
            [](const Share& a, const Share& b) { return a.total != b.total ? a.total > b.total : a.name < b.name; });
}

// The longer instance; of equal ones the one that a reader of both would look at first.
bool comes_before(const core::ProfilePlace& a, const core::ProfilePlace& b) {
  return std::tuple(-a.duration_ns, a.device, a.start_ns, a.stream) < std::tuple(-b.duration_ns, b.device, b.start_ns, b.stream);
}

// At most `most` shapes; what does not fit joins "other", which stands last: shapes sum to the row.
void keep_shapes(std::vector<Share>& shapes, std::size_t most) {
  Share rest{"other"};
  const auto add = [&rest](const Share& share) {
    rest.count += share.count;
    add_bounded(rest.total, share.total);
  };
  const auto known = std::find_if(shapes.begin(), shapes.end(), [&rest](const Share& each) { return each.name == rest.name; });
  if (known != shapes.end()) {
    add(*known);
    shapes.erase(known);
  }
  if (shapes.size() > most || (shapes.size() == most && rest.count > 0)) {
    std::for_each(shapes.begin() + static_cast<std::ptrdiff_t>(most) - 1, shapes.end(), add);
    shapes.resize(most - 1);
  }
  if (rest.count > 0) shapes.push_back(std::move(rest));
}

}  // namespace

// The difference is taken in whole numbers: of large ones that lie close together little is left.
double exact_stddev(std::uint64_t count, std::int64_t total, UInt128 squares) {
  if (count < 2) return 0;
  const auto sum = static_cast<UInt128>(total);
  const UInt128 mean = sum / count;
  const double rest = static_cast<double>(sum) * (static_cast<double>(sum % count) / static_cast<double>(count));
  const UInt128 square_of_mean = sum * mean;
  const double about = squares >= square_of_mean ? static_cast<double>(squares - square_of_mean) - rest : 0;
  return std::sqrt(std::max(about, 0.0) / static_cast<double>(count - 1));
}

double weighted_median(std::vector<std::pair<double, std::uint64_t>> values) {
  std::sort(values.begin(), values.end());
  std::uint64_t weight = 0;
  for (const auto& each : values) weight += each.second;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    below += values[i].second;
    if (below > weight - below) return values[i].first;
    if (below == weight - below && below > 0) {
      for (std::size_t next = i + 1; next < values.size(); ++next) {
        if (values[next].second > 0) return (values[i].first + values[next].first) / 2;
      }
    }
  }
  return 0;
}

void MergedRows::add(std::vector<NamedAggregate>&& rows) {
  for (NamedAggregate& row : rows) {
    Aggregate& more = row.aggregate;
    if (more.count == 0) continue;
    const auto added = places_.try_emplace(row.name, pools_.size());
    if (added.second) pools_.emplace_back();
    Pool& pool = pools_[added.first->second];
    Aggregate& sum = pool.row.aggregate;
    const auto n0 = static_cast<double>(sum.count);
    const auto n1 = static_cast<double>(more.count);
    const double mean = static_cast<double>(more.total) / n1;
    const double apart = mean - pool.mean;
    pool.squares += more.stddev * more.stddev * (n1 - 1) + apart * apart * n0 * n1 / (n0 + n1);
    pool.mean += apart * n1 / (n0 + n1);
    pool.medians.emplace_back(more.median, more.count);
    pool.total += more.total;
    pool.exclusive += row.exclusive;
    ++pool.captures;
    pool.sketched = pool.sketched && !more.sketch.empty();
    if (added.second) {
      pool.row = std::move(row);
      continue;
    }
    sum.min = std::min(sum.min, more.min);
    sum.max = std::max(sum.max, more.max);
    pool.row.bytes = pool.row.bytes > 0 && row.bytes > 0 ? pool.row.bytes + row.bytes : 0;
    sum.count += more.count;
    sum.has_spread = sum.has_spread && more.has_spread;
    sum.squares += more.squares;
    sum.sketch.add(more.sketch);
    if (comes_before(row.slowest, pool.row.slowest)) pool.row.slowest = row.slowest;
    add_shares(pool.row.shapes, std::move(row.shapes));
    keep_shapes(pool.row.shapes, keep_ == Keep::all ? SIZE_MAX : 8 * kMaxShapes);  // while ranks come; finish() cuts
    add_shares(pool.row.parents, std::move(row.parents));
    if (keep_ == Keep::bounded && pool.row.parents.size() > 8 * kMaxParents) pool.row.parents.resize(8 * kMaxParents);
  }
}

void MergedRows::tell_spread(Pool& pool) const {
  Aggregate& sum = pool.row.aggregate;
  if (pool.captures == 1) return;
  if (pool.sketched) {
    sum.median = std::clamp(sum.sketch.median(), static_cast<double>(sum.min), static_cast<double>(sum.max));
    sum.stddev = exact_stddev(sum.count, static_cast<std::int64_t>(pool.total), sum.squares);
    return;
  }
  sum.squares = 0;
  sum.sketch = {};
  if (keep_ == Keep::all) {
    sum.has_spread = false;
    sum.median = sum.stddev = 0;
    return;
  }
  sum.stddev = sum.count > 1 ? std::sqrt(pool.squares / static_cast<double>(sum.count - 1)) : 0;
  sum.median = weighted_median(std::move(pool.medians));
}

bool MergedRows::finish(std::vector<NamedAggregate>& out, std::int64_t& total) {
  Int128 all = 0;
  for (Pool& pool : pools_) {
    all += pool.total;
    if (all > kTimeBound || pool.exclusive > kTimeBound) return false;
    Aggregate& sum = pool.row.aggregate;
    tell_spread(pool);
    sum.total = static_cast<std::int64_t>(pool.total);
    pool.row.exclusive = static_cast<std::int64_t>(pool.exclusive);
    out.push_back(std::move(pool.row));
  }
  if (keep_ == Keep::bounded) {
    bound_shares(out);
  } else {
    std::sort(out.begin(), out.end(), [](const NamedAggregate& a, const NamedAggregate& b) {
      return std::tuple(-a.aggregate.total, std::string_view(a.name)) < std::tuple(-b.aggregate.total, std::string_view(b.name));
    });
  }
  pools_.clear();
  places_.clear();
  total = static_cast<std::int64_t>(all);
  return true;
}

void bound_shares(std::vector<NamedAggregate>& rows) {
  for (NamedAggregate& row : rows) {
    keep_shapes(row.shapes, kMaxShapes);
    if (row.parents.size() > kMaxParents) row.parents.resize(kMaxParents);
  }
}

void MergedRanges::add(const std::vector<RangeNode>& tree) {
  std::vector<std::uint32_t> place(tree.size(), kNoParent);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const RangeNode& node = tree[i];
    const std::uint32_t parent = node.parent < i ? place[node.parent] : kNoParent;
    const auto named = [this](std::string_view text) {
      return names_.try_emplace(std::string(text), static_cast<std::uint32_t>(names_.size())).first->second;
    };
    const bool fixed = keep_ == Keep::all || (parent == kNoParent && node.name == kNoRange);  // always has its place
    std::string_view name = node.name;
    std::uint32_t at =
        paths_.id(parent, named(name), fixed ? PairIndex::kAbsent : static_cast<std::uint32_t>(kMaxRangeNodes - 2));
    const bool folded = at == PairIndex::kAbsent && parent != kNoParent;
    if (folded) at = parent;
    if (at == PairIndex::kAbsent) {
      name = kFoldedRange;
      at = paths_.id(kNoParent, named(name));
    }
    place[i] = at;
    if (at == nodes_.size()) nodes_.push_back({std::string(name), parent, node.kind});
    RangeNode& sum = nodes_[at];
    if (keep_ == Keep::all) sum.kind = std::min(sum.kind, node.kind);
    sum.kernels += node.kernels;
    add_bounded(sum.self_gpu_ns, node.self_gpu_ns);
    add_bounded(sum.wall_ns, node.wall_ns);
    add_bounded(sum.self_wall_ns, node.self_wall_ns);
    add_bounded(sum.idle_ns, node.idle_ns);
    add_bounded(sum.self_idle_ns, node.self_idle_ns);
    if (folded) continue;  // its time is in its parent's already
    sum.count += node.count;
    add_bounded(sum.host_ns, node.host_ns);
    add_bounded(sum.gpu_ns, node.gpu_ns);
  }
}

std::vector<RangeNode> MergedRanges::finish() {
  paths_ = {};
  names_.clear();
  return in_preorder(std::move(nodes_));
}

}  // namespace plumbline::profiles
