// The duration part of a row by launch shape, merged aggregates, and ranges whose names count up.
#include <cmath>
#include <random>

#include "profiles/diff/rows.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

NamedAggregate with_shapes(std::vector<Share> shapes) {
  NamedAggregate one;
  one.name = "k";
  for (const Share& shape : shapes) {
    one.aggregate.count += shape.count;
    one.aggregate.total += shape.total;
  }
  one.aggregate.has_spread = false;
  one.shapes = std::move(shapes);
  return one;
}

NamedAggregate range(std::string name, std::uint64_t count, std::int64_t total) {
  return {std::move(name), {count, total, 0, 0, 0, 0, false}};
}

TEST(ShapeEffects, TheSameShapesTakingLonger) {
  const NamedAggregate a = with_shapes({{"a", 10, 100}, {"b", 10, 300}});
  const NamedAggregate b = with_shapes({{"a", 10, 150}, {"b", 10, 300}});
  const auto row = make_row(&a, &b);
  EXPECT_EQ(row.duration_effect_ns, 50);
  EXPECT_EQ(row.same_shape_effect_ns, 50);
  EXPECT_EQ(row.shape_mix_effect_ns, 0);
}

TEST(ShapeEffects, OtherShapesLaunchedAtTheSameSpeed) {
  const NamedAggregate a = with_shapes({{"small", 10, 100}, {"large", 10, 300}});
  const NamedAggregate b = with_shapes({{"small", 5, 50}, {"large", 15, 450}});
  const auto row = make_row(&a, &b);
  EXPECT_EQ(row.count_effect_ns, 0);
  EXPECT_EQ(row.duration_effect_ns, 100);
  EXPECT_EQ(row.same_shape_effect_ns, 0);
  EXPECT_EQ(row.shape_mix_effect_ns, 100);
}

TEST(ShapeEffects, AShapeOfOneSideIsAllMix) {
  const NamedAggregate a = with_shapes({{"old", 10, 100}});
  const NamedAggregate b = with_shapes({{"new", 10, 400}});
  const auto row = make_row(&a, &b);
  EXPECT_EQ(row.same_shape_effect_ns, 0);
  EXPECT_EQ(row.shape_mix_effect_ns, 300);
}

TEST(ShapeEffects, NothingIsSaidWhereShapesAreNotAllKnown) {
  const NamedAggregate known = with_shapes({{"a", 10, 100}});
  NamedAggregate partly = with_shapes({{"a", 10, 100}});
  partly.aggregate.count += 1;
  for (const NamedAggregate& other : {partly, with_shapes({{"a", 9, 90}, {"other", 1, 10}}), with_shapes({{"unknown", 10, 100}}),
                                      with_shapes({{"a", 5, 50}, {"a", 5, 50}}), range("k", 10, 100)}) {
    EXPECT_FALSE(make_row(&known, &other).same_shape_effect_ns.has_value());
    EXPECT_FALSE(make_row(&other, &known).shape_mix_effect_ns.has_value());
  }
}

TEST(ShapeEffects, SumToTheDurationPartAndNegateWhenSwapped) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Share> shapes[2];
    for (auto& side : shapes) {
      for (std::size_t i = random() % 6 + 1; i > 0; --i)
        side.push_back({std::to_string(i), random() % 1000 + 1, static_cast<std::int64_t>(random() >> (8 + random() % 50))});
    }
    const NamedAggregate a = with_shapes(shapes[0]);
    const NamedAggregate b = with_shapes(shapes[1]);
    const auto forth = make_row(&a, &b);
    const auto back = make_row(&b, &a);
    ASSERT_TRUE(forth.same_shape_effect_ns && forth.shape_mix_effect_ns);
    EXPECT_EQ(*forth.same_shape_effect_ns + *forth.shape_mix_effect_ns, forth.duration_effect_ns);
    EXPECT_EQ(*forth.same_shape_effect_ns, -*back.same_shape_effect_ns);
    EXPECT_EQ(*forth.shape_mix_effect_ns, -*back.shape_mix_effect_ns);
  }
}

// The standard deviation of all instances: numpy.std([1, 2, 3, 10, 14], ddof=1) is 5.7008771254956896.
TEST(MergedAggregates, AreWhatAllInstancesAre) {
  NamedAggregate a{"a", {3, 6, 1, 3, 2, 1, true}};
  NamedAggregate b{"b", {2, 24, 10, 14, 12, std::sqrt(8.0), true}};
  a.slowest = {0, 7, 100, 3};
  b.slowest = {1, 8, 200, 14};
  a.shapes = {{"x", 3, 6}};
  b.shapes = {{"x", 1, 10}, {"y", 1, 14}};
  const NamedAggregate* const members[] = {&a, &b};
  const NamedAggregate all = merge_aggregates(members, "both");
  EXPECT_EQ(all.name, "both");
  EXPECT_EQ(all.aggregate.count, 5U);
  EXPECT_EQ(all.aggregate.total, 30);
  EXPECT_EQ(all.aggregate.min, 1);
  EXPECT_EQ(all.aggregate.max, 14);
  EXPECT_DOUBLE_EQ(all.aggregate.stddev, 5.7008771254956896);
  EXPECT_EQ(all.slowest.start_ns, 200);
  ASSERT_EQ(all.shapes.size(), 2U);
  EXPECT_EQ(all.shapes[0].name, "x");
  EXPECT_EQ(all.shapes[0].total, 16);
}

TEST(RangeRows, KeepTheirNumbersWhereBothSidesHaveTheSame) {
  const std::vector a = {range("layer 0", 5, 50), range("layer 1", 5, 60)};
  const std::vector b = {range("layer 0", 5, 55), range("layer 1", 5, 60)};
  const auto rows = compare_ranges(a, b);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "layer 0");
  EXPECT_EQ(rows[0].match_rule, "exact");
}

TEST(RangeRows, AreOneAKindWhereTheNumbersDiffer) {
  const std::vector a = {range("aten::mm, op_id = 1, seq = 7", 1, 50), range("aten::mm, op_id = 2", 1, 60),
                         range("forward", 2, 9)};
  const std::vector b = {range("aten::mm, op_id = 1", 1, 55), range("forward", 2, 9), range("step_17", 1, 4)};
  const auto rows = compare_ranges(a, b);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "aten::mm");
  EXPECT_EQ(rows[0].state, "matched");
  EXPECT_EQ(rows[0].match_rule, "canonical");
  EXPECT_EQ(rows[0].baseline_count, 2U);
  EXPECT_EQ(rows[0].baseline_ns, 110);
  EXPECT_EQ(rows[1].name, "step_17");  // nothing else resembles it
  EXPECT_EQ(rows[1].state, "new");
  EXPECT_EQ(rows[2].name, "forward");
  EXPECT_EQ(rows[2].match_rule, "exact");
}

}  // namespace
}  // namespace plumbline::profiles::test
