// Tolerances from histories (core/experiment/calibration.hpp): by hand, and by simulation of the rate they promise.
#include "core/experiment/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/evidence/tests_of_means.hpp"
#include "core/experiment/tolerance_rules.hpp"
#include "core/text.hpp"

namespace plumbline::core {
namespace {

TEST(Calibration, RunsByHand) {
  // Five values 0, ln 1.01, …: twice the variance is the mean square of all ten pairs.
  const std::vector<double> values{100, 101, 100, 101, 100};
  const double step = std::log(1.01);
  const double spread = step * std::sqrt(6. / 10);  // six of the ten pairs differ
  const auto out = calibrate_tolerance(values, Worse::rise, .01, Series::runs);
  ASSERT_TRUE(out);
  // t with four degrees has 1 % above 3.747: 2.93 %.
  EXPECT_EQ(out->percent, 3);
  EXPECT_NEAR(out->spread_pct, 100 * std::expm1(spread / std::sqrt(2.)), 1e-12);
  EXPECT_NEAR(out->false_alarms_pct, 100 * student_upper_tail(std::log(1.03) / spread, 4), 1e-12);
  EXPECT_EQ(out->steps, 10U);
  EXPECT_EQ(out->exceeded, 0U);
  EXPECT_NEAR(out->sees_pct, 100 * std::expm1(std::log(1.03) + .8416 * spread), 1e-9);
}

TEST(Calibration, EitherWayTakesBothTails) {
  const std::vector<double> values{100, 101, 100, 101, 100, 101, 100, 101};
  const auto one = calibrate_tolerance(values, Worse::rise, .02, Series::runs);
  const auto both = calibrate_tolerance(values, Worse::either, .04, Series::runs);
  ASSERT_TRUE(one && both);
  EXPECT_EQ(one->percent, both->percent);
  EXPECT_NEAR(2 * one->false_alarms_pct, both->false_alarms_pct, 1e-12);
}

TEST(Calibration, FallingNeedsLessThanRising) {
  // Down by a half is as far as up by the double.
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(i % 2 == 0 ? 100 : 125);
  EXPECT_LT(calibrate_tolerance(values, Worse::fall, .05, Series::runs)->percent,
            calibrate_tolerance(values, Worse::rise, .05, Series::runs)->percent);
}

TEST(Calibration, WhatLastsInAHistoryDoesNotWidenIt) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back((i < 20 ? 100 : 140) + i % 2);
  const auto history = calibrate_tolerance(values, Worse::rise, .01, Series::history);
  EXPECT_LE(history->percent, 4);
  EXPECT_EQ(history->steps, 38U);
  EXPECT_EQ(history->exceeded, 0U);
  // Among runs of one build nothing may change: two levels are noise.
  EXPECT_GT(calibrate_tolerance(values, Worse::rise, .01, Series::runs)->percent, 40);
}

TEST(Calibration, WhatComesAndGoesIsNoise) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back((i == 9 ? 130 : 100) + i % 2);
  const auto out = calibrate_tolerance(values, Worse::rise, .01, Series::history);
  ASSERT_TRUE(out);
  EXPECT_GE(out->percent, 30);
  EXPECT_EQ(out->steps, 19U);
}

TEST(Calibration, WhatCannotBeAnsweredIsNotGuessed) {
  for (const Series series : {Series::history, Series::runs}) {
    EXPECT_FALSE(calibrate_tolerance(std::vector<double>{1, 2, 3, 4}, Worse::rise, .01, series));
    EXPECT_FALSE(calibrate_tolerance(std::vector<double>{1, 2, 3, 4, 0}, Worse::rise, .01, series));
    EXPECT_FALSE(calibrate_tolerance(std::vector<double>{1, 2, 3, 4, HUGE_VAL}, Worse::rise, .01, series));
    EXPECT_FALSE(calibrate_tolerance(std::vector<double>{1, 1000, 1, 1000, 1, 1000, 1}, Worse::rise, .01, series));
    EXPECT_EQ(calibrate_tolerance(std::vector<double>(10, 7.), Worse::rise, .01, series)->percent, .5) << "no noise at all";
  }
}

double draw(std::mt19937_64& generator, const char* shape, double cv) {
  std::normal_distribution<> normal;
  if (shape == std::string_view("lognormal")) return std::exp(std::sqrt(std::log1p(cv * cv)) * normal(generator));
  if (shape == std::string_view("t3")) {
    std::student_t_distribution<> t(3);
    return std::max(.05, 1 + cv / std::sqrt(3.) * t(generator));
  }
  if (shape == std::string_view("bimodal")) {
    const double mode = std::bernoulli_distribution(.5)(generator) ? .95 : -.95;
    return 1 + cv * (mode + .3 * normal(generator));
  }
  return std::max(.05, 1 + cv * normal(generator));
}

// What is promised holds for the next comparison, whatever the noise is: of 6,000 the error is a seventh of a percent.
TEST(Calibration, KeepsTheRateItPromises) {
  for (const Series series : {Series::history, Series::runs}) {
    for (const char* shape : {"normal", "lognormal", "t3", "bimodal"}) {
      for (const std::size_t runs : {10, 20}) {
        for (const Worse worse : {Worse::rise, Worse::fall}) {
          std::mt19937_64 generator(11);
          int alarms = 0;
          int compared = 0;
          int unanswered = 0;
          for (int repeat = 0; repeat < 600; ++repeat) {
            std::vector<double> values(runs);
            for (double& x : values) x = 100 * draw(generator, shape, .03);
            const auto out = calibrate_tolerance(values, worse, .01, series);
            if (!out) {
              ++unanswered;  // an outlier beyond the ladder
              continue;
            }
            for (int later = 0; later < 10; ++later) {
              const double change = 100 * (draw(generator, shape, .03) / draw(generator, shape, .03) - 1);
              alarms += (worse == Worse::fall ? -change : change) > out->percent ? 1 : 0;
              ++compared;
            }
          }
          EXPECT_LE(unanswered, 6) << shape << " of " << runs;
          EXPECT_LE(alarms, .01 * compared + 3 * std::sqrt(.01 * compared)) << shape << " of " << runs;
        }
      }
    }
  }
}

std::vector<std::string> globs(const std::vector<CalibratedRule>& rules) {
  std::vector<std::string> out;
  for (const CalibratedRule& rule : rules) out.push_back(rule.glob + " " + std::to_string(static_cast<int>(rule.percent)));
  return out;
}

TEST(ToleranceRules, OneOfAMetricWhereItsKeysAreAlike) {
  std::vector<KeyTolerance> keys;
  for (int i = 0; i < 250; ++i) {
    keys.push_back({"batch" + std::to_string(i) + ".latency", i % 2 == 0 ? 4. : 5.});
    keys.push_back({"batch" + std::to_string(i) + ".rate", 1.});
  }
  EXPECT_EQ(globs(rules_for_keys(keys)), (std::vector<std::string>{"*.latency 5", "*.rate 1"}));
}

TEST(ToleranceRules, NoGlobMatchesAKeyOfAnotherTolerance) {
  const std::vector<KeyTolerance> keys{{"big.a.latency", 2},    {"big.b.latency", 3},   {"small.a.latency", 20},
                                       {"small.b.latency", 25}, {"mixed.a.latency", 2}, {"mixed.b.latency", 25}};
  EXPECT_EQ(globs(rules_for_keys(keys)),
            (std::vector<std::string>{"big.*.latency 3", "mixed.a.latency 3", "mixed.b.latency 25", "small.*.latency 25"}));
}

TEST(ToleranceRules, AllAlikeIsTheWholeMeasurement) {
  EXPECT_EQ(globs(rules_for_keys(std::vector<KeyTolerance>{{"a.x", 3}, {"b.x", 3}, {"a.y", 3}})),
            (std::vector<std::string>{" 3"}));
  EXPECT_EQ(globs(rules_for_keys(std::vector<KeyTolerance>{{"a.x", 3}})), (std::vector<std::string>{"a.x 3"}));
  EXPECT_TRUE(rules_for_keys({}).empty());
}

// What a key gets is what it needs or more, and never more than three times as much.
TEST(ToleranceRules, EveryKeyIsCoveredAndNoneTooWide) {
  std::mt19937_64 generator(4);
  for (int round = 0; round < 50; ++round) {
    std::vector<KeyTolerance> keys;
    std::set<std::string> names;
    for (int i = 0; i < 60; ++i) {
      const auto part = [&] { return std::string(1, static_cast<char>('a' + generator() % 4)); };
      std::string key = part() + "." + part() + part() + "." + part();
      if (names.insert(key).second) keys.push_back({std::move(key), std::pow(2, static_cast<double>(generator() % 6))});
    }
    const auto rules = rules_for_keys(keys);
    for (const KeyTolerance& one : keys) {
      const CalibratedRule* best = nullptr;
      for (const CalibratedRule& rule : rules) {
        if (!rule.glob.empty() && !glob_match(rule.glob, one.key)) continue;
        if (best == nullptr || glob_specificity(rule.glob) >= glob_specificity(best->glob)) best = &rule;
      }
      ASSERT_NE(best, nullptr) << one.key;
      EXPECT_GE(best->percent, one.percent) << one.key;
      EXPECT_LE(best->percent, 3 * one.percent) << one.key;
    }
  }
}

}  // namespace
}  // namespace plumbline::core
