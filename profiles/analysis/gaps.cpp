#include "profiles/analysis/gaps.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "profiles/analysis/pair_index.hpp"
#include "profiles/names/host_work.hpp"
#include "profiles/names/os_calls.hpp"
#include "profiles/names/ranges.hpp"

namespace plumbline::profiles {
namespace {

using Sums = std::map<std::pair<std::string, std::string>, core::ProfileGapSide>;  // by cause and what

enum class Cause : std::uint8_t { data_loading, synchronisation, allocation, lock, io, launches, host, queue, unknown };
constexpr std::array<const char*, 9> kCauses = {"data_loading", "synchronisation", "allocation", "lock", "io", "launches",
                                                "host",         "queue",           "unknown"};

constexpr std::size_t kIdleParts = 4;  // host, sync, launch, other: as core::ProfileIdleSplit has them

void add_side(core::ProfileGapSide& into, core::ProfileGapSide from) {
  into.gaps += from.gaps;
  into.total_ns += from.total_ns;
  into.step_ns += from.step_ns;
  const auto place = [](const core::ProfileGapSide& side) {
    return std::tuple(-side.longest_ns, side.longest.device, side.longest.start_ns, side.longest.stream);
  };
  if (place(from) >= place(into)) return;  // of equal ones always the same: the order in which ranks come is nobody's business
  into.longest_ns = from.longest_ns;
  into.longest = from.longest;
  into.before = std::move(from.before);
  into.after = std::move(from.after);
  into.inside = std::move(from.inside);
}

struct Interval {  // of a thread of the host
  std::int64_t start, end;
  std::uint32_t name;
};

// What a thread does that has a cause of its own, each list sorted and disjoint.
struct Thread {
  std::vector<Interval> waits, loads, allocations, locks, io;
};

void append(std::vector<Interval>& list, Interval each) {
  if (!list.empty() && each.start < list.back().end) {  // inside the one before, or on from it
    list.back().end = std::max(list.back().end, each.end);
  } else {
    list.push_back(each);
  }
}

class Explainer {
 public:
  Explainer(const Capture& capture, const std::vector<CallKind>& kinds, const Steps& steps, std::span<GapWindow> windows)
      : capture_(capture), kinds_(kinds), windows_(windows) {
    threads_.resize(capture.threads.size());
    for (const Step& step : steps.steps) {
      StepsOn& on = steps_on_[step.device];
      on.windows.push_back({step.start, step.start + step.wall_ns});
      if (!step.buckets.idle_split) continue;
      const core::ProfileIdleSplit& idle = *step.buckets.idle_split;
      const std::array<std::int64_t, kIdleParts> parts = {idle.host_ns, idle.sync_ns, idle.launch_ns, idle.other_ns};
      for (std::size_t i = 0; i < kIdleParts; ++i) on.left[i] += parts[i];
    }
    collect_calls();
    collect_os_calls();
    collect_loads();
  }

  void explain(std::int64_t device, const GapLog& log) {
    const auto on = steps_on_.find(device);
    steps_ = on == steps_on_.end() ? nullptr : &on->second;
    std::vector<Ended> gaps;
    for (const GapLog::Gap& gap : log.long_ones()) {
      const std::uint32_t call = gap.next == kNone ? kNone : capture_.ops.launch[gap.next];
      if (call == kNone) {
        add(Cause::unknown, kNone, gap.from, gap.to, {device, &gap, kNone});
      } else {
        gaps.push_back({std::clamp(capture_.calls.times.start(call), gap.from, gap.to), capture_.calls.thread[call], &gap});
      }
    }
    // Ranges come in order of their start: gaps have to, too.
    std::sort(gaps.begin(), gaps.end(), [](const Ended& a, const Ended& b) {
      return std::tie(a.launched, a.gap->from) < std::tie(b.launched, b.gap->from);
    });
    open_.assign(threads_.size(), {});
    next_range_ = 0;
    for (const Ended& ended : gaps) cut(device, ended);
    add_short(log.short_ones());
  }

  // Names that are alike but for their numbers are one.
  [[nodiscard]] Sums take() {
    Sums sums;
    for (std::uint32_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      core::ProfileGapSide side;
      side.gaps = part.gaps;
      side.total_ns = part.total;
      side.step_ns = part.in_steps;
      side.longest_ns = part.longest;
      if (part.where.gap != nullptr) place(part.where, side);
      add_side(sums[{kCauses[keys_.first(i)], what(static_cast<Cause>(keys_.first(i)), keys_.second(i))}], std::move(side));
    }
    return sums;
  }

 private:
  struct Ended {
    std::int64_t launched;
    std::uint32_t thread;
    const GapLog::Gap* gap;
  };
  struct Where {
    std::int64_t device = 0;
    const GapLog::Gap* gap = nullptr;
    std::uint32_t inside = kNone;  // a range's name
  };
  struct Part {  // of all gaps, with one cause and one name
    std::uint64_t gaps = 0;
    std::int64_t total = 0, longest = 0, in_steps = 0;
    Where where;  // of the longest
  };
  // The whole steps of a device, disjoint and in order, and what of their idle time no gap has been found for yet, by its parts.
  struct StepsOn {
    std::vector<std::pair<std::int64_t, std::int64_t>> windows;
    std::array<std::int64_t, kIdleParts> left = {};
  };
  static std::size_t idle_part(Cause cause) {
    return cause == Cause::synchronisation ? 1 : cause == Cause::queue ? 2 : cause == Cause::unknown ? 3 : 0;
  }

  void collect_calls() {
    const Calls& calls = capture_.calls;
    const std::vector<bool> blocking = blocking_copies(capture_);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const CallKind kind = kinds_[calls.name[i]];
      Thread& thread = threads_[calls.thread[i]];
      const Interval each{calls.times.start(i), calls.times.end(i), calls.name[i]};
      if (kind == CallKind::wait || (!blocking.empty() && blocking[i])) append(thread.waits, each);
      if (kind == CallKind::allocate || kind == CallKind::free) append(thread.allocations, each);
    }
  }
  void collect_os_calls() {
    const Calls& calls = capture_.os_calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      Thread& thread = threads_[calls.thread[i]];
      const bool lock = os_wait(capture_.names.text(calls.name[i])) == OsWait::lock;
      append(lock ? thread.locks : thread.io, {calls.times.start(i), calls.times.end(i), calls.name[i]});
    }
  }
  void collect_loads() {
    const Ranges& ranges = capture_.ranges;
    std::vector<std::uint8_t> asked(capture_.names.size(), 0);  // 1: no, 2: loads data
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges.kind[i] == RangeKind::gpu) continue;
      std::uint8_t& answer = asked[ranges.name[i]];
      if (answer == 0) answer = loads_data(capture_.names.text(ranges.name[i])) ? 2 : 1;
      if (answer == 2) append(threads_[ranges.thread[i]].loads, {ranges.times.start(i), ranges.times.end(i), ranges.name[i]});
    }
  }

  // After the long ones: what these leave of the steps' idle time is that of short ones.
  void add_short(const GapLog::Short& shorts) {
    const auto one = [this](Cause cause, std::int64_t ns, std::uint64_t gaps) {
      if (ns <= 0) return;
      Part& part = part_of(cause, kNone);
      part.total += ns;
      part.gaps += gaps;
      if (steps_ != nullptr) part.in_steps += steps_->left[idle_part(cause)];
    };
    one(Cause::launches, shorts.sum.host_ns, shorts.host);
    one(Cause::synchronisation, shorts.sum.sync_ns, shorts.sync);
    one(Cause::queue, shorts.sum.launch_ns, shorts.launch);
    one(Cause::unknown, shorts.sum.other_ns, shorts.other);
  }

  // The gap until the call that ends it: by what its thread did, in this order; then on the device's side.
  void cut(std::int64_t device, const Ended& ended) {
    const GapLog::Gap& gap = *ended.gap;
    const std::uint32_t inside = innermost(ended.thread, gap.from, ended.launched);
    const Where where{device, &gap, inside};
    Thread& thread = threads_[ended.thread];
    left_.assign(1, {gap.from, ended.launched, kNone});
    take(thread.waits, Cause::synchronisation, where);
    take(thread.loads, Cause::data_loading, where);
    take(thread.allocations, Cause::allocation, where);
    take(thread.locks, Cause::lock, where);
    take(thread.io, Cause::io, where);
    for (const Interval& rest : left_) add(Cause::host, inside, rest.start, rest.end, where);
    add(Cause::queue, kNone, ended.launched, gap.to, where);
  }

  // What of `left_` lies in the intervals goes to the cause, the rest stays.
  void take(const std::vector<Interval>& list, Cause cause, const Where& where) {
    if (list.empty()) return;
    rest_.clear();
    for (const Interval& part : left_) {
      std::int64_t now = part.start;
      auto at = std::partition_point(list.begin(), list.end(), [&](const Interval& each) { return each.end <= part.start; });
      for (; at != list.end() && at->start < part.end; ++at) {
        const std::int64_t from = std::max(at->start, now);
        const std::int64_t to = std::min(at->end, part.end);
        if (to <= from) continue;
        if (from > now) rest_.push_back({now, from, kNone});
        add(cause, at->name, from, to, where);
        now = to;
      }
      if (now < part.end) rest_.push_back({now, part.end, kNone});
    }
    left_.swap(rest_);
  }

  // The innermost range of the thread that was open from before `from` until `to`.
  std::uint32_t innermost(std::uint32_t thread, std::int64_t from, std::int64_t to) {
    const Ranges& ranges = capture_.ranges;
    for (; next_range_ < ranges.size() && ranges.times.start(next_range_) <= to; ++next_range_) {
      if (ranges.kind[next_range_] == RangeKind::gpu) continue;
      std::vector<Interval>& open = open_[ranges.thread[next_range_]];
      while (!open.empty() && open.back().end <= ranges.times.start(next_range_)) open.pop_back();
      open.push_back({ranges.times.start(next_range_), ranges.times.end(next_range_), ranges.name[next_range_]});
    }
    const std::vector<Interval>& open = open_[thread];
    for (auto at = open.rbegin(); at != open.rend(); ++at) {
      if (at->start <= from && at->end >= to) return at->name;
    }
    return kNone;
  }

  Part& part_of(Cause cause, std::uint32_t name) {
    const std::uint32_t id = keys_.id(static_cast<std::uint32_t>(cause), name);
    if (id == parts_.size()) parts_.emplace_back();
    return parts_[id];
  }

  void add(Cause cause, std::uint32_t name, std::int64_t from, std::int64_t to, const Where& where) {
    if (to <= from) return;
    for (GapWindow& window : windows_) {
      if (where.device != window.device || from >= window.to || to <= window.from) continue;
      window.parts.push_back(
          {std::max(from, window.from), std::min(to, window.to), kCauses[static_cast<std::size_t>(cause)], what(cause, name)});
    }
    Part& part = part_of(cause, name);
    ++part.gaps;
    part.total += to - from;
    if (steps_ != nullptr) {
      const std::int64_t inside = in_steps(from, to);
      part.in_steps += inside;
      steps_->left[idle_part(cause)] -= inside;
    }
    if (to - from <= part.longest) return;
    part.longest = to - from;
    part.where = where;
  }

  [[nodiscard]] std::int64_t in_steps(std::int64_t from, std::int64_t to) const {
    const auto& windows = steps_->windows;
    auto at = std::partition_point(windows.begin(), windows.end(), [from](const auto& each) { return each.second <= from; });
    std::int64_t inside = 0;
    for (; at != windows.end() && at->first < to; ++at) inside += std::min(at->second, to) - std::max(at->first, from);
    return inside;
  }

  [[nodiscard]] std::string what(Cause cause, std::uint32_t name) const {
    if (name == kNone) return {};
    const std::string& text = capture_.names.text(name);
    return cause == Cause::data_loading || cause == Cause::host ? range_name(text) : std::string(call_name(text));
  }

  void place(const Where& where, core::ProfileGapSide& side) const {
    const GapLog::Gap& gap = *where.gap;
    const auto name = [this](std::uint32_t op) {
      return op == kNone ? std::string() : capture_.names.text(capture_.ops.name[op]);
    };
    const std::int64_t stream = gap.next == kNone ? -1 : capture_.queues[capture_.ops.queue[gap.next]].stream;
    side.longest = {where.device, stream, gap.from, gap.to - gap.from};
    side.before = name(gap.before);
    side.after = name(gap.next);
    if (where.inside != kNone) side.inside = range_name(capture_.names.text(where.inside));
  }

  const Capture& capture_;
  const std::vector<CallKind>& kinds_;
  std::span<GapWindow> windows_;
  std::vector<Thread> threads_;
  std::vector<std::vector<Interval>> open_;  // by thread, outermost first
  std::size_t next_range_ = 0;
  PairIndex keys_;  // cause, name id
  std::vector<Part> parts_;
  std::vector<Interval> left_, rest_;         // of the gap that is being cut
  std::map<std::int64_t, StepsOn> steps_on_;  // by device
  StepsOn* steps_ = nullptr;                  // of the device that is being explained
};

std::vector<Gaps> sorted(Sums&& sums) {
  std::vector<Gaps> rows;
  for (auto& [key, side] : sums) rows.push_back({key.first, key.second, std::move(side)});
  std::stable_sort(rows.begin(), rows.end(), [](const Gaps& a, const Gaps& b) { return a.side.total_ns > b.side.total_ns; });
  return rows;
}

}  // namespace

void GapLog::add(std::int64_t from, std::int64_t to, std::uint32_t before, std::uint32_t next,
                 const core::ProfileIdleSplit& parts) {
  const bool other = parts.other_ns > 0;
  if (to - from < least_) {
    add_short(to - from, parts.sync_ns, parts.launch_ns, other);
    return;
  }
  long_.push_back({from, to, before, next, parts.sync_ns, parts.launch_ns, other});
  if (long_.size() > kMostGaps) drop_half();
}

void GapLog::add_short(std::int64_t length, std::int64_t sync, std::int64_t launch, bool other) {
  const std::int64_t rest = length - sync - launch;
  (other ? short_.sum.other_ns : short_.sum.host_ns) += rest;
  short_.sum.sync_ns += sync;
  short_.sum.launch_ns += launch;
  (other ? short_.other : short_.host) += rest > 0 ? 1 : 0;
  short_.sync += sync > 0 ? 1 : 0;
  short_.launch += launch > 0 ? 1 : 0;
}

void GapLog::drop_half() {
  std::vector<std::int64_t> lengths;
  lengths.reserve(long_.size());
  for (const Gap& gap : long_) lengths.push_back(gap.to - gap.from);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  least_ = *middle + 1;  // those of equal length go together
  const auto gone = std::partition(long_.begin(), long_.end(), [this](const Gap& gap) { return gap.to - gap.from >= least_; });
  for (auto at = gone; at != long_.end(); ++at) add_short(at->to - at->from, at->sync, at->launch, at->other);
  long_.erase(gone, long_.end());
}

std::vector<Gaps> explain_gaps(const Capture& capture, const std::vector<CallKind>& kinds,
                               const std::map<std::int64_t, GapLog>& logs, const Steps& steps, std::span<GapWindow> windows) {
  Explainer explainer(capture, kinds, steps, windows);
  for (const auto& [device, log] : logs) explainer.explain(device, log);
  for (GapWindow& window : windows) {
    std::sort(window.parts.begin(), window.parts.end(), [](const GapPart& a, const GapPart& b) { return a.from < b.from; });
  }
  std::vector<Gaps> rows = sorted(explainer.take());
  if (rows.size() <= kMostGapRows) return rows;
  Sums folded;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add_side(folded[{rows[i].cause, i < kMostGapRows ? rows[i].what : std::string()}], std::move(rows[i].side));
  }
  return sorted(std::move(folded));
}

void add_gaps(std::vector<Gaps>& into, std::vector<Gaps>&& from) {
  Sums sums;
  for (std::vector<Gaps>* list : {&into, &from}) {
    for (Gaps& each : *list) add_side(sums[{each.cause, each.what}], std::move(each.side));
  }
  into = sorted(std::move(sums));
}

}  // namespace plumbline::profiles
