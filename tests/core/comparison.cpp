// How two measurements meet row by row: matching, units, directions, tolerances at their exact boundaries, the three-way
// decision, and the properties that hold whatever the numbers.
#include "core/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/row_marks.hpp"
#include "core/text.hpp"
#include "tests/support/measurements.hpp"

namespace plumbline::core {
namespace {

using plumbline::testing::make_measurement;
using plumbline::testing::RowSpec;

struct Pair {
  std::shared_ptr<StringPool> pool = std::make_shared<StringPool>();
  Measurement baseline, current;
  CompareRules rules;
  Pair(const std::vector<RowSpec>& b, const std::vector<RowSpec>& c)
      : baseline(make_measurement(pool, b)), current(make_measurement(pool, c)) {}
  Comparison run() { return compare(baseline, current, rules); }
  Delta only() {
    Comparison c = run();
    EXPECT_EQ(c.deltas.size(), 1U);
    return c.deltas.at(0);
  }
};

KeyRule tolerance_rule(const std::string& glob, const std::string& spec, Source source = Source::flag) {
  KeyRule rule;
  rule.glob = glob;
  rule.source = source;
  rule.tolerance = *parse_tolerance(spec);
  rule.tolerance->source = source;
  return rule;
}

struct BoundaryCase {
  const char* name;
  Direction direction;
  double baseline, current;
  State state;
};
class Boundary : public ::testing::TestWithParam<BoundaryCase> {};

TEST_P(Boundary, ExactlyAtToleranceIsWithin) {
  const BoundaryCase& c = GetParam();
  Pair pair({{"x", {c.baseline}, c.direction}}, {{"x", {c.current}, c.direction}});
  EXPECT_EQ(to_string(pair.only().state), to_string(c.state)) << c.name;
}

INSTANTIATE_TEST_SUITE_P(
    FivePercent, Boundary,
    ::testing::Values(BoundaryCase{"lower at +5 %", Direction::lower, 100, 105, State::unchanged},
                      BoundaryCase{"lower just above", Direction::lower, 100, 105.000001, State::regressed},
                      BoundaryCase{"lower at -5 %", Direction::lower, 100, 95, State::unchanged},
                      BoundaryCase{"lower just below", Direction::lower, 100, 94.999999, State::improved},
                      BoundaryCase{"higher at -5 %", Direction::higher, 100, 95, State::unchanged},
                      BoundaryCase{"higher just below", Direction::higher, 100, 94.999999, State::regressed},
                      BoundaryCase{"higher just above", Direction::higher, 100, 105.000001, State::improved},
                      BoundaryCase{"two-sided up", Direction::two_sided, 100, 106, State::regressed},
                      BoundaryCase{"two-sided down", Direction::two_sided, 100, 94, State::regressed},
                      BoundaryCase{"a tenth is not a binary number", Direction::lower, 0.1, 0.105, State::unchanged},
                      BoundaryCase{"negative values", Direction::lower, -100, -94, State::regressed},
                      BoundaryCase{"from zero", Direction::lower, 0, 1, State::regressed},
                      BoundaryCase{"from zero, the better way", Direction::higher, 0, 1, State::improved},
                      BoundaryCase{"zero stays zero", Direction::lower, 0, 0, State::unchanged},
                      BoundaryCase{"below any meaning", Direction::lower, 0, 1e-300, State::unchanged},
                      BoundaryCase{"unknown stays unclassified", Direction::unknown, 100, 200, State::unclassified}));

TEST(Comparison, NothingDisappears) {
  Pair pair({{"gone", {1}}, {"broken", {1}}, {"null", {}, Direction::lower, "ms", Role::judged, ValueState::null}},
            {{"new", {1}},
             {"broken", {}, Direction::lower, "ms", Role::judged, ValueState::not_finite},
             {"null", {}, Direction::lower, "ms", Role::judged, ValueState::null}});
  const Comparison c = pair.run();
  ASSERT_EQ(c.deltas.size(), 4U);
  EXPECT_EQ(c.deltas[0].state, State::missing);
  EXPECT_EQ(c.deltas[1].state, State::invalid);
  EXPECT_EQ(c.notes.at(1), "current is not a finite number");
  EXPECT_EQ(c.deltas[2].state, State::context);
  EXPECT_EQ(c.deltas[3].state, State::added);
}

TEST(Comparison, NullMeansDifferentThingsOnEitherSide) {
  const RowSpec null{"x", {}, Direction::lower, "ms", Role::judged, ValueState::null};
  Pair was({null}, {{"x", {1}}});
  EXPECT_EQ(was.only().state, State::added);
  Pair became({{"x", {1}}}, {null});
  EXPECT_EQ(became.only().state, State::invalid);
}

TEST(Comparison, ATextThatBecameANumberIsNewAndAGateOfItCounts) {
  const RowSpec text{"errors", {}, Direction::unknown, "", Role::context, ValueState::text};
  Pair gate({text}, {{"errors", {3}, Direction::lower, "", Role::gate, ValueState::number, true}});
  EXPECT_EQ(gate.only().state, State::regressed) << "errors that nothing excuses";
  Pair row({text}, {{"errors", {0.5}, Direction::lower, "ms"}});
  const Comparison c = row.run();
  EXPECT_EQ(c.deltas[0].state, State::added);
  EXPECT_EQ(c.notes.at(0), "no number in the baseline");
  Pair both({text}, {text});
  EXPECT_EQ(both.only().state, State::context);
}

TEST(Comparison, AMendedResultIsAddedAndABrokenOneInvalid) {
  const RowSpec failed{"x", {}, Direction::higher, "tok/s", Role::judged, ValueState::failed};
  const RowSpec good{"x", {41.5}, Direction::higher, "tok/s"};
  Pair mended({failed}, {good});
  const Comparison c = mended.run();
  EXPECT_EQ(c.deltas[0].state, State::added);
  EXPECT_EQ(c.notes.at(0), "the baseline is not a valid result, and this is one");
  Pair broke({good}, {failed});
  EXPECT_EQ(broke.only().state, State::invalid);
  Pair still({failed}, {failed});
  EXPECT_EQ(still.only().state, State::invalid);
  const RowSpec bad_gate{"ok", {0}, Direction::higher, "", Role::gate, ValueState::boolean, true};
  const RowSpec no_gate{"ok", {}, Direction::higher, "", Role::gate, ValueState::failed, true};
  Pair fails({no_gate}, {bad_gate});
  EXPECT_EQ(fails.only().state, State::regressed) << "a gate that fails by itself";
}

TEST(Comparison, OnlyWhatFailedBeforeFailedOnBothSides) {
  const auto gate = [](double value) {
    return RowSpec{"ok", {value}, Direction::higher, "", Role::gate, ValueState::boolean, true};
  };
  Pair both({gate(0)}, {gate(0)});
  const Comparison c = both.run();
  EXPECT_EQ(c.deltas[0].state, State::regressed);
  EXPECT_EQ(c.notes.at(0), "failed on both sides");
  Pair fresh({gate(1)}, {gate(0)});
  EXPECT_TRUE(fresh.run().notes.empty());
}

TEST(Comparison, UnitsAreConvertedToTheBaselines) {
  Pair pair({{"bw", {1.8}, Direction::higher, "TB/s"}}, {{"bw", {1700}, Direction::higher, "GB/s"}});
  const Comparison c = pair.run();
  EXPECT_DOUBLE_EQ(c.deltas[0].current, 1.7);
  EXPECT_EQ(c.deltas[0].state, State::regressed);
  ASSERT_EQ(c.warnings.size(), 1U);
  EXPECT_EQ(c.warnings[0].message, "1 row converted to the baseline's unit, first \"bw\"");
}

TEST(Comparison, UnitsOfDifferentThingsAreInvalid) {
  Pair pair({{"x", {1}, Direction::lower, "ms"}}, {{"x", {1}, Direction::lower, "GB/s"}});
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::invalid);
  EXPECT_EQ(c.notes.at(0), "units do not measure the same thing: ms and GB/s");
}

TEST(Comparison, AGateKnowsNoTolerance) {
  Pair pair({{"wrong", {0}, Direction::lower, "", Role::gate}, {"ok_rate", {1}, Direction::higher, "", Role::gate}},
            {{"wrong", {1}, Direction::lower, "", Role::gate}, {"ok_rate", {0.999}, Direction::higher, "", Role::gate}});
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::regressed);
  EXPECT_TRUE(c.deltas[0].gate);
  EXPECT_EQ(c.deltas[1].state, State::regressed);
}

TEST(Comparison, TheStrongerSourceAndTheMoreSpecificGlobWin) {
  Pair pair({{"a.p99", {100}}, {"a.p50", {100}}, {"b.p50", {100}}}, {{"a.p99", {108}}, {"a.p50", {108}}, {"b.p50", {108}}});
  pair.rules.key_rules = {tolerance_rule("*", "50%", Source::entry), tolerance_rule("*.p99", "10%"), tolerance_rule("a.*", "7%"),
                          tolerance_rule("a.p50", "9%")};
  const Comparison c = pair.run();
  EXPECT_EQ(c.tolerances[c.deltas[0].tolerance].value, 10);  // *.p99 and a.* are flags; the longer literal wins
  EXPECT_EQ(c.tolerances[c.deltas[1].tolerance].value, 9);   // an exact key beats globs
  EXPECT_EQ(c.tolerances[c.deltas[2].tolerance].value, 50);  // only the entry speaks
  EXPECT_EQ(to_string(c.tolerances[c.deltas[2].tolerance].source), "entry");
}

TEST(Comparison, ADirectionForAllRowsHoldsWhereTheNameSaysNone) {
  Pair pair({{"score", {100}, Direction::unknown}, {"latency", {100}}, {"errors", {0}, Direction::lower, "", Role::gate}},
            {{"score", {90}, Direction::unknown}, {"latency", {150}}, {"errors", {0}, Direction::lower, "", Role::gate}});
  pair.rules.fallback_direction = {Direction::higher, Source::flag};
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].direction, Direction::higher);
  EXPECT_EQ(c.deltas[0].direction_source, Source::flag);
  EXPECT_EQ(c.deltas[0].state, State::regressed);
  EXPECT_EQ(c.deltas[1].direction, Direction::lower) << "its name speaks for it";
  EXPECT_EQ(c.deltas[1].state, State::regressed);
  ASSERT_EQ(c.warnings.size(), 1U) << "a gate keeps its direction without a word";
  EXPECT_EQ(c.warnings[0].message,
            "1 row kept the direction of its own name against higher-is-better, first \"latency\"; name the key to overrule "
            "(--direction KEY=DIR)");
}

TEST(Comparison, ADirectionForAllRowsComesBeforeThatOfTheCurrentSide) {
  Pair pair({{"x", {100}, Direction::unknown}}, {{"x", {90}, Direction::lower}});
  EXPECT_EQ(pair.only().direction, Direction::lower);
  pair.rules.fallback_direction = {Direction::higher, Source::entry};
  EXPECT_EQ(pair.only().direction, Direction::higher);
}

TEST(Comparison, EveryRowIsJudgedWhereThatIsAsked) {
  Pair pair({{"seed", {100}, Direction::lower, "", Role::context}}, {{"seed", {150}, Direction::lower, "", Role::context}});
  EXPECT_EQ(pair.only().state, State::context);
  pair.rules.judge_every_row = true;
  EXPECT_EQ(pair.only().state, State::regressed);
  EXPECT_FALSE(pair.only().headline);
  pair.baseline.shape = Shape::scalar;
  EXPECT_TRUE(pair.only().headline);
}

TEST(RowMarks, those_of_a_part_move_with_its_rows) {
  RowMarks part, all;
  part.mark_suspect(2);
  all.mark_suspect(0);
  all.append(part, 10);
  EXPECT_TRUE(all.suspect(0) && all.suspect(12));
  EXPECT_FALSE(all.suspect(2) || all.suspect(10) || all.suspect(13) || all.suspect(1'000'000));
}

TEST(Comparison, ARuleThatMatchesNothingIsSaid) {
  Pair pair({{"x", {1}}}, {{"x", {1}}});
  pair.rules.key_rules = {tolerance_rule("y*", "1%")};
  const Comparison c = pair.run();
  ASSERT_EQ(c.warnings.size(), 1U);
  EXPECT_EQ(c.warnings[0].code.text(), "rule_matches_nothing");
  EXPECT_EQ(c.warnings[0].message, "no key matches \"y*\" (flag)");
}

TEST(Comparison, PointsAreAbsoluteOnPercentagesAndFractions) {
  Pair pair({{"hit_rate", {0.50}, Direction::higher, "ratio"}, {"share", {30}, Direction::lower, "%"}},
            {{"hit_rate", {0.475}, Direction::higher, "ratio"}, {"share", {31.9}, Direction::lower, "%"}});
  pair.rules.key_rules = {tolerance_rule("*", "2pp")};
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::regressed);  // -2.5 points
  EXPECT_EQ(c.deltas[1].state, State::unchanged);  // +1.9 points
}

TEST(ThreeWay, CompleteSeparationBeyondToleranceIsRegressed) {
  Pair pair({{"x", {100, 101, 99}}}, {{"x", {110, 111, 109}}});
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::regressed);
  const RowStatistics& s = c.statistics[c.deltas[0].statistics];
  EXPECT_TRUE(s.statistical);
  EXPECT_DOUBLE_EQ(*s.p, 0.05);  // 1 / C(6,3)
}

TEST(ThreeWay, OneNumberInsideToleranceLeavesItOpen) {
  Pair pair({{"x", {100, 101, 99}}}, {{"x", {110, 111, 103}}});
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::inconclusive);
  EXPECT_TRUE(c.statistics[c.deltas[0].statistics].trials_needed.has_value());
}

TEST(ThreeWay, WithinToleranceIsProven) {
  Pair pair({{"x", {100, 101, 99}}}, {{"x", {101, 102, 100}}});
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::unchanged);
  EXPECT_TRUE(c.deltas[0].proven);
}

TEST(ThreeWay, AShiftExactlyAtToleranceIsWithin) {
  Pair pair({{"x", {100, 100, 100}}}, {{"x", {105, 105, 105}}});
  EXPECT_EQ(pair.only().state, State::unchanged);
  Pair more({{"x", {100, 100, 100}}}, {{"x", {105.001, 105.001, 105.001}}});
  EXPECT_EQ(more.only().state, State::regressed);
}

TEST(ThreeWay, ExactMetricsAreNotTested) {
  Pair pair({{"bytes", {100, 100, 100}, Direction::lower, "B", Role::judged, ValueState::number, true}},
            {{"bytes", {106, 106, 106}, Direction::lower, "B", Role::judged, ValueState::number, true}});
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::regressed);
  EXPECT_FALSE(c.statistics[c.deltas[0].statistics].statistical);
}

TEST(ThreeWay, CountsThatVaryAreJudgedByTheirTrialsAndThatIsSaid) {
  Pair pair({{"tokens", {100, 101, 99}, Direction::lower, "", Role::judged, ValueState::number, true}},
            {{"tokens", {106, 101, 99}, Direction::lower, "", Role::judged, ValueState::number, true}});
  const Comparison c = pair.run();
  EXPECT_TRUE(c.statistics[c.deltas[0].statistics].statistical);
  EXPECT_EQ(c.deltas[0].state, State::inconclusive);
  ASSERT_EQ(c.warnings.size(), 1U);
  EXPECT_EQ(c.warnings[0].code.text(), "exact_varies");
  EXPECT_EQ(c.warnings[0].message,
            "1 row of counts or sizes differ between trials of one side and were judged by their trials, first \"tokens\"");
}

TEST(ThreeWay, AWildTrialIsFlaggedAndKept) {
  Pair pair({{"x", {100, 101, 99, 130, 100}}}, {{"x", {100, 101, 99, 100, 102}}});
  const Comparison c = pair.run();
  const RowStatistics& s = c.statistics[c.deltas[0].statistics];
  EXPECT_EQ(s.baseline.outlier, 3U);
  EXPECT_EQ(s.current.outlier, kNoRow);
  EXPECT_EQ(s.n_baseline, 5U);
  EXPECT_EQ(s.baseline.max, 130);
  EXPECT_EQ(c.deltas[0].state, State::unchanged);
}

TEST(ThreeWay, ADistanceWithinToleranceIsNoOutlier) {
  Pair pair({{"x", {100, 100, 100, 104.9, 100}}}, {{"x", {100, 100, 100, 100, 100}}});
  const Comparison c = pair.run();
  EXPECT_EQ(c.statistics[c.deltas[0].statistics].baseline.outlier, kNoRow);
}

TEST(ThreeWay, PairsTakeOutWhatMovesBothSides) {
  // Nodes differ by a factor of two; on each of them the change is 10 %.
  const std::vector<double> b = {100, 120, 140, 160, 200}, c = {110.1, 131.8, 154.2, 176.1, 219.8};
  Pair pair({{"x", b}}, {{"x", c}});
  EXPECT_EQ(pair.only().state, State::inconclusive);
  pair.rules.paired = true;
  const Comparison paired = pair.run();
  EXPECT_EQ(paired.deltas[0].state, State::regressed);
  const RowStatistics& s = paired.statistics[0];
  EXPECT_TRUE(s.paired);
  EXPECT_DOUBLE_EQ(*s.p, 1.0 / 32);
  EXPECT_LT(*s.mde_pct, 1);
  EXPECT_TRUE(paired.warnings.empty());
}

TEST(ThreeWay, FourPairsAreTooFewAndThatIsSaid) {
  Pair pair({{"x", {100, 101, 99, 100}}}, {{"x", {110, 111, 109, 110}}});
  pair.rules.paired = true;
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::regressed);
  EXPECT_FALSE(c.statistics[0].paired);
  ASSERT_EQ(c.warnings.size(), 1U);
  EXPECT_EQ(c.warnings[0].message,
            "1 row could not be judged in pairs, which takes five or more trials and as many on both sides, first \"x\"");
}

TEST(ThreeWay, SixTrialsHaveAnIntervalOfTheirMedian) {
  Pair five({{"x", {1, 2, 3, 4, 5}}}, {{"x", {1, 2, 3, 4, 5}}});
  EXPECT_FALSE(five.run().statistics[0].baseline.median_interval);
  Pair six({{"x", {6, 5, 4, 3, 2, 1}}}, {{"x", {1, 2, 3, 4, 5, 6}}});
  EXPECT_EQ(six.run().statistics[0].baseline.median_interval, (std::pair<double, double>{1, 6}));
}

TEST(ThreeWay, TwoSidedTakesTwiceTheSmallerTail) {
  Pair pair({{"x", {100, 101, 99}, Direction::two_sided}}, {{"x", {110, 111, 109}, Direction::two_sided}});
  const Comparison c = pair.run();
  EXPECT_DOUBLE_EQ(*c.statistics[c.deltas[0].statistics].p, 0.1);
}

TEST(ThreeWay, ARunThatDiedIsTheWorstOfAll) {
  for (const double dead : {9.0, 0.0, -1.0}) {
    Pair pair({{"tput", {10, 100, 1000}, Direction::higher}}, {{"tput", {9, 9, dead}, Direction::higher}});
    EXPECT_EQ(pair.only().state, State::regressed) << dead;
  }
}

TEST(ThreeWay, TheSameTrialsAreUnchangedHoweverSmall) {
  const double least = std::numeric_limits<double>::denorm_min();
  for (const double size : {least, 1e-320, 2.3e-308, 1e-301, 1e-300, 1e-299, 1.0, 1e300}) {
    for (const Direction direction : {Direction::lower, Direction::higher, Direction::two_sided}) {
      Pair pair({{"x", {size, size, size, size}, direction}}, {{"x", {size, size, size, size}, direction}});
      EXPECT_EQ(pair.only().state, State::unchanged) << size;
      Pair fallen({{"x", {size, size, size, size}, direction}}, {{"x", {0, 0, 0, 0}, direction}});
      if (size > least && direction != Direction::lower) EXPECT_EQ(fallen.only().state, State::regressed) << size;
    }
  }
}

TEST(ThreeWay, AnOverflowIsADifference) {
  Pair pair({{"x", {-1.5e308, -1.5e308, -1.5e308}}}, {{"x", {1.5e308, 1.5e308, 1.5e308}}});
  EXPECT_NE(pair.only().state, State::unchanged);
}

TEST(Comparison, PointsOfATimeMeanNothing) {
  Pair pair({{"lat", {10}, Direction::lower, "ms"}}, {{"lat", {11.9}, Direction::lower, "ms"}});
  pair.rules.key_rules = {tolerance_rule("lat", "2pp")};
  const Comparison c = pair.run();
  EXPECT_EQ(c.deltas[0].state, State::regressed);
  ASSERT_EQ(c.warnings.size(), 1U);
  EXPECT_EQ(
      c.warnings[0].message,
      "a tolerance in points does not fit the unit of 1 row, which the tolerance of all rows judged instead, first \"lat\"");
}

TEST(BigIntegers, DifferByTheirText) {
  auto pool = std::make_shared<StringPool>();
  const auto side = [&](const char* text, double value) {
    Measurement m(pool);
    MetricClass klass;
    klass.direction = Direction::two_sided;
    Row row;
    row.key = row.metric = pool->intern("n");
    row.metric_class = m.intern_class(klass);
    row.state = ValueState::big_integer;
    row.text = pool->intern(text);
    m.add_row(row, {&value, 1});
    return m;
  };
  const Measurement b = side("9007199254740993", 9007199254740992.0);
  const Measurement c = side("9007199254740992", 9007199254740992.0);
  const Comparison out = compare(b, c, {});
  EXPECT_EQ(out.deltas[0].delta, -1);
}

// Swapping the sides negates every delta, exactly, and turns missing into added.
TEST(Properties, SwappingSidesNegatesEveryDelta) {
  std::mt19937_64 rng(7);
  std::normal_distribution<double> noise(0, 0.1);
  for (int round = 0; round < 200; ++round) {
    std::vector<RowSpec> b, c;
    for (int i = 0; i < 20; ++i) {
      const int n = static_cast<int>(rng() % 5);
      std::vector<double> x, y;
      for (int k = 0; k <= n; ++k) {
        x.push_back(100 * std::exp(noise(rng)));
        y.push_back(100 * std::exp(noise(rng)));
      }
      const auto direction = static_cast<Direction>(rng() % 4);
      if (rng() % 10 != 0) b.push_back({"k" + std::to_string(i), x, direction});
      if (rng() % 10 != 0) c.push_back({"k" + std::to_string(i), y, direction});
    }
    Pair there(b, c), back(c, b);
    const Comparison one = there.run(), two = back.run();
    ASSERT_EQ(one.deltas.size(), two.deltas.size());
    std::map<std::string, const Delta*> by_key;
    for (const Delta& d : two.deltas) by_key[std::string(back.pool->view(d.key))] = &d;
    for (const Delta& d : one.deltas) {
      const Delta& e = *by_key.at(std::string(there.pool->view(d.key)));
      EXPECT_EQ(d.delta, -e.delta);
      if (d.state == State::missing) {
        EXPECT_EQ(e.state, State::added);
      }
      if (d.state == State::added) {
        EXPECT_EQ(e.state, State::missing);
      }
      if (d.state == State::unclassified) {
        EXPECT_EQ(e.state, State::unclassified);
      }
    }
  }
}

// Measuring in other units changes no state: everything times 1024.
TEST(Properties, ScalingUnitsChangesNothing) {
  std::mt19937_64 rng(11);
  std::normal_distribution<double> noise(0, 0.05);
  for (int round = 0; round < 200; ++round) {
    std::vector<RowSpec> b, c, sb, sc;
    for (int i = 0; i < 10; ++i) {
      const int n = static_cast<int>(rng() % 5);
      std::vector<double> x, y, sx, sy;
      for (int k = 0; k <= n; ++k) {
        x.push_back(100 * std::exp(noise(rng)));
        y.push_back(103 * std::exp(noise(rng)));
        sx.push_back(x.back() * 1024);
        sy.push_back(y.back() * 1024);
      }
      const std::string key = "k" + std::to_string(i);
      const auto direction = static_cast<Direction>(rng() % 4);
      b.push_back({key, x, direction});
      c.push_back({key, y, direction});
      sb.push_back({key, sx, direction});
      sc.push_back({key, sy, direction});
    }
    Pair plain(b, c), scaled(sb, sc);
    const Comparison one = plain.run(), two = scaled.run();
    for (std::size_t i = 0; i < one.deltas.size(); ++i) EXPECT_EQ(to_string(one.deltas[i].state), to_string(two.deltas[i].state));
  }
}

// A row by itself never gets better when its current value gets worse.
TEST(Properties, AWorseValueNeverImprovesItsRow) {
  const auto badness = [](State state) {
    switch (state) {
      case State::improved:
        return 0;
      case State::unchanged:
        return 1;
      case State::inconclusive:
        return 2;
      default:
        return 3;
    }
  };
  std::mt19937_64 rng(13);
  std::normal_distribution<double> noise(0, 0.03);
  for (int round = 0; round < 2000; ++round) {
    const bool higher = rng() % 2 == 0;
    const Direction direction = higher ? Direction::higher : Direction::lower;
    const int n = static_cast<int>(rng() % 6);
    std::vector<double> x, y;
    for (int k = 0; k <= n; ++k) {
      x.push_back(100 * std::exp(noise(rng)));
      y.push_back(102 * std::exp(noise(rng)));
    }
    std::vector<double> worse = y;
    double& one = worse[rng() % worse.size()];
    one *= higher ? 0.97 : 1.03;
    Pair before({{"x", x, direction}}, {{"x", y, direction}});
    Pair after({{"x", x, direction}}, {{"x", worse, direction}});
    EXPECT_LE(badness(before.only().state), badness(after.only().state)) << "round " << round;
  }
}

}  // namespace
}  // namespace plumbline::core
