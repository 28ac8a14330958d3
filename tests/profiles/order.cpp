// Which call launched an operation when several processes made calls, and which operations are no part of a capture.
#include "profiles/analysis/order.hpp"

#include "tests/profiles/capture_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// The process whose call launched each operation, -1 where none is known.
std::vector<std::int64_t> launchers(const Capture& capture) {
  std::vector<std::int64_t> result;
  for (const std::uint32_t call : capture.ops.launch) {
    result.push_back(call == kNone ? -1 : capture.threads[capture.calls.thread[call]].process);
  }
  return result;
}

TEST(JoinLaunches, AsksOnlyProcessesThatMadeCalls) {
  Maker maker;
  maker.range("data loader", 0, 50, 1, 4711);
  maker.call("cudaLaunchKernel", 5, 7, 1, 1, 1000);
  maker.op("k", 10, 20, {0, 7, 0}, OpKind::kernel, 1);
  maker.sort();
  EXPECT_EQ(launchers(maker.capture), (std::vector<std::int64_t>{1000}));
  EXPECT_TRUE(maker.capture.warnings.empty());
}

// Ids from 1, ids that go on from where a long run had come to, and ids that are all over the place.
TEST(JoinLaunches, FindsTheFirstCallOfAnIdWhereverIdsBegin) {
  const auto ids = {std::pair{1U, 1U}, std::pair{3'999'999'000U, 1U}, std::pair{17U, 42'949'001U}};
  for (const auto& [first, step] : ids) {
    Maker maker;
    constexpr std::uint32_t kCalls = 100;
    for (std::uint32_t i = 0; i < kCalls; ++i) {
      const std::int64_t at = 100 * static_cast<std::int64_t>(i);
      maker.call("cuLaunchKernel", at, at + 5, first + i * step);
      maker.call("cudaLaunchKernel", at + 1, at + 4, first + i * step);
      maker.op("k", at + 10, at + 30, {}, OpKind::kernel, first + i * step);
    }
    maker.op("not launched here", 20'000, 20'010, {}, OpKind::kernel, first + kCalls * step);
    maker.sort();
    for (std::uint32_t i = 0; i < kCalls; ++i) EXPECT_EQ(maker.capture.ops.launch[i], 2 * i) << first;
    EXPECT_EQ(maker.capture.ops.launch[kCalls], kNone) << first;
  }
}

// Two ranks in one trace: both count their ids from 1, and the second is half a beat behind.
Maker two_ranks(std::int64_t behind) {
  Maker maker;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::int64_t at = 100 * static_cast<std::int64_t>(i);
    maker.call("cudaLaunchKernel", at, at + 2, 1 + i, 1, 1000);
    maker.op("k", at + 10, at + 30, {0, 7, 0}, OpKind::kernel, 1 + i);
    maker.call("cudaLaunchKernel", at + behind, at + behind + 2, 1 + i, 1, 2000);
    maker.op("k", at + behind + 10, at + behind + 30, {1, 7, 0}, OpKind::kernel, 1 + i);
  }
  return maker;
}

TEST(JoinLaunches, OfSeveralProcessesIdsOfOneAloneAreItsOwn) {
  Maker maker;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::int64_t at = 100 * static_cast<std::int64_t>(i);
    const bool second = i % 2 == 1;
    maker.call("cudaLaunchKernel", at, at + 2, 1 + i, 1, second ? 2000 : 1000);
    maker.op("k", at + 10, at + 30, {0, 7, 0}, OpKind::kernel, 1 + i);
  }
  maker.sort();
  const auto found = launchers(maker.capture);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i % 2 == 1 ? 2000 : 1000);
  EXPECT_TRUE(maker.capture.warnings.empty());
}

TEST(JoinLaunches, NobodyLaunchesBeforeItCalls) {
  // Rank 2000 fits device 1 alone unless rank 1000, which is earlier, fits too: then its ids tell.
  Maker maker = two_ranks(50);
  for (std::uint32_t i = 0; i < 20; ++i) {
    maker.call("cudaLaunchKernel", 3000 + i, 3001 + i, 100 + i, 1, 2000);
    maker.op("k", 3100 + 2 * i, 3101 + 2 * i, {1, 7, 0}, OpKind::kernel, 100 + i);
  }
  maker.sort();
  const auto found = launchers(maker.capture);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t device = maker.capture.queues[maker.capture.ops.queue[i]].device;
    EXPECT_EQ(found[i], device == 0 ? 1000 : 2000) << i;
  }
  EXPECT_TRUE(maker.capture.warnings.empty());
}

TEST(JoinLaunches, WhatSeveralMayHaveLaunchedIsSaidAndLeftOpen) {
  Maker maker = two_ranks(0);
  maker.sort();
  EXPECT_EQ(launchers(maker.capture), std::vector<std::int64_t>(40, -1));
  ASSERT_EQ(maker.capture.warnings.size(), 1U);
  EXPECT_EQ(maker.capture.warnings[0].code.text(), "launches_ambiguous");
  EXPECT_EQ(
      maker.capture.warnings[0].message,
      "40 GPU operations bear ids that calls of several of the capture's 2 processes have, and nothing tells which launched "
      "them: they count without their launches, so steps, ranges and causes of idleness lack them; capture every process in "
      "a file of its own");
}

// `count` kernels of 10 ns every 20 ns from `begin` on.
void run(Maker& maker, std::int64_t begin, int count) {
  for (int i = 0; i < count; ++i) maker.op("k", begin + 20 * i, begin + 20 * i + 10, {});
}

TEST(Strays, AreLeftOutOfTheTimeline) {
  constexpr std::int64_t kNow = 1'712'195'495 * kSecond;
  Maker maker;
  run(maker, kNow, 200);
  const std::uint32_t early = maker.op("early", 0, 10, {});
  maker.capture.collectives.resize(2);
  maker.capture.collectives[0].op = early - 1;
  maker.capture.collectives[1].op = early;
  sort_by_start(maker.capture);
  leave_out_strays(maker.capture);
  EXPECT_EQ(maker.capture.ops.size(), 200U);
  EXPECT_EQ(maker.capture.ops.launch.size(), 200U);
  EXPECT_EQ(maker.capture.ops.times.start(0), kNow);
  ASSERT_EQ(maker.capture.collectives.size(), 1U);
  EXPECT_EQ(maker.capture.collectives[0].op, 199U);
  ASSERT_EQ(maker.capture.warnings.size(), 1U);
  EXPECT_EQ(maker.capture.warnings[0].code.text(), "stray_times");
  EXPECT_EQ(
      maker.capture.warnings[0].message,
      "1 GPU operation lies far from all others and cannot belong to them; left out, the first \"early\" at 0 ns, where the "
      "other 200 start between 1712195495000000000 and 1712195495000003980 ns");
}

TEST(Strays, MayLieOnBothSides) {
  Maker maker;
  run(maker, 1000 * kSecond, 3000);
  maker.op("first", 0, 10, {});
  maker.op("second", 5, 10, {});
  maker.op("late", 9000 * kSecond, 9001 * kSecond, {});
  sort_by_start(maker.capture);
  leave_out_strays(maker.capture);
  EXPECT_EQ(maker.capture.ops.size(), 3000U);
  EXPECT_TRUE(maker.capture.warnings[0].message.starts_with("3 GPU operations lie far from all others"));
}

// Neither a pause, nor more than a handful, nor what runs on from there, nor a capture of a few operations.
TEST(Strays, AreNoneWhereACaptureMayBeSo) {
  struct Case {
    std::int64_t gap;
    int early, later;
    std::int64_t length;
  };
  for (const Case& each :
       {Case{590 * kSecond, 1, 200, 10}, Case{7000 * kSecond, 2, 200, 10}, Case{7000 * kSecond, 11, 20'000, 10},
        Case{7000 * kSecond, 1, 200, 7000 * kSecond}, Case{7000 * kSecond, 1, 98, 10}}) {
    Maker maker;
    for (int i = 0; i < each.early; ++i) maker.op("early", i, i + each.length, {});
    run(maker, each.gap, each.later);
    sort_by_start(maker.capture);
    leave_out_strays(maker.capture);
    EXPECT_EQ(maker.capture.ops.size(), static_cast<std::size_t>(each.early + each.later));
    EXPECT_TRUE(maker.capture.warnings.empty());
  }
  Maker empty;
  leave_out_strays(empty.capture);
  EXPECT_TRUE(empty.capture.warnings.empty());
}

}  // namespace
}  // namespace plumbline::profiles::test
