#include "profiles/analysis/order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

template <class T>
void permute(Column<T>& column, const Column<std::uint32_t>& order) {
  Column<T> moved;
  moved.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = column[order[i]];
  column = std::move(moved);
}

// By the operations' new times: where there are scopes, each operation has one afterwards.
void permute_scope(GpuOps& ops, const Column<std::uint32_t>& order) {
  if (ops.scope.empty()) return;
  Column<std::uint32_t> moved;
  moved.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = ops.scope_of(order[i]);
  ops.scope = std::move(moved);
}

template <class Less>
Column<std::uint32_t> order_of(std::size_t size, Less&& less) {
  Column<std::uint32_t> order;
  order.resize(size);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

Column<std::uint32_t> by_start(const Times& times) {
  return order_of(times.size(), [&times](std::uint32_t a, std::uint32_t b) { return times.start(a) < times.start(b); });
}

// Parents before children: the outer one of two ranges that begin together is the longer one.
bool nested_order(const Times& times) {
  if (!times.sorted()) return false;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times.start(i) == times.start(i - 1) && times.length(i) > times.length(i - 1)) return false;
  }
  return true;
}

// Correlation id -> call of one process. Ids lie dense, but often far from zero, since a driver counts from the program's start:
// a flat table in pages. Ids that are all over the place are kept in a map, so that memory follows the number of calls.
class CallsById {
 public:
  static constexpr std::size_t kPage = 4096;

  // The first call of an id is the one that is found. `most`: pages.
  void add(std::uint32_t id, std::uint32_t call, std::size_t most) {
    const std::size_t page = page_of(id, most);
    if (page == kNone) {
      odd_.try_emplace(id, call);
    } else if (std::uint32_t& place = calls_[page * kPage + id % kPage]; place == kNone) {
      place = call;
    }
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t id) const {
    const std::size_t at = id / kPage;
    if (at < pages_.size() && pages_[at] != kNone) return calls_[pages_[at] * kPage + id % kPage];
    const auto odd = odd_.find(id);
    return odd == odd_.end() ? kNone : odd->second;
  }

 private:
  // kNone where the id has no page and no more may be made.
  std::size_t page_of(std::uint32_t id, std::size_t most) {
    const std::size_t at = id / kPage;
    if (at < pages_.size() && pages_[at] != kNone) return pages_[at];
    const std::size_t page = calls_.size() / kPage;
    if (page >= most) return kNone;
    if (at >= pages_.size()) pages_.resize(at + 1, kNone);
    pages_[at] = static_cast<std::uint32_t>(page);
    calls_.resize(calls_.size() + kPage);
    std::fill(calls_.end() - kPage, calls_.end(), kNone);
    return page;
  }
  std::vector<std::uint32_t> pages_;  // by id / kPage: its page in calls_, kNone for none
  Column<std::uint32_t> calls_;
  std::unordered_map<std::uint32_t, std::uint32_t> odd_;
};

// (process, correlation id) -> call.
class CallIndex {
 public:
  explicit CallIndex(const Capture& capture) {
    // Only processes that made calls: a range of another must not make the one that did any less the only one.
    std::unordered_map<std::int64_t, std::uint32_t> processes;
    slots_of_thread_.assign(capture.threads.size(), kNone);
    for (const std::uint16_t thread : capture.calls.thread) {
      std::uint32_t& slot = slots_of_thread_[thread];
      if (slot == kNone) slot = processes.try_emplace(capture.threads[thread].process, processes.size()).first->second;
    }
    by_process_.resize(processes.size());
    for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
      const std::int64_t process = capture.queues[i].process;
      const auto found = processes.find(process);
      slots_of_queue_.push_back(found != processes.end() ? found->second : (process == 0 && processes.size() == 1) ? 0U : kNone);
    }
    const std::size_t most_pages = 8 * (capture.calls.size() + capture.ops.size()) / CallsById::kPage + 1;
    for (std::size_t i = 0; i < capture.calls.size(); ++i) {
      const std::uint32_t id = capture.calls.correlation[i];
      if (id != kNone) by_process_[slots_of_thread_[capture.calls.thread[i]]].add(id, static_cast<std::uint32_t>(i), most_pages);
    }
  }
  [[nodiscard]] std::uint32_t slot(std::uint16_t queue) const { return slots_of_queue_[queue]; }
  [[nodiscard]] std::uint32_t processes() const { return static_cast<std::uint32_t>(by_process_.size()); }
  [[nodiscard]] std::uint32_t find(std::uint32_t slot, std::uint32_t id) const {
    return slot == kNone || id == kNone ? kNone : by_process_[slot].find(id);
  }

 private:
  std::vector<CallsById> by_process_;
  std::vector<std::uint32_t> slots_of_thread_, slots_of_queue_;
};

// Whose calls launched the operations that name no process, where several processes made calls.
class Owners {
 public:
  Owners(const Capture& capture, const CallIndex& index) : index_(index) {
    std::map<std::int64_t, std::vector<std::uint64_t>> misfits;  // by device and process: ids without a call, or with a later one
    std::map<std::int64_t, std::uint64_t> counts;
    const GpuOps& ops = capture.ops;
    std::vector<std::vector<std::uint64_t>*> of_queue(capture.queues.size(), nullptr);
    std::vector<std::uint64_t*> count_of(capture.queues.size(), nullptr);
    for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
      if (!asks(capture, i) || index.processes() > kMostProcesses) continue;
      of_queue[i] = &misfits[capture.queues[i].device];
      of_queue[i]->resize(index.processes());
      count_of[i] = &counts[capture.queues[i].device];
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const std::uint16_t queue = ops.queue[i];
      if (of_queue[queue] == nullptr || ops.launch[i] == kNone) continue;
      ++*count_of[queue];
      for (std::uint32_t slot = 0; slot < index.processes(); ++slot) {
        const std::uint32_t call = index.find(slot, ops.launch[i]);
        if (call == kNone || capture.calls.times.start(call) > ops.times.start(i)) ++(*of_queue[queue])[slot];
      }
    }
    for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
      asks_.push_back(asks(capture, i));
      owner_.push_back(of_queue[i] == nullptr ? kNone : only_fit(*of_queue[i], *count_of[i]));
    }
  }
  // The call, and whether there are several that it might be.
  [[nodiscard]] std::uint32_t find(std::uint16_t queue, std::uint32_t id, bool& ambiguous) const {
    ambiguous = false;
    if (!asks_[queue]) return index_.find(index_.slot(queue), id);
    if (owner_[queue] != kNone) return index_.find(owner_[queue], id);
    std::uint32_t found = kNone;
    for (std::uint32_t slot = 0; slot < index_.processes(); ++slot) {
      const std::uint32_t call = index_.find(slot, id);
      if (call == kNone) continue;
      ambiguous = found != kNone;
      if (ambiguous) return kNone;
      found = call;
    }
    return found;
  }

 private:
  static constexpr std::uint32_t kMostProcesses = 64;  // that are tried on every operation
  [[nodiscard]] bool asks(const Capture& capture, std::uint32_t queue) const {
    return index_.slot(static_cast<std::uint16_t>(queue)) == kNone && capture.queues[queue].process == 0 &&
           index_.processes() > 1;
  }
  // Clocks of host and device differ a little, so one misfit in a hundred is none; one in ten is no accident.
  static std::uint32_t only_fit(const std::vector<std::uint64_t>& misfits, std::uint64_t count) {
    std::uint32_t owner = kNone;
    for (std::uint32_t slot = 0; slot < misfits.size(); ++slot) {
      if (10 * misfits[slot] > count) continue;
      if (owner != kNone || 100 * misfits[slot] > count) return kNone;
      owner = slot;
    }
    return owner;
  }
  const CallIndex& index_;
  std::vector<bool> asks_;            // by queue
  std::vector<std::uint32_t> owner_;  // by queue: slot of the process
};

// `front` operations before and `back` behind the rest, all far from it. 0: none. The operations lie by start.
struct Strays {
  std::size_t front = 0, back = 0;
};

Strays strays_of(const Times& times) {
  constexpr std::size_t kLeast = 100, kMost = 10, kShare = 1000;
  constexpr std::int64_t kNear = std::int64_t{600} * 1'000'000'000, kSpans = 100;
  const std::size_t size = times.size();
  if (size < kLeast) return {};
  const std::size_t most = std::clamp<std::size_t>(size / kShare, 1, kMost);
  std::int64_t middle = times.end(most);  // latest end of what is certainly no stray
  for (std::size_t i = most; i + most < size; ++i) middle = std::max(middle, times.end(i));
  const auto latest = [&times](std::size_t from, std::size_t to, std::int64_t end) {
    for (std::size_t i = from; i < to; ++i) end = std::max(end, times.end(i));
    return end;
  };
  const auto fits = [&](std::size_t front, std::size_t back) {
    const std::int64_t first = times.start(front);
    const std::int64_t last = latest(size - most, size - back, latest(front, most, middle));
    const auto far = [span = last - first](std::int64_t gap) { return gap > kNear && gap / kSpans > span; };
    return (front == 0 || far(first - latest(0, front, times.end(0)))) && (back == 0 || far(times.start(size - back) - last));
  };
  for (std::size_t all = most; all > 0; --all) {
    for (std::size_t front = 0; front <= all; ++front) {
      if (fits(front, all - front)) return {front, all - front};
    }
  }
  return {};
}

// Operands go with their ranges, and lie by them.
void follow(Operands& operands, const Column<std::uint32_t>& order) {
  if (operands.range.size() == 0) return;
  constexpr std::uint32_t kNoText = kNone;
  Column<std::uint32_t> texts;  // by range as it was
  texts.resize(order.size());
  std::fill(texts.begin(), texts.end(), kNoText);
  for (std::size_t i = 0; i < operands.range.size(); ++i) texts[operands.range[i]] = operands.text[i];
  operands = {};
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (texts[order[i]] == kNoText) continue;
    operands.range.push_back(i);
    operands.text.push_back(texts[order[i]]);
  }
}

}  // namespace

void sort_by_start(Capture& capture) {
  if (!capture.ops.times.sorted()) {
    const Column<std::uint32_t> order = by_start(capture.ops.times);
    capture.ops.times.permute(order);
    permute(capture.ops.name, order);
    permute(capture.ops.queue, order);
    permute(capture.ops.kind, order);
    permute(capture.ops.detail, order);
    permute(capture.ops.launch, order);
    permute_scope(capture.ops, order);
    if (!capture.collectives.empty()) {
      Column<std::uint32_t> place;
      place.resize(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);
      for (Collective& each : capture.collectives) {
        if (each.op < place.size()) each.op = place[each.op];
      }
    }
  }
  for (Calls* calls : {&capture.calls, &capture.os_calls}) {
    if (calls->times.sorted()) continue;
    const Column<std::uint32_t> order = by_start(calls->times);
    calls->times.permute(order);
    permute(calls->name, order);
    permute(calls->thread, order);
    permute(calls->correlation, order);
  }
  if (!nested_order(capture.ranges.times)) {
    const Times& times = capture.ranges.times;
    const Column<std::uint32_t> order = order_of(times.size(), [&times](std::uint32_t a, std::uint32_t b) {
      return times.start(a) != times.start(b) ? times.start(a) < times.start(b) : times.length(a) > times.length(b);
    });
    capture.ranges.times.permute(order);
    permute(capture.ranges.name, order);
    permute(capture.ranges.thread, order);
    permute(capture.ranges.kind, order);
    follow(capture.operands, order);
  }
}

void join_launches(Capture& capture) {
  const CallIndex index(capture);
  const Owners owners(capture, index);
  GpuOps& ops = capture.ops;
  std::uint64_t unclear = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    bool ambiguous = false;
    ops.launch[i] = owners.find(ops.queue[i], ops.launch[i], ambiguous);
    unclear += ambiguous ? 1 : 0;
  }
  if (unclear == 0) return;
  capture.warnings.push_back(
      {"launches_ambiguous",
       core::counted(unclear, "GPU operation bears an id", "GPU operations bear ids") +
           " that calls of several of the capture's " + std::to_string(index.processes()) +
           " processes have, and nothing tells which launched them: they count without their launches, so steps, ranges and "
           "causes of idleness lack them; capture every process in a file of its own"});
}

void leave_out_strays(Capture& capture) {
  GpuOps& ops = capture.ops;
  const auto strays = strays_of(ops.times);
  const std::size_t front = strays.front;
  const std::size_t back = strays.back;
  if (front + back == 0) return;
  const std::size_t kept = ops.size() - front - back;
  const std::size_t first = front > 0 ? 0 : kept;
  capture.warnings.push_back(
      {"stray_times", core::counted(front + back, "GPU operation lies", "GPU operations lie") +
                          " far from all others and cannot belong to them; left out, the first " +
                          core::cited(std::string_view(capture.names.text(ops.name[first])).substr(0, 200)) + " at " +
                          std::to_string(ops.times.start(first)) + " ns, where the other " + std::to_string(kept) +
                          " start between " + std::to_string(ops.times.start(front)) + " and " +
                          std::to_string(ops.times.start(front + kept - 1)) + " ns"});
  Column<std::uint32_t> order;
  order.resize(kept);
  std::iota(order.begin(), order.end(), static_cast<std::uint32_t>(front));
  ops.times.permute(order);
  permute(ops.name, order);
  permute(ops.queue, order);
  permute(ops.kind, order);
  permute(ops.detail, order);
  permute(ops.launch, order);
  permute_scope(ops, order);
  std::erase_if(capture.collectives, [=](const Collective& each) { return each.op < front || each.op - front >= kept; });
  for (Collective& each : capture.collectives) each.op -= static_cast<std::uint32_t>(front);
}

}  // namespace plumbline::profiles
