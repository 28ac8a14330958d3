// Tolerances from histories (core/experiment/calibration.hpp): by hand, and by simulation of the rate they promise.
#include "core/experiment/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace plumbline::core {
namespace {

TEST(Calibration, ByHand) {
  // Steps of ln 1.01 up and down: the spread of a difference is 1.4826 ln 1.01, and 2.326 of them are 3.49 %.
  std::vector<double> values;
  for (int i = 0; i < 21; ++i) values.push_back(i % 2 == 0 ? 100 : 101);
  const auto out = calibrate_tolerance(values, false, .01);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->percent, 4);
  EXPECT_NEAR(out->spread_pct, 100 * std::expm1(1.4826 * std::log(1.01) / std::sqrt(2.)), 1e-12);
  EXPECT_NEAR(out->false_alarms_pct, 100 * .5 * std::erfc(std::log(1.04) / (1.4826 * std::log(1.01)) / std::sqrt(2.)), 1e-12);
  EXPECT_EQ(out->steps, 20U);
  EXPECT_EQ(out->exceeded, 0U);
  EXPECT_NEAR(out->sees_pct, 100 * std::expm1(std::log(1.04) + .8416 * 1.4826 * std::log(1.01)), 1e-9);
}

TEST(Calibration, OneRealChangeDoesNotWidenIt) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back((i < 20 ? 100 : 140) + i % 2);
  EXPECT_LE(calibrate_tolerance(values, false, .01)->percent, 4);
  EXPECT_EQ(calibrate_tolerance(values, false, .01)->exceeded, 1U);
}

TEST(Calibration, WhatCannotBeAnsweredIsNotGuessed) {
  EXPECT_FALSE(calibrate_tolerance(std::vector<double>{1, 2, 3, 4}, false, .01));
  EXPECT_FALSE(calibrate_tolerance(std::vector<double>{1, 2, 3, 4, 0}, false, .01));
  EXPECT_FALSE(calibrate_tolerance(std::vector<double>{1, 100, 1, 100, 1, 100, 1}, false, .01));
}

// With a history of thirty, what is promised holds for the next comparison.
TEST(Calibration, KeepsTheRateItPromises) {
  for (const double cv : {.005, .02, .05}) {
    for (const bool higher : {false, true}) {
      std::mt19937_64 generator(11);
      std::lognormal_distribution<> draw(0, cv);
      int alarms = 0;
      int compared = 0;
      for (int run = 0; run < 4000; ++run) {
        std::vector<double> values(30);
        for (double& x : values) x = 100 * draw(generator);
        const auto out = calibrate_tolerance(values, higher, .02);
        if (!out) continue;
        const double change = 100 * (draw(generator) / draw(generator) - 1);
        alarms += (higher ? -change : change) > out->percent ? 1 : 0;
        ++compared;
      }
      EXPECT_GT(compared, 3900) << cv;
      EXPECT_LE(alarms, compared * .03) << cv << ": asked 2 %, and the spread is itself an estimate";
    }
  }
}

}  // namespace
}  // namespace plumbline::core
