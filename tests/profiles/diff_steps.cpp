// Two captures' steps against each other.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "profiles/diff/steps.hpp"

namespace plumbline::profiles {
namespace {

Profile with_steps(const std::vector<std::int64_t>& walls, const std::string& basis = "marker",
                   const std::string& name = "ProfilerStep#") {
  Profile profile;
  profile.steps.basis = basis;
  profile.steps.name = name;
  std::int64_t span = 0;
  for (const std::int64_t wall : walls) {
    Step step;
    step.start = span;
    step.wall_ns = wall;
    step.buckets.span_ns = wall;
    step.buckets.compute_ns = wall / 2;
    step.buckets.exposed_comm_ns = wall / 7;
    step.buckets.idle_ns = wall - wall / 2 - wall / 7;
    step.buckets.idle_split =
        core::ProfileIdleSplit{step.buckets.idle_ns / 3, 0, step.buckets.idle_ns - step.buckets.idle_ns / 3, 0};
    profile.steps.steps.push_back(step);
    span += wall;
  }
  DeviceWall device;
  device.buckets.span_ns = span;
  profile.devices.push_back(device);
  return profile;
}

TEST(DiffSteps, GivesTheShiftWithItsInterval) {
  // By a few lines of Python: the sorted differences of logarithms, and p by trying all 462 ways to choose six of the eleven;
  // rank_bound(5, 6, .025) = 4.
  const auto steps =
      compare_steps(with_steps({100, 101, 103, 104, 107}), with_steps({110, 112, 113, 115, 118, 120}), std::nullopt, 5);
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->baseline.median_ns, 103);
  EXPECT_EQ(steps->baseline.mad_ns, 2);
  EXPECT_EQ(steps->candidate.steps, 6U);
  EXPECT_EQ(steps->candidate.max_ns, 120);
  EXPECT_NEAR(*steps->delta_pct, 11.270139433882632, 1e-9);       // Python: the median of all 30 differences of logarithms
  EXPECT_NEAR(*steps->mean_delta_pct, 11.326860841423958, 1e-9);  // and the ratio of the means
  EXPECT_NEAR(*steps->interval_lo_pct, 5.769230769230824, 1e-9);
  EXPECT_NEAR(*steps->interval_hi_pct, 16.831683168316843, 1e-9);
  EXPECT_NEAR(*steps->p, 4.0 / 462, 1e-12);
  EXPECT_NEAR(*steps->noise_pct, 100 * 1.4826 * 3 / 114, 1e-9);
}

TEST(DiffSteps, SwappedIsTheReciprocal) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&random] {
      std::vector<std::int64_t> walls(4 + random() % 20);
      for (std::int64_t& wall : walls) wall = static_cast<std::int64_t>(1'000'000 + random() % 200'000);
      return with_steps(walls);
    };
    const Profile a = draw(), b = draw();
    const auto there = compare_steps(a, b, std::nullopt, 5), back = compare_steps(b, a, std::nullopt, 5);
    const auto log_of = [](const std::optional<double>& pct) { return std::log1p(*pct / 100); };
    EXPECT_NEAR(log_of(there->delta_pct), -log_of(back->delta_pct), 1e-12);
    EXPECT_NEAR(log_of(there->interval_lo_pct), -log_of(back->interval_hi_pct), 1e-12);
    EXPECT_NEAR(log_of(there->interval_hi_pct), -log_of(back->interval_lo_pct), 1e-12);
    EXPECT_EQ(there->noise_pct, back->noise_pct);
  }
}

TEST(DiffSteps, TheMeanStepSumsToItsWall) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> walls(1 + random() % 9);
    std::int64_t sum = 0;
    for (std::int64_t& wall : walls) sum += wall = static_cast<std::int64_t>(random() % 1000 + 1);
    const auto mean = mean_step(with_steps(walls).steps);
    ASSERT_TRUE(mean && mean->idle_split);
    EXPECT_EQ(mean->span_ns,
              static_cast<std::int64_t>(std::floor(static_cast<double>(sum) / static_cast<double>(walls.size()) + 0.5)));
    EXPECT_EQ(mean->compute_ns + mean->exposed_comm_ns + mean->exposed_copy_ns + mean->idle_ns, mean->span_ns);
    EXPECT_EQ(mean->idle_split->host_ns + mean->idle_split->sync_ns + mean->idle_split->launch_ns + mean->idle_split->other_ns,
              mean->idle_ns);
  }
  EXPECT_FALSE(mean_step({}));
}

TEST(DiffSteps, OfDifferentUnitsHaveNoChange) {
  const std::vector<std::int64_t> short_ones(20, 100), long_ones(10, 205);
  const auto change = [&](const std::string& basis, const std::string& name, double work) {
    return compare_steps(with_steps(short_ones, "period", "8 kernels from a"), with_steps(long_ones, basis, name), work, 5)
        ->delta_pct;
  };
  // The windows are alike, and so is the work in them: a candidate's step is two of the baseline's.
  EXPECT_FALSE(change("period", "16 kernels from a", 1.0));
  EXPECT_TRUE(change("period", "8 kernels from b", 0.5)) << "half the work in as much time: steps that take twice as long";
  EXPECT_FALSE(change("marker", "8 kernels from a", 0.5));
  const auto named = compare_steps(with_steps(short_ones, "range", "step"), with_steps(long_ones, "range", "step"), 1.0, 5);
  EXPECT_FALSE(named->delta_pct) << "both call it a step, and one of the candidate's holds two of the baseline's";
  const auto slower = compare_steps(with_steps(short_ones, "range", "step"), with_steps(long_ones, "range", "step"), 0.5, 5);
  EXPECT_TRUE(slower->delta_pct);
}

TEST(DiffSteps, TheMeanSeesWhatTheTypicalStepDoesNot) {
  std::vector<std::int64_t> before(30, 1000), after(30, 1000);
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = after[i] = 1000 + static_cast<std::int64_t>(i % 5);
  for (std::size_t i = 0; i < after.size(); i += 3) after[i] += 800;
  const auto steps = compare_steps(with_steps(before), with_steps(after), 1.0, 5);
  EXPECT_LT(*steps->delta_pct, 1);
  EXPECT_NEAR(*steps->mean_delta_pct, 100 * 8000.0 / 30060, 1e-9);
  EXPECT_GT(*steps->mean_lo_pct, 5);
  EXPECT_LT(*compare_steps(with_steps(after), with_steps(before), 1.0, 5)->mean_delta_pct, -20);
}

TEST(DiffSteps, OfOneSideAreShownAndNotCompared) {
  const auto steps = compare_steps(with_steps({100, 100, 100}), Profile{}, 1.0, 5);
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->baseline.steps, 3U);
  EXPECT_EQ(steps->candidate.basis, "none");
  EXPECT_FALSE(steps->delta_pct);
  EXPECT_FALSE(steps->p);
  EXPECT_FALSE(compare_steps(Profile{}, Profile{}, 1.0, 5));
}

}  // namespace
}  // namespace plumbline::profiles
