#include "profiles/ranks/waiting.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "profiles/bounded.hpp"
#include "profiles/int128.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint32_t kNoStream = 0xFFFFFFFF;

bool waits_for_all(std::string_view type) {
  constexpr std::array<std::string_view, 9> kTypes = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
                                                      "reduce",     "gather",     "scatter",        "barrier"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

// One in 2^level numbers: by their mixed bits, since numbers themselves go with what is called in turn (S. Vigna's splitmix64).
bool is_kept(std::uint64_t number, std::uint32_t level) {
  number += 0x9E3779B97F4A7C15U;
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  number ^= number >> 31U;
  return level == 0 || (number & ((std::uint64_t{1} << std::min(level, 63U)) - 1)) == 0;
}
bool is_kept(const Meeting& meeting, std::uint32_t level) {
  return is_kept(meeting.sequence < 0 ? meeting.occurrence : static_cast<std::uint64_t>(meeting.sequence), level);
}

void add_part(Meeting& to, const Meeting::Part& more) {
  Meeting::Part* part = &to.part;
  if (part->kind != more.kind) {
    const auto found =
        std::find_if(to.others.begin(), to.others.end(), [&more](const Meeting::Part& each) { return each.kind == more.kind; });
    part = found != to.others.end() ? &*found : &to.others.emplace_back(Meeting::Part{more.kind});
  }
  part->ranks += more.ranks;
  add_bounded(part->time, more.time);
}

// Further ranks in the same collective.
void join(Meeting& to, Meeting&& more) {
  if (more.shortest < to.shortest) {
    to.shortest = more.shortest;
    to.last_rank = more.last_rank;
    to.tie = more.tie;
  } else if (more.shortest == to.shortest) {
    to.last_rank = std::min(to.last_rank, more.last_rank);
    to.tie = true;
  }
  add_part(to, more.part);
  for (const Meeting::Part& part : more.others) add_part(to, part);
  if (to.step < 0 || (more.step >= 0 && more.step < to.step)) to.step = more.step;
  to.arrivals.insert(to.arrivals.end(), more.arrivals.begin(), more.arrivals.end());
}

std::uint64_t ranks_in(const Meeting& meeting) {
  std::uint64_t ranks = meeting.part.ranks;
  for (const Meeting::Part& part : meeting.others) ranks += part.ranks;
  return ranks;
}

// Parts in the order of their kinds, arrivals of their ranks: which came first is nobody's business.
void sort_parts(Meeting& meeting) {
  std::sort(meeting.arrivals.begin(), meeting.arrivals.end(), [](const Arrival& a, const Arrival& b) { return a.rank < b.rank; });
  meeting.others.push_back(meeting.part);
  std::sort(meeting.others.begin(), meeting.others.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
  meeting.part = meeting.others.front();
  meeting.others.erase(meeting.others.begin());
}

// Of which of the rank's own steps a time is a part.
std::int64_t step_at(const std::vector<Step>& steps, std::int64_t time) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), time, [](std::int64_t at, const Step& step) { return at < step.start; });
  if (after == steps.begin()) return -1;
  const Step& step = *std::prev(after);
  return time - step.start <= step.wall_ns ? std::distance(steps.begin(), after) - 1 : -1;
}

struct Sums {  // of one merged kind
  std::int64_t transfer = 0, wait = 0;
  bool any = false;
  std::map<std::uint32_t, std::uint64_t> last;  // how often each rank arrived last

  void add(const Meeting& meeting, const Meeting::Part& part) {
    const auto shortest = static_cast<Int128>(meeting.shortest) * part.ranks;
    const auto took = static_cast<std::int64_t>(std::min<Int128>(shortest, part.time));
    any = true;
    add_bounded(transfer, took);
    add_bounded(wait, part.time - took);
    if (!meeting.tie) ++last[meeting.last_rank];
  }
};

}  // namespace

bool is_kept(const CollectiveInstance& instance, std::uint32_t level) {
  return is_kept(instance.sequence < 0 ? instance.occurrence : static_cast<std::uint64_t>(instance.sequence), level);
}

std::uint32_t Waiting::stream_of(const std::string& type, const std::string& group) {
  return streams_.try_emplace({type, group}, static_cast<std::uint32_t>(streams_.size())).first->second;
}

void Waiting::keep_at(std::uint32_t level) {
  if (level <= level_) return;
  level_ = level;
  std::vector<Meeting> before = std::move(meetings_);
  meetings_.clear();
  places_.clear();
  others_ = arrivals_ = 0;
  for (Meeting& meeting : before) meet(std::move(meeting));
}

void Waiting::keep_arrivals_at(std::uint32_t level) {
  if (level <= arrivals_level_) return;
  arrivals_level_ = level;
  for (Meeting& meeting : meetings_) {
    if (is_kept(meeting, level) || meeting.arrivals.empty()) continue;
    arrivals_ -= meeting.arrivals.size();
    meeting.arrivals = {};
  }
}

void Waiting::bound() {
  while (meetings_.size() + others_ > kMostMeetings && level_ < 63) keep_at(level_ + 1);
  while (arrivals_ > kMostArrivals && arrivals_level_ < 63) keep_arrivals_at(arrivals_level_ + 1);
}

void Waiting::meet(Meeting&& more) {
  if (!is_kept(more, level_)) return;
  if (!is_kept(more, arrivals_level_)) more.arrivals.clear();
  arrivals_ += more.arrivals.size();
  const Key key{more.sequence < 0 ? kByKind + more.part.kind : more.stream, more.sequence, more.occurrence};
  const auto [at, fresh] = places_.try_emplace(key, static_cast<std::uint32_t>(meetings_.size()));
  if (fresh) {
    others_ += more.others.size();
    meetings_.push_back(std::move(more));
  } else {
    Meeting& known = meetings_[at->second];
    others_ -= known.others.size();
    join(known, std::move(more));
    others_ += known.others.size();
  }
}

void Waiting::count(const Meetings::InOrder& more) {
  const auto [at, fresh] = in_order_.try_emplace(more.kind, more);
  if (fresh) return;
  Meetings::InOrder& sum = at->second;
  sum.even = sum.even && more.even && sum.instances == more.instances;
  sum.instances = std::max(sum.instances, more.instances);
  sum.ranks += more.ranks;
}

void Waiting::add(const Profile& profile, std::span<const std::uint32_t> kinds, std::int64_t rank) {
  keep_at(profile.instances_level);
  std::vector<std::uint32_t> streams;
  for (const CollectiveGroup& group : profile.collectives)
    streams.push_back(waits_for_all(group.type) ? stream_of(group.type, group.group) : kNoStream);
  std::vector<bool> in_order(profile.collectives.size(), false);
  for (const CollectiveInstance& instance : profile.collective_instances) {
    const std::uint32_t stream = streams[instance.kind];
    if (stream == kNoStream) continue;
    Meeting alone;
    alone.stream = stream;
    alone.sequence = std::max<std::int64_t>(instance.sequence, -1);
    alone.occurrence = instance.occurrence;
    alone.shortest = instance.duration;
    alone.last_rank = static_cast<std::uint32_t>(rank);
    alone.part = {kinds[instance.kind], 1, instance.duration};
    alone.step = step_at(profile.steps.steps, instance.end);
    alone.arrivals.push_back({static_cast<std::uint32_t>(rank), instance.end, instance.own});
    if (instance.sequence < 0) in_order[instance.kind] = true;
    meet(std::move(alone));
  }
  for (std::uint32_t kind = 0; kind < in_order.size(); ++kind) {
    if (in_order[kind]) count({kinds[kind], 1, profile.collectives[kind].side.count, true});
  }
  bound();
}

void Waiting::add(Meetings&& meetings, std::span<const std::uint32_t> kinds) {
  keep_at(meetings.level);
  keep_arrivals_at(meetings.arrivals_level);
  std::vector<std::uint32_t> streams;
  for (const Meetings::Stream& stream : meetings.streams) streams.push_back(stream_of(stream.type, stream.group));
  for (Meeting& meeting : meetings.list) {
    if (meeting.sequence >= 0) meeting.stream = streams[meeting.stream];
    meeting.part.kind = kinds[meeting.part.kind];
    for (Meeting::Part& part : meeting.others) part.kind = kinds[part.kind];
    meet(std::move(meeting));
  }
  for (Meetings::InOrder& each : meetings.in_order) {
    each.kind = kinds[each.kind];
    count(each);
  }
  bound();
}

Meetings Waiting::take(std::span<const std::uint32_t> places) {
  Meetings out;
  out.level = level_;
  out.arrivals_level = std::max(level_, arrivals_level_);  // the higher holds, whichever came first
  std::vector<std::uint32_t> sorted(streams_.size());
  for (const auto& [key, id] : streams_) {
    sorted[id] = static_cast<std::uint32_t>(out.streams.size());
    out.streams.push_back({key.first, key.second});
  }
  for (auto& [kind, each] : in_order_) {
    out.in_order.push_back(each);
    out.in_order.back().kind = places[kind];
  }
  std::sort(out.in_order.begin(), out.in_order.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
  out.list = std::move(meetings_);
  for (Meeting& meeting : out.list) {
    meeting.stream = meeting.sequence < 0 ? 0 : sorted[meeting.stream];
    meeting.part.kind = places[meeting.part.kind];
    for (Meeting::Part& part : meeting.others) part.kind = places[part.kind];
    sort_parts(meeting);
  }
  const auto key = [](const Meeting& meeting) {
    const bool by_kind = meeting.sequence < 0;
    return std::tuple(by_kind, by_kind ? meeting.part.kind : meeting.stream, meeting.sequence, meeting.occurrence);
  };
  std::sort(out.list.begin(), out.list.end(), [&key](const Meeting& a, const Meeting& b) { return key(a) < key(b); });
  *this = {};
  return out;
}

std::vector<bool> matched_by_order(const Meetings& meetings, std::size_t ranks, const std::vector<CollectiveGroup>& groups) {
  std::vector<bool> orderly(groups.size(), false);
  for (const Meetings::InOrder& each : meetings.in_order) {
    const std::uint32_t group_size = groups[each.kind].group_size;
    const bool whole = group_size == 0 || group_size >= ranks;
    orderly[each.kind] = each.even && each.ranks == ranks && ranks >= 2 && whole;
  }
  return orderly;
}

bool tell_waiting(const Meetings& meetings, std::size_t ranks, std::vector<CollectiveGroup>& groups) {
  const std::vector<bool> orderly = matched_by_order(meetings, ranks, groups);
  const bool by_order = std::find(orderly.begin(), orderly.end(), true) != orderly.end();
  std::vector<Sums> sums(groups.size());
  for (const Meeting& meeting : meetings.list) {
    if (meeting.sequence < 0 ? !orderly[meeting.part.kind] : ranks_in(meeting) < 2) continue;
    sums[meeting.part.kind].add(meeting, meeting.part);
    for (const Meeting::Part& part : meeting.others) sums[part.kind].add(meeting, part);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!sums[i].any) continue;
    core::ProfileCollectiveSide& side = groups[i].side;
    side.transfer_ns = sums[i].transfer;
    side.wait_ns = sums[i].wait;
    side.slowest_rank.reset();
    std::uint64_t most = 0;
    for (const auto& [rank, times] : sums[i].last) {
      if (times > most) {
        most = times;
        side.slowest_rank = rank;
      } else if (times == most) {
        side.slowest_rank.reset();
      }
    }
  }
  return by_order;
}

}  // namespace plumbline::profiles
