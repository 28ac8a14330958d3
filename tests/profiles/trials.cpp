// Several captures a side: which wall each has, which pair is explained, how far its parts scatter.
#include "profiles/diff/trials.hpp"

#include <gtest/gtest.h>

#include "profiles/diff/diff.hpp"
#include "tests/profiles/hand_made.hpp"

namespace plumbline::profiles {
namespace {

using test::aggregate;
using test::totals;
using test::with_span;

Profile windows(std::int64_t span, std::uint64_t calls = 10) {
  Profile profile = with_span(totals({aggregate("gemm", calls, span / 2)}), span);
  profile.kernels.front().exclusive = span / 2;
  profile.devices.front().buckets.compute_ns = span / 2;
  profile.devices.front().buckets.idle_ns = span - span / 2;
  return profile;
}

Profile steps(std::int64_t step, std::vector<std::int64_t> more = {}) {
  Profile profile = windows(step * 10);
  profile.steps.basis = "marker";
  profile.steps.name = "ProfilerStep#";
  std::vector<std::int64_t> walls(9, step);
  walls.insert(walls.end(), more.begin(), more.end());
  for (const std::int64_t wall : walls) {
    Step one;
    one.wall_ns = wall;
    profile.steps.steps.push_back(one);
  }
  return profile;
}

std::vector<double> walls_of(const std::vector<TrialWall>& side) {
  std::vector<double> out;
  for (const TrialWall& each : side) out.push_back(each.wall_ns);
  return out;
}

TEST(Trials, HaveTheMedianOfTheirStepsWhereAllNameThem) {
  const std::vector<Profile> before = {steps(1000), steps(1020), steps(980)}, after = {steps(1100, {9000}), steps(1130)};
  const TrialWalls walls = measure_trials(before, after, {});
  EXPECT_EQ(walls.basis, "step_wall");
  EXPECT_EQ(walls_of(walls.baseline), (std::vector<double>{1000, 1020, 980}));
  EXPECT_EQ(walls_of(walls.candidate), (std::vector<double>{1100, 1130}));
  EXPECT_EQ(walls.candidate[0].mean_step_ns, 1890) << "one slow step moves no median";
  EXPECT_EQ(walls.baseline_middle, 0U);
  EXPECT_EQ(walls.candidate_middle, 0U) << "of two as far from the median the faster";
}

TEST(Trials, HaveTheirWindowForTheSameWorkWhereOneNamesNoSteps) {
  const std::vector<Profile> before = {steps(1000), windows(10'200)}, after = {windows(22'000, 20), steps(1000)};
  const TrialWalls walls = measure_trials(before, after, {});
  EXPECT_EQ(walls.basis, "work_normalised_wall");
  EXPECT_EQ(walls_of(walls.baseline), (std::vector<double>{10'000, 10'200}));
  EXPECT_DOUBLE_EQ(walls.candidate[0].wall_ns, 11'000) << "twice the work in 22,000";
  EXPECT_DOUBLE_EQ(*walls.candidate[0].device_work, 2);
}

TEST(Trials, FallBackToKernelTimeAndToNothing) {
  const std::vector<Profile> one = {totals({aggregate("gemm", 10, 1000)}), windows(4000)};
  EXPECT_EQ(measure_trials(one, one, {}).basis, "work_normalised_kernel_time");
  const std::vector<Profile> other = {totals({aggregate("copy", 10, 1000)})};
  const TrialWalls none = measure_trials(one, other, {});
  EXPECT_EQ(none.basis, "") << "nothing is shared that tells the work";
  EXPECT_EQ(none.baseline_middle, 0U) << "the kernel time tells which is in the middle all the same";
}

TEST(Trials, SayHowFarAPartScatters) {
  const std::vector<Profile> before = {windows(10'000), windows(10'400), windows(9'800)};
  const std::vector<Profile> after = {windows(24'000, 20), windows(11'000), windows(11'500)};
  const TrialWalls walls = measure_trials(before, after, {});
  EXPECT_EQ(walls.baseline_middle, 0U);
  EXPECT_EQ(walls.candidate_middle, 2U);
  core::ProfileDiff diff = profiles::diff(before[0], after[2], {}).diff;
  add_scatter(diff, walls, before, after);
  const auto part = [&diff](std::string_view name) {
    const auto at =
        std::find_if(diff.contributors.begin(), diff.contributors.end(), [&](const auto& each) { return each.name == name; });
    return at == diff.contributors.end() ? core::ProfileContributor{} : *at;
  };
  for (const char* name : {"gemm", "idle"}) {
    const core::ProfileContributor each = part(name);
    ASSERT_TRUE(each.baseline && each.candidate) << name;
    EXPECT_EQ(each.baseline->min_ns, 4'900) << name;
    EXPECT_EQ(each.baseline->median_ns, 5'000) << name;
    EXPECT_EQ(each.baseline->max_ns, 5'200) << name;
    EXPECT_EQ(each.candidate->min_ns, 5'500) << name;
    EXPECT_DOUBLE_EQ(each.candidate->max_ns, 6'000) << name << ": half of what twice the work took";
    EXPECT_TRUE(each.apart()) << name;
  }
}

TEST(Trials, ThatOverlapAreNotApart) {
  const std::vector<Profile> before = {windows(10'000), windows(12'000)}, after = {windows(10'200), windows(12'200)};
  const TrialWalls walls = measure_trials(before, after, {});
  core::ProfileDiff diff = profiles::diff(before[walls.baseline_middle], after[walls.candidate_middle], {}).diff;
  add_scatter(diff, walls, before, after);
  ASSERT_FALSE(diff.contributors.empty());
  for (const core::ProfileContributor& each : diff.contributors) {
    EXPECT_TRUE(each.baseline && each.candidate) << each.name;
    EXPECT_FALSE(each.apart()) << each.name;
  }
}

}  // namespace
}  // namespace plumbline::profiles
