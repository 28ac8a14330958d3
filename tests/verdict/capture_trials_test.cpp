// What several captures a side say: the verdict that one pair cannot give.
#include "verdict/capture_trials.hpp"

#include <gtest/gtest.h>

#include "tests/profiles/hand_made.hpp"
#include "verdict/captures.hpp"

namespace plumbline::verdict::test {
namespace {

using core::Tier;
using core::Verdict;
using profiles::Profile;
using profiles::Step;
using profiles::test::aggregate;
using profiles::test::totals;
using profiles::test::with_span;

Profile capture(double step_us, std::vector<double> slow_us = {}) {
  const auto ns = [](double us) { return static_cast<std::int64_t>(us * 1000); };
  Profile profile = with_span(totals({aggregate("gemm", 20, ns(step_us) * 10)}), ns(step_us) * 20);
  profile.info.context = {{"environment.hostname", "node-1"}, {"hardware.gpu", "NVIDIA H100"}};
  profile.steps.basis = "marker";
  profile.steps.name = "ProfilerStep#";
  std::vector<double> walls(9, step_us);
  walls.insert(walls.end(), slow_us.begin(), slow_us.end());
  for (const double wall : walls) {
    Step one;
    one.wall_ns = ns(wall);
    profile.steps.steps.push_back(one);
  }
  return profile;
}

std::vector<Profile> captures(std::initializer_list<double> steps_us) {
  std::vector<Profile> out;
  for (const double step : steps_us) out.push_back(capture(step));
  return out;
}

struct Asked {
  bool verified = true;
  std::size_t identical = 0;
};

core::ProfileDiff judged_trials(const std::vector<Profile>& before, const std::vector<Profile>& after, Asked asked = {}) {
  const profiles::TrialWalls walls = profiles::measure_trials(before, after, {});
  CaptureTrials trials{before, after, walls, {}, {}};
  for (std::size_t i = 0; i < before.size(); ++i) trials.baseline_names.push_back("a" + std::to_string(i + 1));
  for (std::size_t i = 0; i < after.size(); ++i) trials.candidate_names.push_back("b" + std::to_string(i + 1));
  trials.baseline_verified = asked.verified;
  trials.identical = asked.identical;
  const Profile& a = before[walls.baseline_middle];
  const Profile& b = after[walls.candidate_middle];
  profiles::CaptureEvidence evidence = profiles::diff(a, b, {});
  CaptureJudgement judgement = judge_captures({a, b, evidence, false, &trials});
  return judged(std::move(evidence.diff), std::move(judgement));
}

std::vector<std::string> codes(const core::ProfileDiff& diff) {
  std::vector<std::string> list;
  for (const core::Reason& reason : diff.reasons) list.emplace_back(reason.code.text());
  return list;
}

using Texts = std::vector<std::string>;

TEST(CaptureTrials, ProvenSlowerByTheGateAreARedVerdict) {
  const core::ProfileDiff diff = judged_trials(captures({1000, 1010, 990}), captures({1100, 1090, 1110}));
  EXPECT_EQ(diff.verdict, Verdict::red);
  EXPECT_EQ(diff.tier, Tier::verdict);
  EXPECT_EQ(diff.promote, Texts());
  ASSERT_EQ(codes(diff), Texts{"wall_regressed"});
  EXPECT_EQ(diff.reasons[0].message,
            "the wall time of a step changed by +10 % (between +7.92 % and +12.1 %, 3 and 3 captures), the gate is 5 %");
  ASSERT_TRUE(diff.wall_trials);
  EXPECT_TRUE(diff.wall_trials->tested);
  EXPECT_EQ(diff.wall_trials->state, "regressed");
  EXPECT_DOUBLE_EQ(*diff.wall_trials->p, 0.05) << "1 of the 20 arrangements of three and three";
}

TEST(CaptureTrials, ProvenWithinTheGateAreAGreenVerdict) {
  const core::ProfileDiff diff = judged_trials(captures({1000, 1005, 995}), captures({1003, 998, 1008}));
  EXPECT_EQ(diff.verdict, Verdict::green);
  EXPECT_EQ(diff.tier, Tier::verdict);
  EXPECT_EQ(diff.wall_trials->state, "unchanged");
}

// One pair of them, +4 %, would be near_gate, and a YELLOW draft for ever.
TEST(CaptureTrials, GrowthWithinTheGateThatIsProvenIsGreen) {
  const core::ProfileDiff diff = judged_trials(captures({1000, 1001, 999, 1000}), captures({1040, 1041, 1039, 1040}));
  EXPECT_EQ(diff.verdict, Verdict::green);
  EXPECT_EQ(diff.tier, Tier::verdict);
}

TEST(CaptureTrials, ThatScatterTooMuchSayHowManyWouldDecide) {
  const core::ProfileDiff diff = judged_trials(captures({1000, 1080, 930}), captures({1030, 1100, 950}));
  EXPECT_EQ(diff.verdict, Verdict::yellow);
  EXPECT_EQ(diff.tier, Tier::draft);
  ASSERT_EQ(codes(diff), Texts{"wall_inconclusive"});
  EXPECT_NE(diff.reasons[0].message.find("the captures neither show nor exclude growth by the gate"), std::string::npos);
  ASSERT_TRUE(diff.wall_trials->needed);
  EXPECT_GT(*diff.wall_trials->needed, 3U);
  EXPECT_EQ(diff.promote,
            Texts{std::to_string(*diff.wall_trials->needed) + " captures of each side: the 3 do not tell a change from chance"});
}

TEST(CaptureTrials, OfTwoASideAreRedOnlyWhereTheyAreApart) {
  const core::ProfileDiff apart = judged_trials(captures({1000, 1010}), captures({1100, 1110}));
  ASSERT_EQ(codes(apart), Texts{"wall_regressed"});
  EXPECT_EQ(apart.tier, Tier::draft);
  EXPECT_EQ(apart.promote, Texts{"three or more captures of each side: 2 and 2 are too few for a test"});
  const core::ProfileDiff overlap = judged_trials(captures({1000, 1200}), captures({1190, 1220}));
  EXPECT_EQ(overlap.verdict, Verdict::yellow);
  ASSERT_EQ(codes(overlap), Texts{"wall_inconclusive"});
  EXPECT_EQ(
      overlap.reasons[0].message,
      "the wall time of a step changed by +9.55 % (2 and 2 captures): too few captures to tell it from chance; the gate is 5 %");
}

// Every fourth step takes twice as long: no typical step moved.
TEST(CaptureTrials, SeeSlowStepsInTheMeanOfAll) {
  std::vector<Profile> even, slow;
  for (const double step : {1000.0, 1004.0, 996.0}) {
    even.push_back(capture(step, {step, step, step}));
    slow.push_back(capture(step, {2000, 2000, 2000}));
  }
  const core::ProfileDiff diff = judged_trials(even, slow);
  ASSERT_EQ(codes(diff), Texts{"wall_regressed"});
  EXPECT_EQ(diff.reasons[0].message.substr(0, 34), "the mean step changed by +25 % (be");
}

TEST(CaptureTrials, AreNoVerdictWithoutWhatEveryVerdictNeeds) {
  std::vector<Profile> before = captures({1000, 1005, 995}), after = captures({1003, 998, 1008});
  const core::ProfileDiff files = judged_trials(before, after, {.verified = false, .identical = 1});
  EXPECT_EQ(files.tier, Tier::draft);
  EXPECT_EQ(files.promote, (Texts{"captures of further runs: 1 capture is a copy of another of its side",
                                  "provenance: the baseline is no verified registry entry; record it"}));
  for (Profile& each : after) each.info.context.erase("environment.hostname");
  EXPECT_EQ(judged_trials(before, after).promote,
            Texts{"same node: record and compare with environment.hostname equal on both sides"});
  after = captures({1003, 998, 1008});
  after[1].warnings.push_back({"capture_incomplete", "12 events were dropped"});
  EXPECT_EQ(judged_trials(before, after).promote,
            Texts{"capture: the current measurement is not whole (capture_incomplete); measure it to its end"});
}

TEST(CaptureTrials, NameTheOneThatHoldsOtherWork) {
  std::vector<Profile> before = captures({1000, 1005, 995}), after = captures({1003, 998, 1008});
  after[2].kernels = {aggregate("gemm", 22, 11'088'000)};
  const core::ProfileDiff diff = judged_trials(before, after);
  ASSERT_EQ(codes(diff), Texts{"unequal_work"});
  EXPECT_EQ(diff.reasons[0].message, "1 capture holds another amount of work than the one in the middle of its side: \"b3\"");
  EXPECT_EQ(diff.tier, Tier::draft);
}

TEST(CaptureTrials, OfOtherHostsGpusOrVersionsAreNone) {
  const std::vector<std::string> names = {"a1", "a2"};
  std::vector<Profile> side = captures({1000, 1000});
  EXPECT_FALSE(problem_of_captures(side, names));
  side[1].info.context["environment.hostname"] = "node-2";
  EXPECT_EQ(problem_of_captures(side, names)->message, "trials of different hosts: a1 (node-1) and a2 (node-2)");
  side = captures({1000, 1000});
  side[1].info.context["hardware.gpu"] = "NVIDIA B200";
  EXPECT_EQ(problem_of_captures(side, names)->message,
            "trials must have the same context: hardware.gpu is \"NVIDIA H100\" in a1 and \"NVIDIA B200\" in a2");
  side = captures({1000, 1000});
  side[0].info.context["stack.cuda"] = "12.4";
  side[1].info.context["stack.cuda"] = "12.6";
  EXPECT_EQ(problem_of_captures(side, names)->message,
            "trials must have the same context: stack.cuda is \"12.4\" in a1 and \"12.6\" in a2");
  side = captures({1000, 1000});
  side[0].info.format = "kineto";
  side[1].info.format = "nsys-sqlite";
  EXPECT_EQ(problem_of_captures(side, names)->message, "trials must be of one format: a1 is kineto, a2 is nsys-sqlite");
}

}  // namespace
}  // namespace plumbline::verdict::test
