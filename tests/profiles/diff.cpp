// Two profiles -> rows, buckets, verdict. Swapping the sides negates every difference.
#include <random>

#include "profiles/diff/rows.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

NamedAggregate aggregate(std::string name, std::uint64_t count, std::int64_t total) {
  NamedAggregate one;
  one.name = std::move(name);
  one.aggregate = {count, total, 0, 0, 0, 0, false};
  return one;
}

Profile totals(std::vector<NamedAggregate> kernels) {
  Profile profile;
  profile.kernels = std::move(kernels);
  for (const NamedAggregate& each : profile.kernels) {
    profile.info.kernel_ns += each.aggregate.total;
    profile.info.kernels += each.aggregate.count;
  }
  return profile;
}

Profile with_span(Profile profile, std::int64_t span) {
  DeviceWall device;
  device.buckets.span_ns = device.buckets.compute_ns = span;
  profile.devices.push_back(device);
  profile.info.span_ns = span;
  return profile;
}

std::vector<std::string> codes(const core::ProfileDiff& diff) {
  std::vector<std::string> list;
  for (const core::Reason& reason : diff.reasons) list.push_back(reason.code);
  return list;
}

TEST(Rows, SplitExactlyIntoCountAndDuration) {
  struct Case {
    std::int64_t t0;
    std::uint64_t n0;
    std::int64_t t1;
    std::uint64_t n1;
    std::int64_t count, duration;
  };
  for (const Case& each : {Case{272317378, 68, 240755667, 60, -32069047, 507336},  // flash_fwd of the sample pair
                           Case{25401752, 66, 33742101, 62, -1858205, 10198554},   // its NCCL SendRecv
                           Case{100, 10, 100, 10, 0, 0}, Case{100, 10, 150, 10, 0, 50}, Case{100, 10, 200, 20, 100, 0},
                           Case{1, 1, 4, 2, 1, 2},  // count part 1.5: the half goes to the duration
                           Case{4, 2, 1, 1, -1, -2}, Case{0, 0, 50, 5, 50, 0}, Case{50, 5, 0, 0, -50, 0}}) {
    const auto rows = compare_rows(std::vector{aggregate("k", each.n0, each.t0)}, std::vector{aggregate("k", each.n1, each.t1)});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].count_effect_ns, each.count) << each.t0;
    EXPECT_EQ(rows[0].duration_effect_ns, each.duration) << each.t0;
  }
}

TEST(Rows, NewAndVanishedAreAllCountAndHaveNoPercentOfNothing) {
  const auto rows = compare_rows(std::vector{aggregate("old", 2, 30)}, std::vector{aggregate("fresh", 4, 40)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "fresh");
  EXPECT_EQ(rows[0].state, "new");
  EXPECT_EQ(rows[0].count_effect_ns, 40);
  EXPECT_FALSE(rows[0].pct.has_value());
  EXPECT_FALSE(rows[0].baseline_count.has_value());
  EXPECT_EQ(rows[1].state, "vanished");
  EXPECT_EQ(rows[1].count_effect_ns, -30);
  EXPECT_EQ(rows[1].pct, -100);
}

TEST(Rows, SwappingTheSidesNegatesEveryPart) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    const int size = static_cast<int>(random() % 60);
    const auto total = [&] { return static_cast<std::int64_t>(random() >> (3 + random() % 60)); };
    const auto count = [&] { return (random() >> (random() % 64)) + 1; };
    const std::vector a = {aggregate("k", count(), total()), aggregate("only_a", count(), size)};
    const std::vector b = {aggregate("k", count(), total()), aggregate("only_b", count(), size + 1)};
    const auto forth = compare_rows(a, b);
    const auto back = compare_rows(b, a);
    for (const core::ProfileRow& row : forth) {
      EXPECT_EQ(row.delta_ns, row.count_effect_ns + row.duration_effect_ns);
      for (const core::ProfileRow& other : back) {
        if (other.name != row.name) continue;
        EXPECT_EQ(row.delta_ns, -other.delta_ns);
        EXPECT_EQ(row.count_effect_ns, -other.count_effect_ns);
        EXPECT_EQ(row.duration_effect_ns, -other.duration_effect_ns);
      }
    }
  }
}

struct VerdictCase {
  const char* name;
  std::vector<NamedAggregate> baseline, candidate;
  std::int64_t span0, span1;  // 0: totals only
  core::Verdict verdict;
  std::vector<std::string> reasons;
};
class Verdicts : public ::testing::TestWithParam<VerdictCase> {};
TEST_P(Verdicts, Are) {
  Profile a = totals(GetParam().baseline);
  Profile b = totals(GetParam().candidate);
  if (GetParam().span0 > 0) {
    a = with_span(std::move(a), GetParam().span0);
    b = with_span(std::move(b), GetParam().span1);
  }
  const core::ProfileDiff result = diff(a, b, {});
  EXPECT_EQ(result.verdict, GetParam().verdict);
  EXPECT_EQ(codes(result), GetParam().reasons);
  EXPECT_EQ(result.tier, core::Tier::draft);
  EXPECT_FALSE(result.promote.empty());
}
using core::Verdict;
INSTANTIATE_TEST_SUITE_P(
    Cases, Verdicts,
    ::testing::Values(
        VerdictCase{"same", {aggregate("k", 10, 1000)}, {aggregate("k", 10, 1000)}, 2000, 2000, Verdict::green, {}},
        VerdictCase{"slower_wall_same_kernels",
                    {aggregate("k", 10, 1000)},
                    {aggregate("k", 10, 1000)},
                    2000,
                    2100,
                    Verdict::red,
                    {"wall_regressed"}},
        VerdictCase{
            "below_the_gate", {aggregate("k", 10, 1000)}, {aggregate("k", 10, 1000)}, 2000, 2060, Verdict::yellow, {"near_gate"}},
        VerdictCase{"noise", {aggregate("k", 10, 1000)}, {aggregate("k", 10, 1000)}, 2000, 2030, Verdict::green, {}},
        VerdictCase{"faster", {aggregate("k", 10, 1000)}, {aggregate("k", 10, 900)}, 2000, 1800, Verdict::green, {}},
        VerdictCase{"less_work_in_the_same_window",
                    {aggregate("k", 100, 1000)},
                    {aggregate("k", 88, 880)},
                    2000,
                    2000,
                    Verdict::red,
                    {"wall_regressed", "unequal_work"}},
        VerdictCase{"longer_window_same_speed",
                    {aggregate("k", 100, 1000)},
                    {aggregate("k", 200, 2000)},
                    2000,
                    4000,
                    Verdict::yellow,
                    {"unequal_work"}},
        VerdictCase{"offsetting",
                    {aggregate("a", 10, 500), aggregate("b", 10, 500)},
                    {aggregate("a", 10, 600), aggregate("b", 10, 405)},
                    2000,
                    2000,
                    Verdict::yellow,
                    {"offsetting_moves"}},
        VerdictCase{"other_kernels",
                    {aggregate("a", 10, 500)},
                    {aggregate("b", 10, 900)},
                    2000,
                    2000,
                    Verdict::yellow,
                    {"kernels_vanished", "low_comparability"}},
        // One kernel called eleven times as often does the same work badly: the window holds no more steps.
        VerdictCase{"call_explosion",
                    {aggregate("gemm", 10, 1000), aggregate("copy", 10, 100)},
                    {aggregate("gemm", 10, 1000), aggregate("copy", 110, 1100)},
                    1200,
                    2200,
                    Verdict::red,
                    {"wall_regressed"}},
        VerdictCase{"half_the_time_vanished",
                    {aggregate("gemm", 10, 500), aggregate("attention", 10, 500)},
                    {aggregate("gemm", 10, 500)},
                    1200,
                    700,
                    Verdict::yellow,
                    {"kernels_vanished"}},
        VerdictCase{"a_little_vanished",
                    {aggregate("gemm", 10, 910), aggregate("fill", 10, 90)},
                    {aggregate("gemm", 10, 910)},
                    1200,
                    1110,
                    Verdict::green,
                    {}},
        VerdictCase{"totals_slower_per_call",
                    {aggregate("k", 10, 1000)},
                    {aggregate("k", 10, 1050)},
                    0,
                    0,
                    Verdict::red,
                    {"kernel_time_regressed"}},
        VerdictCase{"totals_more_calls_only",
                    {aggregate("k", 10, 1000)},
                    {aggregate("k", 20, 2000)},
                    0,
                    0,
                    Verdict::yellow,
                    {"unequal_work"}},
        VerdictCase{"totals_new_kernel",
                    {aggregate("k", 10, 1000)},
                    {aggregate("k", 10, 1000), aggregate("extra", 10, 100)},
                    0,
                    0,
                    Verdict::red,
                    {"kernel_time_regressed"}}),
    [](const auto& each) { return each.param.name; });

TEST(Diff, DifferentGpusAndGraphModesAreSaidUnlessDeclared) {
  Profile a = with_span(totals({aggregate("k", 10, 1000)}), 2000);
  Profile b = a;
  a.info.context = {{"hardware.gpu", "NVIDIA H100"}, {"regime.cuda_graph_trace", "node"}};
  b.info.context = {{"hardware.gpu", "NVIDIA B200"}, {"regime.cuda_graph_trace", "graph"}};
  core::ProfileDiff result = diff(a, b, {});
  EXPECT_EQ(result.verdict, Verdict::yellow);
  EXPECT_EQ(codes(result), (std::vector<std::string>{"gpu_differs", "graph_mode_differs", "low_comparability"}));
  EXPECT_EQ(result.reasons[0].message, "the captures are from different GPUs: NVIDIA H100 and NVIDIA B200");
  EXPECT_EQ(result.recommendation.action, "compare_like_with_like");
  DiffOptions options;
  options.varying = {"hardware.gpu", "regime.*"};
  result = diff(a, b, options);
  EXPECT_EQ(result.verdict, Verdict::green);
  EXPECT_EQ(result.environment_differences.size(), 2U);
}

TEST(Diff, TheSameFileTwiceIsGreenAndSaysSo) {
  const Profile a = with_span(totals({aggregate("k", 10, 1000)}), 2000);
  DiffOptions options;
  options.same_content = true;
  const core::ProfileDiff result = diff(a, a, options);
  EXPECT_EQ(result.verdict, Verdict::green);
  EXPECT_TRUE(warned(result.warnings, "identical_captures"));
  EXPECT_EQ(result.kernels.at(0).delta_ns, 0);
  EXPECT_TRUE(result.contributors.empty());
}

TEST(Diff, ContributorsAccumulateToEverything) {
  const core::ProfileDiff result = diff(totals({aggregate("a", 1, 100), aggregate("b", 1, 100), aggregate("c", 1, 5)}),
                                        totals({aggregate("a", 1, 160), aggregate("b", 1, 70), aggregate("c", 1, 15)}), {});
  ASSERT_EQ(result.contributors.size(), 3U);
  EXPECT_EQ(result.contributors[0].name, "a");
  EXPECT_DOUBLE_EQ(result.contributors[0].share_pct, 60);
  EXPECT_DOUBLE_EQ(result.contributors[1].cumulative_pct, 90);
  EXPECT_DOUBLE_EQ(result.contributors[2].cumulative_pct, 100);
}

TEST(Summary, OfACapture) {
  const Profile a = with_span(totals({aggregate("k", 10, 1000)}), 2000);
  const core::ProfileSummary result = summary(a);
  EXPECT_EQ(result.kernels, 10U);
  EXPECT_EQ(result.gpu_busy_ns, 2000);
  EXPECT_EQ(result.devices, 1U);
}

}  // namespace
}  // namespace plumbline::profiles::test
