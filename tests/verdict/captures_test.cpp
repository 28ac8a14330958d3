// What is thought of two captures: verdict, reasons, what would carry more.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/profiles/hand_made.hpp"
#include "tests/verdict/judged_captures.hpp"

namespace plumbline::verdict::test {
namespace {

using core::Verdict;
using profiles::DeviceWall;
using profiles::DiffOptions;
using profiles::Frame;
using profiles::NamedAggregate;
using profiles::Profile;
using profiles::Step;
using profiles::test::aggregate;
using profiles::test::totals;
using profiles::test::with_span;

std::vector<std::string> codes(const core::ProfileDiff& diff) {
  std::vector<std::string> list;
  for (const core::Reason& reason : diff.reasons) list.emplace_back(reason.code.text());
  return list;
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
  const core::ProfileDiff result = judged_diff(a, b);
  EXPECT_EQ(result.verdict, GetParam().verdict);
  EXPECT_EQ(codes(result), GetParam().reasons);
  EXPECT_EQ(result.tier, core::Tier::draft);
  EXPECT_FALSE(result.promote.empty());
}
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

TEST(JudgeOfCaptures, DifferentGpusAndGraphModesAreSaidUnlessDeclared) {
  Profile a = with_span(totals({aggregate("k", 10, 1000)}), 2000);
  Profile b = a;
  a.info.context = {{"hardware.gpu", "NVIDIA H100"}, {"regime.cuda_graph_trace", "node"}};
  b.info.context = {{"hardware.gpu", "NVIDIA B200"}, {"regime.cuda_graph_trace", "graph"}};
  core::ProfileDiff result = judged_diff(a, b);
  EXPECT_EQ(result.verdict, Verdict::yellow);
  EXPECT_EQ(codes(result), (std::vector<std::string>{"gpu_differs", "graph_mode_differs", "low_comparability"}));
  EXPECT_EQ(result.reasons[0].message, "the captures are from different GPUs: \"NVIDIA H100\" and \"NVIDIA B200\"");
  EXPECT_EQ(result.recommendation.action, "compare_like_with_like");
  DiffOptions options;
  options.varying = {"hardware.gpu", "regime.*"};
  result = judged_diff(a, b, options);
  EXPECT_EQ(result.verdict, Verdict::green);
  EXPECT_EQ(result.environment_differences.size(), 2U);
}

TEST(JudgeOfCaptures, TheSameFileTwiceIsGreenAndSaysSo) {
  const Profile a = with_span(totals({aggregate("k", 10, 1000)}), 2000);
  DiffOptions options;
  options.same_content = true;
  const core::ProfileDiff result = judged_diff(a, a, options);
  EXPECT_EQ(result.verdict, Verdict::green);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code.text(), "identical_captures");
  EXPECT_EQ(result.kernels.at(0).delta_ns, 0);
  EXPECT_TRUE(result.contributors.empty());
}

Profile with_steps(Profile profile, const std::vector<std::int64_t>& walls, const std::string& basis = "marker") {
  std::int64_t at = 0;
  for (const std::int64_t wall : walls) {
    Step step;
    step.start = at;
    step.wall_ns = wall;
    step.buckets.span_ns = step.buckets.compute_ns = wall;
    profile.steps.steps.push_back(step);
    at += wall;
  }
  profile.steps.basis = basis;
  profile.steps.name = "ProfilerStep#";
  return profile;
}

// What the typical step does not see is never GREEN: the slower half, every third step, what lies outside of the steps.
TEST(JudgeOfCaptures, StepsAreJudgedByTheTypicalTheMeanAndTheWindow) {
  const Profile work = totals({aggregate("k", 300, 30'000), aggregate("m", 300, 3'000)});
  const auto side = [&work](const std::vector<std::int64_t>& walls, std::int64_t outside, const std::string& basis = "marker") {
    std::int64_t span = outside;
    for (const std::int64_t wall : walls) span += wall;
    return with_steps(with_span(work, span), walls, basis);
  };
  std::vector<std::int64_t> even(30, 1000);
  for (std::size_t i = 0; i < even.size(); ++i) even[i] += static_cast<std::int64_t>(i % 3);
  std::vector<std::int64_t> third = even;
  for (std::size_t i = 0; i < third.size(); i += 3) third[i] += 800;
  std::vector<std::int64_t> one = even;
  one[7] += 3000;
  std::vector<std::int64_t> all = even;
  for (std::int64_t& wall : all) wall += 100;

  EXPECT_EQ(judged_diff(side(even, 0), side(even, 0)).verdict, Verdict::green);
  EXPECT_EQ(codes(judged_diff(side(even, 0), side(all, 0))), (std::vector<std::string>{"wall_regressed"}));
  core::ProfileDiff result = judged_diff(side(even, 0), side(third, 0));
  EXPECT_EQ(result.verdict, Verdict::red);
  ASSERT_EQ(result.reasons.size(), 1U);
  EXPECT_EQ(result.reasons[0].message,
            "the mean step changed by +26.6 %, the typical one by +0.1 %: some steps got much slower; the gate is 5 %");
  result = judged_diff(side(even, 0), side(one, 0));
  EXPECT_EQ(codes(result), (std::vector<std::string>{"wall_inconclusive"})) << "one slow step in thirty may be chance";
  result = judged_diff(side(even, 0), side(even, 5000));
  EXPECT_EQ(codes(result), (std::vector<std::string>{"outside_steps"}));
  // A guessed period may be a layer: the wall for the same work decides.
  result = judged_diff(side(even, 0, "period"), side(even, 10'000, "period"));
  EXPECT_EQ(codes(result), (std::vector<std::string>{"wall_regressed"}));
  EXPECT_EQ(result.wall_basis, "work_normalised_wall");
}

// Three whole steps give no interval: RED only when every one of the candidate's is slower than every one of the baseline's.
TEST(JudgeOfCaptures, AFewStepsThatOverlapDecideNothing) {
  const Profile work = totals({aggregate("k", 300, 30'000), aggregate("m", 300, 3'000)});
  const auto side = [&work](const std::vector<std::int64_t>& walls) {
    std::int64_t span = 0;
    for (const std::int64_t wall : walls) span += wall;
    return with_steps(with_span(work, span), walls);
  };
  const core::ProfileDiff result = judged_diff(side({800, 1000, 1200}), side({900, 1150, 1400}));
  EXPECT_EQ(codes(result), (std::vector<std::string>{"wall_inconclusive"}));
  EXPECT_NE(result.reasons[0].message.find("3 and 3 whole steps that overlap are too few to tell it from chance"),
            std::string::npos)
      << result.reasons[0].message;
  EXPECT_EQ(judged_diff(side({1000, 1001, 1002}), side({1100, 1101, 1102})).verdict, Verdict::red);
}

// The same job on more GPUs: every device does what it did.
TEST(JudgeOfCaptures, MoreDevicesAreNoMoreWorkOnEach) {
  const auto on = [](int devices, bool steps) {
    Profile profile = totals({aggregate("k", static_cast<std::uint64_t>(100 * devices), 8000 * devices)});
    profile.kernels[0].exclusive = 8000 * devices;
    for (int i = 0; i < devices; ++i) {
      DeviceWall device;
      device.device = i;
      device.buckets.span_ns = 10'000;
      device.buckets.compute_ns = 8000;
      device.buckets.exposed_comm_ns = 1500;
      device.buckets.idle_ns = 500;
      profile.devices.push_back(device);
    }
    profile.info.context["hardware.gpu_count"] = std::to_string(devices);
    profile.launches.emplace();
    profile.launches->launches = static_cast<std::uint64_t>(100 * devices);
    profile.launches->sync_calls = {{"cudaStreamSynchronize", static_cast<std::uint64_t>(10 * devices)}};
    if (!steps) return profile;
    profile.steps.basis = "marker";
    profile.steps.name = "ProfilerStep#";
    for (int i = 0; i < 10; ++i) {
      Step step;
      step.wall_ns = 1000;
      step.kernels = 10;
      profile.steps.steps.push_back(step);
    }
    return profile;
  };
  for (const bool steps : {true, false}) {
    for (const auto& [before, after] : {std::pair{4, 8}, std::pair{4, 2}, std::pair{2, 3}}) {
      const core::ProfileDiff result = judged_diff(on(before, steps), on(after, steps));
      EXPECT_EQ(result.wall_basis, steps ? "step_wall" : "work_normalised_wall");
      EXPECT_NEAR(result.wall_delta_pct.value_or(1), 0, 1e-9);
      EXPECT_EQ(codes(result), std::vector<std::string>{"context_differs"});
      EXPECT_EQ(result.reasons[0].message, "the captures differ in hardware.gpu_count: sums over " + std::to_string(before) +
                                               " devices and over " + std::to_string(after) + " differ by that alone");
      for (const core::ProfileFinding& finding : result.findings) ADD_FAILURE() << finding.message;
      EXPECT_TRUE(result.contributors.empty());
      EXPECT_EQ(result.wall_delta_ns, 0);
      EXPECT_EQ(result.residual_ns, 0);
      const auto said = [&result](const std::string& text) {
        return std::find(result.promote.begin(), result.promote.end(), text) != result.promote.end();
      };
      EXPECT_TRUE(said("as many devices on both sides, or one rank of each with --rank"));
      EXPECT_FALSE(said("the same number of steps in both captures"));
    }
  }
  // One device's part grows on twice as many: the contributors still sum to the wall's change.
  Profile slower = on(8, true);
  slower.kernels[0].exclusive += 8 * 1000;
  slower.kernels[0].aggregate.total += 8 * 1000;
  for (DeviceWall& device : slower.devices) {
    device.buckets.compute_ns += 1000;
    device.buckets.span_ns += 1000;
  }
  for (Step& step : slower.steps.steps) step.wall_ns = 1100;
  const core::ProfileDiff result = judged_diff(on(4, true), slower);
  EXPECT_NEAR(result.wall_delta_pct.value_or(0), 10, 1e-9);
  ASSERT_EQ(result.contributors.size(), 1U);
  EXPECT_EQ(result.contributors[0].delta_ns, 4000);
  EXPECT_EQ(result.wall_delta_ns, 4000);
  EXPECT_EQ(result.residual_ns, 0);
}

Profile host_profile(std::vector<Frame> frames, const std::string& unit) {
  Profile profile;
  profile.info.format = "folded";
  profile.frames = std::move(frames);
  profile.frames_unit = unit;
  return profile;
}

TEST(JudgeOfCaptures, ProfilesOfTheHostCompareByTheirFunctions) {
  const auto diff_of = [](const Profile& a, const Profile& b) { return judged_diff(a, b); };
  const Profile counts = host_profile({{"gemm", 100, 100}, {"relu", 50, 50}}, "counts");
  const Profile moved = host_profile({{"gemm", 100, 100}, {"relu", 51, 51}}, "counts");
  core::ProfileDiff result = diff_of(counts, moved);
  EXPECT_EQ(result.verdict, Verdict::green);
  EXPECT_DOUBLE_EQ(result.comparability, 0.8);
  for (const std::string& note : result.comparability_notes) EXPECT_EQ(note.find("kernel"), std::string::npos) << note;
  for (const std::string& step : result.promote) EXPECT_EQ(step.find("totals"), std::string::npos) << step;

  result = diff_of(host_profile({{"gemm", 100, 100}}, "ns"), host_profile({{"gemm", 101, 101}}, "ns"));
  EXPECT_EQ(result.verdict, Verdict::green);
  EXPECT_DOUBLE_EQ(result.comparability, 1);
  EXPECT_EQ(result.promote.back(),
            "the time of the same work measured beside the profiles: a profile does not say what was done");

  result = diff_of(counts, host_profile({{"gemm", 100, 100}}, "bytes"));
  EXPECT_EQ(codes(result), std::vector<std::string>{"low_comparability"});
  EXPECT_EQ(result.reasons[0].message, "comparability is 0: the profiles count different things: counts and bytes");
  EXPECT_FALSE(result.frames.at(0).self_pct);

  result = diff_of(counts, host_profile({{"main", 10, 10}}, "counts"));
  EXPECT_EQ(result.comparability, 0) << "nothing in common";

  result = diff_of(counts, with_span(totals({aggregate("k", 10, 1000)}), 2000));
  EXPECT_EQ(result.reasons.back().message,
            "comparability is 0: kernels found on both sides hold 0 % of the kernel time of both sides and one side is a profile "
            "of the host, the other is none");
}

TEST(JudgeOfCaptures, WhatWouldCarryMoreFitsWhatWasGiven) {
  const auto last = [](const char* format) {
    Profile side = totals({aggregate("k", 10, 1000)});
    side.info.format = format;
    return judged_diff(side, side).promote.back();
  };
  EXPECT_EQ(last("nsys-stats-csv"), "the captures themselves (SQLite or .nsys-rep) in place of totals");
  EXPECT_EQ(last("rocprof-csv"), "traces of rocprofv3 (--kernel-trace, or its database) in place of its statistics");
  EXPECT_EQ(last("kernel-summary-csv"), "captures with a timeline in place of totals");
  EXPECT_EQ(last("ncu-csv"),
            "a capture of the program itself, not of its kernels replayed one by one: a timeline of Nsight Systems, PyTorch or "
            "JAX");
}

// Calls that moved to another tile of one family have not vanished.
TEST(JudgeOfCaptures, LooksForVanishedWorkInTheFamily) {
  const auto model = [](std::uint64_t large, std::uint64_t small) {
    std::vector<NamedAggregate> kernels = {aggregate("flash_kernel", 80, 12'000), aggregate("norm_kernel", 80, 12'000)};
    const std::pair<const char*, std::uint64_t> tiles[] = {{"volta_sgemm_128x128_nn", large}, {"volta_sgemm_64x64_nn", small}};
    for (const auto& [name, count] : tiles) {
      if (count > 0) kernels.push_back(aggregate(name, count, static_cast<std::int64_t>(100 * count)));
    }
    return with_span(totals(std::move(kernels)), 50'000);
  };
  EXPECT_EQ(codes(judged_diff(model(80, 80), model(0, 160))), std::vector<std::string>{"offsetting_moves"})
      << "by name they cancel out; none is missing";
  EXPECT_EQ(codes(judged_diff(model(80, 80), model(0, 80))), std::vector<std::string>{"kernels_vanished"});
}

}  // namespace
}  // namespace plumbline::verdict::test
