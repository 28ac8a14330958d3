// Bisection among noise (core/experiment/bisection.hpp): by hand, and by simulation of what it promises.
#include "core/experiment/bisection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace plumbline::core {
namespace {

TEST(Bisection, BeginsInTheMiddleAndHalves) {
  Bisection search(8, 1, .01);
  EXPECT_EQ(search.next(), 4U);
  search.observe(4, 1);  // bad: the culprit is among 1 to 4
  EXPECT_EQ(search.next(), 2U);
  search.observe(2, 0);
  EXPECT_EQ(search.next(), 3U);
  search.observe(3, 0);
  EXPECT_EQ(search.best().first, 4U);
  EXPECT_EQ(search.best().last, 4U);
  EXPECT_GT(search.best().probability, .999);
}

TEST(Bisection, IsBayesRuleWorkedOutByHand) {
  // Two commits, one measurement of the first, as likely under t4 about 1 as 1 / (1 + 1/4)^2.5 and about 0 as 1.
  Bisection search(2, 1, 1);
  search.observe(1, 0);
  const double bad = std::pow(1 + 1. / 4, -2.5);
  EXPECT_NEAR(search.probability(1), bad / (1 + bad), 1e-15);
  EXPECT_NEAR(search.probability(2), 1 / (1 + bad), 1e-15);
}

TEST(Bisection, OneCommitIsTheAnswerWithoutAMeasurement) {
  Bisection search(1, 1, 1);
  EXPECT_EQ(search.next(), 0U);
  EXPECT_EQ(search.best().first, 1U);
  EXPECT_EQ(search.best().probability, 1);
}

TEST(Bisection, CommitsThatDoNotBuildAreOneAnswerWithTheNext) {
  Bisection search(6, 1, .01);
  for (const std::size_t commit : {3U, 4U}) search.cannot_measure(commit);
  search.observe(2, 0);
  search.observe(5, 1);
  EXPECT_EQ(search.next(), 0U) << "nothing is left to measure";
  EXPECT_EQ(search.best().first, 3U);
  EXPECT_EQ(search.best().last, 5U);
  EXPECT_GT(search.best().probability, .999);
}

TEST(Bisection, AWildTrialDoesNotDecide) {
  Bisection search(16, .07, .03);
  search.observe(8, 50);
  EXPECT_LT(search.best().probability, .5);
}

// 7 % among noise of CV 2 % a run, so .028 a difference, as the issue of the trade has it.
TEST(Bisection, NamesTheCulpritInFewMeasurements) {
  constexpr int kSearches = 400;
  int right = 0;
  int measurements = 0;
  for (int seed = 0; seed < kSearches; ++seed) {
    std::mt19937_64 generator(static_cast<std::uint64_t>(seed) + 1);
    const std::size_t culprit = 1 + generator() % 64;
    std::normal_distribution<> noise(0, .02 * std::sqrt(2.));
    Bisection search(64, std::log(1.07), .02 * std::sqrt(2.));
    while (search.best().probability < .98 && search.next() != 0) {
      const std::size_t commit = search.next();
      search.observe(commit, (commit >= culprit ? std::log(1.07) : 0) + noise(generator));
      ++measurements;
    }
    right += search.best().first == culprit && search.best().last == culprit ? 1 : 0;
  }
  EXPECT_GE(right, kSearches * 95 / 100);
  EXPECT_LE(measurements, kSearches * 30) << "mean of a search";
}

}  // namespace
}  // namespace plumbline::core
