// Steps of real captures. The Kineto figures come from steps_golden.py, which knows nothing of our code.
#include <array>

#include "profiles/diff/steps.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

Profile read_or_fail(const std::string& path) {
  auto profile = read(path, {});
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  return profile ? std::move(*profile) : Profile{};
}

struct Golden {
  std::int64_t wall, compute, communication, copies, idle;
  std::uint64_t kernels;
};
struct GoldenTrace {
  const char* name;
  std::array<Golden, 4> steps;
  core::ProfileIdleSplit idle;
};

TEST(StepSamples, KinetoStepsAgreeWithAScriptOfTheirOwn) {
  const std::string folder = samples("profiles/kineto");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  for (const GoldenTrace& trace :
       std::initializer_list<GoldenTrace>{{"control",
                                           {{{76989000, 47024000, 12311000, 2965000, 14689000, 1428},
                                             {76247000, 48105000, 14484000, 3042000, 10616000, 1428},
                                             {76786000, 47228000, 14588000, 4214000, 10756000, 1428},
                                             {78520000, 47039000, 19110000, 3100000, 9271000, 1428}}},
                                           {53919000, 407000, 21681000, 0}},
                                          {"test",
                                           {{{122214000, 90181000, 12023000, 15335000, 4675000, 1632},
                                             {166690000, 127135000, 15841000, 16719000, 6995000, 2305},
                                             {81821000, 58508000, 6133000, 15120000, 2060000, 990},
                                             {107217000, 73310000, 12093000, 18641000, 3173000, 1415}}},
                                           {387000, 0, 26370000, 539000}}}) {
    const Profile profile = read_or_fail(folder + trace.name + ".json.gz");
    EXPECT_EQ(profile.steps.basis, "marker");
    EXPECT_EQ(profile.steps.name, "ProfilerStep#");
    EXPECT_EQ(profile.steps.left_out, 2U) << "of six, the first and the last";
    ASSERT_EQ(profile.steps.steps.size(), trace.steps.size());
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      const Step& step = profile.steps.steps[i];
      EXPECT_EQ(step.wall_ns, trace.steps[i].wall) << trace.name << ", step " << i;
      EXPECT_EQ(step.buckets.compute_ns, trace.steps[i].compute) << trace.name << ", step " << i;
      EXPECT_EQ(step.buckets.exposed_comm_ns, trace.steps[i].communication) << trace.name << ", step " << i;
      EXPECT_EQ(step.buckets.exposed_copy_ns, trace.steps[i].copies) << trace.name << ", step " << i;
      EXPECT_EQ(step.buckets.idle_ns, trace.steps[i].idle) << trace.name << ", step " << i;
      EXPECT_EQ(step.kernels, trace.steps[i].kernels) << trace.name << ", step " << i;
    }
    ASSERT_EQ(profile.devices.size(), 1U);
    ASSERT_TRUE(profile.devices[0].buckets.idle_split);
    const core::ProfileIdleSplit& split = *profile.devices[0].buckets.idle_split;
    EXPECT_EQ(split.host_ns, trace.idle.host_ns);
    EXPECT_EQ(split.sync_ns, trace.idle.sync_ns);
    EXPECT_EQ(split.launch_ns, trace.idle.launch_ns);
    EXPECT_EQ(split.other_ns, trace.idle.other_ns);
  }
}

// A pair whose kernel time falls by 9 % only because the window of a third of a second holds fewer repetitions: each one of
// them takes longer.
TEST(StepSamples, TheWindowThatHoldsLessWorkIsTheSlowerOne) {
  const std::string folder = samples("profiles/nsys");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const Profile before = read_or_fail(folder + "mfu_2gpu_before.sqlite");
  const Profile after = read_or_fail(folder + "mfu_2gpu_after.sqlite");
  EXPECT_LT(after.info.kernel_ns, before.info.kernel_ns);
  EXPECT_EQ(before.steps.basis, "period");
  EXPECT_EQ(before.steps.steps.size(), 15U);
  EXPECT_EQ(after.steps.steps.size(), 13U);
  for (const Profile* side : {&before, &after}) {
    for (const Step& step : side->steps.steps) EXPECT_EQ(step.kernels, 119U);
  }
  const auto steps = compare_steps(before, after, 0.887, 5);  // 60 to 68 calls of flash attention
  ASSERT_TRUE(steps && steps->delta_pct && steps->p);
  EXPECT_NEAR(*steps->delta_pct, 10.9973, 0.0001);  // the mean step: +12.3, the wall for the same work: +13.1
  EXPECT_GT(*steps->interval_lo_pct, 5);
  EXPECT_LT(*steps->p, 0.01);
  const std::int64_t idle = steps->candidate_step->idle_ns - steps->baseline_step->idle_ns;
  EXPECT_GT(2 * idle, steps->candidate_step->span_ns - steps->baseline_step->span_ns) << "mostly by standing still";
}

TEST(StepSamples, RangesNamedStepAreSteps) {
  const std::string folder = samples("profiles/nsys");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const Profile profile = read_or_fail(folder + "power_iteration__baseline.sqlite");  // "Step 0 to 10" … "Step 430 to 440"
  EXPECT_EQ(profile.steps.basis, "range");
  EXPECT_EQ(profile.steps.name, "Step");
  EXPECT_EQ(profile.steps.steps.size(), 42U);
  EXPECT_EQ(profile.steps.left_out, 2U);
  std::int64_t busy = 0, exclusive = 0;
  for (const DeviceWall& device : profile.devices) busy += device.buckets.span_ns - device.buckets.idle_ns;
  for (const auto* list : {&profile.kernels, &profile.memory}) {
    for (const NamedAggregate& each : *list) exclusive += each.exclusive;
  }
  EXPECT_EQ(exclusive, busy);
  ASSERT_TRUE(profile.launches);
  EXPECT_EQ(profile.launches->launches, 3689U);
  EXPECT_EQ(profile.launches->syncs, 89U);
  EXPECT_EQ(profile.launches->pageable_copies, 89U);
}

// One forward pass: its layers repeat, but the capture says that it is one step.
TEST(StepSamples, OneMarkerIsNoStepToCompare) {
  const std::string folder = samples("profiles/tracelens/h100");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  EXPECT_EQ(read_or_fail(folder + "Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz").steps.basis, "none");
}

}  // namespace
}  // namespace plumbline::profiles::test
