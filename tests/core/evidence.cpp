// The parts that row evidence is made of, against goldens from their definitions (evidence_goldens.py beside this file) and at
// their edges.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "core/evidence/scale.hpp"
#include "core/evidence/scatter.hpp"
#include "core/evidence/suite_effect.hpp"
#include "core/evidence/tests_of_means.hpp"
#include "core/text.hpp"
#include "tests/core/goldens.hpp"

namespace plumbline::core {
namespace {

template <class Check>
int for_goldens(std::string_view kind, Check check) {
  return for_goldens_in("evidence_goldens.tsv", kind, check);
}

TEST(StudentsT, TailsAreTheIntegralOfTheDensity) {
  EXPECT_EQ(for_goldens("student",
                        [](const auto& f) {
                          const double tail = number(f[3]);
                          EXPECT_NEAR(student_upper_tail(number(f[1]), number(f[2])), tail, 1e-9 + 1e-7 * tail);
                          EXPECT_NEAR(student_upper_quantile(tail, number(f[2])), number(f[1]), 1e-4);
                        }),
            30);
}

TEST(StudentsT, EndsAreCertainAndNothingIsNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(student_upper_tail(infinity, 3), 0);
  EXPECT_EQ(student_upper_tail(-infinity, 3), 1);
  EXPECT_EQ(student_upper_tail(std::nan(""), 3), 1);
  EXPECT_EQ(student_upper_tail(2, 0), 1);
}

TEST(VarianceOfAClass, MedianOfAVarianceLiesBelowItsMean) {
  EXPECT_EQ(
      for_goldens("chi_square_median",
                  [](const auto& f) { EXPECT_NEAR(variance_median_factor(number(f[1])), number(f[2]) / number(f[1]), 1e-6); }),
      6);
  EXPECT_EQ(variance_median_factor(0), 1);
}

TEST(VarianceOfAClass, HowAlikeRowsScatterIsReadFromTheLogarithmsOfTheirVariances) {
  EXPECT_EQ(for_goldens("variance_degrees",
                        [](const auto& f) {
                          std::vector<SampleVariance> variances;
                          for (const double v : numbers(f[2])) variances.push_back({v, number(f[1])});
                          const double degrees = number(f[3]);
                          if (std::isinf(degrees)) {
                            EXPECT_EQ(variance_degrees(variances), degrees);
                          } else {
                            EXPECT_NEAR(variance_degrees(variances), degrees, 1e-5 * degrees);
                          }
                        }),
            5);
}

TEST(VarianceOfAClass, OfNoOrOneRowOrWithoutVarianceIsAlike) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(variance_degrees({}), infinity);
  EXPECT_EQ(variance_degrees(std::vector<SampleVariance>{{1, 2}}), infinity);
  EXPECT_EQ(variance_degrees(std::vector<SampleVariance>{{0, 2}, {0, 2}, {3, 0}, {1, 2}}), infinity);
}

TEST(CorrelatedTrials, CountAsFewerBySumsOverTheCorrelationMatrix) {
  EXPECT_EQ(for_goldens("ar1",
                        [](const auto& f) {
                          const auto n = static_cast<std::size_t>(number(f[2]));
                          EXPECT_NEAR(Correlation{number(f[1])}.inflation(n), number(f[3]), 1e-9);
                          const double excess = number(f[4]) + 1 / number(f[2]);
                          EXPECT_NEAR(correlation_from_lag(excess, n).rho, number(f[1]), 1e-9);
                        }),
            12);
}

TEST(CorrelatedTrials, NoneWhereNothingExceedsIndependenceAndNeverAllOfIt) {
  EXPECT_EQ(correlation_from_lag(0, 10).rho, 0);
  EXPECT_EQ(correlation_from_lag(-0.3, 10).rho, 0);
  EXPECT_EQ(correlation_from_lag(0.5, 2).rho, 0);
  EXPECT_EQ(correlation_from_lag(2, 10).rho, 0.95);
  EXPECT_EQ(Correlation{0}.inflation(10), 1);
}

TEST(Trend, IsCountedOverAllOrders) {
  EXPECT_EQ(for_goldens("trend", [](const auto& f) { EXPECT_NEAR(trend_p(numbers(f[1])), number(f[2]), 1e-12); }), 5);
}

TEST(Trend, TiesAndFewValuesSayLittle) {
  EXPECT_EQ(trend_p(Samples{1, 2}), 1);
  EXPECT_EQ(trend_p(Samples{3, 3, 3, 3, 3, 3}), 1);
  EXPECT_LT(trend_p(Samples{1, 1, 2, 2, 3, 3, 4, 4, 5, 5}), 0.001);
  Samples rising(60);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<double>(i);
  EXPECT_LT(trend_p(rising), 1e-6);
}

TEST(ModeratedT, IsWelchsWithThePriorsDegrees) {
  EXPECT_EQ(
      for_goldens("welch",
                  [](const auto& f) {
                    const SideMoments a = side_moments(numbers(f[1]));
                    const SideMoments b = side_moments(numbers(f[2]));
                    const double degrees = number(f[4]);
                    const DifferenceVariance v = difference_variance(a, {number(f[5]), degrees}, b, {number(f[6]), degrees});
                    EXPECT_NEAR(v.degrees, number(f[8]), 1e-9);
                    EXPECT_NEAR(mean_difference_greater(b.mean - a.mean, number(f[3]), v), number(f[7]), 1e-8);
                  }),
      3);
}

TEST(ModeratedT, WithoutVarianceTheLimitItselfDecides) {
  const SideMoments same = side_moments(Samples{2, 2, 2});
  const DifferenceVariance none = difference_variance(same, {}, same, {});
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(mean_difference_greater(0.1, 0.1, none), 1) << "exactly at the limit is within it";
  EXPECT_EQ(mean_difference_greater(0.1 + 1e-15, 0.1, none), 1) << "and so is the last bit";
  EXPECT_EQ(mean_difference_greater(0.1001, 0.1, none), 0);
}

TEST(Moments, KeepTheOrderOfTheTrials) {
  const SideMoments m = side_moments(Samples{1, 2, 6});
  EXPECT_EQ(m.mean, 3);
  EXPECT_EQ(m.squares, 4 + 1 + 9);
  EXPECT_EQ(m.lag_squares, 2 - 3);
  EXPECT_EQ(m.variance(), 7);
  EXPECT_EQ(side_moments({}).trials, 0U);
}

// ---- scatter of single runs ----

TEST(ShortestShare, HoldsSixtyPercentAndIgnoresWhereTheyLie) {
  EXPECT_EQ(shortest_share_spread(Samples{0, 1}), 0);
  EXPECT_DOUBLE_EQ(shortest_share_spread(Samples{0, 1, 5}), 5 / 1.6832) << "three at least";
  EXPECT_DOUBLE_EQ(shortest_share_spread(Samples{0, 1, 2, 10, 20}), 2 / 1.6832);
  EXPECT_DOUBLE_EQ(shortest_share_spread(Samples{100, 101, 102, 110, 120}), 2 / 1.6832);
  EXPECT_DOUBLE_EQ(shortest_share_spread(Samples{0, 0, 0, 0, 0, 0, 7, 8, 9, 10}), 0) << "six of ten";
}

// Differences that scatter by `low` in the smaller half of the sizes and by `high` in the other.
struct Sized {
  Samples sizes, differences;
  Sized(std::size_t rows, double low, double high) {
    for (std::size_t i = 0; i < rows; ++i) {
      sizes.push_back(static_cast<double>(i));
      differences.push_back((i < rows / 2 ? low : high) * (static_cast<double>(i * 7 % 24) - 11.5) / 11.5);
    }
  }
  [[nodiscard]] std::vector<std::size_t> parts() const {
    std::vector<std::size_t> rows;
    for (const auto& part : parts_by_size(sizes, differences)) rows.push_back(part.size());
    return rows;
  }
};
using Parts = std::vector<std::size_t>;

TEST(PartsBySize, AreCutWhereTheNoiseIsMoreThanTwiceThatOfTheOtherHalf) {
  EXPECT_EQ(Sized(96, 0.2, 0.002).parts(), (Parts{48, 48}));
  EXPECT_EQ(Sized(96, 0.002, 0.2).parts(), (Parts{48, 48})) << "whichever end it is";
  EXPECT_EQ(Sized(96, 0.2, 0.2).parts(), Parts{96});
  EXPECT_EQ(Sized(96, 0.2, 0.1).parts(), Parts{96}) << "exactly twice";
  EXPECT_EQ(Sized(96, 0.2, 0.0999).parts(), (Parts{48, 48}));
  EXPECT_EQ(Sized(96, 0.2, 0).parts(), Parts{96}) << "values that do not scatter at all are no measure";
}

TEST(PartsBySize, HoldTwentyFourRowsOrMore) {
  EXPECT_EQ(Sized(48, 0.2, 0.002).parts(), (Parts{24, 24}));
  EXPECT_EQ(Sized(47, 0.2, 0.002).parts(), Parts{47});
  Sized none(96, 0.2, 0.002);
  none.sizes[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(none.parts(), Parts{96}) << "a row without a size";
}

TEST(PartsBySize, KeepRowsOfOneSizeTogetherAndDoNotMindTheOrder) {
  Sized few(96, 0.2, 0.002);
  for (double& size : few.sizes) size = size < 40 ? 1 : 2;
  const auto parts = parts_by_size(few.sizes, few.differences);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].size(), 40U);
  Sized turned(96, 0.2, 0.002);
  std::reverse(turned.sizes.begin(), turned.sizes.end());
  std::reverse(turned.differences.begin(), turned.differences.end());
  EXPECT_EQ(turned.parts(), (Parts{48, 48}));
}

TEST(PartsBySize, AreCutWhereOneHalfChangedAsAWhole) {
  const auto changed = [](double by, double noise) {
    Sized out(96, noise, noise);
    for (std::size_t i = 48; i < 96; ++i) out.differences[i] += by;
    return out.parts();
  };
  EXPECT_EQ(changed(0.12, 0.01), (Parts{48, 48}));
  EXPECT_EQ(changed(-0.12, 0.01), (Parts{48, 48})) << "for better or worse";
  EXPECT_EQ(changed(0.12, 0), (Parts{48, 48})) << "numbers that repeat exactly";
  EXPECT_EQ(changed(0.01, 0.02), Parts{96}) << "within the noise";
}

TEST(WorseQuantile, IsThatOfTheWorseSideAlone) {
  Samples worse(20);
  for (std::size_t i = 0; i < worse.size(); ++i) worse[i] = static_cast<double>(i + 1);
  EXPECT_EQ(worse_quantile(worse), 9);
  Samples with_improved(500, -3.0);
  with_improved.insert(with_improved.end(), worse.begin(), worse.end());
  EXPECT_EQ(worse_quantile(with_improved), 9) << "rows that improved, however many, do not touch it";
  worse.front() = 0;
  EXPECT_EQ(worse_quantile(worse), 0) << "19 are too few, and 0 is not worse";
}

TEST(Multipliers, HaveTheFiguresOfTheMethod) {
  const auto k = [](std::size_t m) { return spread_multiplier(m, m); };
  EXPECT_NEAR(k(5), 15.5, 0.05);
  EXPECT_NEAR(k(10), 13.3, 0.05);
  EXPECT_NEAR(k(20), 10.0, 0.05);
  EXPECT_NEAR(k(50), 5.3, 0.05);
  EXPECT_NEAR(k(300), 6.7, 0.05);
  EXPECT_NEAR(k(3000), 14.4, 0.05);
  EXPECT_NEAR(worse_quantile_multiplier(100, 100), std::hypot(2 * std::cbrt(100.0), 10), 1e-12);
  EXPECT_DOUBLE_EQ(median_multiplier(20), 6.2);
  EXPECT_EQ(known_spread_multiplier(1), 3);
  EXPECT_DOUBLE_EQ(known_spread_multiplier(1000), 10);
}

TEST(Multipliers, RiseOnlyWithTheRowsThatAreJudged) {
  for (std::size_t m = 5; m < 300; m += 7) {
    EXPECT_GT(spread_multiplier(m, 6000), spread_multiplier(m + 7, 6000)) << "a larger class knows its scatter better";
    EXPECT_LT(spread_multiplier(m, m), spread_multiplier(m, m + 1)) << "more rows judged reach further";
  }
}

TEST(UnequalRuns, WidenToWhatTheShorterSideWouldHave) {
  EXPECT_DOUBLE_EQ(unequal_runs_factor(1, 1), 1);
  EXPECT_DOUBLE_EQ(unequal_runs_factor(2, 2), 1);
  EXPECT_DOUBLE_EQ(unequal_runs_factor(1, 10), std::sqrt(2 / 1.1));
  EXPECT_DOUBLE_EQ(unequal_runs_factor(10, 1), unequal_runs_factor(1, 10));
}

// ---- classes ----

TEST(Classes, FewerThanFiveRowsJoinTheOthersOfTheirUnitAndDirection) {
  const Direction low = Direction::lower;
  const std::vector<ClassName> names = {{1, 7, low}, {2, 7, low}, {3, 7, low}, {4, 7, Direction::higher},
                                        {5, 8, low}, {6, 7, low}};
  const ClassGroups groups = group_classes(names, std::vector<std::uint32_t>{5, 4, 1, 2, 3, 0});
  EXPECT_EQ(groups.of_class, (std::vector<std::uint32_t>{0, 1, 1, 2, 3, kNoGroup}));
  EXPECT_EQ(groups.count, 4U);
}

TEST(Classes, AFlatFileOfManyNamesIsOneGroup) {
  std::vector<ClassName> names;
  for (Id i = 0; i < 300; ++i) names.push_back({i, 1, Direction::lower});
  EXPECT_EQ(group_classes(names, std::vector<std::uint32_t>(300, 1)).count, 1U);
}

TEST(Classes, MetricsOfFewRowsThatWereTakenTogetherStaySmall) {
  const std::vector<ClassName> names = {{kNoId, 7, Direction::lower}, {3, 7, Direction::lower}, {4, 7, Direction::lower}};
  const ClassGroups groups = group_classes(names, std::vector<std::uint32_t>{300, 5, 4});
  EXPECT_EQ(groups.of_class, (std::vector<std::uint32_t>{0, 1, 0}));
}

// ---- scale ----

RowScale scale_of(const Samples& baseline, double median, Direction direction, double tolerance, bool absolute = false) {
  return {baseline, median, direction, tolerance, ToleranceLogs(tolerance), absolute};
}

TEST(Scale, IsOrientedSoThatMoreIsWorse) {
  const Samples b = {100};
  const RowScale lower = scale_of(b, 100, Direction::lower, 0.05);
  const RowScale higher = scale_of(b, 100, Direction::higher, 0.05);
  EXPECT_NEAR(lower(110) - lower(100), std::log(1.1), 1e-15);
  EXPECT_NEAR(higher(110) - higher(100), -std::log(1.1), 1e-15);
  EXPECT_NEAR(lower.limit(), std::log(1.05), 1e-15);
  EXPECT_NEAR(higher.limit(), -std::log(0.95), 1e-15);
  EXPECT_EQ(scale_of(b, 100, Direction::higher, 1).limit(), std::numeric_limits<double>::infinity()) << "none can lose more";
}

TEST(Scale, BaselinesThatAreNotPositiveAreComparedByDifferences) {
  const RowScale relative = scale_of(Samples{-4, 0, 8}, 4, Direction::lower, 0.05);
  EXPECT_EQ(relative.way(), Way::relative);
  EXPECT_DOUBLE_EQ(relative(6) - relative(4), 0.5);
  EXPECT_DOUBLE_EQ(relative.limit(), 0.05);
  const RowScale of_nothing = scale_of(Samples{0}, 0, Direction::lower, 0.05);
  EXPECT_EQ(of_nothing.limit(), 0) << "any share of nothing is nothing";
  const RowScale absolute = scale_of(Samples{0.9}, 0.9, Direction::higher, 0.01, true);
  EXPECT_EQ(absolute.way(), Way::absolute);
  EXPECT_NEAR(absolute(0.85) - absolute(0.9), 0.05, 1e-15);
}

TEST(Scale, ACurrentValueOfNothingIsAMillionthOfTheBaseline) {
  const RowScale higher = scale_of(Samples{100}, 100, Direction::higher, 0.05);
  EXPECT_DOUBLE_EQ(higher(0) - higher(100), std::log(1e6));
  EXPECT_EQ(higher(-5), higher(0));
}

TEST(Scale, IsFiniteForWhateverIsFinite) {
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  for (const Direction direction : {Direction::lower, Direction::higher, Direction::two_sided}) {
    for (const Samples& baseline :
         {Samples{least}, Samples{1e-310, 1e300}, Samples{1}, Samples{most}, Samples{-least, 0, least}, Samples{-most, most}}) {
      for (const double median : {0.0, least, -1e-310, 1.0, most}) {
        const RowScale scale = scale_of(baseline, median, direction, 0.05);
        double before = scale(-most);
        for (const double value : {-1.0, -least, 0.0, least, 1e-310, 1.0, most}) {
          const double now = scale(value);
          EXPECT_TRUE(std::isfinite(now)) << value << " beside " << baseline.front();
          if (direction == Direction::higher) EXPECT_LE(now, before);
          if (direction != Direction::higher) EXPECT_GE(now, before);
          before = now;
        }
      }
    }
  }
}

// ---- suite effect ----

TEST(SuiteEffect, VarianceIsThatOfTheTrialsMeansOverRows) {
  // Two rows of three trials on each side; means over rows by trial: baseline 1, 2, 3 and current 4, 6, 5.
  SuiteSide baseline;
  SuiteSide current;
  for (const Samples& row : {Samples{0, 1, 2}, Samples{2, 3, 4}}) baseline.add(row, side_moments(row));
  for (const Samples& row : {Samples{3, 5, 4}, Samples{5, 7, 6}}) current.add(row, side_moments(row));
  EXPECT_NEAR(baseline.shown(2).value, 1.0 / 3, 1e-12);
  EXPECT_NEAR(baseline.shown(2).degrees, 2, 1e-12);
  EXPECT_NEAR(baseline.independent(2), 2 * (1.0 / 3) / 4, 1e-12);
  // The rows move together, twice as far as independent rows would: it stands as it is, by Welch.
  const DifferenceVariance variance = suite_variance(baseline, current, 2, 1, 1);
  EXPECT_NEAR(variance.value, 2.0 / 3, 1e-12);
  EXPECT_NEAR(variance.degrees, 4, 1e-12);
}

TEST(SuiteEffect, IndependentRowsLendTheirDegrees) {
  SuiteSide baseline;
  SuiteSide current;
  for (const Samples& row : {Samples{0, 1, 2}, Samples{2, 1, 0}}) {
    baseline.add(row, side_moments(row));
    current.add(row, side_moments(row));
  }
  // The trials' means do not vary here; the two rows say what they should, and count as half a degree.
  const DifferenceVariance variance = suite_variance(baseline, current, 2, 1, 1);
  EXPECT_NEAR(variance.value, 0.5 * (1.0 / 3) / (1 + 0.5), 1e-12);
  EXPECT_NEAR(variance.degrees, 1.5, 1e-12);
}

TEST(SuiteEffect, WhatIsRemovedLeavesNothing) {
  SuiteSide side;
  const Samples kept = {1, 4, 2};
  const Samples gone = {9, 1, 3};
  side.add(kept, side_moments(kept));
  const double before = side.shown(1).value;
  side.add(gone, side_moments(gone));
  side.remove(gone, side_moments(gone));
  EXPECT_NEAR(side.shown(1).value, before, 1e-12);
  EXPECT_NEAR(side.trials(), 3, 1e-12);
}

}  // namespace
}  // namespace plumbline::core
