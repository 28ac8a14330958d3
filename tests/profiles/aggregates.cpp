// Events by name: the figures of `nsys stats`, the longest instance, launch shapes.
#include "profiles/analysis/aggregates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "tests/profiles/capture_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

Aggregates kernels_of(const Capture& capture) {
  Aggregates result;
  EXPECT_TRUE(aggregate(capture.ops.times, capture.ops.name, capture.names, {capture.ops.kind, {OpKind::kernel}}, result));
  return result;
}

TEST(Aggregates, AreTheFiguresOfNsysStats) {
  Maker maker;
  for (const std::int64_t length : {2971823, 333015608}) maker.op("sem_wait", 0, length, {});
  for (const std::int64_t length : {1, 2, 3, 40}) maker.op("four", 0, length, {});
  maker.op("once", 5, 12, {});
  maker.op("copy", 5, 12, {}, OpKind::copy);
  const Aggregates all = kernels_of(maker.capture);
  ASSERT_EQ(all.rows.size(), 3U) << "copies were not asked for";
  EXPECT_EQ(all.rows[0].aggregate.count, 2U);
  EXPECT_EQ(all.rows[0].aggregate.total, 335987431);
  EXPECT_NEAR(all.rows[0].aggregate.stddev, 233376198.5, 0.05) << "as a real report prints it";
  EXPECT_EQ(all.rows[0].aggregate.median, 167993715.5);
  EXPECT_EQ(all.rows[1].aggregate.median, 2.5);
  EXPECT_EQ(all.rows[1].aggregate.min, 1);
  EXPECT_EQ(all.rows[1].aggregate.max, 40);
  EXPECT_EQ(all.rows[2].aggregate.stddev, 0);
  EXPECT_EQ(all.total, 335987431 + 46 + 7);
}

TEST(Aggregates, AgreeWithSorting) {
  std::mt19937_64 random(5);
  Maker maker;
  std::map<std::string, std::vector<std::int64_t>> plain;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "k" + std::to_string(random() % 37);
    // Now and then longer than 32 bits hold.
    const auto length = static_cast<std::int64_t>(random() % (random() % 50 == 0 ? 20'000'000'000 : 100'000));
    plain[name].push_back(length);
    maker.op(name, i, i + length, {});
  }
  const Aggregates all = kernels_of(maker.capture);
  ASSERT_EQ(all.rows.size(), plain.size());
  for (std::size_t row = 0; row < all.rows.size(); ++row) {
    std::vector<std::int64_t>& values = plain[all.rows[row].name];
    const std::int64_t longest = *std::max_element(values.begin(), values.end());
    EXPECT_EQ(maker.capture.ops.times.length(all.slowest[row]), longest);
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    long double sum = 0, squares = 0;
    for (const std::int64_t value : values) sum += static_cast<long double>(value);
    for (const std::int64_t value : values) {
      const long double away = static_cast<long double>(value) - sum / static_cast<long double>(n);
      squares += away * away;
    }
    const Aggregate& figures = all.rows[row].aggregate;
    EXPECT_EQ(figures.count, n);
    EXPECT_EQ(figures.total, static_cast<std::int64_t>(sum));
    EXPECT_EQ(figures.min, values.front());
    EXPECT_EQ(figures.max, longest);
    EXPECT_EQ(figures.median, static_cast<double>(values[(n - 1) / 2] + values[n / 2]) / 2);
    const double stddev = n > 1 ? std::sqrt(static_cast<double>(squares / static_cast<long double>(n - 1))) : 0;
    EXPECT_NEAR(figures.stddev, stddev, 1e-9 * stddev);
  }
}

TEST(Aggregates, RefuseTimesThatAddUpToCenturies) {
  Maker maker;
  for (int i = 0; i < 3; ++i) maker.op("k", 0, std::int64_t{1} << 60, {});
  Aggregates out;
  EXPECT_FALSE(aggregate(maker.capture.ops.times, maker.capture.ops.name, maker.capture.names, {}, out));
  const auto profile = analyse(std::move(maker.capture), {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "the times in the capture add up to more than 73 years: the capture is damaged");
}

TEST(Aggregates, SayWhereTheLongestInstanceIs) {
  Maker maker;
  maker.op("k", 100, 110, {0, 7});
  maker.op("k", 200, 230, {1, 13});
  maker.op("k", 300, 330, {0, 7});
  Aggregates all = kernels_of(maker.capture);
  add_places(maker.capture, all);
  const core::ProfilePlace& place = all.rows[0].slowest;
  EXPECT_EQ(place.device, 1);
  EXPECT_EQ(place.stream, 13);
  EXPECT_EQ(place.start_ns, 200) << "of equally long ones the first";
  EXPECT_EQ(place.duration_ns, 30);
}

std::uint32_t shape(Maker& maker, std::uint32_t grid) { return maker.capture.launch_shapes.id({{grid, 2, 1}, {256, 1, 1}}); }

TEST(Shapes, SumToTheKernel) {
  Maker maker;
  maker.op("k", 0, 10, {}, OpKind::kernel, kNone, shape(maker, 8));
  maker.op("k", 0, 30, {}, OpKind::kernel, kNone, shape(maker, 4096));
  maker.op("k", 0, 15, {}, OpKind::kernel, kNone, shape(maker, 8));
  maker.op("k", 0, 3, {});
  maker.op("shapeless", 0, 3, {});
  Aggregates all = kernels_of(maker.capture);
  add_shapes(maker.capture, all);
  const std::vector<Share>& shapes = all.rows[0].shapes;
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0].name, "(4096,2,1)x(256,1,1)");
  EXPECT_EQ(shapes[0].total, 30);
  EXPECT_EQ(shapes[1].name, "(8,2,1)x(256,1,1)");
  EXPECT_EQ(shapes[1].count, 2U);
  EXPECT_EQ(shapes[1].total, 25);
  EXPECT_EQ(shapes[2].name, "unknown");
  EXPECT_EQ(shapes[2].total, 3);
  EXPECT_TRUE(all.rows[1].shapes.empty());
}

TEST(Shapes, BeyondSixtyFourAreOne) {
  Maker maker;
  for (std::uint32_t i = 1; i <= 200; ++i) maker.op("k", 0, 10 + i, {}, OpKind::kernel, kNone, shape(maker, i));
  Aggregates all = kernels_of(maker.capture);
  add_shapes(maker.capture, all);
  const std::vector<Share>& shapes = all.rows[0].shapes;
  ASSERT_EQ(shapes.size(), 65U);
  EXPECT_EQ(shapes[0].total, 210);
  EXPECT_EQ(shapes[64].name, "other");
  EXPECT_EQ(shapes[64].count, 136U);
  std::int64_t sum = 0;
  for (const Share& each : shapes) sum += each.total;
  EXPECT_EQ(sum, all.rows[0].aggregate.total);
}

}  // namespace
}  // namespace plumbline::profiles::test
