// One number over time: trend, order and noise floor, against hand calculations and Python's own (statistics.median,
// statistics.quantiles(method='inclusive'), all permutations).
#include "core/history/series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plumbline::core {
namespace {

using Series = std::vector<double>;

Series logarithms(const Series& x) {
  Series out;
  for (const double value : x) out.push_back(std::log(value));
  return out;
}

TEST(TheilSen, IsTheMedianOfAllSlopes) {
  EXPECT_EQ(theil_sen({}), std::nullopt);
  EXPECT_EQ(theil_sen(Series{5}), std::nullopt);
  EXPECT_EQ(theil_sen(Series{5, 8}), 3);
  EXPECT_EQ(theil_sen(Series{1, 2, 3, 100, 5}), 1);  // one wild value has no say
  EXPECT_EQ(theil_sen(Series{100, 102, 101, 103, 102, 104}), 0.5);
}

TEST(MannKendall, IsTheShareOfOrdersThatAreAsMuchInOrder) {
  EXPECT_EQ(mann_kendall(Series{1, 2}), 1);
  EXPECT_NEAR(mann_kendall(Series{1, 2, 3}), 1.0 / 3, 1e-12);
  EXPECT_NEAR(mann_kendall(Series{1, 3, 2, 4}), 1.0 / 3, 1e-12);
  EXPECT_NEAR(mann_kendall(Series{6, 5, 4, 3, 2, 1}), 2.0 / 720, 1e-12);
  EXPECT_NEAR(mann_kendall(Series{2, 1, 4, 3, 5, 7, 6}), 0.03015873015873016, 1e-12);
  EXPECT_NEAR(mann_kendall(Series{3, 1, 4, 2, 6, 5}), 0.2722222222222222, 1e-12);
  EXPECT_EQ(mann_kendall(Series(50, 1.0)), 1) << "all tied: no order at all";
  Series down(100);
  for (std::size_t i = 0; i < down.size(); ++i) down[i] = -static_cast<double>(i);
  EXPECT_LT(mann_kendall(down), 1e-20);
}

TEST(NoiseFloor, NeedsFiveValues) {
  EXPECT_EQ(noise_floor(Series{1, 2, 1, 2}), std::nullopt);
  EXPECT_EQ(noise_floor(Series{1, 1, 1, 1, 1}), 0);
}

TEST(NoiseFloor, OfASeriesThatGoesUpAndDownIsHowFarItGoes) {
  // The MAD of these steps about their own median is .017 %: every other step is the median.
  EXPECT_NEAR(100 * std::expm1(*noise_floor(logarithms({100, 102, 101, 103, 102, 104}))), 6.759990156274654, 1e-9);
  EXPECT_NEAR(*noise_floor(Series{0, 1, 0, 1, 0, 1, 0}), 3 * 1.4826, 1e-12);
}

TEST(NoiseFloor, TakesNeitherASteadyDriftNorOneJumpForNoise) {
  EXPECT_NEAR(*noise_floor(Series{0, -1, -2, -3, -4, -5, -6}), 0, 1e-12);
  EXPECT_NEAR(*noise_floor(Series{0, 0, 0, 0, 9, 9, 9, 9}), 0, 1e-12);
}

TEST(NoiseFloor, IsAFenceFromThirtyValuesOn) {
  Series x;
  for (int i = 0; i < 31; ++i) x.push_back((i * 37) % 11 / 10.0 + i % 3 * 0.05);
  EXPECT_NEAR(*noise_floor(x), 1.3117647058823532, 1e-9);
}

}  // namespace
}  // namespace plumbline::core
