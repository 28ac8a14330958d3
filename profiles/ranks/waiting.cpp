#include "profiles/ranks/waiting.hpp"

#include <algorithm>
#include <array>

#include "profiles/bounded.hpp"
#include "profiles/int128.hpp"

namespace plumbline::profiles {
namespace {

bool waits_for_all(std::string_view type) {
  constexpr std::array<std::string_view, 9> kTypes = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
                                                      "reduce",     "gather",     "scatter",        "barrier"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

struct Sums {  // of one merged kind
  std::int64_t transfer = 0, wait = 0;
  bool any = false;
  std::map<std::uint32_t, std::uint64_t> last;  // how often each rank arrived last
};

}  // namespace

void Waiting::arrive(Meeting& meeting, std::uint32_t rank, std::int64_t time) {
  if (meeting.ranks == 0 || time < meeting.shortest) {
    meeting.shortest = time;
    meeting.last_rank = rank;
    meeting.tie = false;
  } else if (time == meeting.shortest) {
    meeting.tie = true;
  }
  ++meeting.ranks;
}

void Waiting::meet(const CollectiveInstance& instance, std::uint32_t stream, std::uint32_t kind, std::uint32_t rank,
                   std::unordered_map<Numbered, std::uint32_t, Hash>& seen) {
  Numbered key{stream, instance.sequence, 0};
  key.occurrence = seen[key]++;
  const auto [at, fresh] = places_.try_emplace(key, static_cast<std::uint32_t>(meetings_.size()));
  if (fresh) {
    meetings_.emplace_back();
    meetings_.back().part.kind = kind;
  }
  Meeting& meeting = meetings_[at->second];
  arrive(meeting, rank, instance.duration);
  Part* part = &meeting.part;
  if (part->kind != kind) {
    std::vector<Part>& others = others_[at->second];
    const auto found = std::find_if(others.begin(), others.end(), [kind](const Part& each) { return each.kind == kind; });
    part = found != others.end() ? &*found : &others.emplace_back(Part{kind});
  }
  ++part->ranks;
  add_bounded(part->time, instance.duration);
}

void Waiting::add(const Profile& profile, std::span<const std::uint32_t> kinds, std::int64_t rank) {
  const auto index = static_cast<std::uint32_t>(ranks_.size());
  ranks_.push_back(rank);
  std::vector<std::uint32_t> stream_of;
  for (const CollectiveGroup& group : profile.collectives) {
    stream_of.push_back(
        waits_for_all(group.type)
            ? streams_.try_emplace({group.type, group.group}, static_cast<std::uint32_t>(streams_.size())).first->second
            : 0xFFFFFFFFU);
  }
  std::unordered_map<Numbered, std::uint32_t, Hash> seen;
  std::map<std::uint32_t, std::size_t> count;  // of this rank's instances without numbers, by merged kind
  for (const CollectiveInstance& instance : profile.collective_instances) {
    const std::uint32_t stream = stream_of[instance.kind];
    const std::uint32_t kind = kinds[instance.kind];
    if (stream == 0xFFFFFFFFU) continue;
    if (instance.sequence >= 0) {
      meet(instance, stream, kind, index, seen);
      continue;
    }
    std::vector<Meeting>& meetings = in_order_[kind].meetings;
    const std::size_t ordinal = count[kind]++;
    if (ordinal == meetings.size()) {
      meetings.emplace_back();
      meetings.back().part.kind = kind;
    }
    Meeting& meeting = meetings[ordinal];
    arrive(meeting, index, instance.duration);
    ++meeting.part.ranks;
    add_bounded(meeting.part.time, instance.duration);
  }
  for (const auto& [kind, instances] : count) {
    InOrder& order = in_order_[kind];
    if (order.ranks == 0) order.instances = instances;
    order.even = order.even && instances == order.instances;
    ++order.ranks;
  }
}

void Waiting::finish(std::vector<CollectiveGroup>& groups) {
  std::vector<Sums> sums(groups.size());
  const auto add_part = [&sums](const Meeting& meeting, const Part& part) {
    Sums& sum = sums[part.kind];
    const auto shortest = static_cast<Int128>(meeting.shortest) * part.ranks;
    const auto transfer = static_cast<std::int64_t>(std::min<Int128>(shortest, part.time));
    sum.any = true;
    add_bounded(sum.transfer, transfer);
    add_bounded(sum.wait, part.time - transfer);
    if (!meeting.tie) ++sum.last[meeting.last_rank];
  };
  for (std::uint32_t i = 0; i < meetings_.size(); ++i) {
    if (meetings_[i].ranks < 2) continue;
    add_part(meetings_[i], meetings_[i].part);
    const auto others = others_.find(i);
    if (others == others_.end()) continue;
    for (const Part& part : others->second) add_part(meetings_[i], part);
  }
  for (const auto& [kind, order] : in_order_) {
    const std::uint32_t group_size = groups[kind].group_size;
    const bool whole = group_size == 0 || group_size >= ranks_.size();
    if (!order.even || order.ranks != ranks_.size() || ranks_.size() < 2 || !whole) continue;
    by_order_ = true;
    for (const Meeting& meeting : order.meetings) add_part(meeting, meeting.part);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!sums[i].any) continue;
    core::ProfileCollectiveSide& side = groups[i].side;
    side.transfer_ns = sums[i].transfer;
    side.wait_ns = sums[i].wait;
    std::uint64_t most = 0;
    for (const auto& [rank, times] : sums[i].last) {
      if (times > most) {
        most = times;
        side.slowest_rank = ranks_[rank];
      } else if (times == most) {
        side.slowest_rank.reset();
      }
    }
  }
}

}  // namespace plumbline::profiles
