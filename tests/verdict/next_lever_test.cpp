// The next lever: what each kind of finding offers, what comes first, and when there is nothing to say.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/verdict/judged_case.hpp"

namespace plumbline::verdict {
namespace {

using core::Direction;
using core::Verdict;
using plumbline::testing::make_measurement;
using plumbline::testing::RowSpec;

core::ContextDifference changed(std::string key, std::string before, std::string after,
                                core::Severity severity = core::Severity::weakening) {
  core::ContextDifference d;
  d.key = std::move(key);
  d.baseline = std::move(before);
  d.current = std::move(after);
  d.severity = severity;
  return d;
}

core::SolLine line(std::string key, std::string ceiling, double baseline_pct, double current_pct) {
  core::SolLine one;
  one.row_key = std::move(key);
  one.ceiling_key = std::move(ceiling);
  one.ceiling_value = 0.45;
  one.ceiling_unit = "TB/s";
  one.baseline_pct = baseline_pct;
  one.current_pct = current_pct;
  one.delta_pp = current_pct - baseline_pct;
  return one;
}

std::vector<std::string> levers(const Judgement& j) {
  std::vector<std::string> out;
  if (!j.next_lever) return out;
  out.push_back(j.next_lever->lever);
  for (const core::NextLever& other : j.next_lever->others) out.push_back(other.lever);
  return out;
}
using Levers = std::vector<std::string>;

TEST(NextLever, IsNullWhenTheDiffHoldsNothing) {
  Case c({{"a", {100}}}, {{"a", {101}}});
  EXPECT_FALSE(c.judge().next_lever);
}

TEST(NextLever, ASingleTrialGivesAnUpperEndOnly) {
  Case c({{"a", {100}}}, {{"a", {110}}});
  c.rules.key_rules = {headline("a")};
  const Judgement j = c.judge();
  ASSERT_TRUE(j.next_lever);
  EXPECT_EQ(j.verdict, Verdict::red);
  EXPECT_EQ(j.next_lever->lever, "restore \"a\"");
  EXPECT_EQ(j.next_lever->expected_unlock,
            "up to 10 % of the baseline on that row (a single trial does not show how much of it is noise)");
  EXPECT_EQ(j.next_lever->gate, "the same diff against this baseline is GREEN; a bisect between the two builds names the change");
}

TEST(NextLever, AKnownNoiseIsTakenOffTheLowerEnd) {
  Case c({{"a", {100}}}, {{"a", {110}}});
  c.rules.key_rules = {headline("a")};
  c.input.registry_floor_pct = 4;
  EXPECT_EQ(c.judge().next_lever->expected_unlock, "6 to 10 % of the baseline on that row");
}

TEST(NextLever, TrialsGiveTheirInterval) {
  Case c({{"a", {100, 101, 102, 100.5, 101.5}}}, {{"a", {120, 121, 122, 120.5, 121.5}}});
  c.rules.key_rules = {headline("a")};
  const Judgement j = c.judge();
  ASSERT_TRUE(j.next_lever);
  const core::RowStatistics& s = c.comparison.statistics[c.comparison.deltas[0].statistics];
  ASSERT_TRUE(s.interval_low_pct && s.interval_high_pct);
  double low = 0, high = 0;
  ASSERT_EQ(std::sscanf(j.next_lever->expected_unlock.c_str(), "%lf to %lf %% of the baseline on that row", &low, &high), 2)
      << j.next_lever->expected_unlock;
  EXPECT_NEAR(low, *s.interval_low_pct, 0.06);
  EXPECT_NEAR(high, *s.interval_high_pct, 0.06);
}

TEST(NextLever, AChangeBesideALossComesFirst) {
  Case c({{"a", {100}}, {"b", {100}}, {"c", {100}}}, {{"a", {110}}, {"b", {112}}, {"c", {130}}});
  c.differences = {changed("environment.image", "sha256:1", "sha256:2", core::Severity::informative),
                   changed("hardware.driver", "550", "560")};
  const Judgement j = c.judge();
  ASSERT_TRUE(j.next_lever);
  EXPECT_EQ(levers(j), (Levers{"put hardware.driver back to \"550\" (now \"560\")", "restore \"c\" and 2 other regressed rows"}));
  EXPECT_EQ(j.next_lever->expected_unlock,
            "0 to all of what was lost: 10 to 30 % of the baseline on 3 rows, as single trials show it");
  EXPECT_EQ(j.next_lever->gate,
            "with only that changed, \"c\" is within tolerance of this baseline: then it is the cause; if not, it is acquitted");
}

TEST(NextLever, AnOpenQuestionIsDecidedWithTheTrialsItNeeds) {
  Case c({{"a", {100, 101, 99}}}, {{"a", {104, 107, 103}}});
  c.rules.key_rules = {headline("a")};
  const Judgement j = c.judge();
  ASSERT_EQ(j.verdict, Verdict::yellow);
  ASSERT_TRUE(j.next_lever);
  EXPECT_EQ(j.next_lever->lever.substr(0, 14), "decide \"a\" wit");
  EXPECT_NE(j.next_lever->lever.find(" trials a side, interleaved A B A B"), std::string::npos);
  EXPECT_EQ(j.next_lever->expected_unlock.substr(0, 22), "at stake: a change of ") << j.next_lever->expected_unlock;
  EXPECT_EQ(j.next_lever->gate, "the trials call each of these rows regressed or within tolerance, and none inconclusive");
}

TEST(NextLever, NoiseAboveTheToleranceIsWorthQuietening) {
  Case c({{"a", {100}}}, {{"a", {101}}});
  c.input.registry_floor_pct = 8;
  const Judgement j = c.judge();
  ASSERT_TRUE(j.next_lever);
  EXPECT_EQ(j.next_lever->lever,
            "quieten \"a\": its history scatters by 8 %, its tolerance is 5 % (clocks, warm-up, other jobs, one node)");
  EXPECT_EQ(j.next_lever->expected_unlock, "changes between 5 and 8 % become visible");
}

TEST(NextLever, TheRowThatCameClosestShowsTheGap) {
  Case c({{"small", {100}, Direction::higher}, {"large", {100}, Direction::higher}, {"copy", {100}, Direction::higher}},
         {{"small", {100}, Direction::higher}, {"large", {100}, Direction::higher}, {"copy", {100}, Direction::higher}});
  c.sol = {line("small", "h100_sxm.nvlink4_uni", 1, 1), line("large", "h100_sxm.nvlink4_uni", 81.6, 81.6),
           line("copy", "h100_sxm.pcie_gen5_x16_uni", 50, 50)};
  const Judgement j = c.judge();
  EXPECT_EQ(levers(j), (Levers{"close the gap of \"copy\" to \"h100_sxm.pcie_gen5_x16_uni\"",
                               "close the gap of \"large\" to \"h100_sxm.nvlink4_uni\""}));
  EXPECT_EQ(j.next_lever->expected_unlock, "x1 to x2 (50 % of the ceiling now)");
  EXPECT_EQ(j.next_lever->others.at(0).expected_unlock, "x1 to x1.23 (81.6 % of the ceiling now)");
  EXPECT_EQ(j.next_lever->gate, "a diff against this baseline that shows \"copy\" improved beyond its tolerance");
}

TEST(NextLever, AtTheWallAboveItOrFarBelowThereIsNone) {
  for (const double pct : {96.0, 106.8, 3.0}) {
    Case c({{"a", {100}, Direction::higher}}, {{"a", {100}, Direction::higher}});
    c.sol = {line("a", "h200_sxm.nvlink4_uni", pct, pct)};
    EXPECT_FALSE(c.judge().next_lever) << pct;
  }
}

TEST(NextLever, AnotherQuestionHasNone) {
  Case c({{"a", {100}}}, {{"a", {130}}});
  c.differences = {changed("workload.dtype", "bf16", "fp8", core::Severity::fatal)};
  c.sol = {line("a", "h200_sxm.nvlink4_uni", 50, 40)};
  EXPECT_FALSE(c.judge().next_lever);
}

}  // namespace
}  // namespace plumbline::verdict
