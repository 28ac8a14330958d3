#include "core/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace plumbline::core {
namespace {

TEST(ParseTolerance, reads_the_three_kinds) {
  struct Case {
    const char* spec;
    ToleranceKind kind;
    double value;
    const char* text;
  };
  const Case cases[] = {{"5%", ToleranceKind::percent, 5, "5%"},       {"5", ToleranceKind::percent, 5, "5%"},
                        {"0.5", ToleranceKind::percent, .5, "0.5%"},   {" 2.5 % ", ToleranceKind::percent, 2.5, "2.5%"},
                        {"2abs", ToleranceKind::absolute, 2, "2 abs"}, {"1e-3 abs", ToleranceKind::absolute, .001, "0.001 abs"},
                        {"2pp", ToleranceKind::points, 2, "2 pp"},     {"0%", ToleranceKind::percent, 0, "0%"},
                        {"-0%", ToleranceKind::percent, 0, "0%"}};
  for (const Case& c : cases) {
    const auto tolerance = parse_tolerance(c.spec);
    ASSERT_TRUE(tolerance) << c.spec;
    EXPECT_EQ(tolerance->kind, c.kind) << c.spec;
    EXPECT_EQ(tolerance->value, c.value) << c.spec;
    EXPECT_EQ(tolerance_text(*tolerance), c.text);
  }
}

TEST(ParseTolerance, says_what_a_spec_may_be) {
  constexpr const char* hint = "write 5% (of the baseline), 2abs (in the metric's unit) or 2pp (percentage points)";
  const std::pair<const char*, const char*> cases[] = {{"", "tolerance \"\" is not a number with %, abs or pp"},
                                                       {"five", "tolerance \"five\" is not a number with %, abs or pp"},
                                                       {"5ms", "tolerance \"5ms\" is not a number with %, abs or pp"},
                                                       {"%", "tolerance \"%\" is not a number with %, abs or pp"},
                                                       {"5%%", "tolerance \"5%%\" is not a number with %, abs or pp"},
                                                       {"-1%", "tolerance \"-1%\" must not be negative"},
                                                       {"inf%", "tolerance \"inf%\" must be finite"},
                                                       {"nan", "tolerance \"nan\" must be finite"},
                                                       {"1e999", "tolerance \"1e999\" must be finite"}};
  for (const auto& [spec, message] : cases) {
    const auto tolerance = parse_tolerance(spec);
    ASSERT_FALSE(tolerance) << spec;
    EXPECT_EQ(tolerance.error().code, ErrorCode::usage);
    EXPECT_EQ(tolerance.error().message, message);
    EXPECT_EQ(tolerance.error().hint, hint);
  }
}

TEST(ToleranceKinds, have_names) {
  EXPECT_EQ(to_string(ToleranceKind::percent), "percent");
  EXPECT_EQ(to_string(ToleranceKind::absolute), "absolute");
  EXPECT_EQ(to_string(ToleranceKind::points), "points");
}

TEST(ChangeOnScale, percent_is_of_the_baselines_size) {
  const Tolerance percent{ToleranceKind::percent, 5, Source::defaulted, ""};
  EXPECT_DOUBLE_EQ(change_on_scale(percent, 100, 106, "ms"), 6);
  EXPECT_DOUBLE_EQ(change_on_scale(percent, 100, 90, "ms"), -10);
  EXPECT_DOUBLE_EQ(change_on_scale(percent, -100, -90, "ms"), 10);
  EXPECT_EQ(change_on_scale(percent, 0, 0, "ms"), 0);
  EXPECT_EQ(change_on_scale(percent, 0, 1, "ms"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(change_on_scale(percent, 0, -1, "ms"), std::numeric_limits<double>::infinity());
}

TEST(ChangeOnScale, points_know_percentages_from_fractions) {
  const Tolerance points{ToleranceKind::points, 2, Source::defaulted, ""};
  EXPECT_DOUBLE_EQ(change_on_scale(points, 90, 88, "%"), -2);
  EXPECT_DOUBLE_EQ(change_on_scale(points, .90, .88, "ratio"), -2);
  EXPECT_DOUBLE_EQ(change_on_scale(points, .90, .88, "fraction"), -2);
  EXPECT_DOUBLE_EQ(change_on_scale(points, .90, .88, ""), -2);
  const Tolerance absolute{ToleranceKind::absolute, 2, Source::defaulted, ""};
  EXPECT_DOUBLE_EQ(change_on_scale(absolute, 1000, 1006, "ms"), 6);
}

TEST(Exceeds, exactly_at_tolerance_is_within_whatever_the_last_bit_says) {
  const Tolerance five{ToleranceKind::percent, 5, Source::defaulted, ""};
  const std::pair<double, double> at[] = {{100, 105},      {100, 95},       {0.1, 0.105}, {3, 3.15},
                                          {1e-9, 1.05e-9}, {7e18, 7.35e18}, {310, 325.5}};
  for (const auto& [baseline, current] : at)
    EXPECT_FALSE(exceeds(five, change_on_scale(five, baseline, current, ""))) << baseline;
  EXPECT_TRUE(exceeds(five, change_on_scale(five, 100, 105.0000001, "")));
  EXPECT_TRUE(exceeds(five, change_on_scale(five, 100, 94.9999999, "")));
}

TEST(Exceeds, of_no_tolerance_any_change) {
  const Tolerance zero{ToleranceKind::percent, 0, Source::defaulted, ""};
  EXPECT_FALSE(exceeds(zero, 0));
  EXPECT_TRUE(exceeds(zero, 1e-300));
  EXPECT_TRUE(exceeds(zero, -std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace plumbline::core
