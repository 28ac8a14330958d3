// How much work two captures hold: what is believed, and what hides it.
#include "profiles/diff/work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "profiles/diff/diff.hpp"
#include "tests/profiles/hand_made.hpp"

namespace plumbline::profiles::test {
namespace {

const char* const kGemm = "ampere_sgemm_128x64_nn";
const char* const kAdd = "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>()";

Work work_of(const Profile& baseline, const Profile& candidate) { return diff(baseline, candidate, {}).wall.work; }

Profile with_marks(Profile profile, std::size_t steps, std::int64_t wall) {
  profile.steps.basis = "marker";
  profile.steps.name = "ProfilerStep#";
  for (std::size_t i = 0; i < steps; ++i) {
    Step step;
    step.start = static_cast<std::int64_t>(i) * wall;
    step.wall_ns = wall;
    step.buckets.span_ns = step.buckets.compute_ns = wall;
    profile.steps.steps.push_back(step);
  }
  return profile;
}

// Ten steps of one GEMM and of small kernels, of which a compiler makes one of `fused`.
Profile model(std::uint64_t fused, std::uint64_t steps = 10) {
  const std::uint64_t small = 10 - fused;
  std::vector<NamedAggregate> kernels = {aggregate(kGemm, steps, static_cast<std::int64_t>(1000 * steps)),
                                         aggregate(kAdd, small * steps, static_cast<std::int64_t>(500 * small * steps))};
  if (fused > 0) kernels.push_back(aggregate("triton_poi_fused_add_0", steps, static_cast<std::int64_t>(300 * fused * steps)));
  return with_span(totals(std::move(kernels)), static_cast<std::int64_t>((1000 + 500 * small + 300 * fused) * steps));
}

TEST(Work, IsTheCallsOfTheKernelsThatBothHave) {
  const Work work = work_of(model(0), model(0, 20));
  EXPECT_EQ(work.told_by, "calls");
  EXPECT_NEAR(*work.ratio, 2, 1e-12);
  EXPECT_FALSE(work.fused);
  EXPECT_FALSE(work.growth);
}

TEST(Work, OfFusedKernelsIsToldByWhatNoCompilerFuses) {
  const Work work = work_of(model(0), model(6));
  EXPECT_EQ(work.told_by, "calls");
  EXPECT_NEAR(*work.ratio, 1, 1e-12);
  ASSERT_TRUE(work.fused);
  EXPECT_EQ(work.fused->lost, 60);
  EXPECT_EQ(work.fused->gained, 10);
  EXPECT_TRUE(work.fused->answered);
  const core::ProfileDiff told = diff(model(0), model(6), {}).diff;
  ASSERT_FALSE(told.findings.empty());
  EXPECT_EQ(told.findings[0].code, "kernels_fused");
  EXPECT_EQ(told.findings[0].message,
            "for the same work 60 fewer calls of \"at::native::vectorized_elementwise_kernel\" and 10 more of "
            "\"triton_poi_fused_add_0\": kernels were fused, the others are called as often as before");
  EXPECT_EQ(diff(model(6), model(0), {}).diff.findings[0].code, "kernels_split");
}

TEST(Work, OfFusedKernelsAloneIsToldBySteps) {
  const auto small_only = [](std::uint64_t calls, std::uint64_t fused) {
    std::vector<NamedAggregate> kernels = {aggregate(kAdd, calls, static_cast<std::int64_t>(100 * calls))};
    if (fused > 0) kernels.push_back(aggregate("triton_poi_fused_add_0", fused, static_cast<std::int64_t>(300 * fused)));
    return with_span(totals(std::move(kernels)), 10'000);
  };
  const Work blind = work_of(small_only(100, 0), small_only(40, 10));
  EXPECT_NEAR(*blind.ratio, 0.4, 1e-12) << "nothing else says it";
  const Work work = work_of(with_marks(small_only(100, 0), 10, 1000), with_marks(small_only(40, 10), 10, 900));
  EXPECT_EQ(work.told_by, "steps");
  EXPECT_NEAR(*work.ratio, 1, 1e-12);
  EXPECT_TRUE(work.fused);
}

TEST(Work, ThatGraphReplaysHideIsToldByStepsOrARange) {
  const Profile eager = model(0);
  Profile graphed = with_span(
      totals({aggregate(kGemm, 10, 10'000), aggregate(kAdd, 20, 10'000), aggregate(std::string(kGraphReplay), 20, 40'000)}),
      60'000);
  const Work blind = work_of(eager, graphed);
  EXPECT_EQ(blind.replayed, "candidate");
  EXPECT_EQ(blind.told_by, "");
  EXPECT_FALSE(blind.ratio);
  EXPECT_EQ(work_of(graphed, eager).replayed, "baseline");

  const Work marked = work_of(with_marks(eager, 10, 6000), with_marks(graphed, 20, 3000));
  EXPECT_EQ(marked.told_by, "steps");
  EXPECT_NEAR(*marked.ratio, 2, 1e-12);

  const auto inside = [](Profile profile, std::uint64_t count) {
    RangeNode run;
    run.name = "epoch";
    run.kind = "nvtx";
    run.count = count;
    run.host_ns = *profile.info.span_ns;
    profile.ranges = {run};
    return profile;
  };
  const Work ranged = work_of(inside(eager, 1), inside(graphed, 3));
  EXPECT_EQ(ranged.told_by, "range");
  EXPECT_EQ(ranged.range, "epoch");
  EXPECT_NEAR(*ranged.ratio, 3, 1e-12);
  EXPECT_EQ(work_of(graphed, graphed).told_by, "calls") << "both sides replay as much";
}

Profile launched(std::uint64_t blocks, std::int64_t ns) {
  std::vector<NamedAggregate> kernels;
  for (const char* name : {"conv2d_kernel", "bn_kernel", "relu_kernel", "pool_kernel"}) {
    NamedAggregate kernel = aggregate(name, 100, 100 * ns);
    kernel.shapes = {{"(" + std::to_string(blocks) + ",1,1)x(256,1,1)", 100, 100 * ns}};
    kernels.push_back(std::move(kernel));
  }
  return with_span(totals(std::move(kernels)), 400 * ns);
}

TEST(Work, OfALargerBatchGrowsWithEveryCall) {
  const Work work = work_of(launched(64, 1000), launched(512, 7000));
  ASSERT_TRUE(work.growth);
  EXPECT_NEAR(work.growth->factor, 8, 1e-12);
  EXPECT_NEAR(work.growth->share_pct, 100, 1e-9);
  EXPECT_EQ(work.growth->kernels.size(), 4U);
  EXPECT_NEAR(work_of(launched(512, 7000), launched(64, 1000)).growth->factor, 1.0 / 8, 1e-12);
  EXPECT_FALSE(work_of(launched(64, 1000), launched(79, 1200)).growth) << "less than a quarter: grids are tuned, too";
}

TEST(Work, SwappedIsTheReciprocal) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const auto side = [&random] {
      std::vector<NamedAggregate> kernels;
      for (const char* name : {kGemm, kAdd, "flash_fwd_kernel", "triton_poi_fused_add_0", "norm_kernel", "ncclAllReduce"}) {
        if (random() % 4 == 0) continue;
        const std::uint64_t count = 1 + random() % 40;
        kernels.push_back(aggregate(name, count, static_cast<std::int64_t>(count * (1 + random() % 1000))));
      }
      if (kernels.empty() || random() % 5 == 0) kernels.push_back(aggregate(std::string(kGraphReplay), 1 + random() % 9, 5000));
      Profile profile = with_span(totals(std::move(kernels)), 100'000);
      return random() % 2 == 0 ? profile : with_marks(std::move(profile), 3 + random() % 9, 1000);
    };
    const Profile a = side(), b = side();
    const Work there = work_of(a, b), back = work_of(b, a);
    EXPECT_EQ(there.told_by, back.told_by) << seed;
    EXPECT_EQ(there.ratio.has_value(), back.ratio.has_value()) << seed;
    if (there.ratio) EXPECT_NEAR(std::log(*there.ratio), -std::log(*back.ratio), 1e-9) << seed;
    EXPECT_EQ(there.fused.has_value(), back.fused.has_value()) << seed;
    if (there.fused) EXPECT_EQ(there.fused->answered, back.fused->answered) << seed;
    EXPECT_EQ(there.replayed.empty(), back.replayed.empty()) << seed;
  }
}

}  // namespace
}  // namespace plumbline::profiles::test
