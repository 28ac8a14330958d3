// Tests that hold at any stop (core/experiment/looks.hpp): against an independent implementation, and their promise, by
// simulation: who looks after every trial is wrong no oftener than alpha.
#include "core/experiment/looks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "core/experiment/blocks.hpp"
#include "tests/core/goldens.hpp"

namespace plumbline::core {
namespace {

template <class Check>
int for_goldens(std::string_view kind, Check check) {
  return for_goldens_in("looks_goldens.tsv", kind, check);
}

TEST(Looks, PairsAreWorthWhatTheDefinitionSays) {
  EXPECT_EQ(for_goldens("pairs",
                        [](const auto& f) {
                          EXPECT_NEAR(pairs_greater_at_any_stop(numbers(f[1]), number(f[2])), number(f[3]), 1e-9 * number(f[3]));
                        }),
            39);
}

TEST(Looks, RanksAreWorthWhatTheDefinitionSays) {
  EXPECT_EQ(for_goldens("ranks",
                        [](const auto& f) {
                          EXPECT_NEAR(ranks_greater_at_any_stop(numbers(f[1]), numbers(f[2]), number(f[3])), number(f[4]),
                                      1e-9 * number(f[4]));
                        }),
            49);
}

TEST(Looks, SevenPairsAreTheFewestThatDecide) {
  const Samples seven{1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(pairs_greater_at_any_stop(std::span(seven).first(6)), 1);
  EXPECT_FALSE(pairs_at_any_stop(std::span(seven).first(6), .05).lower);
  EXPECT_DOUBLE_EQ(pairs_greater_at_any_stop(seven), 1. / 128 * 32 / 5);
  EXPECT_EQ(pairs_at_any_stop(seven, .05).lower, 1);
  EXPECT_FALSE(pairs_at_any_stop(seven, .049).lower);
}

TEST(Looks, FourTrialsDecideAgainstABaselineOfTen) {
  const Samples baseline{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, current{21, 22, 23, 24};
  EXPECT_DOUBLE_EQ(ranks_greater_at_any_stop(baseline, current), 1. / 1001 * 8);
  EXPECT_EQ(ranks_greater_at_any_stop(baseline, std::span(current).first(3)), 1);
}

TEST(Looks, ComeAtTheSameNumbersForEverybody) {
  EXPECT_EQ(next_look(Design::pairs, 0), 7U);
  EXPECT_EQ(next_look(Design::pairs, 7), 9U);
  EXPECT_EQ(next_look(Design::ranks, 5), 6U);
  EXPECT_EQ(next_look(Design::ranks, 1000), UINT32_MAX);
}

// Who says beforehand how many there will be at most looks there for the last time, with what is left.
TEST(Looks, TheLastOneSpendsWhatIsLeft) {
  EXPECT_EQ(next_look(Design::pairs, 28, 30), 30U);
  EXPECT_EQ(next_look(Design::pairs, 30, 30), UINT32_MAX);
  EXPECT_EQ(next_look(Design::pairs, 0, 5), 5U);
  EXPECT_DOUBLE_EQ(look_share(Design::pairs, 28, 30), 3. / 32);
  EXPECT_DOUBLE_EQ(look_share(Design::pairs, 30, 30), 8. / 32);
  EXPECT_DOUBLE_EQ(look_share(Design::pairs, 28, 28), 11. / 32) << "a look of its own is the last one";
  EXPECT_DOUBLE_EQ(look_share(Design::pairs, 5, 5), 1);
  EXPECT_EQ(look_share(Design::pairs, 37, 30), 0) << "nobody looks behind it";
  EXPECT_DOUBLE_EQ(look_share(Design::ranks, 6, 6), 28. / 32);
  for (const Design design : {Design::pairs, Design::ranks}) {
    for (std::uint32_t last = 0; last <= 1000; ++last) {
      double spent = 0;
      for (std::uint32_t n = next_look(design, 0, last); n != UINT32_MAX; n = next_look(design, n, last)) {
        EXPECT_GT(look_share(design, n, last), 0);
        spent += look_share(design, n, last);
      }
      EXPECT_LE(spent, 1 + 1e-12) << last;
      EXPECT_TRUE(last == 0 || spent > 1 - 1e-6) << last << " leaves " << 1 - spent;
    }
  }
  const Samples five{1, 2, 3, 4, 5};
  EXPECT_EQ(pairs_greater_at_any_stop(five), 1) << "without a last look five are too few";
  EXPECT_DOUBLE_EQ(pairs_greater_at_any_stop(five, 0, 5), 1. / 32);
  EXPECT_EQ(pairs_at_any_stop(five, .05, 5).lower, 1);
  EXPECT_FALSE(pairs_at_any_stop(five, .05, 6).lower) << "before it nothing more is spent";
}

// Noise that is drawn; the sides differ by exactly the shift, the worst case of "no more than the shift".
using Noise = std::function<double(std::mt19937_64&)>;
const std::vector<std::pair<const char*, Noise>>& noises() {
  static const std::vector<std::pair<const char*, Noise>> all = {
      {"normal", [](auto& g) { return std::normal_distribution<>(0, .02)(g); }},
      {"t3", [](auto& g) { return .012 * std::student_t_distribution<>(3)(g); }},
      {"lognormal", [](auto& g) { return .02 * std::lognormal_distribution<>(0, .8)(g); }},
      {"two modes",
       [](auto& g) { return (std::bernoulli_distribution(.3)(g) ? .08 : 0) + std::normal_distribution<>(0, .01)(g); }},
      {"quantised", [](auto& g) { return .01 * std::round(std::normal_distribution<>(0, 2)(g)); }},
  };
  return all;
}

TEST(Looks, WhoLooksAfterEachPairIsWrongNoOftenerThanAlpha) {
  constexpr int kRuns = 2000;  // of five kinds of noise: 10,000 sequences
  for (const auto& [name, noise] : noises()) {
    std::mt19937_64 generator(20261123);
    int wrong = 0;
    for (int run = 0; run < kRuns; ++run) {
      Samples differences(60);
      for (double& d : differences) d = .05 + noise(generator) - noise(generator);
      // The p of all 60 is that of the boldest look.
      wrong += pairs_greater_at_any_stop(differences, .05) <= .05 ? 1 : 0;
    }
    EXPECT_LE(wrong, kRuns * .05 + 2 * std::sqrt(kRuns * .05 * .95)) << name;
    EXPECT_GT(wrong, 0) << name << ": a test that never speaks is none";
  }
}

TEST(Looks, WhoLooksAfterEachTrialIsWrongNoOftenerThanAlpha) {
  constexpr int kRuns = 400;
  for (const auto& [name, noise] : noises()) {
    for (const std::size_t of_baseline : {3U, 5U, 12U}) {
      std::mt19937_64 generator(7 + of_baseline);
      int wrong = 0, wrong_at_last = 0;
      for (int run = 0; run < kRuns; ++run) {
        Samples baseline(of_baseline), current(40);
        for (double& x : baseline) x = noise(generator);
        for (double& x : current) x = .05 + noise(generator);
        wrong += ranks_greater_at_any_stop(baseline, current, .05) <= .05 ? 1 : 0;
        wrong_at_last += ranks_greater_at_any_stop(baseline, current, .05, 40) <= .05 ? 1 : 0;
      }
      EXPECT_LE(wrong, kRuns * .05 + 2 * std::sqrt(kRuns * .05 * .95)) << name << ", " << of_baseline;
      EXPECT_LE(wrong_at_last, kRuns * .05 + 2 * std::sqrt(kRuns * .05 * .95)) << name << ", " << of_baseline << ", at most 40";
      EXPECT_GE(wrong_at_last, wrong) << name;
    }
  }
}

// What is spent at the end is within alpha, too, and it buys power: of changes that are seldom decided before, more are.
TEST(Looks, TheLastLookKeepsToAlphaAndSeesMore) {
  constexpr int kRuns = 2000;  // of five kinds of noise: 10,000 sequences
  constexpr std::uint32_t kLast = 30;
  int seen = 0, seen_without = 0;
  for (const auto& [name, noise] : noises()) {
    std::mt19937_64 generator(20261124);
    int wrong = 0;
    for (int run = 0; run < kRuns; ++run) {
      Samples equal(kLast), slower(kLast);
      for (double& d : equal) d = .05 + noise(generator) - noise(generator);
      for (double& d : slower) d = .063 + noise(generator) - noise(generator);
      wrong += pairs_greater_at_any_stop(equal, .05, kLast) <= .05 ? 1 : 0;
      seen += pairs_greater_at_any_stop(slower, .05, kLast) <= .05 ? 1 : 0;
      seen_without += pairs_greater_at_any_stop(slower, .05) <= .05 ? 1 : 0;
    }
    RecordProperty(std::string("wrong of 2000, ") + name, wrong);
    EXPECT_LE(wrong, kRuns * .05 + 2 * std::sqrt(kRuns * .05 * .95)) << name;
  }
  RecordProperty("seen of 10000", seen);
  RecordProperty("seen of 10000 without", seen_without);
  EXPECT_GT(seen, seen_without + 300);
}

TEST(Looks, APlainTestLookedAtAfterEachPairIsWrongFarOftener) {
  std::mt19937_64 generator(20261123);
  int wrong = 0;
  for (int run = 0; run < 400; ++run) {
    Samples differences;
    for (int i = 0; i < 60; ++i) {
      differences.push_back(std::normal_distribution<>(0, 1)(generator));
      if (differences.size() >= 5 && signed_rank_greater(differences) <= .05) {
        ++wrong;
        break;
      }
    }
  }
  EXPECT_GT(wrong, 80) << "of 400, where 20 are allowed";
}

TEST(Looks, ABoundExcludesExactlyWhatTheTestExcludes) {
  std::mt19937_64 generator(3);
  for (int run = 0; run < 50; ++run) {
    Samples differences(4 + run % 20), baseline(2 + run % 7), current(3 + run % 15);
    for (double& x : differences) x = std::normal_distribution<>(1, 1)(generator);
    for (double& x : baseline) x = std::normal_distribution<>(0, 1)(generator);
    for (double& x : current) x = std::normal_distribution<>(2, 1)(generator);
    const ShiftEstimate pairs = pairs_at_any_stop(differences, .05);
    if (pairs.lower) {
      EXPECT_LE(pairs_greater_at_any_stop(differences, *pairs.lower - 1e-9), .05 * (1 + 1e-9));
      EXPECT_GT(pairs_greater_at_any_stop(differences, *pairs.lower + 1e-9), .05);
      EXPECT_LE(*pairs.lower, pairs.shift);
    } else {
      EXPECT_GT(pairs_greater_at_any_stop(differences, -1e6), .05);
    }
    const ShiftEstimate ranks = ranks_at_any_stop(baseline, current, .05);
    if (ranks.lower) {
      EXPECT_LE(ranks_greater_at_any_stop(baseline, current, *ranks.lower - 1e-9), .05 * (1 + 1e-9));
      EXPECT_GT(ranks_greater_at_any_stop(baseline, current, *ranks.lower + 1e-9), .05);
    }
  }
}

// Swapping the sides, or the sign of the scale, mirrors all that is said; a worse value never makes worse look less likely.
TEST(Looks, SwapsMirrorAndWorseValuesNeverExcuse) {
  std::mt19937_64 generator(4);
  for (int run = 0; run < 200; ++run) {
    Samples d(3 + run % 12), b(2 + run % 6), c(2 + run % 9);
    for (auto* side : {&d, &b, &c}) {
      for (double& x : *side) x = std::round(4 * std::normal_distribution<>(.5, 1)(generator)) / 4;
    }
    Samples mirrored = d;
    for (double& x : mirrored) x = -x;
    const ShiftEstimate one = pairs_at_any_stop(d, .05), other = pairs_at_any_stop(mirrored, .05);
    EXPECT_EQ(one.lower.has_value(), other.upper.has_value());
    if (one.lower) {
      EXPECT_EQ(*one.lower, -*other.upper);
    }

    const double before = pairs_greater_at_any_stop(d, .25), ranked = ranks_greater_at_any_stop(b, c, .25);
    d[generator() % d.size()] += 1;
    c[generator() % c.size()] += 1;
    EXPECT_LE(pairs_greater_at_any_stop(d, .25), before * (1 + 1e-12));
    EXPECT_LE(ranks_greater_at_any_stop(b, c, .25), ranked * (1 + 1e-12));
  }
}

TEST(Blocks, EachBlockRunsEachSideOnceAndPairsAreMirrored) {
  for (const std::uint64_t seed : {0U, 1U, 99U}) {
    int first = 0;
    for (std::uint32_t block = 1; block <= 40; ++block) {
      auto order = block_order(seed, block, 2);
      first += order.front() == 0 ? 1 : 0;
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1}));
    }
    EXPECT_EQ(first, 20) << "each side comes first in half of the blocks";
    auto three = block_order(seed, 5, 3);
    std::sort(three.begin(), three.end());
    EXPECT_EQ(three, (std::vector<std::uint32_t>{0, 1, 2}));
  }
  EXPECT_EQ(block_order(5, 3, 4), block_order(5, 3, 4));
}

TEST(Blocks, TheSeedDrawsTheOrder) {
  std::vector<int> firsts(4);
  for (std::uint32_t block = 1; block <= 400; ++block) ++firsts[block_order(11, block, 4).front()];
  for (const int n : firsts) EXPECT_NEAR(n, 100, 40);
}

}  // namespace
}  // namespace plumbline::core
