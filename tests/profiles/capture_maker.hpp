// Captures made by hand, event by event.
#pragma once

#include <string>
#include <vector>

#include "profiles/analysis/analyse.hpp"
#include "profiles/analysis/calls.hpp"
#include "profiles/analysis/idle.hpp"
#include "profiles/analysis/order.hpp"
#include "profiles/analysis/timeline.hpp"
#include "profiles/capture.hpp"

namespace plumbline::profiles::test {

struct Where {
  std::int64_t device = 0, stream = 7, process = 1;
};

class Maker {
 public:
  Capture capture;

  // Returns the operation's place before sorting.
  std::uint32_t op(const std::string& name, std::int64_t start, std::int64_t end, Where where, OpKind kind = OpKind::kernel,
                   std::uint32_t correlation = kNone, std::uint32_t detail = kNone) {
    capture.ops.times.add(start, end - start);
    capture.ops.name.push_back(capture.names.id(name));
    capture.ops.queue.push_back(static_cast<std::uint16_t>(capture.queues.id({where.process, where.device, 1, where.stream})));
    capture.ops.kind.push_back(kind);
    capture.ops.detail.push_back(detail);
    capture.ops.launch.push_back(correlation);
    return static_cast<std::uint32_t>(capture.ops.size() - 1);
  }
  void call(const std::string& name, std::int64_t start, std::int64_t end, std::uint32_t correlation = kNone,
            std::int64_t thread = 1, std::int64_t process = 1) {
    capture.calls.times.add(start, end - start);
    capture.calls.name.push_back(capture.names.id(name));
    capture.calls.thread.push_back(static_cast<std::uint16_t>(capture.threads.id({process, thread})));
    capture.calls.correlation.push_back(correlation);
  }
  void range(const std::string& name, std::int64_t start, std::int64_t end, std::int64_t thread = 1, std::int64_t process = 1,
             RangeKind kind = RangeKind::annotation) {
    capture.ranges.times.add(start, end - start);
    capture.ranges.name.push_back(capture.names.id(name));
    capture.ranges.thread.push_back(static_cast<std::uint16_t>(capture.threads.id({process, thread})));
    capture.ranges.kind.push_back(kind);
  }
  // A kernel and the call that launches it.
  void launched(const std::string& name, std::int64_t called, std::int64_t start, std::int64_t end, Where where = {},
                std::int64_t thread = 1) {
    const std::uint32_t correlation = next_++;
    call("cudaLaunchKernel", called, called + 2, correlation, thread, where.process);
    op(name, start, end, where, OpKind::kernel, correlation);
  }
  std::uint32_t copy_shape(std::uint64_t bytes, MemoryKind from, MemoryKind to) {
    return capture.copy_shapes.id({bytes, from, to});
  }
  void sort() {
    sort_by_start(capture);
    join_launches(capture);
  }

 private:
  std::uint32_t next_ = 1000;
};

struct Swept {
  Timeline timeline;
  std::vector<CallKind> kinds;
};
// Sorts, joins and sweeps.
inline Swept swept(Maker& maker) {
  maker.sort();
  Swept result;
  result.kinds = call_kinds(maker.capture);
  const IdleSplitter idle(maker.capture, result.kinds);
  result.timeline = sweep(maker.capture, communication_names(maker.capture), idle, RangeTree(maker.capture));
  return result;
}

}  // namespace plumbline::profiles::test
