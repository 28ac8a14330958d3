// What the default rule set makes of all rows together: what chance explains, points, classes as a whole, open questions, and
// the laws that hold for every input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "tests/verdict/judged_case.hpp"

namespace plumbline::verdict {
namespace {

using core::Direction;
using core::Verdict;
using plumbline::testing::RowSpec;

TEST(Chance, ManyRowsWithThreeTrialsEachSpeakByTheirNumber) {
  // Each p by ranks is .05, the smallest that three against three can give: over those alone Benjamini-Hochberg would drop
  // 39 of 40.
  Case c(rows(40,
              [](std::size_t i) {
                return std::vector<double>{100.0 + 0.01 * static_cast<double>(i), 100.5, 99.5};
              }),
         rows(40, [](std::size_t i) {
           return i == 0 ? std::vector<double>{100, 100.5, 99.5} : std::vector<double>{110, 110.5, 109.5};
         }));
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::red);
  EXPECT_EQ(codes(j), (Codes{"many_regressed", "class_shift"}));
  EXPECT_EQ(j.counts.suspect, 0U);
}

// 2 % of scatter, one row at +6 %, and another far out.
double scattered(std::size_t i) { return 100 + 2.0 * (static_cast<double>(i % 9) - 4) / 2.5; }

TEST(Chance, RowsWithinTheScatterOfTheirClassAreSuspects) {
  Case c(rows(40, [](std::size_t) { return std::vector<double>{100}; }), rows(40, [&](std::size_t i) {
           return std::vector<double>{i == 7 ? 106.0 : i == 8 ? 160.0 : scattered(i)};
         }));
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), (Codes{"few_regressed", "suspects"}));
  EXPECT_TRUE(j.marks.suspect(7));
  EXPECT_FALSE(j.marks.suspect(8));
  EXPECT_EQ(j.counts.suspect, 1U);
}

// Trials that resemble their neighbours (AR(1), half of the deviation stays) look to ranks as if a level had changed.
TEST(Chance, SuspectsOfCorrelatedTrialsWithinTheScatterOfTheirClassAskForNothing) {
  const auto judged = [](double kept) {
    std::mt19937_64 random(17);
    std::normal_distribution<double> noise;
    const auto side = [&](std::size_t) {
      std::vector<double> out;
      double last = noise(random);
      for (int t = 0; t < 5; ++t) {
        out.push_back(100 * std::exp(0.05 * last));
        last = kept * last + std::sqrt(1 - kept * kept) * noise(random);
      }
      return out;
    };
    auto baseline = rows(300, side);
    auto current = rows(300, side);
    if (kept == 0) current[0].values = {120, 120.1, 120.2, 120.3, 120.4};  // one change that no correlation excuses
    return Case(baseline, current).judge();
  };
  const Judgement correlated = judged(0.5);
  EXPECT_EQ(codes(correlated), Codes{});
  EXPECT_EQ(correlated.verdict, Verdict::green);
  EXPECT_GT(correlated.counts.suspect, 0U) << "they are still called what they are";
  EXPECT_EQ(correlated.counts.suspect, correlated.counts.regressed);
  const Judgement independent = judged(0);
  EXPECT_EQ(independent.verdict, Verdict::yellow);
}

TEST(Headlines, AFormatThatNamesEveryRowOfALongListNamesNone) {
  const auto headlines = [](std::size_t count, core::Source source) {
    const auto hundred = [](std::size_t) { return std::vector<double>{100}; };
    Case c(rows(count, hundred), rows(count, hundred));
    c.rules.key_rules.push_back(headline("*"));
    c.rules.key_rules.back().source = source;
    (void)c.judge();
    const auto& deltas = c.comparison.deltas;
    return std::count_if(deltas.begin(), deltas.end(), [](const core::Delta& d) { return d.headline; });
  };
  EXPECT_EQ(headlines(5, core::Source::format), 5);
  EXPECT_EQ(headlines(6, core::Source::format), 0);
  EXPECT_EQ(headlines(6, core::Source::flag), 6) << "a user means it";
}

TEST(Chance, NoNumberOfRowsIsACliff) {
  for (const std::size_t count : {5U, 12U, 19U, 20U, 21U, 50U}) {
    Case c(rows(count, [](std::size_t) { return std::vector<double>{100}; }),
           rows(count, [&](std::size_t i) { return std::vector<double>{i == 4 ? 106.0 : scattered(i)}; }));
    EXPECT_EQ(codes(c.judge()), Codes{"suspects"}) << count;
  }
}

TEST(Chance, BelowFiveRowsTheToleranceSpeaksAloneAndSaysSo) {
  Case c(rows(4, [](std::size_t) { return std::vector<double>{100}; }),
         rows(4, [](std::size_t i) { return std::vector<double>{i == 2 ? 106.0 : 100}; }));
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), Codes{"few_regressed"});
  EXPECT_EQ(j.reasons[0].message,
            "1 row regressed beyond tolerance: \"row2\" 100 -> 106 ms (+6 %, tolerance 5%); nothing is known of the noise of one "
            "run, so the tolerance speaks alone");
}

TEST(Chance, AWholeClassThatMovedIsRed) {
  Case c(rows(
             20, [](std::size_t) { return std::vector<double>{100}; }, Direction::higher),
         rows(
             20, [](std::size_t) { return std::vector<double>{50}; }, Direction::higher));
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::red);
  EXPECT_EQ(codes(j), (Codes{"many_regressed", "class_shift"}));
  EXPECT_EQ(j.counts.suspect, 0U);
  EXPECT_EQ(
      j.reasons[1].message,
      "20 rows in ms changed by -50 % in their median (tolerance 5 %; one run cannot tell noise that all its rows share from "
      "a change)");
}

TEST(Chance, AClassOfTrialsThatMovedIsSaidWithItsInterval) {
  // 8 % at CV 5 %: no row by itself survives, all together they do.
  std::mt19937_64 rng(7);
  std::normal_distribution<double> noise(0, 0.05);
  const auto side = [&](double factor) {
    return rows(40, [&](std::size_t) {
      std::vector<double> out;
      for (int k = 0; k < 3; ++k) out.push_back(100 * factor * std::exp(noise(rng)));
      return out;
    });
  };
  const auto before = side(1), after = side(1.08);
  Case c(before, after);
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::red);
  ASSERT_EQ(codes(j).front(), "class_shift");
  EXPECT_TRUE(j.reasons[0].message.starts_with("40 rows in ms changed by +")) << j.reasons[0].message;
  EXPECT_NE(j.reasons[0].message.find("% as a whole (95 % interval +"), std::string::npos) << j.reasons[0].message;
}

TEST(Chance, TwoFifthsThatRegressedHideNothing) {
  // The quiet part says what scatter is, however far the others went; those that improved excuse none.
  for (const auto& [slow, middling] : {std::pair{8, 0}, {3, 5}, {3, 0}}) {
    for (const double much : {130.0, 30000.0}) {
      for (const double others : {100.0, 99.0}) {
        Case c(rows(20, [](std::size_t) { return std::vector<double>{100}; }),
               rows(20, [&, a = slow, b = middling](std::size_t i) {
                 const int at = static_cast<int>(i);
                 return std::vector<double>{at < a ? much : at < a + b ? 112.0 : others};
               }));
        EXPECT_EQ(c.judge().verdict, Verdict::red) << slow << " " << middling << " " << much;
      }
    }
  }
}

// ---- points -------------------------------------------------------------------------------------------------------------

TEST(Points, StatisticsOfOneMetricCountOnce) {
  const std::vector<std::string> keys = {"ttft_p50_ms", "ttft_p99_ms", "ttft_ms.p99.9", "ttft_mean_ms", "itl_p50_ms",
                                         "itl_p99_ms",  "tpot_ms",     "e2e_ms",        "prefill_ms"};
  for (const auto& [slower, verdict] : {std::pair{6U, Verdict::yellow}, {7U, Verdict::red}}) {
    std::vector<RowSpec> b, c;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      b.push_back({keys[i], {100}});
      c.push_back({keys[i], {i < slower ? 130.0 : 100.0}});
    }
    for (int i = 0; i < 12; ++i) {
      b.push_back({"other" + std::to_string(i), {100}});
      c.push_back({"other" + std::to_string(i), {100}});
    }
    EXPECT_EQ(Case(b, c).judge().verdict, verdict) << slower;
  }
}

TEST(Points, AllOfFewerThanThreeIsRed) {
  EXPECT_EQ(codes(Case({{"a", {100}}}, {{"a", {110}}}).judge()), Codes{"many_regressed"});
  EXPECT_EQ(codes(Case({{"a", {100}}, {"b", {100}}}, {{"a", {110}}, {"b", {110}}}).judge()), Codes{"many_regressed"});
  EXPECT_EQ(codes(Case({{"a", {100}}, {"b", {100}}}, {{"a", {110}}, {"b", {100}}}).judge()), Codes{"few_regressed"});
}

TEST(Headlines, AFormatNamesAFewOrNone) {
  for (const auto& [count, verdict] : {std::pair{5U, Verdict::red}, {6U, Verdict::yellow}}) {
    Case c(rows(count,
                [](std::size_t) {
                  return std::vector<double>{100, 100.5, 99.5};
                }),
           rows(count, [](std::size_t i) {
             return i == 0 ? std::vector<double>{120, 120.5, 119.5} : std::vector<double>{100, 100.5, 99.5};
           }));
    core::KeyRule rule = headline("row*");
    rule.source = core::Source::file;
    c.rules.key_rules = {rule};
    EXPECT_EQ(c.judge().verdict, verdict) << count;
    c.rules.key_rules = {headline("row*")};  // the user may name as many as he likes
    EXPECT_EQ(c.judge().verdict, Verdict::red) << count;
  }
}

// ---- open questions -----------------------------------------------------------------------------------------------------

TEST(Undecided, ARowThatSeemsWorseIsNeverGreen) {
  Case c({{"x", {100, 130, 115}}}, {{"x", {128, 160, 190}}});
  c.input.same_host = true;
  const Judgement j = c.judge();
  EXPECT_EQ(j.verdict, Verdict::yellow);
  EXPECT_EQ(codes(j), Codes{"undecided"});
  EXPECT_NE(j.recommendation.message.find("more trials a side"), std::string::npos) << j.recommendation.message;
}

TEST(Undecided, TrialsTooFewForTheLevelAskedForSaySo) {
  Case c({{"x", {100, 101, 102}}}, {{"x", {150, 151, 152}}});
  c.rules.alpha = c.input.alpha = 0.025;
  const Judgement j = c.judge();
  EXPECT_EQ(codes(j), Codes{"undecided"});
  EXPECT_TRUE(j.reasons[0].message.ends_with("; 3 trials a side cannot reach p = 0.025, 4 can")) << j.reasons[0].message;
}

TEST(Undecided, WhatTheClassScattersIsNoQuestion) {
  // CV 2 %, 30 rows: one of them reads +5.6 % by its medians, +2.5 % by its means; the class as a whole is proven within
  // tolerance.
  std::mt19937_64 rng(11);
  std::normal_distribution<double> noise(0, 0.02);
  const auto side = [&](const std::vector<double>& first) {
    return rows(30, [&](std::size_t i) {
      if (i == 0) return first;
      std::vector<double> out;
      for (int k = 0; k < 3; ++k) out.push_back(100 * std::exp(noise(rng)));
      return out;
    });
  };
  const auto before = side({100, 103, 97}), after = side({105.6, 98, 106});
  Case c(before, after);
  c.input.same_host = true;
  EXPECT_EQ(c.judge().verdict, Verdict::green);
  EXPECT_EQ(c.comparison.deltas[0].state, core::State::inconclusive);
}

TEST(Headlines, AreCorrectedForTheirNumber) {
  // 8 % at CV 3 %, no overlap: each p is .05 by ranks, and Welch's t alone is no smaller. Holm asks for .025 of the smaller one.
  const auto side = [](double factor, int rows) {
    std::vector<RowSpec> out;
    for (int i = 0; i < rows; ++i)
      out.push_back({std::string(1, static_cast<char>('a' + i)), {100 * factor, 103 * factor, 97 * factor}});
    return out;
  };
  for (const int count : {1, 2}) {
    Case c(side(1, count), side(1.115, count));
    c.rules.key_rules = {headline("*")};
    const Judgement j = c.judge();
    EXPECT_EQ(j.verdict, count == 1 ? Verdict::red : Verdict::yellow) << count;
    EXPECT_EQ(codes(j), Codes{count == 1 ? "headline_regressed" : "suspects"}) << count;
  }
  // Where the trials repeat well, Welch's t is proof enough.
  const auto quiet = [](double factor) {
    std::vector<RowSpec> out;
    for (const char* key : {"a", "b"}) out.push_back({key, {100 * factor, 100.5 * factor, 99.5 * factor}});
    return out;
  };
  Case c(quiet(1), quiet(1.1));
  c.rules.key_rules = {headline("*")};
  EXPECT_EQ(codes(c.judge()), Codes{"headline_regressed"});
}

// ---- laws ---------------------------------------------------------------------------------------------------------------

// A verdict never improves when one judged value gets worse.
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

// Rows with trials, forty of them: each state is monotone in every single value. What is made of them is so but at the very edge
// of significance, where one trial that gets worse alone also widens its row's spread: seldom, and never from RED to GREEN.
TEST(Properties, AWorseTrialNeverImprovesTheVerdictOfManyRows) {
  std::mt19937_64 rng(19);
  std::normal_distribution<double> noise(0, 0.02);
  int improved = 0;
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
    improved += second.verdict < first.verdict ? 1 : 0;
    EXPECT_FALSE(first.verdict == Verdict::red && second.verdict == Verdict::green) << "round " << round;
    EXPECT_LE(first.counts.regressed, second.counts.regressed) << "round " << round;
  }
  EXPECT_LE(improved, 2);
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

}  // namespace
}  // namespace plumbline::verdict
