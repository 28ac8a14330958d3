// The step that is drawn and taken apart.
#include "profiles/analysis/typical_step.hpp"

#include <gtest/gtest.h>

#include <random>

#include "profiles/diff/diff.hpp"
#include "tests/profiles/capture_maker.hpp"

namespace plumbline::profiles::test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A step of `load` ms in which data is fetched, a kernel of 4 ms, a collective of 3 ms of which 1 ms lies under the kernel.
void add_step(Maker& maker, std::int64_t number, std::int64_t at, std::int64_t load) {
  maker.range("ProfilerStep#" + std::to_string(number), at, at + (10 + load) * kMs);
  maker.launched("gemm", at, at + kMs, at + 5 * kMs);
  maker.launched("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at + 5, at + 4 * kMs, at + 7 * kMs, {0, 20, 1});
  if (load > 0) maker.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 7 * kMs, at + (7 + load) * kMs);
}

Profile profile_of(const std::vector<std::int64_t>& loads) {
  Maker maker;
  std::int64_t now = 0, number = 0;
  for (const std::int64_t load : loads) {
    add_step(maker, number++, now, load);
    now += (10 + load) * kMs;
  }
  add_step(maker, number, now, 0);  // where the last one ends
  auto profile = analyse(std::move(maker.capture), {});
  EXPECT_TRUE(profile);
  return std::move(*profile);
}

std::int64_t sum(const std::vector<core::TimelinePart>& parts) {
  std::int64_t all = 0;
  for (const core::TimelinePart& each : parts) all += each.ns;
  return all;
}

std::int64_t part(const core::ProfileTimelineSide& side, std::string_view kind, std::string_view name) {
  for (const core::TimelinePart& each : side.parts) {
    if (each.kind == kind && each.name == name) return each.ns;
  }
  return -1;
}

constexpr const char* kLoading = "data_loading: enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

TEST(TypicalStep, IsTheMedianStepWithItsLanesAndGaps) {
  const Profile profile = profile_of({0, 9, 20, 11, 10});  // the first one is left out as warm-up
  ASSERT_TRUE(profile.timeline);
  const core::ProfileTimelineSide& side = *profile.timeline;
  EXPECT_EQ(side.basis, "step");
  EXPECT_EQ(side.of, 4U);
  EXPECT_EQ(side.wall_ns, 20 * kMs) << "of 19, 30, 21 and 20 ms the lower of the two in the middle";
  EXPECT_EQ(side.step, 4U);
  EXPECT_EQ(side.idle_ns, 14 * kMs);
  ASSERT_EQ(side.lanes.size(), 3U);
  EXPECT_EQ(side.lanes[0].number, 7);
  EXPECT_EQ(side.lanes[0].busy_ns[0], 4 * kMs);
  ASSERT_EQ(side.lanes[1].blocks.size(), 1U);
  EXPECT_EQ(side.lanes[1].number, 20);
  EXPECT_EQ(side.lanes[1].blocks[0].work, core::TimelineWork::communication);
  EXPECT_EQ(side.lanes[1].blocks[0].start_ns, 3 * kMs);
  EXPECT_EQ(side.lanes[1].blocks[0].duration_ns, 3 * kMs);
  EXPECT_TRUE(side.lanes[2].host);
  ASSERT_EQ(side.lanes[2].blocks.size(), 1U) << "the step's own range tells nothing";
  EXPECT_EQ(side.names[side.lanes[2].blocks[0].name], "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  std::int64_t loading = 0, all = 0;
  for (const core::TimelineGap& gap : side.gaps) {
    all += gap.duration_ns;
    if (gap.cause == "data_loading") loading += gap.duration_ns;
    EXPECT_GE(gap.start_ns, 6 * kMs);
  }
  EXPECT_EQ(loading, 10 * kMs);
  EXPECT_EQ(all, side.idle_ns);
}

TEST(TypicalStep, HasPartsThatSumToTheMedianWall) {
  const Profile odd = profile_of({0, 9, 30, 11});
  EXPECT_EQ(odd.timeline->typical_ns, 21 * kMs);
  EXPECT_EQ(sum(odd.timeline->parts), 21 * kMs);
  EXPECT_EQ(part(*odd.timeline, "kernel", "gemm"), 4 * kMs);
  EXPECT_EQ(part(*odd.timeline, "collective", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"), 2 * kMs) << "1 ms is hidden";
  EXPECT_EQ(part(*odd.timeline, "idle", kLoading), 11 * kMs);

  const Profile even = profile_of({0, 9, 20, 11, 10});
  EXPECT_EQ(even.timeline->typical_ns, 20'500'000) << "the mean of 20 and 21 ms";
  EXPECT_EQ(sum(even.timeline->parts), even.timeline->typical_ns);
  EXPECT_EQ(part(*even.timeline, "idle", kLoading), 10'500'000);
}

TEST(TypicalStep, PartsOfBothSidesSumToTheChangeAndNegateWhenSwapped) {
  const Profile slow = profile_of({0, 9, 20, 11, 10});
  const Profile quick = profile_of({0, 0, 1, 0});
  const core::ProfileDiff forth = diff(slow, quick, {}).diff;
  const core::ProfileDiff back = diff(quick, slow, {}).diff;
  ASSERT_TRUE(forth.timeline && back.timeline);
  ASSERT_FALSE(forth.timeline->parts.empty());
  EXPECT_EQ(forth.timeline->parts[0].name, kLoading);
  EXPECT_EQ(forth.timeline->parts[0].delta_ns(), -10'500'000);
  std::int64_t change = 0;
  for (const core::ProfileStepPart& each : forth.timeline->parts) change += each.delta_ns();
  EXPECT_EQ(change, quick.timeline->typical_ns - slow.timeline->typical_ns);
  ASSERT_EQ(back.timeline->parts.size(), forth.timeline->parts.size());
  for (std::size_t i = 0; i < back.timeline->parts.size(); ++i)
    EXPECT_EQ(back.timeline->parts[i].delta_ns(), -forth.timeline->parts[i].delta_ns());
}

TEST(TypicalStep, PutsShortNeighboursTogetherAndDropsNone) {
  Maker maker;
  constexpr int kOps = 40'000;
  std::int64_t now = 0;
  for (int step = 0; step < 5; ++step) {
    maker.range("ProfilerStep#" + std::to_string(step), now, now + 3'000 * kOps);
    for (int i = 0; i < kOps; ++i)
      maker.launched("kernel_" + std::to_string(i % 300), now + 3'000 * i, now + 3'000 * i + 10, now + 3'000 * i + 2'000,
                     {0, i % 40, 1});
    now += 3'000LL * kOps;
  }
  const auto profile = analyse(std::move(maker.capture), {});
  ASSERT_TRUE(profile && profile->timeline);
  const core::ProfileTimelineSide& side = *profile->timeline;
  EXPECT_EQ(side.operations, static_cast<std::uint64_t>(kOps));
  std::size_t blocks = 0, counted = 0, lanes = 0;
  std::uint32_t streams = 0;
  for (const core::TimelineLane& lane : side.lanes) {
    std::int64_t before = 0;
    for (const core::TimelineBlock& block : lane.blocks) {
      EXPECT_GE(block.start_ns, before);
      EXPECT_LE(block.start_ns + block.duration_ns, side.wall_ns);
      before = block.start_ns;
      if (lane.host) continue;
      ++blocks;
      counted += block.count;
    }
    if (lane.host) continue;
    ++lanes;
    streams += lane.together;
  }
  EXPECT_EQ(counted, static_cast<std::size_t>(kOps));
  EXPECT_EQ(lanes, kMostStreamLanes);
  EXPECT_EQ(streams, 40U);
  EXPECT_LE(blocks, kMostStreamBlocks);
  EXPECT_GT(blocks, kMostStreamLanes) << "put together more than the room asks for";
  EXPECT_LE(side.gaps.size(), kMostDrawnGaps);
  std::int64_t idle = side.short_gaps_ns;
  for (const core::TimelineGap& gap : side.gaps) idle += gap.duration_ns;
  EXPECT_EQ(idle, side.idle_ns);
}

TEST(TypicalStep, WithoutStepsIsTheWholeCaptureOrItsMiddle) {
  Maker brief;
  for (int i = 0; i < 5; ++i) brief.op("kernel_" + std::to_string(i), i * kMs, i * kMs + kMs / 2, {});
  const auto whole = analyse(std::move(brief.capture), {});
  ASSERT_TRUE(whole && whole->timeline);
  EXPECT_EQ(whole->timeline->basis, "capture");
  EXPECT_EQ(whole->timeline->wall_ns, 4 * kMs + kMs / 2);
  EXPECT_TRUE(whole->timeline->parts.empty());
  EXPECT_EQ(whole->timeline->gaps.at(0).cause, "unknown") << "no call says who launched what";

  Maker lasting;
  for (int i = 0; i < 2000; ++i) lasting.op("kernel_" + std::to_string(i), i * kMs, i * kMs + kMs / 2, {});
  const auto piece = analyse(std::move(lasting.capture), {});
  ASSERT_TRUE(piece && piece->timeline);
  EXPECT_EQ(piece->timeline->basis, "window");
  EXPECT_EQ(piece->timeline->wall_ns, kPieceDrawn);
  EXPECT_EQ(piece->timeline->start_ns, 1000 * kMs);
}

// Random operations on three streams: what the parts say by kind is what the steps' own sweep says.
TEST(TypicalStep, AgreesWithTheStepsBuckets) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Maker maker;
    std::int64_t now = 0;
    for (int step = 0; step < 4; ++step) {
      maker.range("ProfilerStep#" + std::to_string(step), now, now + 5 * kMs);
      for (int i = 0; i < 60; ++i) {
        const std::int64_t at = now + static_cast<std::int64_t>(random() % (4 * kMs));
        const auto length = static_cast<std::int64_t>(1000 + random() % 200'000);
        const char* name = i % 3 == 0 ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" : "gemm";
        maker.launched(name, at, at + 3000, at + 3000 + length, {0, i % 3, 1});
      }
      now += 5 * kMs;
    }
    const auto profile = analyse(std::move(maker.capture), {});
    ASSERT_TRUE(profile && profile->timeline);
    ASSERT_EQ(profile->timeline->of, 3U);
    const Step& step = profile->steps.steps[profile->timeline->step - 1];
    const core::ProfileTimelineSide& side = *profile->timeline;
    EXPECT_EQ(part(side, "kernel", "gemm"), step.buckets.compute_ns);
    EXPECT_EQ(std::max<std::int64_t>(part(side, "collective", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"), 0),
              step.buckets.exposed_comm_ns);
    EXPECT_EQ(side.idle_ns, step.buckets.idle_ns);
    EXPECT_EQ(sum(side.parts), step.wall_ns);
  }
}

}  // namespace
}  // namespace plumbline::profiles::test
