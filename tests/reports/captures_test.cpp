// What is said of two captures: the answer, the parts of a step, diff.md on one screen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "captures_fixture.hpp"
#include "core/text.hpp"
#include "reports/captures/parts.hpp"
#include "reports/reports.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Times, AreShownInTheirUnit) {
  for (const auto& [ns, text] :
       std::vector<std::pair<std::int64_t, std::string>>{{0, "0"},
                                                         {1, "0.001 us"},
                                                         {730, "0.73 us"},
                                                         {-35638, "-35.64 us"},
                                                         {16714123, "16.71 ms"},
                                                         {2000000000, "2 s"},
                                                         {std::numeric_limits<std::int64_t>::min(), "-9223000000 s"}}) {
    EXPECT_EQ(time_text(ns), text);
  }
  EXPECT_EQ(signed_time_text(1500), "+1.5 us");
  EXPECT_EQ(signed_time_text(0), "0");
}

TEST(BriefNames, LeaveOutWhatCompilersAdd) {
  EXPECT_EQ(brief_name("void at::native::elementwise_kernel<128, 4>(int, T3)"), "at::native::elementwise_kernel");
  EXPECT_EQ(
      brief_name("void at::native::elementwise_kernel<4, at::native::gpu_kernel_impl<at::native::CUDAFunctor_add<float>>(int)>"),
      "at::native::elementwise_kernel CUDAFunctor_add");
  EXPECT_EQ(brief_name("void at::native::reduce_kernel<512, at::native::ReduceOp<float, at::native::MeanFunctor<float>>>(int)"),
            "at::native::reduce_kernel MeanFunctor");
  EXPECT_EQ(
      brief_name("void at::native::elementwise_kernel<4, at::native::gpu_kernel_impl<at::native::direct_copy_kernel_cuda(x)>>"),
      "at::native::elementwise_kernel direct_copy_kernel_cuda");
  EXPECT_EQ(brief_name("void (anonymous namespace)::softmax<float>(float*)"), "softmax");
  EXPECT_EQ(brief_name(":FSDP::pre_forward (blocks)"), "FSDP::pre_forward ");
  EXPECT_EQ(brief_name("[CUDA memcpy Host-to-Device]"), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(brief_name("<x>"), "<x>");
}

TEST(SideNames, AreToldApart) {
  core::ProfileDiff diff;
  diff.baseline.path = "/runs/old/trace.json";
  diff.candidate.path = "/runs/new/trace.json";
  EXPECT_EQ(side_names(diff), std::pair(std::string("old/trace.json"), std::string("new/trace.json")));
  diff.candidate.path = "/runs/new/trace2.json/";
  EXPECT_EQ(side_names(diff), std::pair(std::string("trace.json"), std::string("trace2.json")));
  diff.baseline.label = "before";
  EXPECT_EQ(side_names(diff).first, "before");
}

std::int64_t sum(const Fall& fall) {
  std::int64_t all = 0;
  for (const FallPart& part : fall.parts) all += part.delta_ns;
  return all;
}

TEST(Waterfall, IsOfTheTypicalStepsWhereTheVerdictIs) {
  const auto fall = fall_of(fixture::stepping(), 8);
  ASSERT_TRUE(fall);
  EXPECT_EQ(fall->of, "the typical step");
  EXPECT_EQ(fall->baseline_ns, 100000000);
  EXPECT_EQ(fall->candidate_ns, 110000000);
  ASSERT_EQ(fall->parts.size(), 3U);
  EXPECT_EQ(part_label(fall->parts[0]), "GPU idle: waits for data loading (enumerate(DataLoader)#__next__)");
  EXPECT_EQ(sum(*fall), fall->delta_ns());
}

TEST(Waterfall, OfTheWallIsScaledToOneStepAndStillSums) {
  core::ProfileDiff diff = fixture::profile();
  const auto fall = fall_of(diff, 8);
  ASSERT_TRUE(fall);
  EXPECT_EQ(fall->of, "the mean step");
  EXPECT_EQ(fall->baseline_ns, 100250000);
  EXPECT_EQ(sum(*fall), fall->delta_ns());
  diff.steps = std::nullopt;
  EXPECT_EQ(fall_of(diff, 8)->of, "the wall for the same work");
  EXPECT_EQ(fall_of(diff, 8)->baseline_ns, 1980000000);
  diff.wall_delta_ns = std::nullopt;
  EXPECT_FALSE(fall_of(diff, 8));
}

// Whatever the parts: the bars go from one wall to the other exactly, and few are drawn.
TEST(Waterfall, SumsExactlyWhateverItsParts) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    core::ProfileDiff diff = fixture::profile();
    diff.wall_baseline_ns = static_cast<std::int64_t>(1 + random() % 1000000000000);
    diff.wall_delta_ns = static_cast<std::int64_t>(random() % 2000000000000) - *diff.wall_baseline_ns;
    diff.contributors.clear();
    diff.gaps.clear();
    for (std::size_t i = random() % 30; i > 0; --i)
      diff.contributors.push_back({i % 2 == 0 ? "kernel" : "copy", "k" + std::to_string(i),
                                   static_cast<std::int64_t>(random() % 1000000000) - 500000000});
    for (std::size_t i = random() % 30; i > 0; --i) {
      core::ProfileGaps gaps;
      gaps.cause = "host";
      gaps.what = "range " + std::to_string(i);
      gaps.delta_ns = static_cast<std::int64_t>(random() % 1000000000) - 500000000;
      diff.gaps.push_back(gaps);
    }
    const std::size_t most = 1 + random() % 10;
    const auto fall = fall_of(diff, most);
    ASSERT_TRUE(fall);
    EXPECT_EQ(sum(*fall), fall->delta_ns());
    EXPECT_LE(fall->parts.size(), most + 4);
  }
}

TEST(Answer, NamesHowMuchFromWhatToWhatAndWhy) {
  core::ProfileDiff diff = fixture::stepping();
  EXPECT_EQ(answer_of(diff).headline,
            "A step takes 10 % more time, medians 100 ms → 110 ms, since the GPU waits 10 ms more for data loading "
            "(\"enumerate(DataLoader)#__next__\")");
  EXPECT_EQ(answer_of(diff).interval, "95 % interval of the change: +8.1 % to +12.2 %, over the steps of one capture a side");
  std::swap(diff.timeline->baseline, diff.timeline->candidate);
  for (core::ProfileStepPart& part : diff.timeline->parts) std::swap(part.baseline_ns, part.candidate_ns);
  diff.wall_delta_pct = -9.1;
  EXPECT_THAT(answer_of(diff).headline,
              HasSubstr("A step takes 9.1 % less time, medians 110 ms → 100 ms, since the GPU waits 10 ms less"));
  diff.wall_delta_pct = 2;
  EXPECT_THAT(answer_of(diff).headline, HasSubstr(", within the gate of 5 %"));
  EXPECT_THAT(answer_of(diff).headline, Not(HasSubstr("since")));
  EXPECT_EQ(answer_of(core::ProfileDiff{}).headline, "The captures hold nothing that tells how long the work took");
}

// The shift over all steps is less time, and yet the typical step of this side is longer: its parts explain nothing.
TEST(Answer, IsNotExplainedByPartsThatWentTheOtherWay) {
  core::ProfileDiff diff = fixture::stepping();
  diff.wall_delta_pct = -9.1;
  EXPECT_EQ(answer_of(diff).headline, "A step takes 9.1 % less time") << "the medians of all steps went the other way, too";
  std::swap(diff.steps->baseline, diff.steps->candidate);
  EXPECT_EQ(answer_of(diff).headline, "A step takes 9.1 % less time, medians 110 ms → 100 ms");
}

TEST(Answer, NamesTwoPartsWhereOneIsNotMostOfIt) {
  core::ProfileDiff diff = fixture::stepping();
  diff.timeline->parts = {{"kernel", "void a<1>(int)", 0, 5000000}, {"kernel", "b", 0, 4000000}, {"copy", "c", 0, 1000000}};
  EXPECT_THAT(answer_of(diff).headline, HasSubstr(", since \"a\" takes 5 ms more, and \"b\" takes 4 ms more"));
}

std::size_t characters(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// The worst of profiles of the host.
core::DiffResult worst_functions() {
  core::ProfileDiff diff = *fixture::worst_captures().profile();
  diff.buckets.clear();
  for (int i = 0; i < 300; ++i) {
    core::ProfileFrame frame;
    frame.name = std::string(2000, '|') + std::to_string(i);
    diff.frames.push_back(frame);
  }
  return fixture::capture(diff);
}

TEST(CapturesMarkdown, FitsOneScreenWhateverTheCaptures) {
  for (const core::DiffResult& result :
       {fixture::capture(), fixture::capture(fixture::stepping()), fixture::capture(fixture::host_profile()),
        fixture::capture(core::ProfileDiff{}), fixture::worst_captures(), worst_functions()}) {
    const std::string text = diff_markdown(result);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60);
    for (const std::string_view line : core::split(text, '\n')) EXPECT_LE(characters(line), 200U) << line;
    EXPECT_TRUE(core::is_valid_utf8(text));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_TRUE(
        text.starts_with("# " + std::string(to_string(result.verdict)) + " (" + std::string(to_string(result.tier)) + ") "));
    EXPECT_THAT(text, HasSubstr("\n| Key | Change | Baseline | Current |\n"));
  }
}

}  // namespace
}  // namespace plumbline::reports
