// Whether it matters who comes first in a block (core/experiment/order_effect.hpp): by hand, free of the sides' own difference,
// and its error by simulation.
#include "core/experiment/order_effect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/experiment/blocks.hpp"

namespace plumbline::core {
namespace {

struct Blocks {
  std::vector<double> differences;
  std::vector<std::uint8_t> second;
};

// Blocks of two sides as `run` draws them: `side` is what the current one adds, `later` what coming second adds, `drift` what
// each run adds to the one before.
Blocks drawn(std::uint64_t seed, std::uint32_t blocks, double side, double later, double noise, double drift = 0) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<> normal;
  Blocks out;
  double level = 0;
  for (std::uint32_t block = 1; block <= blocks; ++block) {
    double values[2] = {};
    bool second = false;
    for (const std::uint32_t one : block_order(seed, block, 2)) {
      values[one] = level + (one == 1 ? side : 0) + (second ? later : 0) + noise * normal(generator);
      level += drift;
      second = true;
    }
    out.differences.push_back(values[1] - values[0]);
    out.second.push_back(block_order(seed, block, 2).back() == 1 ? 1 : 0);
  }
  return out;
}

TEST(OrderEffect, IsFreeOfWhatTheSidesDifferBy) {
  for (const double side : {-.5, 0., .08}) {
    const Blocks blocks = drawn(7, 12, side, .14, .001);
    const auto effect = order_effect(blocks.differences, blocks.second);
    ASSERT_TRUE(effect);
    EXPECT_NEAR(effect->second, .14, .002) << side;
    EXPECT_NEAR(effect->p, 2. / 924, 1e-12) << "twelve blocks in two groups that lie apart: 2 / C(12, 6)";
  }
}

TEST(OrderEffect, TenBlocksAreTheFewestThatCanTell) {
  const Blocks ten = drawn(1, kLeastBlocksForOrder, 0, .5, .001);
  EXPECT_NEAR(order_effect(ten.differences, ten.second)->p, 2. / 252, 1e-12);
  EXPECT_LT(2. / 252, kOrderAlpha);
  const Blocks eight = drawn(1, 8, 0, .5, .001);
  EXPECT_GT(order_effect(eight.differences, eight.second)->p, kOrderAlpha);
}

TEST(OrderEffect, OneOrderAloneTellsNothing) {
  EXPECT_FALSE(order_effect(std::vector<double>{1, 2, 3}, std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_FALSE(order_effect({}, {}));
}

TEST(OrderEffect, IsToldWrongfullyInOneOfAHundredAtMost) {
  for (const double drift : {0., .003}) {
    int wrong = 0;
    for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
      const Blocks blocks = drawn(seed, 12, .05, 0, .02, drift);
      wrong += order_effect(blocks.differences, blocks.second)->p <= kOrderAlpha ? 1 : 0;
    }
    // Drift moves what comes second by as much in every block: it is an effect of order, a small one.
    EXPECT_LE(wrong, drift > 0 ? 160 : 40 + 3 * 6) << drift;
  }
}

TEST(OrderEffect, FifteenPercentAreFoundInTwelveBlocks) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Blocks blocks = drawn(seed, 12, 0, std::log(1.15), .03);
    found += order_effect(blocks.differences, blocks.second)->p <= kOrderAlpha ? 1 : 0;
  }
  EXPECT_GE(found, 495);
}

}  // namespace
}  // namespace plumbline::core
