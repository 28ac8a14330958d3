// What a machine's self-test promises of trials in pairs (core/experiment/paired_power.hpp), by simulation with the test that
// judges.
#include "core/experiment/paired_power.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

TEST(PairedPower, FourOfFiveAreFound) {
  constexpr double kSigma = .02;
  constexpr int kDraws = 1000;
  for (const std::uint32_t pairs : {5U, 7U, 11U, 21U, 30U, 70U}) {
    const auto excess = paired_mde80(pairs, kSigma);
    ASSERT_TRUE(excess);
    std::mt19937_64 generator(pairs);
    std::normal_distribution<> difference(*excess, kSigma * std::sqrt(2.));
    int found = 0;
    int found_at_half = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<double> whole(pairs);
      std::vector<double> half(pairs);
      for (std::uint32_t i = 0; i < pairs; ++i) {
        whole[i] = difference(generator);
        half[i] = whole[i] - *excess / 2;
      }
      found += signed_rank_greater(whole) <= .05 ? 1 : 0;
      found_at_half += signed_rank_greater(half) <= .05 ? 1 : 0;
    }
    EXPECT_NEAR(found / double{kDraws}, .8, .045) << pairs;
    EXPECT_LT(found_at_half / double{kDraws}, .5) << pairs;
  }
}

TEST(PairedPower, FourPairsShowNothing) {
  EXPECT_FALSE(paired_mde80(4, .02));
  EXPECT_EQ(signed_rank_greater(std::vector<double>(4, 1.)), 1. / 16);
}

}  // namespace
}  // namespace plumbline::core
