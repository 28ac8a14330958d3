// The default rule set: what makes RED, YELLOW and GREEN, what chance explains, and what a VERDICT needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <unordered_map>

#include "tests/verdict/judged_case.hpp"

namespace plumbline::verdict {
namespace {

using core::Direction;
using core::Role;
using core::ValueState;
using core::Verdict;
using plumbline::testing::make_measurement;
using plumbline::testing::RowSpec;

TEST(Verdicts, CountRegressedRows) {
  for (const auto& [regressed, verdict] :
       {std::pair{0, Verdict::green}, {1, Verdict::yellow}, {2, Verdict::yellow}, {3, Verdict::red}}) {
    const int n = regressed;
    Case c(rows(10, [](std::size_t) { return std::vector<double>{100}; }),
           rows(10, [n](std::size_t i) { return std::vector<double>{i < static_cast<std::size_t>(n) ? 110.0 : 100.0}; }));
    EXPECT_EQ(c.judge().verdict, verdict) << regressed;
  }
}

TEST(Verdicts, AHeadlineAloneIsRed) {
  Case c({{"a", {100}}, {"b", {100}}}, {{"a", {110}}, {"b", {100}}});
  c.rules.key_rules = {headline("a")};
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::red);
  EXPECT_EQ(codes(j), Codes{"headline_regressed"});
  EXPECT_EQ(j.reasons[0].message,
            "\"a\" 100 -> 110 ms (+10 %, tolerance 5%); nothing is known of the noise of one run, so the tolerance speaks alone");
}

TEST(Verdicts, AGateOrHeadlineThatVanishedIsRed) {
  Case c({{"errors", {0}, Direction::lower, "", Role::gate}, {"x", {1}}}, {{"x", {1}}});
  EXPECT_EQ(codes(c.judge()), Codes{"gate_missing"});
  Case d({{"h", {1}}, {"x", {1}}}, {{"h", {}, Direction::lower, "ms", Role::judged, ValueState::not_finite}, {"x", {1}}});
  d.rules.key_rules = {headline("h")};
  EXPECT_EQ(codes(d.judge()), Codes{"headline_missing"});
}

TEST(Verdicts, AFailedGateLeads) {
  Case c({{"errors", {0}, Direction::lower, "", Role::gate}, {"a", {1}}, {"b", {1}}},
         {{"errors", {3}, Direction::lower, "", Role::gate}, {"a", {2}}, {"b", {1}}});
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), (Codes{"gate_failed", "few_regressed"}));
  EXPECT_EQ(j.recommendation.action, "fix_gate");
}

TEST(Verdicts, AnotherRowMissingOrInvalidIsYellow) {
  Case c({{"a", {1}}, {"b", {1}}, {"c", {1}}},
         {{"b", {1}}, {"c", {}, Direction::lower, "ms", Role::judged, ValueState::duplicate}});
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::yellow);
  EXPECT_EQ(codes(j), (Codes{"row_missing", "row_invalid"}));
}

TEST(Verdicts, AnUnknownDirectionIsNeverMoreThanYellow) {
  Case c(rows(
             5, [](std::size_t) { return std::vector<double>{1}; }, Direction::unknown),
         rows(
             5, [](std::size_t) { return std::vector<double>{9}; }, Direction::unknown));
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::yellow);
  EXPECT_EQ(codes(j), Codes{"direction_unknown"});
}

TEST(Verdicts, UndeclaredContextIsYellowAndDeclaredIsNot) {
  core::ContextDifference driver;
  driver.key = "hardware.driver";
  driver.baseline = "570";
  driver.current = "580";
  driver.severity = core::Severity::weakening;
  for (const bool declared : {false, true}) {
    Case c({{"a", {1}}}, {{"a", {1}}});
    driver.declared = declared;
    c.differences = {driver};
    const Judgement j = c.judge();
    EXPECT_EQ(j.verdict, declared ? Verdict::green : Verdict::yellow);
    if (!declared) {
      EXPECT_EQ(j.reasons[0].message, "undeclared context differences: hardware.driver \"570\" -> \"580\" (weakening)");
    }
  }
}

TEST(Gates, OneFailedRunOfThreeIsNotOutvoted) {
  Case errors({{"errors", {0, 0, 0}, Direction::lower, "", Role::gate}, {"a", {1}}},
              {{"errors", {0, 0, 7}, Direction::lower, "", Role::gate}, {"a", {1}}});
  EXPECT_EQ(codes(errors.judge()), Codes{"gate_failed"});
  Case passed({{"passed", {1, 1, 1}, Direction::higher, "", Role::gate}, {"a", {1}}},
              {{"passed", {1, 1, 0}, Direction::higher, "", Role::gate}, {"a", {1}}});
  EXPECT_EQ(codes(passed.judge()), Codes{"gate_failed"});
  Case undirected({{"foo", {0}, Direction::unknown, "", Role::gate}, {"a", {1}}},
                  {{"foo", {5}, Direction::unknown, "", Role::gate}, {"a", {1}}});
  EXPECT_EQ(codes(undirected.judge()), Codes{"gate_failed"});
}

TEST(Gates, WhatWasNoNumberBeforeHasNotVanished) {
  const RowSpec broken{"valid", {}, Direction::higher, "", Role::gate, ValueState::duplicate};
  Case c({broken, {"a", {1}}}, {broken, {"a", {1}}});
  EXPECT_EQ(codes(c.judge()), Codes{"row_invalid"});
}

TEST(Tiers, AVerdictNeedsTrialsOnOneNodeInOneContext) {
  const auto trials = [](std::size_t) { return std::vector<double>{100, 101, 99}; };
  Case c(rows(3, trials), rows(3, trials));
  c.input.same_host = true;
  EXPECT_EQ(c.judge().tier, core::Tier::verdict);
  c.input.same_host = false;
  Judgement j = c.judge();
  EXPECT_EQ(j.tier, core::Tier::draft);
  ASSERT_EQ(j.promote.size(), 1U);
  EXPECT_EQ(j.promote[0], "same node: record and compare with environment.hostname equal on both sides");
  c.input.same_host = true;
  c.baseline.replication = core::Replication::in_process;
  EXPECT_EQ(c.judge().tier, core::Tier::draft);
  Case single(rows(3, [](std::size_t) { return std::vector<double>{100}; }),
              rows(3, [](std::size_t) { return std::vector<double>{100}; }));
  single.input.same_host = true;
  EXPECT_EQ(single.judge().promote[0], "trials: three or more independent runs on both sides (3 rows of 3 have fewer)");

  // A measurement that ended before its end, and a ceiling whose figure nobody published, make no VERDICT.
  Case cut(rows(3, trials), rows(3, trials));
  cut.input.same_host = true;
  cut.current.warnings.push_back({"run_incomplete", "the run has no end"});
  cut.input.uncertain_ceilings = {"rubin.hbm4"};
  j = cut.judge();
  EXPECT_EQ(j.tier, core::Tier::draft);
  EXPECT_EQ(j.promote,
            (std::vector<std::string>{"capture: the current measurement is not whole (run_incomplete); measure it to its end",
                                      "ceilings: rubin.hbm4 is marked uncertain; record with a published figure by --ceiling"}));

  // What the ranks of one launch say of a point are its values, but no runs of their own.
  Case ranks(rows(3, trials), rows(3, trials));
  ranks.input.same_host = true;
  EXPECT_EQ(ranks.judge().tier, core::Tier::verdict);
  ranks.baseline.warnings.push_back({"several_tasks", "2 tasks of a launcher print the same results"});
  j = ranks.judge();
  EXPECT_EQ(j.tier, core::Tier::draft);
  EXPECT_EQ(j.promote,
            (std::vector<std::string>{"replication: trials of the baseline side are lines of several tasks of one launch; keep "
                                      "the lines of one task, and repeat the whole run"}));
}

TEST(NearTolerance, SpeaksOnlyWhenTheShareOfTheLimitFalls) {
  const auto line = [](double pp) {
    core::SolLine l;
    l.row_key = "bw";
    l.ceiling_key = "k";
    l.baseline_pct = 17.2;
    l.current_pct = 17.2 + pp;
    l.delta_pp = pp;
    return l;
  };
  for (const auto& [current, pp, yellow] : {std::tuple{295.2, -0.8, true}, {298.0, -0.8, false}, {295.2, 0.1, false}}) {
    Case c({{"bw", {310}, Direction::higher, "GB/s"}}, {{"bw", {current}, Direction::higher, "GB/s"}});
    c.baseline.shape = core::Shape::scalar;
    c.sol = {line(pp)};
    EXPECT_EQ(c.judge().verdict, yellow ? Verdict::yellow : Verdict::green) << current << " " << pp;
  }
}

TEST(Order, AdverseRowsComeFirstWorstFirst) {
  std::vector<RowSpec> b, c;
  for (int i = 0; i < 33; ++i) {
    b.push_back({"r" + std::to_string(i), {100}});
    c.push_back({"r" + std::to_string(i), {i < 3 ? 110.0 + i : 50.0}});
  }
  Case pair(b, c);
  const Judgement j = pair.judge();
  ASSERT_EQ(j.order.size(), 33U);
  EXPECT_EQ(pair.pool->view(pair.comparison.deltas[j.order[0]].key), "r2");
  EXPECT_EQ(pair.pool->view(pair.comparison.deltas[j.order[2]].key), "r0");
}

TEST(Recommendation, NamesTheAxisOnWhichRegressionsCluster) {
  std::vector<RowSpec> b, c;
  for (int node = 0; node < 8; ++node) {
    for (int peer = 0; peer < 8; ++peer) {
      if (node == peer) continue;
      const std::string key = "n" + std::to_string(node) + "-p" + std::to_string(peer) + ".busbw";
      b.push_back({key, {100}, Direction::higher, "GB/s"});
      c.push_back({key, {node == 3 ? 70.0 : 100.0}, Direction::higher, "GB/s"});
    }
  }
  Case pair(b, c);
  const Judgement j = pair.judge();
  EXPECT_EQ(j.verdict, Verdict::red);
  ASSERT_EQ(j.recommendation.suspects, std::vector<std::string>{"n3"});
  EXPECT_EQ(j.recommendation.message,
            "the regressions cluster on \"n3\" (7 of 7 regressed rows, no others, -30 %, p = 4.1e-7): look there first");
}

TEST(Recommendation, NamesTheSizeFromWhichRegressionsBegin) {
  std::vector<RowSpec> b, c;
  const std::vector<std::pair<std::string, bool>> sizes = {{"64KiB", false}, {"1MiB", false},  {"4MiB", false},
                                                           {"8MiB", false},  {"16MiB", false}, {"32MiB", false},
                                                           {"64MiB", true},  {"256MiB", true}, {"1GiB", true}};
  for (const std::string name : {"all_reduce", "all_gather"}) {
    for (const auto& [size, slow] : sizes) {
      b.push_back({name + "." + size + ".busbw", {100}, Direction::higher, "GB/s"});
      c.push_back({name + "." + size + ".busbw", {slow ? 80.0 : 100.0}, Direction::higher, "GB/s"});
    }
  }
  Case pair(b, c);
  EXPECT_EQ(pair.judge().recommendation.suspects, std::vector<std::string>{"size >= 64MiB"});
}

TEST(Recommendation, DoesNotAskForAnotherRunOfWhatTrialsHaveShown) {
  Case single({{"a", {100}}, {"b", {100}}}, {{"a", {110}}, {"b", {100}}});
  EXPECT_EQ(single.judge().recommendation.action, "rerun");
  Case trials({{"a", {100, 101, 99}}, {"b", {100, 101, 99}}}, {{"a", {110, 111, 109}}, {"b", {100, 101, 99}}});
  const Judgement j = trials.judge();
  EXPECT_EQ(j.recommendation.action, "investigate");
  EXPECT_EQ(j.recommendation.message,
            "the trials show it: \"a\" 100 -> 110 ms (+10 %, tolerance 5%); look at what changed for that row, or accept the new "
            "level with a reason");
}

TEST(Reasons, AreOfTheClosedListAndInItsOrder) {
  std::mt19937_64 rng(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<RowSpec> b, c;
    for (int i = 0; i < 30; ++i) {
      const auto direction = static_cast<Direction>(rng() % 4);
      const Role role = rng() % 10 == 0 ? Role::gate : Role::judged;
      if (rng() % 12 != 0) b.push_back({"k" + std::to_string(i), {100}, direction, "ms", role});
      if (rng() % 12 != 0)
        c.push_back({"k" + std::to_string(i), {90.0 + static_cast<double>(rng() % 30)}, direction, "ms", role});
    }
    Case pair(b, c);
    pair.rules.key_rules = {headline("k1*")};
    const Judgement j = pair.judge();
    EXPECT_TRUE(std::is_sorted(j.reasons.begin(), j.reasons.end(),
                               [](const core::Reason& one, const core::Reason& next) { return one.code < next.code; }));
    Verdict heaviest = Verdict::green;
    for (const core::Reason& reason : j.reasons) heaviest = std::max(heaviest, reason.code.weight());
    EXPECT_EQ(j.verdict, heaviest);
  }
}

// ---- what the history and the class of benchmark know -------------------------------------------------------------------

TEST(History, AChangeWithinItsOwnNoiseIsDoubtedAndTheToleranceStays) {
  // One run is RED beyond tolerance plus what its history scatters.
  Case c({{"x", {100}}}, {{"x", {112}}});
  c.baseline.shape = core::Shape::scalar;
  EXPECT_EQ(c.judge().verdict, Verdict::red);
  c.input.registry_floor_pct = 8;
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::yellow);
  EXPECT_EQ(codes(j), Codes{"noisy"});
  EXPECT_EQ(c.comparison.deltas[0].state, core::State::regressed);
  EXPECT_TRUE(j.marks.suspect(0));
  c.input.registry_floor_pct = 6;
  EXPECT_EQ(codes(c.judge()), Codes{"scalar_regressed"});
  // Worse than all that was ever seen is no noise of this history, however wild it is.
  c.input.registry_floor_pct = 30;
  std::unordered_map<core::Id, std::pair<double, double>> ranges = {{c.pool->find("x"), {90.0, 110.0}}};
  c.input.key_ranges = &ranges;
  EXPECT_EQ(codes(c.judge()), Codes{"noisy"});
  ranges.begin()->second.second = 102;
  EXPECT_EQ(codes(c.judge()), Codes{"scalar_regressed"});
}

TEST(History, KnowsRowsByThemselves) {
  Case c({{"a", {100}}, {"b", {100}}}, {{"a", {107}}, {"b", {107}}});
  const std::unordered_map<core::Id, double> floors = {{c.pool->find("a"), 9.0}};
  c.input.key_floors_pct = &floors;
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), (Codes{"few_regressed", "noisy"}));
  EXPECT_EQ(j.reasons[0].keys, std::vector<std::string>{"b"});
  EXPECT_EQ(j.reasons[1].keys, std::vector<std::string>{"a"});
}

TEST(History, ThatScattersMoreThanTheToleranceIsSaidWhenNothingChanged) {
  Case c({{"x", {100}}}, {{"x", {103}}});
  c.baseline.shape = core::Shape::scalar;
  c.input.registry_floor_pct = 8;
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::green);
  ASSERT_EQ(j.warnings.size(), 1U);
  EXPECT_EQ(j.warnings[0].code.text(), "noisy_history");
}

TEST(ClassNoise, ExcusesRowsOfALargeClassAndIsSaidOfSingleNumbers) {
  const auto noise = [](std::string_view key) -> std::optional<double> {
    if (key.find("real_time") == std::string_view::npos) return std::nullopt;
    return 11.4;
  };
  std::vector<RowSpec> b, c;
  for (int i = 0; i < 25; ++i) {
    b.push_back({"bench" + std::to_string(i) + ".real_time", {100}});
    c.push_back({"bench" + std::to_string(i) + ".real_time", {i < 4 ? 120.0 : 100.0}});
  }
  Case many(b, c);
  EXPECT_EQ(many.judge().verdict, Verdict::red);
  many.input.class_noise_pct = noise;
  EXPECT_EQ(codes(many.judge()), Codes{"suspects"});
  Case one({{"one.real_time", {100}}}, {{"one.real_time", {120}}});
  one.input.class_noise_pct = noise;
  const Judgement j = one.judge();
  EXPECT_EQ(codes(j), Codes{"suspects"});
  ASSERT_EQ(j.warnings.size(), 1U);
  EXPECT_EQ(j.warnings[0].code.text(), "within_class_noise");
  EXPECT_EQ(j.warnings[0].message,
            "1 row beyond tolerance, but no further than single runs of this kind of benchmark scatter (11.4 % from run to run): "
            "measure again before believing it, first \"one.real_time\"");
}

TEST(ClassNoise, DoubtsAHeadlineOfOneNumberWithinItAndNotBeyond) {
  const auto judged = [](double current) {
    Case one({{"bert.time_to_train", {100}}}, {{"bert.time_to_train", {current}}});
    one.input.class_noise_pct = [](std::string_view) { return std::optional<double>(5.0); };
    one.rules.key_rules = {headline("bert.time_to_train")};
    return one.judge();
  };
  const Judgement within = judged(108);
  EXPECT_EQ(within.verdict, Verdict::yellow);
  EXPECT_EQ(codes(within), Codes{"suspects"});
  ASSERT_EQ(within.warnings.size(), 1U);
  EXPECT_EQ(within.warnings[0].code.text(), "within_class_noise");
  const Judgement beyond = judged(140);
  EXPECT_EQ(beyond.verdict, Verdict::red);
  EXPECT_EQ(codes(beyond), Codes{"headline_regressed"});
}

// ---- what trials say of themselves --------------------------------------------------------------------------------------

std::string warning(const Judgement& j, core::WarningCode code) {
  for (const core::Warning& one : j.warnings) {
    if (one.code == code) return one.message;
  }
  return "";
}

TEST(Trials, AWildOneIsNamedWithItsRows) {
  const auto usual = [](std::size_t) { return std::vector<double>{100, 101, 99, 100}; };
  Case c(rows(4, usual), rows(4, [&](std::size_t i) { return i < 3 ? std::vector<double>{100, 140, 99, 101} : usual(i); }));
  EXPECT_EQ(
      warning(c.judge(), "outlier_trial"),
      "3 rows have a trial far from the others of its side, which was kept: first \"row0\", trial 2 of the current side; in 3 of "
      "them it is trial 2 of the current side: look at that run");
}

TEST(Trials, FewOfThemBorrowTheSpreadOfTheirClassForPromisesOnly) {
  // Seven rows scatter by 3 %; the eighth repeated itself exactly, which three trials may do by chance.
  const auto side = [](double shift) {
    return rows(8, [=](std::size_t i) {
      return i == 7 ? std::vector<double>{100, 100, 100} : std::vector<double>{100 * shift, 103 * shift, 97 * shift};
    });
  };
  Case c(side(1), side(1.01));
  const Judgement j = c.judge();
  EXPECT_EQ(
      warning(j, "variance_shrunk"),
      "8 rows with fewer than ten trials: the detectable change and the trials needed take a spread drawn towards that of the "
      "other rows of its unit; no state rests on it");
  EXPECT_EQ(c.comparison.deltas[7].state, core::State::unchanged);
  EXPECT_GT(*c.comparison.statistics[c.comparison.deltas[7].statistics].mde_pct, 4);
  Case few(rows(3,
                [](std::size_t) {
                  return std::vector<double>{100, 100, 100};
                }),
           rows(3, [](std::size_t) {
             return std::vector<double>{100, 100, 100};
           }));
  EXPECT_EQ(warning(few.judge(), "variance_shrunk"), "");
  EXPECT_EQ(few.comparison.statistics[0].mde_pct, 0);
}

TEST(Recommendation, SaysHowManyMoreTrialsDecideAndWhatTheyCost) {
  Case c({{"x", {100, 104, 96}}}, {{"x", {108, 112, 104}}});
  c.rules.key_rules = {headline("x")};
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), Codes{"headline_inconclusive"});
  EXPECT_EQ(j.recommendation.action, "rerun");
  const std::uint32_t need = *c.comparison.statistics[0].trials_needed;
  const auto all = static_cast<std::uint32_t>(std::ceil(1.27 * need));
  EXPECT_EQ(j.recommendation.message,
            "measure again on the same node: " + std::to_string(all - 3) + " more trials a side, " + std::to_string(all) +
                " in all, interleaved A B A B; then record the baseline's trials together and give --current all files. Fix that "
                "number now: looking until it turns green is no test. The second look spends the other half: --alpha 0.025");
}

TEST(Recommendation, SuspectsNeedAsManyTrialsAsTheirNumberAsksFor) {
  // One of 40 rows, 3 % beyond tolerance at CV 2 %: p must reach .025 / 40, which seven against seven can: 1 of 3432.
  const auto side = [](double first) {
    return rows(40, [=](std::size_t i) {
      const double level = i == 0 ? first : 100;
      return std::vector<double>{level, level * 1.02, level * 0.98};
    });
  };
  Case c(side(100), side(109.5));
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), Codes{"suspects"});
  EXPECT_NE(j.recommendation.message.find("4 more trials a side, 7 in all"), std::string::npos) << j.recommendation.message;
  EXPECT_NE(j.next_lever->lever.find("with 7 trials a side"), std::string::npos) << j.next_lever->lever;
}

TEST(Recommendation, SaysOfAGreenOnlyWhatIsProven) {
  const auto trials = [](double level) {
    return rows(6, [=](std::size_t) { return std::vector<double>{level, level * 1.01, level * 0.99}; });
  };
  Case proven(trials(100), trials(100.5));
  proven.input.same_host = true;
  Judgement j = proven.judge();
  EXPECT_EQ(j.tier, core::Tier::verdict);
  EXPECT_EQ(j.recommendation.message, "no regression: within tolerance is proven; no action needed");
  Case better(trials(100), trials(80));
  better.input.same_host = true;
  EXPECT_EQ(better.judge().recommendation.action, "re-baseline");

  // One run that looks better is no new level.
  Case one(rows(6, [](std::size_t) { return std::vector<double>{100}; }),
           rows(6, [](std::size_t) { return std::vector<double>{80}; }));
  one.input.same_host = true;
  j = one.judge();
  EXPECT_EQ(j.recommendation.action, "none");
  EXPECT_EQ(
      j.recommendation.message,
      "nothing is worse by more than tolerance, which is not yet proof (trials: three or more independent runs on both sides "
      "(6 rows of 6 have fewer)); 6 rows better beyond tolerance, by too few runs to prove it");

  // Trials that neither show nor exclude make no VERDICT, and say how many would.
  const auto wide = [](double level) {
    return rows(6, [=](std::size_t i) {
      return std::vector<double>{level, level * (1.06 + 0.01 * static_cast<double>(i)), level * 0.93};
    });
  };
  Case open(wide(100), wide(101));
  open.input.same_host = true;
  j = open.judge();
  EXPECT_EQ(j.verdict, Verdict::green);
  EXPECT_EQ(j.tier, core::Tier::draft);
  ASSERT_EQ(j.promote.size(), 1U);
  EXPECT_TRUE(j.promote[0].starts_with("proof: 1 of 1 suite effect or row is not proven within tolerance; about "))
      << j.promote[0];
  EXPECT_EQ(j.recommendation.message.find("no regression"), std::string::npos) << j.recommendation.message;
}

TEST(Recommendation, DoesNotBisectWhatLooksLikeASetting) {
  Case c(rows(8, [](std::size_t) { return std::vector<double>{100}; }),
         rows(8, [](std::size_t) { return std::vector<double>{250}; }));
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::red);
  ASSERT_TRUE(std::any_of(j.warnings.begin(), j.warnings.end(), [](const auto& w) { return w.code == "hidden_configuration"; }));
  EXPECT_EQ(j.recommendation.message.find("bisect"), std::string::npos) << j.recommendation.message;
  ASSERT_TRUE(j.next_lever.has_value());
  EXPECT_EQ(j.next_lever->gate.find("bisect"), std::string::npos) << j.next_lever->gate;
}

TEST(Tiers, AKeyThatOneSideStatesIsNoVerdict) {
  const auto trials = [](std::size_t) { return std::vector<double>{100, 101, 99}; };
  Case c(rows(3, trials), rows(3, trials));
  c.input.same_host = true;
  core::ContextDifference gpu;
  gpu.key = "hardware.gpu";
  gpu.baseline = "NVIDIA H100";
  gpu.current_known = false;
  c.differences = {gpu};
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::green);
  EXPECT_EQ(j.promote, std::vector<std::string>{
                           "context: only one side states hardware.gpu (baseline); record or pass it (--context) for both"});
  c.differences[0].declared = true;
  EXPECT_EQ(c.judge().tier, core::Tier::verdict);
}

// 5 of 12 runs failed where none of 12 did: p = 792 / 42504 = .019.
TEST(Trials, ThatFailSpendTheLooksShareOfAlpha) {
  const auto judged = [](std::size_t trials, bool anytime, std::uint64_t failed) {
    std::vector<double> before, after;
    for (std::size_t i = 0; i < trials; ++i) {
      before.push_back(100 + 0.1 * static_cast<double>(i));
      after.push_back(100.05 + 0.1 * static_cast<double>(i * i % 7));
    }
    Case c({{"latency", before, core::Direction::lower}}, {{"latency", after, core::Direction::lower}});
    c.rules.paired = true;
    c.rules.anytime = anytime;
    c.input.baseline_runs = {0, 12};
    c.input.current_runs = {failed, 12};
    return codes(c.judge());
  };
  EXPECT_EQ(judged(7, false, 5), Codes{"gate_failed"});
  EXPECT_EQ(judged(7, true, 5), Codes{"gate_doubtful"});  // 5/32 of 5 % are .0078
  EXPECT_EQ(judged(8, true, 5), Codes{"gate_doubtful"});  // behind the first look, what the second has: 4/32
  EXPECT_EQ(judged(8, true, 8), Codes{"gate_failed"});    // p = .0007
}

TEST(Trials, ThatDriftAreNamed) {
  const auto drifting = [](std::size_t i) {
    std::vector<double> out;
    for (int k = 0; k < 8; ++k) out.push_back(100 + k + 0.1 * static_cast<double>(i));
    return out;
  };
  const auto still = [](std::size_t i) {
    return std::vector<double>{103, 104, 102, 105, 103, 104.5, 102.5, 103.5 + 0.1 * static_cast<double>(i)};
  };
  const Judgement j = Case(rows(6, still), rows(6, drifting)).judge();
  EXPECT_TRUE(warning(j, "trials_drift").starts_with("the trials of the current side go one way")) << warning(j, "trials_drift");
  EXPECT_EQ(warning(Case(rows(6, still), rows(6, still)).judge(), "trials_drift"), "");
}

TEST(Tiers, AnEndToEndFigureAloneIsNoIsolatedMetric) {
  const std::vector<double> before = {100, 101, 99}, after = {120, 121, 119};
  Case whole({{"e2e_latency_ms", before}}, {{"e2e_latency_ms", after}});
  whole.input.same_host = true;
  const Judgement j = whole.judge();
  EXPECT_EQ(j.tier, core::Tier::draft);
  EXPECT_EQ(j.promote,
            std::vector<std::string>{"metric isolation: an end-to-end figure moved and none of its phases was recorded; "
                                     "record the median TTFT and TPOT or ITL beside it"});
  Case apart({{"e2e_latency_ms", before}, {"tpot_ms", before}}, {{"e2e_latency_ms", after}, {"tpot_ms", after}});
  apart.input.same_host = true;
  EXPECT_EQ(apart.judge().tier, core::Tier::verdict);
}

TEST(ReferencePolicy, CountsTopLevelNumbersOnly) {
  Case c({{"a", {100}}, {"b", {100}}}, {{"a", {105}}, {"b", {94}}});
  c.input.direction = Direction::two_sided;
  EXPECT_EQ(c.judge("reference").verdict, Verdict::yellow);
  c.input.direction = Direction::higher;
  EXPECT_EQ(c.judge("reference").verdict, Verdict::yellow);
  c.input.direction = Direction::lower;
  EXPECT_EQ(c.judge("reference").verdict, Verdict::green);
  c.input.tolerance_absolute = 4.9;
  EXPECT_EQ(c.judge("reference").verdict, Verdict::yellow);
}

TEST(Table, FindsByName) {
  EXPECT_EQ(find("plumbline")->name, "plumbline");
  EXPECT_EQ(find("reference")->name, "reference");
  EXPECT_EQ(find("plumbnile"), nullptr);
  EXPECT_EQ(declared_rules("inference_perfbench_v1")->headlines, std::vector<std::string>{"metrics.16.throughput_toks_per_s"});
  EXPECT_FALSE(declared_rules("generic-json").has_value());
}

}  // namespace
}  // namespace plumbline::verdict
