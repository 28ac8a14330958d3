#include "profiles/analysis/timeline.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
enum Class : std::uint8_t { compute, communication, copy };

// Operations of one class that have begun, in order of their starts. Those that ended while another stood before them leave
// when they come to the front: each enters and leaves once.
class Running {
 public:
  void push(std::uint32_t op, std::int64_t end) { queue_.push_back({end, op}); }
  void drop_ended(std::int64_t now) {
    while (front_ < queue_.size() && queue_[front_].end <= now) ++front_;
    if (front_ == queue_.size()) {
      queue_.clear();
      front_ = 0;
    } else if (front_ > 4096 && front_ * 2 > queue_.size()) {
      queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(front_));
      front_ = 0;
    }
  }
  [[nodiscard]] bool empty() const { return front_ == queue_.size(); }
  [[nodiscard]] std::int64_t end() const { return queue_[front_].end; }
  [[nodiscard]] std::uint32_t op() const { return queue_[front_].op; }

 private:
  struct Entry {
    std::int64_t end;
    std::uint32_t op;
  };
  std::vector<Entry> queue_;
  std::size_t front_ = 0;
};

class DeviceSweep {
 public:
  DeviceSweep(const Capture& capture, std::vector<std::int64_t>& exclusive) : capture_(capture), exclusive_(exclusive) {}

  void begin(std::uint32_t op, Class kind) {
    const std::int64_t start = capture_.ops.times.start(op);
    const std::int64_t end = start + capture_.ops.times.length(op);
    if (!any_) {
      any_ = true;
      first_ = now_ = start;
      reach_.fill(start);
    }
    run_until(start);
    if (start > now_) {
      gaps_.push_back({now_, start, op});
      now_ = start;
    }
    // Union of each class by itself, for what hides under a higher one.
    const std::int64_t from = std::max(start, reach_[kind]);
    if (end > from) {
      covered_[kind] += end - from;
      reach_[kind] = end;
    }
    running_[kind].push(op, end);
  }

  DeviceWall finish(std::int64_t device, std::string name, std::vector<Gap>& gaps) {
    run_until(kNever);
    DeviceWall wall;
    wall.device = device;
    wall.name = std::move(name);
    core::ProfileBuckets& b = wall.buckets;
    b.span_ns = now_ - first_;
    b.compute_ns = owned_[compute];
    b.exposed_comm_ns = owned_[communication];
    b.exposed_copy_ns = owned_[copy];
    b.idle_ns = b.span_ns - b.compute_ns - b.exposed_comm_ns - b.exposed_copy_ns;
    b.hidden_comm_ns = covered_[communication] - owned_[communication];
    b.hidden_copy_ns = covered_[copy] - owned_[copy];
    gaps = std::move(gaps_);
    return wall;
  }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const { return now_; }

 private:
  // Gives the time up to `until` to its owners; stops early when nothing runs any more.
  void run_until(std::int64_t until) {
    while (now_ < until) {
      int owner = -1;
      for (int kind = 0; kind < 3; ++kind) {
        running_[static_cast<std::size_t>(kind)].drop_ended(now_);
        if (owner < 0 && !running_[static_cast<std::size_t>(kind)].empty()) owner = kind;
      }
      if (owner < 0) return;
      const Running& running = running_[static_cast<std::size_t>(owner)];
      const std::int64_t to = std::min(until, running.end());
      owned_[static_cast<std::size_t>(owner)] += to - now_;
      exclusive_[capture_.ops.name[running.op()]] += to - now_;
      now_ = to;
    }
  }

  const Capture& capture_;
  std::vector<std::int64_t>& exclusive_;
  std::array<Running, 3> running_;
  std::array<std::int64_t, 3> owned_{}, covered_{}, reach_{};
  std::vector<Gap> gaps_;
  std::int64_t first_ = 0, now_ = 0;
  bool any_ = false;
};

}  // namespace

Timeline sweep(const Capture& capture, const std::vector<bool>& communication_name) {
  Timeline result;
  result.exclusive.assign(capture.names.size(), 0);
  std::map<std::int64_t, DeviceSweep> by_device;
  std::vector<DeviceSweep*> by_queue;
  for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
    by_queue.push_back(&by_device.try_emplace(capture.queues[i].device, capture, result.exclusive).first->second);
  }
  std::vector<bool> used(capture.queues.size(), false);
  const GpuOps& ops = capture.ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    Class kind = compute;
    if (ops.kind[i] == OpKind::copy || ops.kind[i] == OpKind::set) {
      kind = copy;
    } else if (communication_name[ops.name[i]]) {
      kind = communication;
    }
    used[ops.queue[i]] = true;
    by_queue[ops.queue[i]]->begin(static_cast<std::uint32_t>(i), kind);
  }
  std::int64_t first = kNever;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (auto& [device, sweep] : by_device) {
    bool any = false;
    for (std::uint32_t i = 0; i < capture.queues.size(); ++i) any = any || (used[i] && capture.queues[i].device == device);
    if (!any) continue;
    const auto gpu = capture.gpus.find(device);
    result.gaps.emplace_back();
    result.devices.push_back(
        sweep.finish(device, gpu == capture.gpus.end() ? std::string() : gpu->second.name, result.gaps.back()));
    first = std::min(first, sweep.first());
    last = std::max(last, sweep.last());
  }
  if (last >= first) result.span_ns = last - first;
  return result;
}

}  // namespace plumbline::profiles
