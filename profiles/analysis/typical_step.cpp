#include "profiles/analysis/typical_step.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/unicode.hpp"
#include "profiles/names/ranges.hpp"

namespace plumbline::profiles {
namespace {

using core::TimelineWork;

struct Event {  // within a window, times from its start
  std::int64_t from = 0, to = 0;
  std::uint32_t name = 0;
  TimelineWork work = TimelineWork::compute;
  std::uint32_t op = kNone;
};

bool by_start(const Event& a, const Event& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); }

TimelineWork work_of(const Capture& capture, const std::vector<bool>& communication, std::size_t op) {
  const OpKind kind = capture.ops.kind[op];
  if (kind == OpKind::copy || kind == OpKind::set) return TimelineWork::copy;
  return communication[capture.ops.name[op]] ? TimelineWork::communication : TimelineWork::compute;
}

// Calls `use(i, from, to)` for what overlaps the window, in order, cut at its ends.
template <class F>
void overlapping(const Times& times, const GapWindow& window, F&& use) {
  for (std::size_t i = 0; i < times.size() && times.start(i) < window.to; ++i) {
    const std::int64_t end = times.end(i);
    if (end > window.from || times.start(i) >= window.from)
      use(i, std::max(times.start(i), window.from) - window.from, std::min(end, window.to) - window.from);
  }
}

std::vector<Event> operations_in(const Capture& capture, const std::vector<bool>& communication, const GapWindow& window) {
  std::vector<Event> events;
  overlapping(capture.ops.times, window, [&](std::size_t i, std::int64_t from, std::int64_t to) {
    if (capture.queues[capture.ops.queue[i]].device != window.device) return;
    events.push_back({from, to, capture.ops.name[i], work_of(capture, communication, i), static_cast<std::uint32_t>(i)});
  });
  return events;
}

// ---- parts of the wall ----------------------------------------------------------------------------------------------------

struct Span {
  std::int64_t from, to;
};

// What of the event no span covers, spans sorted and disjoint.
std::int64_t uncovered(const Event& event, const std::vector<Span>& spans) {
  std::int64_t covered = 0;
  auto at = std::partition_point(spans.begin(), spans.end(), [&](const Span& each) { return each.to <= event.from; });
  for (; at != spans.end() && at->from < event.to; ++at) covered += std::min(at->to, event.to) - std::max(at->from, event.from);
  return event.to - event.from - covered;
}

std::vector<Span> joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.from < b.from; });
  std::vector<Span> out;
  for (const Span& each : spans) {
    if (!out.empty() && each.from <= out.back().to) {
      out.back().to = std::max(out.back().to, each.to);
    } else {
      out.push_back(each);
    }
  }
  return out;
}

struct Occupied {
  std::map<std::pair<TimelineWork, std::uint32_t>, std::int64_t> exclusive;  // by class and name
  std::vector<Span> busy;
  std::int64_t busy_ns = 0;
};

// Each moment belongs to the highest class that runs, and of it to the operation that began first.
Occupied occupied(const std::vector<Event>& events) {
  Occupied result;
  for (const TimelineWork work : {TimelineWork::compute, TimelineWork::communication, TimelineWork::copy}) {
    std::vector<Span> spans = result.busy;
    std::int64_t reach = 0;
    for (const Event& event : events) {
      if (event.work != work || event.to <= reach) continue;
      Event own = event;
      own.from = std::max(event.from, reach);
      reach = event.to;
      if (const std::int64_t alone = uncovered(own, result.busy); alone > 0) result.exclusive[{work, event.name}] += alone;
      spans.push_back({own.from, own.to});
    }
    result.busy = joined(std::move(spans));
  }
  for (const Span& each : result.busy) result.busy_ns += each.to - each.from;
  return result;
}

constexpr std::array<const char*, 3> kPartKinds = {"kernel", "collective", "copy"};

std::string shown(const std::string& name) { return core::shorten_bytes(name, core::kTimelineNameBytes); }

// Whole parts of a sum that was taken over `times` windows: each is rounded so that they sum to the sum's rounded share.
class Shares {
 public:
  explicit Shares(std::int64_t times) : times_(times) {}
  std::int64_t next(std::int64_t sum) {
    const std::int64_t before = running_ / times_;
    running_ += sum;
    return running_ / times_ - before;
  }

 private:
  std::int64_t times_, running_ = 0;
};

class Parts {
 public:
  Parts(const Capture& capture, const std::vector<bool>& communication) : capture_(capture), communication_(communication) {}

  void add(const GapWindow& window) {
    const Occupied all = occupied(operations_in(capture_, communication_, window));
    for (const auto& [key, ns] : all.exclusive) {
      sums_[{kPartKinds[static_cast<std::size_t>(key.first)], capture_.names.text(key.second)}] += ns;
    }
    std::int64_t unexplained = window.to - window.from - all.busy_ns;
    for (const GapPart& gap : window.parts) {
      sums_[{"idle", gap.cause + (gap.what.empty() ? "" : ": " + gap.what)}] += gap.to - gap.from;
      unexplained -= gap.to - gap.from;
    }
    if (unexplained > 0) sums_[{"idle", ""}] += unexplained;
  }

  void finish(std::int64_t windows, core::ProfileTimelineSide& side) const {
    std::vector<core::TimelinePart> all;
    for (const auto& [key, ns] : sums_) all.push_back({key.first, shown(key.second), ns});
    std::stable_sort(all.begin(), all.end(),
                     [](const core::TimelinePart& a, const core::TimelinePart& b) { return a.ns > b.ns; });
    if (all.size() > kMostStepParts) {
      core::TimelinePart rest{"rest", {}, 0};
      for (std::size_t i = kMostStepParts; i < all.size(); ++i) rest.ns += all[i].ns;
      all.resize(kMostStepParts);
      all.push_back(std::move(rest));
    }
    Shares shares(windows);
    for (core::TimelinePart& part : all) {
      part.ns = shares.next(part.ns);
      side.typical_ns += part.ns;
    }
    side.parts = std::move(all);
  }

 private:
  const Capture& capture_;
  const std::vector<bool>& communication_;
  std::map<std::pair<std::string, std::string>, std::int64_t> sums_;
};

// ---- the picture ----------------------------------------------------------------------------------------------------------

// Names as the picture has them.
class DrawnNames {
 public:
  DrawnNames(const Capture& capture, std::vector<std::string>& names) : capture_(capture), names_(names) {}
  std::uint32_t of(std::uint32_t name) {
    const auto [at, added] = ids_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (added) names_.push_back(shown(capture_.names.text(name)));
    return at->second;
  }

 private:
  const Capture& capture_;
  std::vector<std::string>& names_;
  std::unordered_map<std::uint32_t, std::uint32_t> ids_;
};

struct DrawnLane {
  core::TimelineLane lane;
  std::vector<Event> events;

  void add(const Event& event) {
    lane.busy_ns[static_cast<std::size_t>(event.work)] += event.to - event.from;
    ++lane.operations;
    events.push_back(event);
  }
  [[nodiscard]] std::int64_t busy() const { return std::accumulate(lane.busy_ns.begin(), lane.busy_ns.end(), std::int64_t{0}); }
  [[nodiscard]] std::size_t mostly() const {
    return static_cast<std::size_t>(std::max_element(lane.busy_ns.begin(), lane.busy_ns.end()) - lane.busy_ns.begin());
  }
};

// Neighbours shorter than `least` and nearer than that are one block, up to this many times as long.
constexpr std::int64_t kBlockReach = 8;

struct Run {  // of events
  std::size_t first, last;
};

std::vector<Run> runs_of(const std::vector<Event>& events, std::int64_t least) {
  std::vector<Run> runs;
  bool open = false;
  std::int64_t from = 0, to = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const bool small = event.to - event.from < least;
    if (small && open && event.from - to < least && event.to - from <= kBlockReach * least) {
      runs.back().last = i;
      to = std::max(to, event.to);
      continue;
    }
    runs.push_back({i, i});
    open = small;
    from = event.from;
    to = event.to;
  }
  return runs;
}

core::TimelineBlock block_of(const std::vector<Event>& events, Run run, DrawnNames& names) {
  core::TimelineBlock block;
  std::array<std::int64_t, 4> works = {};
  std::unordered_map<std::uint32_t, std::int64_t> by_name;
  std::int64_t to = 0;
  const Event* most = &events[run.first];
  std::int64_t most_ns = -1;
  for (std::size_t i = run.first; i <= run.last; ++i) {
    const Event& event = events[i];
    const std::int64_t length = event.to - event.from;
    block.busy_ns += length;
    works[static_cast<std::size_t>(event.work)] += length;
    to = std::max(to, event.to);
    if (const std::int64_t sum = by_name[event.name] += length; sum > most_ns) {
      most_ns = sum;
      most = &event;
    }
  }
  block.start_ns = events[run.first].from;
  block.duration_ns = to - block.start_ns;
  block.count = static_cast<std::uint32_t>(run.last - run.first + 1);
  block.name = names.of(most->name);
  block.work = static_cast<TimelineWork>(std::max_element(works.begin(), works.end()) - works.begin());
  if (block.busy_ns == 0) block.work = most->work;
  return block;
}

// As many blocks as there is room for: what is too short is put together, more and more of it.
void make_blocks(std::vector<DrawnLane>& lanes, std::size_t room, std::int64_t wall, DrawnNames& names) {
  std::int64_t least = 0;
  for (;;) {
    std::size_t blocks = 0;
    for (const DrawnLane& each : lanes) blocks += runs_of(each.events, least).size();
    if (blocks <= room || least > wall) break;
    least = std::max({least * 2, wall / 8192, std::int64_t{1}});
  }
  for (DrawnLane& each : lanes) {
    for (const Run& run : runs_of(each.events, least)) each.lane.blocks.push_back(block_of(each.events, run, names));
  }
}

// Streams with compute first, then communication, then copies; the busiest of each first. What is beyond shares the last lane.
std::vector<DrawnLane> stream_lanes(const Capture& capture, const std::vector<Event>& events) {
  std::map<std::int64_t, DrawnLane> by_stream;
  for (const Event& event : events) {
    const std::int64_t stream = capture.queues[capture.ops.queue[event.op]].stream;
    DrawnLane& lane = by_stream[stream];
    lane.lane.number = stream;
    lane.add(event);
  }
  std::vector<DrawnLane> lanes;
  lanes.reserve(by_stream.size());
  for (auto& [stream, lane] : by_stream) lanes.push_back(std::move(lane));
  std::stable_sort(lanes.begin(), lanes.end(), [](const DrawnLane& a, const DrawnLane& b) { return a.busy() > b.busy(); });
  if (lanes.size() > kMostStreamLanes) {
    DrawnLane rest;
    rest.lane.together = static_cast<std::uint32_t>(lanes.size() - kMostStreamLanes + 1);
    for (std::size_t i = kMostStreamLanes - 1; i < lanes.size(); ++i) {
      for (const Event& event : lanes[i].events) rest.add(event);
    }
    std::stable_sort(rest.events.begin(), rest.events.end(), by_start);
    lanes.resize(kMostStreamLanes - 1);
    lanes.push_back(std::move(rest));
  }
  std::stable_sort(lanes.begin(), lanes.end(), [](const DrawnLane& a, const DrawnLane& b) {
    return std::pair(a.lane.together > 1, a.mostly()) < std::pair(b.lane.together > 1, b.mostly());
  });
  return lanes;
}

// The threads that launched most of what the window holds.
std::vector<std::uint16_t> launching_threads(const Capture& capture, const std::vector<Event>& events) {
  std::map<std::uint16_t, std::size_t> launches;
  for (const Event& event : events) {
    const std::uint32_t call = capture.ops.launch[event.op];
    if (call < capture.calls.size()) ++launches[capture.calls.thread[call]];
  }
  std::vector<std::pair<std::uint16_t, std::size_t>> most(launches.begin(), launches.end());
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::uint16_t> threads;
  for (std::size_t i = 0; i < std::min(most.size(), kMostHostThreads); ++i) threads.push_back(most[i].first);
  return threads;
}

// What a thread did during the window, on the host's own clock: its outermost ranges and those inside, without the steps'
// own and others as long as the window, which tell nothing of it; where there are none, its calls.
class HostLanes {
 public:
  HostLanes(const Capture& capture, const GapWindow& window, const std::vector<std::uint16_t>& threads, const std::string& step)
      : capture_(capture), step_(step), wall_(window.to - window.from) {
    for (const std::uint16_t thread : threads) threads_[thread];
    const Ranges& ranges = capture.ranges;
    overlapping(ranges.times, window, [&](std::size_t i, std::int64_t from, std::int64_t to) {
      const bool around = 10 * (ranges.times.length(i) / 9) > wall_;
      if (ranges.kind[i] != RangeKind::gpu && !around && !is_step(ranges.name[i]))
        add_range(ranges.thread[i], {from, to, ranges.name[i], TimelineWork::host});
    });
    overlapping(capture.calls.times, window, [&](std::size_t i, std::int64_t from, std::int64_t to) {
      const auto thread = threads_.find(capture.calls.thread[i]);
      if (thread != threads_.end() && thread->second.levels[0].events.empty())
        thread->second.calls.add({from, to, capture.calls.name[i], TimelineWork::host});
    });
    for (const std::uint16_t thread : threads) take(thread);
  }
  [[nodiscard]] std::vector<DrawnLane>& lanes() { return lanes_; }

 private:
  struct Of {
    std::vector<std::int64_t> open;  // ends, outermost first
    std::array<DrawnLane, kMostHostLevels> levels;
    DrawnLane calls;
  };

  bool is_step(std::uint32_t name) {
    const auto [at, added] = steps_.try_emplace(name, false);
    if (added) at->second = !step_.empty() && range_name(capture_.names.text(name)) == step_;
    return at->second;
  }

  void add_range(std::uint16_t number, const Event& event) {
    const auto thread = threads_.find(number);
    if (thread == threads_.end()) return;
    std::vector<std::int64_t>& open = thread->second.open;
    while (!open.empty() && open.back() <= event.from) open.pop_back();
    if (open.size() < kMostHostLevels) thread->second.levels[open.size()].add(event);
    open.push_back(event.to);
  }
  void take(std::uint16_t number) {
    Of& of = threads_[number];
    if (of.levels[0].events.empty()) of.levels[0] = std::move(of.calls);
    for (std::uint32_t level = 0; level < kMostHostLevels; ++level) {
      if (of.levels[level].events.empty()) continue;
      DrawnLane& lane = lanes_.emplace_back(std::move(of.levels[level]));
      lane.lane.host = true;
      lane.lane.number = capture_.threads[number].thread;
      lane.lane.level = level;
    }
  }

  const Capture& capture_;
  const std::string& step_;  // what steps are called
  std::unordered_map<std::uint32_t, bool> steps_;
  std::int64_t wall_;
  std::map<std::uint16_t, Of> threads_;
  std::vector<DrawnLane> lanes_;
};

// Explained parts of gaps, and between the busy times what is left. The longest are drawn, the others counted.
void add_gaps(const GapWindow& window, const Occupied& all, bool known, core::ProfileTimelineSide& side) {
  std::vector<core::TimelineGap> gaps;
  for (const GapPart& part : window.parts)
    gaps.push_back({part.from - window.from, part.to - part.from, part.cause, shown(part.what)});
  std::vector<Span> taken = all.busy;
  for (const core::TimelineGap& gap : gaps) taken.push_back({gap.start_ns, gap.start_ns + gap.duration_ns});
  std::int64_t now = 0;
  taken = joined(std::move(taken));
  taken.push_back({side.wall_ns, side.wall_ns});
  for (const Span& each : taken) {
    if (each.from > now) gaps.push_back({now, each.from - now, known ? "" : "unknown", {}});
    now = std::max(now, each.to);
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.duration_ns > b.duration_ns; });
  for (std::size_t i = kMostDrawnGaps; i < gaps.size(); ++i) {
    ++side.short_gaps;
    side.short_gaps_ns += gaps[i].duration_ns;
  }
  if (gaps.size() > kMostDrawnGaps) gaps.resize(kMostDrawnGaps);
  std::stable_sort(gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  side.gaps = std::move(gaps);
}

// Without steps: the device with most operations, whole or from its middle.
std::optional<GapWindow> piece(const Capture& capture, std::string& basis) {
  const Times& times = capture.ops.times;
  std::map<std::int64_t, std::size_t> counts;
  for (std::size_t i = 0; i < times.size(); ++i) ++counts[capture.queues[capture.ops.queue[i]].device];
  if (counts.empty()) return std::nullopt;
  const auto most = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [device, count] = *std::max_element(counts.begin(), counts.end(), most);
  std::int64_t first = 0, middle = 0, last = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (capture.queues[capture.ops.queue[i]].device != device) continue;
    if (seen == 0) first = times.start(i);
    if (seen++ == count / 2) middle = times.start(i);
    last = seen == 1 ? times.end(i) : std::max(last, times.end(i));
  }
  basis = last - first <= kWholeCaptureDrawn ? "capture" : "window";
  if (basis == "capture") return GapWindow{device, first, last};
  return GapWindow{device, middle, std::min(last, middle + kPieceDrawn)};
}

}  // namespace

TypicalStep::TypicalStep(const Capture& capture, const Steps& steps) : capture_(capture) {
  const std::size_t count = steps.steps.size();
  if (count == 0) {
    if (const auto window = piece(capture, head_.basis)) windows_.push_back(*window);
  } else {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&steps](std::size_t a, std::size_t b) { return steps.steps[a].wall_ns < steps.steps[b].wall_ns; });
    head_.basis = "step";
    step_name_ = steps.name;
    head_.step = order[(count - 1) / 2] + 1;
    head_.of = count;
    for (const std::size_t place : {(count - 1) / 2, count / 2}) {
      const Step& step = steps.steps[order[place]];
      if (windows_.empty() || place != (count - 1) / 2) windows_.push_back({step.device, step.start, step.start + step.wall_ns});
    }
  }
  if (windows_.empty() || windows_[0].to <= windows_[0].from) windows_.clear();
}

std::optional<core::ProfileTimelineSide> TypicalStep::draw(const std::vector<bool>& communication) const {
  if (windows_.empty()) return std::nullopt;
  const GapWindow& window = windows_[0];
  core::ProfileTimelineSide side = head_;
  side.device = window.device;
  side.start_ns = window.from;
  side.wall_ns = window.to - window.from;
  const std::vector<Event> events = operations_in(capture_, communication, window);
  const Occupied all = occupied(events);
  side.operations = events.size();
  side.idle_ns = side.wall_ns - all.busy_ns;
  DrawnNames names(capture_, side.names);
  std::vector<DrawnLane> streams = stream_lanes(capture_, events);
  make_blocks(streams, kMostStreamBlocks, side.wall_ns, names);
  const std::vector<std::uint16_t> threads = launching_threads(capture_, events);
  HostLanes host(capture_, window, threads, step_name_);
  make_blocks(host.lanes(), kMostHostBlocks, side.wall_ns, names);
  for (std::vector<DrawnLane>* lanes : {&streams, &host.lanes()}) {
    for (DrawnLane& each : *lanes) side.lanes.push_back(std::move(each.lane));
  }
  add_gaps(window, all, !threads.empty(), side);
  if (side.basis != "step") return side;
  Parts parts(capture_, communication);
  for (const GapWindow& each : windows_) parts.add(each);
  parts.finish(static_cast<std::int64_t>(windows_.size()), side);
  return side;
}

}  // namespace plumbline::profiles
