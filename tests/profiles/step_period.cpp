// The period of a sequence of kernels: what repeats, although layers repeat inside it and nothing repeats exactly.
#include "profiles/analysis/steps/step_period.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace plumbline::profiles {
namespace {

using Sequence = std::vector<std::uint32_t>;

std::optional<Period> period_of(const Sequence& names) {
  std::uint32_t count = 0;
  for (const std::uint32_t name : names) count = std::max(count, name + 1);
  return find_period(names, count);
}

// Embedding, `layers` times a layer of 12 kernels, head, loss; names 0.. as they come.
Sequence model(int layers, bool training) {
  Sequence step = {0, 1};
  for (int i = 0; i < layers; ++i) {
    for (std::uint32_t k = 0; k < 12; ++k) step.push_back(10 + (k * 7) % 9);  // some names twice a layer
  }
  for (std::uint32_t k = 0; k < 15; ++k) step.push_back(30 + k);
  if (training) {
    for (int i = 0; i < layers; ++i) {
      for (std::uint32_t k = 0; k < 20; ++k) step.push_back(50 + k);
    }
    for (std::uint32_t k = 0; k < 60; ++k) step.push_back(80 + k % 3);  // the optimizer
  }
  return step;
}

Sequence times(const Sequence& step, int count) {
  Sequence result;
  for (int i = 0; i < count; ++i) result.insert(result.end(), step.begin(), step.end());
  return result;
}

Sequence with_extras(const Sequence& names, int one_in, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Sequence result;
  for (const std::uint32_t name : names) {
    if (random() % static_cast<std::uint64_t>(one_in) == 0) result.push_back(200 + static_cast<std::uint32_t>(random() % 5));
    if (random() % static_cast<std::uint64_t>(one_in) != 0) result.push_back(name);
  }
  return result;
}

TEST(Period, IsTheStepAndNotTheLayer) {
  for (const bool training : {false, true}) {
    for (const int layers : {1, 4, 12, 48}) {
      const Sequence step = model(layers, training);
      for (const int steps : {4, 7, 50}) {
        const auto period = period_of(times(step, steps));
        ASSERT_TRUE(period) << layers << " layers, " << steps << " steps";
        EXPECT_EQ(period->length, static_cast<double>(step.size())) << layers << " layers, " << steps << " steps";
        EXPECT_EQ(period->alike, 1);
      }
    }
  }
}

TEST(Period, StandsAFewKernelsTooManyOrTooFew) {
  int right = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Sequence step = model(12, seed % 2 == 0);
    const auto period = period_of(with_extras(times(step, 20), 50, seed));
    if (period && std::abs(period->length - static_cast<double>(step.size())) < 0.05 * static_cast<double>(step.size())) ++right;
  }
  EXPECT_EQ(right, 50);
}

TEST(Period, IsOneStepWhenSomethingRunsEverySecond) {
  const Sequence step = model(12, true);
  Sequence names;
  for (int i = 0; i < 20; ++i) {
    names.insert(names.end(), step.begin(), step.end());
    if (i % 2 == 1) names.push_back(199);  // a log
  }
  const auto period = period_of(names);
  ASSERT_TRUE(period);
  EXPECT_LE(period->length, static_cast<double>(step.size() + 1));
}

TEST(Period, OfOneKernelIsOne) {
  const auto period = period_of(Sequence(1000, 0));
  ASSERT_TRUE(period);
  EXPECT_EQ(period->length, 1);
  EXPECT_EQ(period->anchors, Sequence{0});
}

TEST(Period, NamesEveryKernelThatRunsOnceInIt) {
  const auto period = period_of(times({0, 1, 2, 1, 3}, 10));
  ASSERT_TRUE(period);
  EXPECT_EQ(period->length, 5);
  std::vector<std::uint32_t> anchors = period->anchors;
  std::sort(anchors.begin(), anchors.end());
  EXPECT_EQ(anchors, (Sequence{0, 2, 3}));
}

TEST(Period, IsNotFoundWhereNothingRepeats) {
  EXPECT_FALSE(period_of({}));
  EXPECT_FALSE(period_of({0, 1, 2}));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto kinds = static_cast<std::uint32_t>(3 + random() % 60);
    Sequence names;
    for (int i = 0; i < 3000; ++i) names.push_back(static_cast<std::uint32_t>(random() % kinds));
    EXPECT_FALSE(period_of(names)) << seed;
    std::sort(names.begin(), names.end());  // one kind after the other
    EXPECT_FALSE(period_of(names)) << seed;
  }
}

}  // namespace
}  // namespace plumbline::profiles
