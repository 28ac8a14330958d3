#include "profiles/analysis/collectives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "profiles/analysis/aggregates.hpp"
#include "profiles/names/collectives.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50U;  // of one instance; a capture that says more is not believed
constexpr std::string_view kOther = "other";                  // communication whose kind neither capture nor name tells

// Kinds are few and events many: what a kernel's name or a capture's record says becomes a kind once.
class Kinds {
 public:
  explicit Kinds(std::vector<CollectiveGroup>& groups) : groups_(groups) {}

  std::uint32_t id(std::string_view type, std::uint64_t bytes, std::string_view dtype, std::string_view group,
                   std::uint32_t group_size) {
    const int bucket = bytes == 0 ? -1 : static_cast<int>(std::bit_width(bytes)) - 1;
    Key key{std::string(type), bucket, std::string(dtype), std::string(group), group_size};
    const auto found = ids_.find(key);
    if (found != ids_.end()) return found->second;
    if (groups_.size() >= kMaxCollectiveGroups && group != "…") return id(type, 0, {}, "…", 0);
    const auto made = static_cast<std::uint32_t>(groups_.size());
    CollectiveGroup one;
    one.type = type;
    one.size_bucket = size_bucket(bytes);
    one.dtype = dtype;
    one.group = group;
    one.group_size = group_size;
    groups_.push_back(std::move(one));
    ids_.emplace(std::move(key), made);
    return made;
  }

 private:
  using Key = std::tuple<std::string, int, std::string, std::string, std::uint32_t>;
  std::vector<CollectiveGroup>& groups_;
  std::map<Key, std::uint32_t> ids_;
};

// How many instances of a number, of a kind where there is none, came before.
class Occurrences {
 public:
  CollectiveInstance counted(CollectiveInstance one, const CollectiveGroup& group) {
    std::uint32_t& seen = one.sequence < 0 ? without_[one.kind] : with_[{stream(group), one.sequence}];
    one.occurrence = seen++;
    return one;
  }

 private:
  std::uint32_t stream(const CollectiveGroup& group) {
    return streams_.try_emplace({group.type, group.group}, static_cast<std::uint32_t>(streams_.size())).first->second;
  }
  std::map<std::pair<std::string, std::string>, std::uint32_t> streams_;  // type, group
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> with_;
  std::map<std::uint32_t, std::uint32_t> without_;
};

// Indices into capture.collectives in order of their operations, the first of several for one operation first.
std::vector<std::uint32_t> by_operation(const std::vector<Collective>& collectives) {
  std::vector<std::uint32_t> order(collectives.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return collectives[a].op < collectives[b].op; });
  return order;
}

}  // namespace

std::string size_bucket(std::uint64_t bytes) {
  if (bytes == 0) return {};
  constexpr std::array<std::string_view, 7> kUnits = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  const auto power = static_cast<unsigned>(std::bit_width(bytes)) - 1;
  return std::to_string(1U << (power % 10)) + std::string(kUnits[power / 10]);
}

void set_bandwidth(std::string_view type, std::uint32_t group_size, core::ProfileCollectiveSide& side) {
  side.algbw.reset();
  side.busbw.reset();
  if (side.bytes == 0 || side.total_ns <= 0) return;
  side.algbw = static_cast<double>(side.bytes) / static_cast<double>(side.total_ns);  // bytes per ns are GB per s
  if (const auto factor = busbw_factor(type, group_size)) side.busbw = *side.algbw * *factor;
}

void add_collectives(const Capture& capture, const std::vector<bool>& communication, bool instances, Profile& profile) {
  const GpuOps& ops = capture.ops;
  const std::vector<std::uint32_t> told = by_operation(capture.collectives);
  std::vector<CollectiveGroup> groups;
  std::vector<CollectiveInstance> list;
  Kinds kinds(groups);
  Occurrences numbers;
  std::map<std::uint32_t, std::uint32_t> by_name;  // kinds of kernels of which only the name tells
  std::size_t next = 0;
  std::optional<std::int64_t> quiet_from;  // the end of all communication so far
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    while (next < told.size() && capture.collectives[told[next]].op < op) ++next;
    const Collective* record =
        next < told.size() && capture.collectives[told[next]].op == op ? &capture.collectives[told[next]] : nullptr;
    if (record == nullptr && (ops.kind[op] != OpKind::kernel || !communication[ops.name[op]])) continue;
    CollectiveInstance one;
    one.duration = ops.times.length(op);
    if (const std::int64_t end = ops.times.end(op); end >= -kTimeBound && end <= kTimeBound) {
      one.end = end;
      if (quiet_from) one.own = std::max<std::int64_t>(0, end - one.duration - *quiet_from);
      quiet_from = std::max(quiet_from.value_or(end), end);
    }
    std::uint64_t bytes = 0;
    if (record != nullptr) {
      bytes = record->bytes <= kMaxBytes ? record->bytes : 0;
      std::string_view type = collective_type(record->type);
      if (type.empty()) type = record->type.empty() ? kOther : std::string_view(record->type);
      one.kind = kinds.id(type, bytes, collective_dtype(record->dtype), record->group, record->group_size);
      // A number that no digest can hold is none.
      one.sequence = record->sequence >= 0 && record->sequence <= kTimeBound ? record->sequence : -1;
    } else {
      const auto known = by_name.find(ops.name[op]);
      if (known == by_name.end()) {
        const std::string& name = capture.names.text(ops.name[op]);
        const std::string_view type = collective_type(name);
        one.kind = kinds.id(type.empty() ? kOther : type, 0, kernel_dtype(name), {}, 0);
        by_name.emplace(ops.name[op], one.kind);
      } else {
        one.kind = known->second;
      }
    }
    core::ProfileCollectiveSide& side = groups[one.kind].side;
    side.min_ns = side.count == 0 ? one.duration : std::min(side.min_ns, one.duration);
    side.max_ns = std::max(side.max_ns, one.duration);
    ++side.count;
    side.total_ns += one.duration;
    side.bytes += bytes;
    if (instances) list.push_back(numbers.counted(one, groups[one.kind]));
  }

  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return groups[a].side.total_ns > groups[b].side.total_ns; });
  std::vector<std::uint32_t> place(groups.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    CollectiveGroup& group = groups[order[i]];
    set_bandwidth(group.type, group.group_size, group.side);
    profile.collectives.push_back(std::move(group));
  }
  for (CollectiveInstance& each : list) each.kind = place[each.kind];
  profile.collective_instances = std::move(list);
}

}  // namespace plumbline::profiles
