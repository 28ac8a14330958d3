// Sketches: how near their quantiles are, and that they add up in any order.
#include "profiles/digest/sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace plumbline::profiles::test {
namespace {

Sketch sketch_of(const std::vector<std::int64_t>& values) { return SketchMaker().of(std::span<const std::int64_t>(values)); }

double true_median(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? static_cast<double>(values[half])
                                : (static_cast<double>(values[half - 1]) + static_cast<double>(values[half])) / 2;
}

TEST(SketchBuckets, EachValueIsWithinOnePercentOfTheMiddleOfItsBucket) {
  std::uint32_t before = 0;
  for (std::int64_t value = 0; value < 1'000'000; ++value) {
    const std::uint32_t index = Sketch::index_of(value);
    ASSERT_TRUE(index == before || index == before + 1) << value << ": buckets follow one another";
    before = index;
    const double away = std::abs(Sketch::middle_of(index) - static_cast<double>(value));
    ASSERT_LE(away, static_cast<double>(value) / 128) << value;
    ASSERT_TRUE(value >= 128 || away == 0) << value;
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_LT(Sketch::index_of(most), Sketch::kBuckets);
  EXPECT_NEAR(Sketch::middle_of(Sketch::index_of(most)) / static_cast<double>(most), 1, 1.0 / 128);
}

TEST(Sketches, MediansAreWithinOnePercent) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::lognormal_distribution<double> length(std::uniform_real_distribution<double>(2, 20)(random), 0.7);
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < 1 + random() % 500; ++i) values.push_back(static_cast<std::int64_t>(length(random)));
    const double median = true_median(values);
    EXPECT_NEAR(sketch_of(values).median(), median, 0.01 * median);
  }
}

TEST(Sketches, AddUpToTheSketchOfAllWhateverTheOrder) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<std::int64_t>> parts(3);
    std::vector<std::int64_t> all;
    for (auto& part : parts) {
      for (std::size_t i = 0; i < random() % 60; ++i) part.push_back(static_cast<std::int64_t>(random() >> (1 + random() % 60)));
      all.insert(all.end(), part.begin(), part.end());
    }
    Sketch left = sketch_of(parts[0]);
    left.add(sketch_of(parts[1]));
    left.add(sketch_of(parts[2]));
    Sketch right = sketch_of(parts[2]);
    right.add(sketch_of(parts[1]));
    Sketch first = sketch_of(parts[0]);
    first.add(right);
    EXPECT_EQ(left, sketch_of(all));
    EXPECT_EQ(first, left);
    EXPECT_EQ(left.count(), all.size());
  }
}

TEST(Sketches, OfNothingSayNothing) {
  EXPECT_TRUE(sketch_of({}).empty());
  EXPECT_EQ(sketch_of({}).median(), 0);
  EXPECT_EQ(sketch_of({0, 0, 0}).median(), 0);
  EXPECT_EQ(sketch_of({0, 0, 0}).count(), 3U);
}

}  // namespace
}  // namespace plumbline::profiles::test
