// Where a device's wall time went and why it stood still, beside a plain way of counting both nanosecond by nanosecond.
#include "profiles/analysis/timeline.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "tests/profiles/capture_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

constexpr const char* kGemm = "gemm";
constexpr const char* kNccl = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

std::int64_t exclusive(const Swept& result, const Maker& maker, const std::string& name, bool copy = false) {
  for (std::uint32_t id = 0; id < maker.capture.names.size(); ++id) {
    if (maker.capture.names.text(id) == name)
      return (copy ? result.timeline.exclusive_copies : result.timeline.exclusive_kernels)[id];
  }
  return -1;
}

TEST(Timeline, ComputeThenCommunicationThenCopiesThenIdle) {
  Maker maker;
  maker.op("copy", 0, 12, {0, 9}, OpKind::copy);
  maker.op(kGemm, 10, 20, {0, 7});
  maker.op(kNccl, 15, 30, {0, 8});
  maker.op("copy", 28, 35, {0, 9}, OpKind::set);
  maker.op(kGemm, 40, 50, {0, 7});
  const Swept result = swept(maker);
  ASSERT_EQ(result.timeline.devices.size(), 1U);
  const core::ProfileBuckets& parts = result.timeline.devices[0].buckets;
  EXPECT_EQ(parts.span_ns, 50);
  EXPECT_EQ(parts.compute_ns, 20);
  EXPECT_EQ(parts.exposed_comm_ns, 10);
  EXPECT_EQ(parts.exposed_copy_ns, 15);
  EXPECT_EQ(parts.idle_ns, 5);
  EXPECT_EQ(parts.hidden_comm_ns, 5);
  EXPECT_EQ(parts.hidden_copy_ns, 4);
  EXPECT_FALSE(parts.idle_split) << "the capture holds no calls";
  EXPECT_EQ(exclusive(result, maker, kGemm), 20);
  EXPECT_EQ(exclusive(result, maker, kNccl), 10);
  EXPECT_EQ(exclusive(result, maker, "copy", true), 15);
}

TEST(Timeline, AMomentBelongsToTheOneThatBeganFirst) {
  Maker maker;
  maker.op("first", 0, 10, {0, 1});
  maker.op("second", 2, 20, {0, 2});
  maker.op("within", 3, 15, {0, 3});
  maker.op("last", 19, 25, {0, 1});
  const Swept result = swept(maker);
  EXPECT_EQ(exclusive(result, maker, "first"), 10);
  EXPECT_EQ(exclusive(result, maker, "second"), 10);
  EXPECT_EQ(exclusive(result, maker, "within"), 0);
  EXPECT_EQ(exclusive(result, maker, "last"), 5);
}

TEST(Timeline, AReplayOfAGraphIsComputeAndTwoProcessesShareTheirDevice) {
  Maker maker;
  maker.op("[CUDA graph replay]", 0, 10, {0, 7, 1}, OpKind::graph);
  maker.op(kGemm, 5, 20, {0, 7, 2});
  maker.op(kGemm, 100, 130, {1, 7, 2});
  const Swept result = swept(maker);
  ASSERT_EQ(result.timeline.devices.size(), 2U);
  EXPECT_EQ(result.timeline.devices[0].buckets.compute_ns, 20);
  EXPECT_EQ(result.timeline.devices[1].device, 1);
  EXPECT_EQ(result.timeline.devices[1].buckets.span_ns, 30);
  EXPECT_EQ(result.timeline.span_ns, 130);
}

TEST(Idle, SplitsAGapAtTheCallThatEndedIt) {
  Maker maker;
  maker.launched(kGemm, 0, 10, 20);
  maker.call("cudaDeviceSynchronize_v3020", 5, 26);  // waits; 20..26 of it is idle time
  maker.launched(kGemm, 40, 48, 60);                 // 20..26 sync, 26..40 host, 40..48 launch
  maker.op("unknown", 70, 80, {});                   // 60..70: nobody says
  const Swept result = swept(maker);
  const core::ProfileBuckets& parts = result.timeline.devices[0].buckets;
  ASSERT_TRUE(parts.idle_split);
  EXPECT_EQ(parts.idle_split->sync_ns, 6);
  EXPECT_EQ(parts.idle_split->host_ns, 14);
  EXPECT_EQ(parts.idle_split->launch_ns, 8);
  EXPECT_EQ(parts.idle_split->other_ns, 10);
  EXPECT_EQ(parts.idle_ns, 38);
}

TEST(Idle, OnlyTheLaunchingThreadsWaitingCounts) {
  Maker maker;
  maker.launched(kGemm, 0, 10, 20, {}, 1);
  maker.call("cudaStreamSynchronize", 5, 30, kNone, 2);
  maker.launched(kGemm, 40, 48, 60, {}, 1);
  const auto split = swept(maker).timeline.devices[0].buckets.idle_split;
  EXPECT_EQ(split->sync_ns, 0);
  EXPECT_EQ(split->host_ns, 20);
}

TEST(Idle, ACopyOfPageableMemoryKeepsItsCaller) {
  for (const MemoryKind host : {MemoryKind::pageable, MemoryKind::pinned}) {
    Maker maker;
    maker.call("cudaMemcpyAsync", 0, 30, 1);
    maker.op("copy", 10, 20, {}, OpKind::copy, 1, maker.copy_shape(64, MemoryKind::device, host));
    maker.launched(kGemm, 40, 45, 60);
    const auto split = swept(maker).timeline.devices[0].buckets.idle_split;
    EXPECT_EQ(split->sync_ns, host == MemoryKind::pageable ? 10 : 0);
    EXPECT_EQ(split->host_ns, host == MemoryKind::pageable ? 10 : 20);
  }
}

// ---- the plain way: a table with a line for each nanosecond -------------------------------------------------------------

constexpr std::int64_t kEnd = 300;

struct Plain {
  core::ProfileBuckets buckets;
  core::ProfileIdleSplit split;
  std::map<std::string, std::int64_t> kernels, copies;
};

int class_of(const Capture& capture, std::size_t op) {
  if (capture.ops.kind[op] == OpKind::copy || capture.ops.kind[op] == OpKind::set) return 2;
  return capture.names.text(capture.ops.name[op]).starts_with("nccl") ? 1 : 0;
}

Plain plainly(const Capture& capture, std::int64_t device) {
  Plain plain;
  const Times& times = capture.ops.times;
  std::vector<std::size_t> mine;
  std::int64_t first = kEnd, last = 0;
  for (std::size_t i = 0; i < capture.ops.size(); ++i) {
    if (capture.queues[capture.ops.queue[i]].device != device) continue;
    mine.push_back(i);
    first = std::min(first, times.start(i));
    last = std::max(last, times.end(i));
  }
  plain.buckets.span_ns = last - first;
  for (std::int64_t t = first; t < last; ++t) {
    std::optional<std::size_t> owner;
    bool runs[3] = {false, false, false};
    for (const std::size_t i : mine) {  // in order of start
      if (times.start(i) > t || times.end(i) <= t) continue;
      runs[class_of(capture, i)] = true;
      if (!owner || class_of(capture, i) < class_of(capture, *owner)) owner = i;
    }
    plain.buckets.hidden_comm_ns += runs[1] && runs[0] ? 1 : 0;
    plain.buckets.hidden_copy_ns += runs[2] && (runs[0] || runs[1]) ? 1 : 0;
    if (owner) {
      const int kind = class_of(capture, *owner);
      ++(kind == 0 ? plain.buckets.compute_ns : kind == 1 ? plain.buckets.exposed_comm_ns : plain.buckets.exposed_copy_ns);
      ++(kind == 2 ? plain.copies : plain.kernels)[capture.names.text(capture.ops.name[*owner])];
      continue;
    }
    ++plain.buckets.idle_ns;
    const auto next = std::find_if(mine.begin(), mine.end(), [&](std::size_t i) { return times.start(i) > t; });
    const std::uint32_t call = capture.ops.launch[*next];
    if (call == kNone) {
      ++plain.split.other_ns;
    } else if (t >= capture.calls.times.start(call)) {
      ++plain.split.launch_ns;
    } else {
      bool waits = false;
      for (std::size_t i = 0; i < capture.calls.size(); ++i) {
        waits = waits || (capture.calls.thread[i] == capture.calls.thread[call] && capture.calls.times.start(i) <= t &&
                          capture.calls.times.end(i) > t && capture.names.text(capture.calls.name[i]) == "cudaStreamSynchronize");
      }
      ++(waits ? plain.split.sync_ns : plain.split.host_ns);
    }
  }
  return plain;
}

Maker random_maker(std::mt19937_64& random, std::int64_t shift) {
  Maker maker;
  const std::size_t count = 1 + random() % 12;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto start = static_cast<std::int64_t>(20 + random() % 200);
    const auto end = start + static_cast<std::int64_t>(random() % 30);
    const auto device = static_cast<std::int64_t>(random() % 2);
    const auto stream = static_cast<std::int64_t>(random() % 3);
    const std::uint64_t what = random() % 4;
    const std::string name = what == 0 ? "gemm" : what == 1 ? "other" : what == 2 ? "ncclKernel_AllReduce" : "copy";
    const std::uint32_t correlation = random() % 4 == 0 ? kNone : i;
    if (correlation != kNone) {
      const auto called = start - static_cast<std::int64_t>(random() % 20);
      maker.call("cudaLaunchKernel", called + shift, called + 1 + shift, i, static_cast<std::int64_t>(1 + random() % 2));
    }
    maker.op(name, start + shift, end + shift, {device, stream}, what == 3 ? OpKind::copy : OpKind::kernel, correlation);
  }
  for (std::uint64_t i = random() % 6; i > 0; --i) {
    const auto start = static_cast<std::int64_t>(random() % 250);
    maker.call("cudaStreamSynchronize", start + shift, start + static_cast<std::int64_t>(random() % 40) + shift, kNone,
               static_cast<std::int64_t>(1 + random() % 2));
  }
  return maker;
}

TEST(Timeline, AgreesWithCountingNanosecondsWhateverOverlaps) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 random(seed);
    Maker maker = random_maker(random, 0);
    const Swept result = swept(maker);
    std::map<std::string, std::int64_t> kernels, copies;
    for (const DeviceWall& wall : result.timeline.devices) {
      const Plain plain = plainly(maker.capture, wall.device);
      const core::ProfileBuckets& b = wall.buckets;
      ASSERT_EQ(b.span_ns, plain.buckets.span_ns) << "seed " << seed;
      ASSERT_EQ(b.compute_ns, plain.buckets.compute_ns) << "seed " << seed;
      ASSERT_EQ(b.exposed_comm_ns, plain.buckets.exposed_comm_ns) << "seed " << seed;
      ASSERT_EQ(b.exposed_copy_ns, plain.buckets.exposed_copy_ns) << "seed " << seed;
      ASSERT_EQ(b.idle_ns, plain.buckets.idle_ns) << "seed " << seed;
      ASSERT_EQ(b.hidden_comm_ns, plain.buckets.hidden_comm_ns) << "seed " << seed;
      ASSERT_EQ(b.hidden_copy_ns, plain.buckets.hidden_copy_ns) << "seed " << seed;
      if (b.idle_split) {
        ASSERT_EQ(b.idle_split->host_ns, plain.split.host_ns) << "seed " << seed;
        ASSERT_EQ(b.idle_split->sync_ns, plain.split.sync_ns) << "seed " << seed;
        ASSERT_EQ(b.idle_split->launch_ns, plain.split.launch_ns) << "seed " << seed;
        ASSERT_EQ(b.idle_split->other_ns, plain.split.other_ns) << "seed " << seed;
      }
      for (const auto& [name, ns] : plain.kernels) kernels[name] += ns;
      for (const auto& [name, ns] : plain.copies) copies[name] += ns;
    }
    for (const auto& [name, ns] : kernels) ASSERT_EQ(exclusive(result, maker, name), ns) << name << ", seed " << seed;
    for (const auto& [name, ns] : copies) ASSERT_EQ(exclusive(result, maker, name, true), ns) << name << ", seed " << seed;
  }
}

TEST(Timeline, ShiftingTheClockChangesNothing) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed), again(seed);
    Maker maker = random_maker(random, 0);
    Maker later = random_maker(again, 1'661'203'462'598'772'000);
    const Swept a = swept(maker), b = swept(later);
    ASSERT_EQ(a.timeline.exclusive_kernels, b.timeline.exclusive_kernels);
    ASSERT_EQ(a.timeline.span_ns, b.timeline.span_ns);
    for (std::size_t i = 0; i < a.timeline.devices.size(); ++i) {
      EXPECT_EQ(a.timeline.devices[i].buckets.idle_ns, b.timeline.devices[i].buckets.idle_ns);
      EXPECT_EQ(a.timeline.devices[i].buckets.exposed_comm_ns, b.timeline.devices[i].buckets.exposed_comm_ns);
    }
  }
}

TEST(Timeline, ProcessesThatShareADeviceHaveAWallEach) {
  Maker maker;
  maker.op(kGemm, 0, 100, {0, 7, 11});
  maker.op(kGemm, 50, 250, {0, 7, 22});
  maker.op(kGemm, 300, 400, {0, 7, 11});
  maker.op(kGemm, 0, 10, {1, 7, 11});
  const Swept result = swept(maker);
  ASSERT_EQ(result.timeline.devices.size(), 2U);
  const DeviceWall& shared = result.timeline.devices[0];
  EXPECT_EQ(shared.buckets.span_ns, 400);
  EXPECT_EQ(shared.buckets.idle_ns, 50) << "between 250 and 300 neither runs";
  ASSERT_EQ(shared.processes.size(), 2U);
  EXPECT_EQ(shared.processes[0].process, 11);
  EXPECT_EQ(shared.processes[0].buckets.idle_ns, 200);
  EXPECT_EQ(shared.processes[0].buckets.compute_ns, 200);
  EXPECT_EQ(shared.processes[1].process, 22);
  EXPECT_EQ(shared.processes[1].buckets.span_ns, 200);
  EXPECT_EQ(shared.processes[1].buckets.idle_ns, 0);
  EXPECT_TRUE(result.timeline.devices[1].processes.empty()) << "alone there";
}

}  // namespace
}  // namespace plumbline::profiles::test
