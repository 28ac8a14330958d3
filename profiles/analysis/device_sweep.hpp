// One device's time in order: the operations come sorted by start, and between two starts nothing begins, so how far each class
// of work reaches is all there is to know. A class reaches to the latest end of its operations so far. Constant work and memory
// per operation; only communication and copies wait in a queue, for the moments in which nothing above them runs.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "profiles/analysis/gaps.hpp"
#include "profiles/analysis/idle.hpp"

namespace plumbline::profiles {

enum class WorkClass : std::uint8_t { compute, communication, copy };  // in order of priority

// One operation as the sweep meets it; node: of RangeTree.
struct GpuWork {
  std::uint32_t op, name;
  WorkClass work;
  std::int64_t start, end;
  std::uint32_t node = 0;
};
// Where a sweep adds up, besides its buckets; null: not wanted.
struct SweepSums {
  std::int64_t *kernels = nullptr, *copies = nullptr;       // exclusive times by name id; both or neither
  std::int64_t *node_busy = nullptr, *node_idle = nullptr;  // exclusive times and gaps by node, only beside those
  GapLog* gaps = nullptr;                                   // one by one
};

// Times lie within +-4e18 ns (readers refuse others), so differences fit.
class DeviceSweep {
 public:
  explicit DeviceSweep(const IdleSplitter& idle, const SweepSums& sums = {})
      : idle_(&idle), gaps_(sums.gaps), exclusive_{sums.kernels, sums.copies}, busy_(sums.node_busy), idle_of_(sums.node_idle) {
    reset();
  }

  void begin(const GpuWork& one) {
    const std::int64_t start = one.start, end = one.end;
    if (!any_) {
      any_ = true;
      first_ = now_ = start;
    }
    advance(start, one.op, one.node);
    if (end > std::max({reach_[0], reach_[1], reach_[2]})) last_ = one.op;
    const auto kind = static_cast<std::size_t>(one.work);
    // The earlier ones of the class own the time up to its reach: this one owns what is beyond.
    const std::int64_t from = std::max(start, reach_[kind]);
    if (end <= from) return;
    reach_[kind] = end;
    if (exclusive_[0] == nullptr) return;
    if (one.work == WorkClass::compute) {
      exclusive_[0][one.name] += end - from;
      if (busy_ != nullptr) busy_[one.node] += end - from;
    } else {
      waiting_[kind - 1].drop_before(now_);
      waiting_[kind - 1].push({from, end, one.name, one.node});
    }
  }
  // Time moves on to `to`, at or before the start of the next operation `next`, of `node`.
  void advance(std::int64_t to, std::uint32_t next, std::uint32_t node = 0) {
    if (!any_ || to <= now_) return;
    const std::int64_t compute = std::clamp(reach_[0], now_, to);
    const std::int64_t communication = std::clamp(reach_[1], now_, to);
    const std::int64_t copy = std::clamp(reach_[2], now_, to);
    const std::int64_t after_communication = std::max(compute, communication);
    const std::int64_t after_copy = std::max(after_communication, copy);
    buckets_.compute_ns += compute - now_;
    buckets_.exposed_comm_ns += after_communication - compute;
    buckets_.hidden_comm_ns += communication - now_ - (after_communication - compute);
    buckets_.exposed_copy_ns += after_copy - after_communication;
    buckets_.hidden_copy_ns += copy - now_ - (after_copy - after_communication);
    if (exclusive_[0] != nullptr) {
      if (after_communication > compute) credit(0, compute, after_communication);
      if (after_copy > after_communication) credit(1, after_communication, after_copy);
    }
    if (to > after_copy) {
      buckets_.idle_ns += to - after_copy;
      if (idle_of_ != nullptr) idle_of_[node] += to - after_copy;
      if (idle_->known()) add_gap(after_copy, to, next);
    }
    now_ = to;
  }
  // To the end of what runs.
  void finish() { advance(std::max({reach_[0], reach_[1], reach_[2]}), kNone); }
  // What has come together since the last call.
  core::ProfileBuckets take() {
    core::ProfileBuckets taken = buckets_;
    taken.span_ns = taken.compute_ns + taken.exposed_comm_ns + taken.exposed_copy_ns + taken.idle_ns;
    reset();
    return taken;
  }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t now() const { return now_; }

 private:
  struct Segment {
    std::int64_t from, to;
    std::uint32_t name, node;
  };
  class Queue {
   public:
    void push(const Segment& segment) {
      if (front_ == list_.size()) {
        list_.clear();
        front_ = 0;
      }
      list_.push_back(segment);
    }
    void drop_before(std::int64_t now) {  // hidden to its end: nobody's
      while (!empty() && front().to <= now) pop();
    }
    [[nodiscard]] bool empty() const { return front_ == list_.size(); }
    [[nodiscard]] const Segment& front() const { return list_[front_]; }
    void pop() {
      if (++front_ > 4096 && front_ * 2 > list_.size()) {
        list_.erase(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(front_));
        front_ = 0;
      }
    }

   private:
    std::vector<Segment> list_;
    std::size_t front_ = 0;
  };

  void add_gap(std::int64_t from, std::int64_t to, std::uint32_t next) {
    core::ProfileIdleSplit& into = *buckets_.idle_split;
    if (gaps_ == nullptr) {
      idle_->add(from, to, next, hint_, into);
      return;
    }
    core::ProfileIdleSplit parts;
    idle_->add(from, to, next, hint_, parts);
    into.host_ns += parts.host_ns;
    into.sync_ns += parts.sync_ns;
    into.launch_ns += parts.launch_ns;
    into.other_ns += parts.other_ns;
    gaps_->add(from, to, last_, next, parts);
  }

  void credit(std::size_t kind, std::int64_t from, std::int64_t to) {
    Queue& waiting = waiting_[kind];
    while (!waiting.empty() && waiting.front().from < to) {
      const Segment& segment = waiting.front();
      const std::int64_t begin = std::max(segment.from, from);
      const std::int64_t end = std::min(segment.to, to);
      if (end > begin) {
        exclusive_[kind][segment.name] += end - begin;
        if (busy_ != nullptr) busy_[segment.node] += end - begin;
      }
      if (segment.to > to) return;
      waiting.pop();
    }
  }
  void reset() {
    buckets_ = {};
    if (idle_->known()) buckets_.idle_split.emplace();
  }

  const IdleSplitter* idle_;
  GapLog* gaps_;
  std::uint32_t last_ = kNone;  // the operation that ended last, of those that began
  std::array<std::int64_t*, 2> exclusive_;
  std::int64_t *busy_, *idle_of_;  // by node
  std::array<std::int64_t, 3> reach_ = {kBefore, kBefore, kBefore};
  std::array<Queue, 2> waiting_;  // communication, copies
  core::ProfileBuckets buckets_;
  IdleSplitter::Hint hint_;
  std::int64_t first_ = 0, now_ = 0;
  bool any_ = false;
  static constexpr std::int64_t kBefore = std::numeric_limits<std::int64_t>::min();
};

// What an operation counts as: by its kind, kernels by their name.
class WorkClasses {
 public:
  WorkClasses(const Capture& capture, const std::vector<bool>& communication_name)
      : ops_(&capture.ops), communication_(&communication_name) {}
  [[nodiscard]] WorkClass operator[](std::size_t op) const {
    const OpKind kind = ops_->kind[op];
    if (kind == OpKind::copy || kind == OpKind::set) return WorkClass::copy;
    return (*communication_)[ops_->name[op]] ? WorkClass::communication : WorkClass::compute;
  }

 private:
  const GpuOps* ops_;
  const std::vector<bool>* communication_;
};

}  // namespace plumbline::profiles
