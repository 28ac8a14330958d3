#include "profiles/analysis/order.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace plumbline::profiles {
namespace {

template <class T>
void permute(Column<T>& column, const Column<std::uint32_t>& order) {
  Column<T> moved;
  moved.resize(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = column[order[i]];
  column = std::move(moved);
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

// (process, correlation id) -> call. Ids are small and dense in practice: a flat table per process, and a map for the rest.
class CallIndex {
 public:
  explicit CallIndex(const Capture& capture) {
    std::unordered_map<std::int64_t, std::uint32_t> processes;
    for (std::uint32_t i = 0; i < capture.threads.size(); ++i) {
      slots_of_thread_.push_back(processes.try_emplace(capture.threads[i].process, processes.size()).first->second);
    }
    by_process_.resize(processes.size());
    for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
      const std::int64_t process = capture.queues[i].process;
      const auto found = processes.find(process);
      slots_of_queue_.push_back(found != processes.end() ? found->second : (process == 0 && processes.size() == 1) ? 0U : kNone);
    }
    const std::size_t events = capture.calls.size() + capture.ops.size();
    for (std::size_t i = 0; i < capture.calls.size(); ++i) {
      const std::uint32_t id = capture.calls.correlation[i];
      if (id == kNone) continue;
      Process& process = by_process_[slots_of_thread_[capture.calls.thread[i]]];
      if (id < 4 * events + 4096) {
        if (id >= process.flat.size()) {
          const std::size_t had = process.flat.size();
          process.flat.resize(std::max<std::size_t>(std::size_t{id} + 1, had + had / 2));
          std::fill(process.flat.begin() + had, process.flat.end(), kNone);
        }
        if (process.flat[id] == kNone) process.flat[id] = static_cast<std::uint32_t>(i);
      } else {
        process.odd.try_emplace(id, static_cast<std::uint32_t>(i));
      }
    }
  }
  [[nodiscard]] std::uint32_t find(std::uint16_t queue, std::uint32_t id) const {
    const std::uint32_t slot = slots_of_queue_[queue];
    if (slot == kNone || id == kNone) return kNone;
    const Process& process = by_process_[slot];
    if (id < process.flat.size() && process.flat[id] != kNone) return process.flat[id];
    const auto odd = process.odd.find(id);
    return odd == process.odd.end() ? kNone : odd->second;
  }

 private:
  struct Process {
    Column<std::uint32_t> flat;
    std::unordered_map<std::uint32_t, std::uint32_t> odd;
  };
  std::vector<Process> by_process_;
  std::vector<std::uint32_t> slots_of_thread_, slots_of_queue_;
};

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
    if (!capture.collectives.empty()) {
      Column<std::uint32_t> place;
      place.resize(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);
      for (Collective& each : capture.collectives) {
        if (each.op < place.size()) each.op = place[each.op];
      }
    }
  }
  if (!capture.calls.times.sorted()) {
    const Column<std::uint32_t> order = by_start(capture.calls.times);
    capture.calls.times.permute(order);
    permute(capture.calls.name, order);
    permute(capture.calls.thread, order);
    permute(capture.calls.correlation, order);
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
  }
}

void join_launches(Capture& capture) {
  const CallIndex index(capture);
  GpuOps& ops = capture.ops;
  for (std::size_t i = 0; i < ops.size(); ++i) ops.launch[i] = index.find(ops.queue[i], ops.launch[i]);
}

}  // namespace plumbline::profiles
