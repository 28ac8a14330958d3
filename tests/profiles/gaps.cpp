// Gaps of a device by what the host did meanwhile.
#include "profiles/analysis/gaps.hpp"

#include <gtest/gtest.h>

#include <random>

#include "profiles/diff/diff.hpp"
#include "profiles/diff/gaps.hpp"
#include "profiles/names/host_work.hpp"
#include "profiles/names/os_calls.hpp"
#include "tests/profiles/capture_maker.hpp"
#include "tests/profiles/hand_made.hpp"

namespace plumbline::profiles::test {
namespace {

std::vector<Gaps> explained(Maker& maker) {
  const Swept result = swept(maker);
  return explain_gaps(maker.capture, result.kinds, result.timeline.gaps);
}

const Gaps* find(const std::vector<Gaps>& rows, std::string_view cause, std::string_view what = {}) {
  for (const Gaps& each : rows) {
    if (each.cause == cause && each.what == what) return &each;
  }
  return nullptr;
}

constexpr std::int64_t kMs = 1'000'000;

TEST(GapCauses, AreCutByWhatTheLaunchingThreadDid) {
  Maker maker;
  maker.range("ProfilerStep#3", 0, 100 * kMs);
  maker.launched("first", 0, 1 * kMs, 2 * kMs);
  maker.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 3 * kMs, 53 * kMs);
  maker.call("cudaMalloc", 55 * kMs, 58 * kMs);
  maker.call("cudaStreamSynchronize_v3020", 58 * kMs, 62 * kMs);
  maker.call("cudaFree", 62 * kMs, 63 * kMs, kNone, 2);  // another thread's
  maker.launched("second", 70 * kMs, 72 * kMs, 80 * kMs);
  maker.launched("third", 80 * kMs, 80 * kMs + 5'000, 90 * kMs);
  const std::vector<Gaps> rows = explained(maker);

  const Gaps* loading = find(rows, "data_loading", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  ASSERT_NE(loading, nullptr);
  EXPECT_EQ(loading->side.total_ns, 50 * kMs);
  EXPECT_EQ(loading->side.gaps, 1U);
  EXPECT_EQ(loading->side.before, "first");
  EXPECT_EQ(loading->side.after, "second");
  EXPECT_EQ(loading->side.inside, "ProfilerStep#");
  EXPECT_EQ(loading->side.longest.start_ns, 2 * kMs);
  EXPECT_EQ(loading->side.longest.duration_ns, 70 * kMs);
  EXPECT_EQ(rows.front().cause, "data_loading") << "most time first";
  EXPECT_EQ(find(rows, "allocation", "cudaMalloc")->side.total_ns, 3 * kMs);
  EXPECT_EQ(find(rows, "synchronisation", "cudaStreamSynchronize")->side.total_ns, 4 * kMs);
  EXPECT_EQ(find(rows, "host", "ProfilerStep#")->side.total_ns, (1 + 2 + 8) * kMs);
  EXPECT_EQ(find(rows, "queue")->side.total_ns, 2 * kMs + 5'000);
  EXPECT_EQ(find(rows, "queue")->side.gaps, 2U);
}

TEST(GapCauses, AreLocksAndInputWhereTheOperatingSystemSaysSo) {
  Maker maker;
  const auto waits = [&maker](const char* name, std::int64_t start, std::int64_t end, std::int64_t thread) {
    Calls& calls = maker.capture.os_calls;
    calls.times.add(start, end - start);
    calls.name.push_back(maker.capture.names.id(name));
    calls.thread.push_back(static_cast<std::uint16_t>(maker.capture.threads.id({1, thread})));
    calls.correlation.push_back(kNone);
  };
  maker.launched("a", 0, 10, kMs);
  maker.launched("b", 4 * kMs, 4 * kMs, 5 * kMs);
  maker.call("cudaDeviceSynchronize", 100'000, 1'200'000);
  waits("poll", 200'000, 1'100'000, 1);  // inside the synchronising call: that is what it waits with
  waits("pthread_cond_timedwait", 1'500'000, 2'500'000, 1);
  waits("pread64", 2'500'000, 2'750'000, 1);
  waits("read", 2'800'000, 3'900'000, 2);  // another thread's
  const std::vector<Gaps> rows = explained(maker);
  EXPECT_EQ(find(rows, "synchronisation", "cudaDeviceSynchronize")->side.total_ns, 200'000);
  EXPECT_EQ(find(rows, "lock", "pthread_cond_timedwait")->side.total_ns, kMs);
  EXPECT_EQ(find(rows, "io", "pread64")->side.total_ns, 250'000);
  EXPECT_EQ(find(rows, "host")->side.total_ns, 3 * kMs - 200'000 - kMs - 250'000);
}

TEST(OsCalls, AreWhatTheyWaitFor) {
  for (const char* name : {"pthread_mutex_lock", "pthread_cond_timedwait", "sem_wait", "futex"})
    EXPECT_EQ(os_wait(name), OsWait::lock) << name;
  for (const char* name : {"read", "pread64", "__read_chk", "open64", "epoll_wait", "recvmsg"})
    EXPECT_EQ(os_wait(name), OsWait::io) << name;
  for (const char* name : {"pthread_create", "mmap", "ioctl", "readlink", "nanosleep", "[Unknown]", ""})
    EXPECT_EQ(os_wait(name), OsWait::none) << name;
}

TEST(GapCauses, OfShortGapsAreThoseOfTheirParts) {
  Maker maker;
  for (std::int64_t i = 0; i < 10; ++i) maker.launched("k", i * 30'000 + 20'000, i * 30'000 + 25'000, i * 30'000 + 40'000);
  const std::vector<Gaps> rows = explained(maker);
  EXPECT_EQ(find(rows, "launches")->side.total_ns, 9 * 10'000);
  EXPECT_EQ(find(rows, "launches")->side.gaps, 9U);
  EXPECT_EQ(find(rows, "launches")->side.longest_ns, 0) << "not looked at one by one";
  EXPECT_EQ(find(rows, "queue")->side.total_ns, 9 * 5'000);
}

TEST(GapCauses, WithoutTheLaunchingCallAreUnknown) {
  Maker maker;
  maker.launched("a", 0, 10, 20);
  maker.op("b", kMs, 2 * kMs, {});
  const std::vector<Gaps> rows = explained(maker);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].cause, "unknown");
  EXPECT_EQ(rows[0].side.total_ns, kMs - 20);
}

TEST(GapCauses, SumToTheIdleTimeAndItsPartsWhateverOverlaps) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto upto = [&random](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    Maker maker;
    const char* const names[] = {"cudaDeviceSynchronize", "cudaMalloc", "cudaFree", "cudaEventRecord"};
    const char* const ranges[] = {"step", "load_batch", "forward", "DataLoader"};
    std::int64_t now = 0;
    for (int i = 0; i < 60; ++i) {
      const std::int64_t start = now + upto(90'000);
      maker.launched("k" + std::to_string(i % 3), std::max<std::int64_t>(0, start - upto(60'000)), start,
                     start + 1 + upto(50'000), {upto(2), 7 + upto(2)}, 1 + upto(2));
      now = start;
      const std::int64_t at = std::max<std::int64_t>(0, now - upto(80'000));
      if (random() % 2 == 0) maker.call(names[random() % 4], at, at + 1 + upto(40'000), kNone, 1 + upto(2));
      if (random() % 2 == 0) maker.range(ranges[random() % 4], at, at + 1 + upto(90'000), 1 + upto(2));
    }
    if (random() % 3 == 0) maker.op("alone", now + upto(90'000), now + 200'000, {});
    const Swept result = swept(maker);
    core::ProfileIdleSplit idle, told;
    for (const DeviceWall& device : result.timeline.devices) {
      idle.host_ns += device.buckets.idle_split->host_ns;
      idle.sync_ns += device.buckets.idle_split->sync_ns;
      idle.launch_ns += device.buckets.idle_split->launch_ns;
      idle.other_ns += device.buckets.idle_split->other_ns;
    }
    for (const Gaps& each : explain_gaps(maker.capture, result.kinds, result.timeline.gaps)) {
      std::int64_t& into = each.cause == "synchronisation" ? told.sync_ns
                           : each.cause == "queue"         ? told.launch_ns
                           : each.cause == "unknown"       ? told.other_ns
                                                           : told.host_ns;
      into += each.side.total_ns;
      EXPECT_LE(each.side.longest_ns, each.side.total_ns);
    }
    EXPECT_EQ(told.host_ns, idle.host_ns) << seed;
    EXPECT_EQ(told.sync_ns, idle.sync_ns) << seed;
    EXPECT_EQ(told.launch_ns, idle.launch_ns) << seed;
    EXPECT_EQ(told.other_ns, idle.other_ns) << seed;
  }
}

TEST(GapCauses, InsideStepsSumToTheIdleTimeOfTheSteps) {
  int stepped = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto upto = [&random](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    Maker maker;
    std::int64_t now = 100'000;
    for (int step = 0; step < 8; ++step) {
      const std::int64_t begin = now;
      for (int i = 0; i < 12; ++i) {
        const std::int64_t start = now + upto(60'000);
        maker.launched("k" + std::to_string(i % 3), now, start, start + 1 + upto(30'000), {upto(2), 7});
        if (random() % 3 == 0) maker.call("cudaDeviceSynchronize", now + 5, now + 5 + upto(40'000));
        now = start + upto(20'000);
      }
      maker.range("ProfilerStep#" + std::to_string(step), begin, now);
      now += upto(200'000);
    }
    auto profile = analyse(std::move(maker.capture), {});
    ASSERT_TRUE(profile);
    if (profile->steps.steps.empty()) continue;
    ++stepped;
    core::ProfileIdleSplit idle, told;
    std::int64_t walls = 0;
    for (const Step& step : profile->steps.steps) {
      walls += step.wall_ns;
      idle.host_ns += step.buckets.idle_split->host_ns;
      idle.sync_ns += step.buckets.idle_split->sync_ns;
      idle.launch_ns += step.buckets.idle_split->launch_ns;
      idle.other_ns += step.buckets.idle_split->other_ns;
    }
    EXPECT_EQ(profile->gap_steps_ns, walls);
    for (const Gaps& each : profile->gaps) {
      EXPECT_GE(each.side.step_ns, 0);
      EXPECT_LE(each.side.step_ns, each.side.total_ns);
      (each.cause == "synchronisation" ? told.sync_ns
       : each.cause == "queue"         ? told.launch_ns
       : each.cause == "unknown"       ? told.other_ns
                                       : told.host_ns) += each.side.step_ns;
    }
    EXPECT_EQ(told.host_ns, idle.host_ns) << seed;
    EXPECT_EQ(told.sync_ns, idle.sync_ns) << seed;
    EXPECT_EQ(told.launch_ns, idle.launch_ns) << seed;
    EXPECT_EQ(told.other_ns, idle.other_ns) << seed;
  }
  EXPECT_GT(stepped, 150);
}

TEST(GapCauses, HaveTheirShareOfTheStepsOrOfTheSpans) {
  core::ProfileGapSide side;
  side.total_ns = 300;
  side.step_ns = 50;
  Profile before, after;
  before.gaps = after.gaps = {{"host", "", side}};
  before.gap_steps_ns = 200;
  after.devices = {{0, "", {600, 300, 0, 0, 300, 0, 0, std::nullopt}}};
  const auto rows = compare_gaps(before, after, 1);
  EXPECT_DOUBLE_EQ(*rows.at(0).baseline->share_pct, 25);
  EXPECT_DOUBLE_EQ(*rows.at(0).candidate->share_pct, 50);
}

TEST(GapCauses, OfTwoSidesAreOneRowEach) {
  core::ProfileGapSide side;
  side.gaps = 2;
  side.total_ns = 100;
  core::ProfileGapSide more = side;
  more.total_ns = 600;
  Profile before, after;
  before.gaps = {{"host", "step", side}, {"queue", "", side}};
  after.gaps = {{"host", "step", more}};
  const auto rows = compare_gaps(before, after, 2);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].cause, "host");
  EXPECT_EQ(rows[0].delta_ns, 200) << "600 of twice the work";
  EXPECT_EQ(rows[1].delta_ns, -100);
  EXPECT_FALSE(rows[1].candidate);
}

TEST(GapCauses, OfTheLargestIsTheLever) {
  const auto side = [](std::int64_t loading) {
    Profile profile = with_span(totals({aggregate("k", 10, 1'000'000)}), 2'000'000 + loading);
    profile.devices[0].buckets = {2'000'000 + loading, 1'900'000, 0, 0,
                                  100'000 + loading,   0,         0, core::ProfileIdleSplit{100'000 + loading, 0, 0, 0}};
    core::ProfileGapSide gaps;
    gaps.gaps = 4;
    gaps.total_ns = loading;
    gaps.longest_ns = loading / 2;
    gaps.after = "conv";
    core::ProfileGapSide launches;
    launches.gaps = 50;
    launches.total_ns = 100'000;
    profile.gaps = {{"data_loading", "fetch_batch", gaps}, {"launches", "", launches}};
    return profile;
  };
  const core::ProfileDiff grown = diff(side(0), side(900'000), {}).diff;
  ASSERT_TRUE(grown.next_lever);
  EXPECT_EQ(grown.next_lever->lever, "load data beside the step: more loader workers, pinned memory, batches fetched ahead");
  EXPECT_EQ(grown.next_lever->others.at(0).lever, "feed the GPU: CUDA graphs, fewer and larger kernels");
  const auto found = std::find_if(grown.findings.begin(), grown.findings.end(),
                                  [](const core::ProfileFinding& each) { return each.code == "idle_cause"; });
  ASSERT_NE(found, grown.findings.end());
  EXPECT_EQ(found->message,
            "while the GPU is idle the host loads data (\"fetch_batch\"): 900 us in 4 gaps (longest 450 us); before 0 ns in 4 "
            "gaps; the longest ends with \"conv\"");
}

TEST(HostWork, LoadsDataByItsName) {
  for (const char* name : {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "load_batch", "Data Loading",
                           "Iterator::Root::Prefetch::IteratorGetNext", "next_batch", "fetch-batch"})
    EXPECT_TRUE(loads_data(name)) << name;
  for (const char* name : {"aten::embedding", "load_state_dict", "batch_norm", "forward", "ProfilerStep#4", "metadata", ""})
    EXPECT_FALSE(loads_data(name)) << name;
}

}  // namespace
}  // namespace plumbline::profiles::test
