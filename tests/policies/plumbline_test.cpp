// The default rule set: what makes RED, YELLOW and GREEN, what chance explains, and what a VERDICT needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <unordered_map>

#include "tests/policies/judged_case.hpp"

namespace plumbline::policies {
namespace {

using core::Direction;
using core::Role;
using core::ValueState;
using core::Verdict;
using plumbline::testing::make_measurement;
using plumbline::testing::RowSpec;

std::vector<RowSpec> rows(std::size_t count, const std::function<std::vector<double>(std::size_t)>& values,
                          Direction direction = Direction::lower) {
  std::vector<RowSpec> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back({"row" + std::to_string(i), values(i), direction});
  return out;
}
std::vector<std::string> codes(const Judgement& j) {
  std::vector<std::string> out;
  for (const core::Reason& reason : j.reasons) out.push_back(reason.code);
  return out;
}
using Codes = std::vector<std::string>;

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
  EXPECT_EQ(j.reasons[0].message, "\"a\" 100 -> 110 ms (+10 %, tolerance 5%)");
}

TEST(Verdicts, AGateOrHeadlineThatVanishedIsRed) {
  Case c({{"errors", {0}, Direction::lower, "", Role::gate}, {"x", {1}}}, {{"x", {1}}});
  EXPECT_EQ(codes(c.judge()), Codes{"gate_missing"});
  Case d({{"h", {1}}, {"x", {1}}}, {{"h", {}, Direction::lower, "ms", Role::judged, ValueState::not_finite}, {"x", {1}}});
  d.rules.key_rules = {headline("h")};
  EXPECT_EQ(codes(d.judge()), Codes{"headline_missing"});
}

TEST(Verdicts, AFailedGateLeads) {
  Case c({{"errors", {0}, Direction::lower, "", Role::gate}, {"a", {1}}},
         {{"errors", {3}, Direction::lower, "", Role::gate}, {"a", {2}}});
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

TEST(Chance, RowsWithinThreeSpreadsOfTheirClassAreSuspects) {
  // 40 rows scatter by about 2 %; one of them lies at +6 %, another at +30 %.
  const auto scatter = [](std::size_t i) { return 2.0 * (static_cast<double>(i % 9) - 4) / 2.5; };
  Case c(rows(40, [](std::size_t) { return std::vector<double>{100}; }), rows(40, [&](std::size_t i) {
           return std::vector<double>{i == 7 ? 106.0 : i == 8 ? 130.0 : 100 + scatter(i)};
         }));
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), (Codes{"few_regressed", "suspects"}));
  EXPECT_TRUE(c.comparison.deltas[7].suspect);
  EXPECT_FALSE(c.comparison.deltas[8].suspect);
  EXPECT_EQ(j.counts.suspect, 1U);
}

TEST(Chance, FewerThanTwentyRowsHaveNoClass) {
  const auto scatter = [](std::size_t i) { return 2.0 * (static_cast<double>(i % 9) - 4) / 2.5; };
  Case c(rows(19, [](std::size_t) { return std::vector<double>{100}; }),
         rows(19, [&](std::size_t i) { return std::vector<double>{i == 7 ? 106.0 : 100 + scatter(i)}; }));
  EXPECT_EQ(codes(c.judge()), Codes{"few_regressed"});
}

TEST(Chance, AWholeClassThatMovedIsRed) {
  Case c(rows(20, [](std::size_t) { return std::vector<double>{100}; }),
         rows(20, [](std::size_t) { return std::vector<double>{108}; }));
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::red);
  EXPECT_EQ(codes(j), (Codes{"class_shift", "suspects"}));
  EXPECT_EQ(j.reasons[0].message, "the median of 20 rows (rows in ms) moved by 8 % for the worse");
}

TEST(Chance, AClassInTwoPartsHidesNothing) {
  // Half of the rows regressed: the median lies between the parts and the MAD is as wide as the regression itself.
  for (const auto& [slow, middling] : {std::pair{10, 0}, {3, 7}, {9, 0}, {3, 0}}) {
    for (const double much : {130.0, 30000.0}) {
      Case c(rows(20, [](std::size_t) { return std::vector<double>{100}; }), rows(20, [&, a = slow, b = middling](std::size_t i) {
               const int at = static_cast<int>(i);
               return std::vector<double>{at < a ? much : at < a + b ? 112.0 : 100.0};
             }));
      EXPECT_EQ(c.judge().verdict, Verdict::red) << slow << " " << middling << " " << much;
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

TEST(Chance, ManyRowsWithThreeTrialsEachSpeakByTheirNumber) {
  // Each p is .05, the smallest that three against three can give: Benjamini-Hochberg alone would drop 39 of 40.
  Case c(rows(40,
              [](std::size_t i) {
                return std::vector<double>{100.0 + 0.01 * static_cast<double>(i), 100.5, 99.5};
              }),
         rows(40, [](std::size_t i) {
           return i == 0 ? std::vector<double>{100, 100.5, 99.5} : std::vector<double>{110, 110.5, 109.5};
         }));
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::red);
  EXPECT_EQ(codes(j).front(), "more_regressions_than_chance");
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
            "the regressions cluster on \"n3\" (7 of 7 regressed rows, 7 of 7 rows with it): look there first");
}

TEST(Recommendation, NamesTheSizeFromWhichRegressionsBegin) {
  std::vector<RowSpec> b, c;
  const std::vector<std::pair<std::string, bool>> sizes = {{"64KiB", false}, {"1MiB", false},  {"16MiB", false},
                                                           {"64MiB", true},  {"256MiB", true}, {"1GiB", true}};
  for (const auto& [size, slow] : sizes) {
    b.push_back({"all_reduce." + size + ".busbw", {100}, Direction::higher, "GB/s"});
    c.push_back({"all_reduce." + size + ".busbw", {slow ? 80.0 : 100.0}, Direction::higher, "GB/s"});
  }
  Case pair(b, c);
  EXPECT_EQ(pair.judge().recommendation.suspects, std::vector<std::string>{"size >= 64MiB"});
}

TEST(Recommendation, DoesNotAskForAnotherRunOfWhatTrialsHaveShown) {
  Case single({{"a", {100}}}, {{"a", {110}}});
  EXPECT_EQ(single.judge().recommendation.action, "rerun");
  Case trials({{"a", {100, 101, 99}}}, {{"a", {110, 111, 109}}});
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
    std::size_t at = 0;
    Verdict heaviest = Verdict::green;
    for (const core::Reason& reason : j.reasons) {
      const auto known =
          std::find_if(reason_codes().begin(), reason_codes().end(), [&](const ReasonCode& r) { return r.code == reason.code; });
      ASSERT_NE(known, reason_codes().end()) << reason.code;
      const auto index = static_cast<std::size_t>(known - reason_codes().begin());
      EXPECT_GE(index, at) << reason.code;
      at = index;
      heaviest = std::max(heaviest, known->at_least);
    }
    EXPECT_EQ(j.verdict, heaviest);
  }
}

// A verdict never improves when one judged value gets worse (classes of fewer than 20 rows: no scatter to hide in).
TEST(Properties, AWorseValueNeverImprovesTheVerdict) {
  std::mt19937_64 rng(5);
  std::normal_distribution<double> noise(0, 0.04);
  for (int round = 0; round < 1000; ++round) {
    const int n = static_cast<int>(rng() % 5);
    std::vector<RowSpec> b, c;
    for (int i = 0; i < 8; ++i) {
      std::vector<double> x, y;
      for (int k = 0; k <= n; ++k) {
        x.push_back(100 * std::exp(noise(rng)));
        y.push_back(101 * std::exp(noise(rng)));
      }
      b.push_back({"k" + std::to_string(i), x});
      c.push_back({"k" + std::to_string(i), y});
    }
    std::vector<RowSpec> worse = c;
    auto& values = worse[rng() % worse.size()].values;
    values[rng() % values.size()] *= 1.04;
    Case before(b, c), after(b, worse);
    before.rules.key_rules = after.rules.key_rules = {headline("k0")};
    EXPECT_LE(before.judge().verdict, after.judge().verdict) << "round " << round;
  }
}

// A whole class that gets worse by a common factor keeps its scatter: what was no chance before is none after.
TEST(Properties, AClassThatGetsWorseAltogetherNeverImprovesTheVerdict) {
  std::mt19937_64 rng(17);
  std::normal_distribution<double> noise(0, 0.03);
  for (int round = 0; round < 300; ++round) {
    std::vector<RowSpec> b, c;
    for (int i = 0; i < 30; ++i) {
      const double level = 10.0 + i;
      const double slower = i < static_cast<int>(rng() % 6) ? 1.2 : 1;
      b.push_back({"k" + std::to_string(i), {level * std::exp(noise(rng))}});
      c.push_back({"k" + std::to_string(i), {level * slower * std::exp(noise(rng))}});
    }
    std::vector<RowSpec> worse = c;
    const double factor = 1 + 0.02 * static_cast<double>(rng() % 5 + 1);
    for (RowSpec& row : worse) row.values[0] *= factor;
    Case before(b, c), after(b, worse);
    EXPECT_LE(before.judge().verdict, after.judge().verdict) << "round " << round << " factor " << factor;
  }
}

// Rows with trials, forty of them: BH and the count test together are monotone in every single value.
TEST(Properties, AWorseTrialNeverImprovesTheVerdictOfManyRows) {
  std::mt19937_64 rng(19);
  std::normal_distribution<double> noise(0, 0.02);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 3 + rng() % 3;
    const double shift = 1 + 0.02 * static_cast<double>(rng() % 6);
    std::vector<RowSpec> b, c;
    for (int i = 0; i < 40; ++i) {
      std::vector<double> x, y;
      for (std::size_t k = 0; k < n; ++k) {
        x.push_back(100 * std::exp(noise(rng)));
        y.push_back(100 * shift * std::exp(noise(rng)));
        if (round % 2 == 0) {  // ties
          x.back() = std::round(x.back());
          y.back() = std::round(y.back());
        }
      }
      b.push_back({"k" + std::to_string(i), x});
      c.push_back({"k" + std::to_string(i), y});
    }
    std::vector<RowSpec> worse = c;
    for (int times = 0; times < 5; ++times) {
      auto& values = worse[rng() % worse.size()].values;
      double& one = values[rng() % values.size()];
      one = round % 2 == 0 ? one + 1 : one * 1.05;
    }
    Case before(b, c), after(b, worse);
    const Judgement first = before.judge(), second = after.judge();
    EXPECT_LE(first.verdict, second.verdict) << "round " << round;
    EXPECT_LE(first.counts.regressed, second.counts.regressed) << "round " << round;
  }
}

// Three files in nanoseconds give the verdict, the reasons and the suspects of the same in milliseconds.
TEST(Properties, ScalingEveryValueChangesNoVerdict) {
  std::mt19937_64 rng(23);
  std::normal_distribution<double> noise(0, 0.04);
  for (int round = 0; round < 200; ++round) {
    const double scale = round % 2 == 0 ? 1e6 : 1.0 / 1024;
    std::vector<RowSpec> b, c, sb, sc;
    for (int i = 0; i < 25; ++i) {
      std::vector<double> x, y;
      for (std::uint64_t k = rng() % 5; k < 5; ++k) {
        x.push_back(100 * std::exp(noise(rng)));
        y.push_back(104 * std::exp(noise(rng)));
      }
      const auto direction = static_cast<Direction>(rng() % 4);
      const std::string key = "k" + std::to_string(i);
      b.push_back({key, x, direction});
      c.push_back({key, y, direction});
      for (double& v : x) v *= scale;
      for (double& v : y) v *= scale;
      sb.push_back({key, x, direction});
      sc.push_back({key, y, direction});
    }
    Case plain(b, c), scaled(sb, sc);
    const Judgement one = plain.judge(), two = scaled.judge();
    EXPECT_EQ(one.verdict, two.verdict) << round;
    EXPECT_EQ(codes(one), codes(two)) << round;
    EXPECT_EQ(one.counts.suspect, two.counts.suspect) << round;
  }
}

// ---- what the history and the class of benchmark know -------------------------------------------------------------------

TEST(History, AChangeWithinItsOwnNoiseIsDoubtedAndTheToleranceStays) {
  Case c({{"x", {100}}}, {{"x", {107}}});
  c.baseline.shape = core::Shape::scalar;
  EXPECT_EQ(c.judge().verdict, Verdict::red);
  c.input.registry_floor_pct = 8;
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::yellow);
  EXPECT_EQ(codes(j), Codes{"noisy"});
  EXPECT_EQ(c.comparison.deltas[0].state, core::State::regressed);
  EXPECT_TRUE(c.comparison.deltas[0].suspect);
  c.input.registry_floor_pct = 6;
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
  EXPECT_EQ(j.warnings[0].code, "noisy_history");
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
  EXPECT_EQ(codes(j), Codes{"few_regressed"});
  ASSERT_EQ(j.warnings.size(), 1U);
  EXPECT_EQ(j.warnings[0].code, "within_class_noise");
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
  EXPECT_EQ(within.warnings[0].code, "within_class_noise");
  const Judgement beyond = judged(140);
  EXPECT_EQ(beyond.verdict, Verdict::red);
  EXPECT_EQ(codes(beyond), Codes{"headline_regressed"});
}

// ---- headlines corrected on demand --------------------------------------------------------------------------------------

TEST(Headlines, AreCorrectedForTheirNumberOnlyWhenAskedFor) {
  // Each p is .05: Holm asks for .025 of the smaller one.
  const auto side = [](double factor) {
    std::vector<RowSpec> out;
    for (const char* key : {"a", "b"}) out.push_back({key, {100 * factor, 100.5 * factor, 99.5 * factor}});
    return out;
  };
  Case c(side(1), side(1.1));
  c.rules.key_rules = {headline("*")};
  EXPECT_EQ(codes(c.judge()).front(), "headline_regressed");
  c.rules.key_rules = {headline("a"), headline("b")};
  c.input.holm_headlines = true;
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::yellow);
  EXPECT_EQ(codes(j), Codes{"suspects"});
  Case one({{"a", {100, 100.5, 99.5}}}, {{"a", {110, 110.5, 109.5}}});
  one.rules.key_rules = {headline("a")};
  one.input.holm_headlines = true;
  EXPECT_EQ(codes(one.judge()), Codes{"headline_regressed"});
}

// ---- what trials say of themselves --------------------------------------------------------------------------------------

std::string warning(const Judgement& j, std::string_view code) {
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
  // One of 40 rows: p must reach .025 / 40, which seven against seven can: 1 of 3432.
  Case c(rows(40,
              [](std::size_t) {
                return std::vector<double>{100, 100.5, 99.5};
              }),
         rows(40, [](std::size_t i) {
           return i == 0 ? std::vector<double>{120, 120.5, 119.5} : std::vector<double>{100, 100.5, 99.5};
         }));
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), Codes{"suspects"});
  EXPECT_NE(j.recommendation.message.find("4 more trials a side, 7 in all"), std::string::npos) << j.recommendation.message;
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
}  // namespace plumbline::policies
