// How much work two captures hold: what is believed, and what hides it.
#include "profiles/diff/work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "profiles/analysis/work_marks.hpp"
#include "profiles/diff/diff.hpp"
#include "profiles/names/work_marks.hpp"
#include "tests/profiles/capture_maker.hpp"
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

TEST(WorkMarks, AreWhatServersWriteIntoTheirSteps) {
  struct Case {
    const char* name;
    Phase phase;
    std::optional<std::uint64_t> batch, tokens;
  };
  const Case cases[] = {
      {"step[DECODE bs=32]", Phase::decode, 32, 32},
      {"step[EXTEND bs=15 toks=15360]", Phase::prefill, 15, 15360},
      {"execute_context_1(8192)_generation_2(2)", Phase::mixed, 3, 8194},
      {"execute_context_0(0)_generation_16(16)", Phase::decode, 16, 16},
      {"execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk32785sqsq32sqsk32785)", Phase::decode, 32, 32},
      {"execute_15360_context_15(sq15360sk15360sqsq1)_generation_0(sq0sk0sqsq0sqsk0)", Phase::prefill, 15, 15360},
      {"[Executor] _forward_step 7: 1 ctx reqs, 8192 ctx tokens, 3 gen reqs", Phase::mixed, 4, 8195},
      {"[Executor] _forward_step 7: 0 ctx reqs, 3 gen reqs", Phase::decode, 3, 3},
      {":train_step batch_size=16", Phase::unknown, 16, std::nullopt},
      {"forward bs: 128 seq_len=2048", Phase::unknown, 128, 2048},
      {"prefill", Phase::prefill, std::nullopt, std::nullopt},
      {"Decode_step_3", Phase::decode, std::nullopt, std::nullopt},
  };
  for (const Case& each : cases) {
    const auto mark = work_mark(each.name);
    ASSERT_TRUE(mark) << each.name;
    EXPECT_EQ(mark->phase, each.phase) << each.name;
    EXPECT_EQ(mark->batch, each.batch) << each.name;
    EXPECT_EQ(mark->tokens, each.tokens) << each.name;
  }
  for (const char* name : {"batch 16", "decode_jpeg", "forward", "ProfilerStep#12", "bs=", "execute_context_x", "layer=3", "",
                           ":", "tokens", "execute_context_99999999999999999999(1)_generation_0(0)", "attention decode kernel"})
    EXPECT_FALSE(work_mark(name)) << name;
}

Profile serving(std::uint64_t batch, std::uint64_t tokens, std::uint64_t prefill, std::uint64_t decode, std::int64_t scale) {
  Profile profile =
      with_span(totals({aggregate(kGemm, 10, 10'000 * scale), aggregate("paged_attention", 10, 5'000 * scale)}), 15'000 * scale);
  MarkedWork marks;
  marks.steps = prefill + decode;
  marks.prefill = prefill;
  marks.decode = decode;
  marks.batch = static_cast<double>(batch * marks.steps);
  marks.tokens = static_cast<double>(tokens * marks.steps);
  marks.batch_steps = marks.token_steps = marks.steps;
  marks.example = "step[DECODE bs=16]";
  profile.marked_work = marks;
  return profile;
}

TEST(WorkMarks, OfAnotherBatchOrPhaseAreGrowth) {
  const Work larger = work_of(serving(16, 16, 0, 10, 1), serving(128, 128, 0, 10, 4));
  ASSERT_TRUE(larger.growth);
  EXPECT_DOUBLE_EQ(larger.growth->factor, 8);
  EXPECT_EQ(larger.growth->marked, "tokens");
  EXPECT_FALSE(larger.growth->other_phase);
  EXPECT_DOUBLE_EQ(work_of(serving(128, 128, 0, 10, 4), serving(16, 16, 0, 10, 1)).growth->factor, 1.0 / 8);
  const Work other = work_of(serving(16, 16, 0, 10, 1), serving(16, 16, 10, 0, 1));
  ASSERT_TRUE(other.growth) << "as many tokens, and no step of the same kind";
  EXPECT_TRUE(other.growth->other_phase);
  EXPECT_FALSE(work_of(serving(16, 16, 0, 10, 1), serving(17, 17, 0, 12, 1)).growth);
  EXPECT_FALSE(work_of(serving(16, 16, 0, 10, 1), model(0)).growth) << "one side says nothing";
}

TEST(WorkMarks, OfACaptureAreThoseThatPeopleMark) {
  Maker maker;
  maker.range("step[DECODE bs=4]", 0, 100);
  maker.range("step[DECODE bs=4]", 100, 200);
  maker.range("step[EXTEND bs=1 toks=100]", 200, 300);
  maker.range("prefill", 0, 10, 1, 1, RangeKind::op);  // an operator's name
  const auto marks = marked_work(maker.capture);
  ASSERT_TRUE(marks);
  EXPECT_EQ(marks->steps, 3U);
  EXPECT_EQ(marks->decode, 2U);
  EXPECT_EQ(marks->prefill, 1U);
  EXPECT_DOUBLE_EQ(marks->tokens, 108);
  EXPECT_EQ(marks->example, "step[DECODE bs=4]");
  EXPECT_FALSE(marked_work(Capture()));
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
