// Two profiles of a host: what moved, and what may be said about it.
#include "profiles/diff/frames.hpp"

#include <gtest/gtest.h>

#include <random>

namespace plumbline::profiles::test {
namespace {

Profile profile(std::vector<Frame> frames, std::string unit, std::string kind = {}) {
  Profile result;
  result.frames = std::move(frames);
  result.frames_unit = std::move(unit);
  result.frames_kind = std::move(kind);
  return result;
}
const core::ProfileFrame& row(const std::vector<core::ProfileFrame>& rows, std::string_view name) {
  static const core::ProfileFrame kNoRow;
  for (const core::ProfileFrame& each : rows) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << "no row " << name;
  return kNoRow;
}

TEST(CompareFrames, EveryFunctionOfEitherSideIsARow) {
  const std::vector<Frame> before = {{"work", 60, 60}, {"gone", 30, 30}, {"main", 10, 100}};
  const std::vector<Frame> after = {{"work", 90, 90}, {"main", 10, 120}, {"fresh", 20, 20}};
  const auto rows = compare_frames(before, after);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].name, "gone");  // as far as "work": then by name
  EXPECT_EQ(rows[1].name, "work");
  EXPECT_EQ(rows[2].name, "fresh");
  EXPECT_EQ(rows[3].name, "main");
  const core::ProfileFrame& work = row(rows, "work");
  EXPECT_EQ(work.state, "matched");
  EXPECT_EQ(work.delta_self, 30);
  EXPECT_EQ(work.self_pct, 50.0);
  EXPECT_EQ(work.baseline_share_pct, 60.0);
  EXPECT_EQ(work.candidate_share_pct, 75.0);
  EXPECT_EQ(row(rows, "main").delta_total, 20);
  EXPECT_EQ(row(rows, "gone").state, "vanished");
  EXPECT_EQ(row(rows, "gone").delta_self, -30);
  EXPECT_EQ(row(rows, "fresh").state, "new");
  EXPECT_FALSE(row(rows, "fresh").self_pct);
}

TEST(CompareFrames, RenumberedClosuresMatchWhenThereIsOneOnEachSide) {
  const std::vector<Frame> before = {{"main.run.func1", 5, 5}, {"a.func1", 1, 1}, {"a.func2", 1, 1}};
  const std::vector<Frame> after = {{"main.run.func2", 8, 8}, {"a.func3", 1, 1}};
  const auto rows = compare_frames(before, after);
  EXPECT_EQ(row(rows, "main.run.func#").delta_self, 3);
  EXPECT_EQ(row(rows, "main.run.func#").state, "matched");
  EXPECT_EQ(row(rows, "a.func1").state, "vanished");  // which of two it became, nothing says
  EXPECT_EQ(row(rows, "a.func3").state, "new");
  EXPECT_EQ(rows.size(), 4U);
}

TEST(CompareFrames, SwappingTheSidesNegatesEveryDelta) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Frame> sides[2];
    for (auto& side : sides) {
      for (int i = 0; i < 30; ++i) {
        if (random() % 3 == 0) continue;
        const auto self = static_cast<std::int64_t>(random() % 1000);
        side.push_back(
            {(i % 4 == 0 ? "f.func" : "g") + std::to_string(i), self, self + static_cast<std::int64_t>(random() % 50)});
      }
    }
    const auto forth = compare_frames(sides[0], sides[1]), back = compare_frames(sides[1], sides[0]);
    ASSERT_EQ(forth.size(), back.size());
    std::int64_t sum = 0, expected = 0;
    for (std::size_t i = 0; i < forth.size(); ++i) {
      EXPECT_EQ(forth[i].name, back[i].name);
      EXPECT_EQ(forth[i].delta_self, -back[i].delta_self);
      EXPECT_EQ(forth[i].delta_total, -back[i].delta_total);
      EXPECT_EQ(forth[i].baseline_share_pct, back[i].candidate_share_pct);
      sum += forth[i].delta_self;
    }
    for (const Frame& frame : sides[1]) expected += frame.self;
    for (const Frame& frame : sides[0]) expected -= frame.self;
    EXPECT_EQ(sum, expected) << "the rows explain the change without remainder";
  }
}

TEST(HostProfiles, ProcessorTimeIsAnAmount) {
  Profile before = profile({{"f", 100, 100}}, "ns", "cpu"), after = profile({{"f", 120, 120}}, "ns", "cpu");
  auto result = compare_host_profiles(before, after);
  EXPECT_EQ(result.basis, "amount");
  EXPECT_EQ(result.change_pct, 20.0);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0], "the profiles do not say how long they ran: their sums compare when both did the same work");
  before.frames_duration_ns = 10'000'000'000;
  after.frames_duration_ns = 12'000'000'000;
  result = compare_host_profiles(before, after);
  EXPECT_EQ(result.basis, "amount");
  EXPECT_EQ(result.change_pct, 20.0);
  EXPECT_DOUBLE_EQ(result.rate_change_pct.value(), 0.0);
  EXPECT_EQ(result.notes.at(0), "the profiles cover 10 s and 12 s: their sums compare when both did the same work to its end");
}

TEST(HostProfiles, SamplesCompareOverWindowsOfOneLength) {
  Profile before = profile({{"f", 100, 100}}, "samples", "cycles"), after = profile({{"f", 120, 120}}, "samples", "cycles");
  EXPECT_EQ(compare_host_profiles(before, after).basis, "share");
  EXPECT_FALSE(compare_host_profiles(before, after).change_pct);
  before.frames_duration_ns = 10'000'000'000;
  after.frames_duration_ns = 10'100'000'000;
  auto result = compare_host_profiles(before, after);
  EXPECT_EQ(result.basis, "amount");
  EXPECT_EQ(result.change_pct, 20.0);
  EXPECT_TRUE(result.notes.empty());
  after.frames_duration_ns = 20'000'000'000;
  result = compare_host_profiles(before, after);
  EXPECT_EQ(result.basis, "share");
  EXPECT_FALSE(result.change_pct);
  EXPECT_DOUBLE_EQ(result.rate_change_pct.value(), -40.0);
  EXPECT_EQ(result.notes.at(0), "the profiles cover 10 s and 20 s: the length of the profile is in every difference");
}

TEST(HostProfiles, FoldedCountsAreSharesAndUnlikeThingsAreNothing) {
  const Profile folded = profile({{"f", 1, 1}}, "counts");
  EXPECT_EQ(compare_host_profiles(folded, folded).basis, "share");
  EXPECT_EQ(compare_host_profiles(folded, folded).notes.at(0),
            "counts without the length of the profile: only how they are spread can be compared");
  const auto unlike = compare_host_profiles(profile({{"f", 1, 1}}, "ns", "cpu"), profile({{"f", 2, 2}}, "bytes", "alloc_space"));
  EXPECT_EQ(unlike.basis, "none");
  EXPECT_EQ(unlike.unit, "");
  EXPECT_EQ(unlike.notes.at(0), "the profiles count different things: cpu in ns and alloc_space in bytes");
  EXPECT_FALSE(unlike.change_pct);
  EXPECT_EQ(unlike.rows.size(), 1U);
}

TEST(HostProfiles, ChanceOfSampling) {
  Profile before = profile({{"f", 500, 500}, {"g", 500, 500}}, "samples"),
          after = profile({{"f", 600, 600}, {"g", 400, 400}}, "samples");
  const auto rows = compare_frames(before.frames, after.frames);
  EXPECT_FALSE(share_deviation(row(rows, "f"), before, after));  // nobody says how many samples there are
  before.frames_samples = 1000;
  after.frames_samples = 1000;
  // Two proportions, pooled: 0.1 / sqrt(0.55 * 0.45 * 2 / 1000)
  EXPECT_NEAR(share_deviation(row(rows, "f"), before, after).value(), 4.4947, 1e-4);
  EXPECT_NEAR(share_deviation(row(rows, "g"), before, after).value(), -4.4947, 1e-4);
  before.frames_unit = after.frames_unit = "bytes";
  EXPECT_FALSE(share_deviation(row(rows, "f"), before, after));
}

TEST(HostProfiles, InAWord) {
  Profile side = profile({{"f", 100, 180}, {"g", 80, 80}}, "counts");
  EXPECT_EQ(cost_text(side), "180 counts in 2 functions");
  side = profile({{"f", 2'500'000, 2'500'000}}, "ns", "cpu");
  side.frames_samples = 250;
  side.frames_duration_ns = 2'500'000'000;
  EXPECT_EQ(cost_text(side), "2500000 ns (cpu) in 1 function, 250 samples, over 2.5 s");
  EXPECT_EQ(cost_text(Profile()), "");
}

}  // namespace
}  // namespace plumbline::profiles::test
