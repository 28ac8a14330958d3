// What is said beside a verdict (verdict/findings/): at its edges, and not where there is nothing to say.
#include "verdict/findings/findings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/verdict/judged_case.hpp"

namespace plumbline::verdict {
namespace {

std::string said(Case& c, core::WarningCode code) {
  for (const core::Warning& warning : c.judge().warnings) {
    if (warning.code == code) return warning.message;
  }
  return "";
}

TEST(GrownSpread, IsSaidThoughNoMedianMoved) {
  const std::vector<double> calm = {99, 100, 101, 99.5, 100.5, 100, 99, 101, 100, 100.4};
  const std::vector<double> wild = {70, 100, 130, 80, 120, 100, 75, 128, 100, 118};
  Case c({{"a_ms", calm}}, {{"a_ms", wild}});
  EXPECT_EQ(said(c, "spread_grew"),
            "1 row scatters more from trial to trial than before, whatever the medians say: most \"a_ms\", whose trials lie 19 % "
            "from their median, 0.54 % before");
  Case calmer({{"a_ms", wild}}, {{"a_ms", calm}});
  EXPECT_EQ(said(calmer, "spread_grew"), "") << "less of it is no finding";
  Case same({{"a_ms", calm}}, {{"a_ms", calm}});
  EXPECT_EQ(said(same, "spread_grew"), "");
  Case few({{"a_ms", {99, 100, 101, 100}}}, {{"a_ms", {70, 100, 130, 100}}});
  EXPECT_EQ(said(few, "spread_grew"), "") << "four trials say too little";
}

TEST(ColdStart, IsSaidOfTheSideThatHasIt) {
  const std::vector<double> warm = {100, 101, 99, 100.5, 99.5};
  Case c({{"a_ms", warm}, {"b_ms", warm}}, {{"a_ms", {148, 101, 99, 100.5, 99.5}}, {"b_ms", {131, 101, 99, 100.5, 99.5}}});
  EXPECT_EQ(said(c, "warm_up"),
            "the first of 5 trials of the current side is far off in 2 rows of 2, most in \"a_ms\": 148 ms, the others about 100 "
            "ms; it looks like a cold start and stays a trial: run once before measuring, or leave that run out");
  Case swapped({{"a_ms", {148, 101, 99, 100.5, 99.5}}}, {{"a_ms", warm}});
  EXPECT_NE(said(swapped, "warm_up").find("of the baseline side"), std::string::npos);
  Case rate({{"r", warm, core::Direction::higher}}, {{"r", {60, 101, 99, 100.5, 99.5}, core::Direction::higher}});
  EXPECT_NE(said(rate, "warm_up"), "") << "slow is less of a rate";
}

TEST(ColdStart, IsNotSaidOfLess) {
  const std::vector<double> warm = {100, 101, 99, 100.5, 99.5};
  const auto of = [&](const std::vector<double>& current, core::Direction direction = core::Direction::lower) {
    Case c({{"a", warm, direction}}, {{"a", current, direction}});
    return said(c, "warm_up");
  };
  EXPECT_EQ(of({101, 148, 99, 100.5, 99.5}), "") << "the second is an outlier";
  EXPECT_EQ(of({60, 101, 99, 100.5, 99.5}), "") << "the first is better";
  EXPECT_EQ(of({148, 101, 99, 100.5, 99.5}, core::Direction::higher), "") << "the first is better";
  EXPECT_EQ(of({148, 101, 99, 100}), "") << "four trials say too little";
  EXPECT_EQ(of({148, 130, 99, 100.5, 99.5}), "") << "the others scatter as much";
  EXPECT_EQ(of({103.9, 99, 99, 99, 99}), "") << "a step of a coarse clock under 5 % (and 6 % is said)";
  EXPECT_NE(of({106, 99, 99, 99, 99}), "");
  Case most({{"a_ms", warm}, {"b_ms", warm}, {"c_ms", warm}},
            {{"a_ms", {148, 101, 99, 100.5, 99.5}}, {"b_ms", warm}, {"c_ms", warm}});
  EXPECT_EQ(said(most, "warm_up"), "") << "one row of three";
}

TEST(Renames, AreSeenByEqualValuesOrNearlyEqualNames) {
  Case c({{"kernel_gemm_ms", {12.25}}, {"latency_total_ms", {80}}, {"same_ms", {5}}},
         {{"gemm_f16_time", {12.25}}, {"latency_totals_ms", {84}}, {"same_ms", {5}}});
  EXPECT_EQ(
      said(c, "renamed_rows"),
      "2 rows that are missing may have another name now: \"kernel_gemm_ms\" as \"gemm_f16_time\" (equal values), "
      "\"latency_total_ms\" as \"latency_totals_ms\" (nearly the same name); keep the names, or record the baseline anew, for a "
      "row that is missing is not compared");
}

TEST(Renames, AreNotGuessedFromWhatIsEverybodys) {
  Case ones({{"flag_a_ms", {1}}, {"x_ms", {5}}}, {{"quite_another", {1}}, {"x_ms", {5}}});
  EXPECT_EQ(said(ones, "renamed_rows"), "") << "1 is everybody's";
  Case apart({{"latency_total_ms", {80}}, {"x_ms", {5}}}, {{"latency_totals_ms", {800}}, {"x_ms", {5}}});
  EXPECT_EQ(said(apart, "renamed_rows"), "") << "ten times as much";
  Case other({{"alpha_ms", {80}}, {"x_ms", {5}}}, {{"omega_us", {80}, core::Direction::lower, "us"}, {"x_ms", {5}}});
  EXPECT_EQ(said(other, "renamed_rows"), "") << "another unit";
  Case gone({{"alpha_ms", {80}}, {"x_ms", {5}}}, {{"x_ms", {5}}});
  EXPECT_EQ(said(gone, "renamed_rows"), "") << "nothing is new";
}

TEST(WideTolerance, IsSaidFromAHalvingOn) {
  const auto with = [](double percent, core::Direction direction) {
    Case c({{"a", {100}, direction}}, {{"a", {100}, direction}});
    c.rules.default_tolerance.value = percent;
    return said(c, "tolerance_hides_halving");
  };
  EXPECT_EQ(with(50, core::Direction::higher), "1 row may be half as fast within tolerance, first \"a\" with 50% (default)");
  EXPECT_EQ(with(49, core::Direction::higher), "");
  EXPECT_EQ(with(99, core::Direction::lower), "");
  EXPECT_NE(with(100, core::Direction::lower), "");
}

TEST(HiddenConfiguration, IsSaidOfWhatGotBetterToo) {
  const auto rows = [](double factor) {
    std::vector<testing::RowSpec> out;
    for (int i = 0; i < 5; ++i) out.push_back({"k" + std::to_string(i), {(100.0 + i) * factor}, core::Direction::higher, "GB/s"});
    return out;
  };
  Case better(rows(1), rows(3));
  EXPECT_NE(said(better, "hidden_configuration").find("5 of 5 rows are better by a factor of 3 (median)"), std::string::npos);
  Case worse(rows(3), rows(1));
  EXPECT_NE(said(worse, "hidden_configuration").find("5 of 5 rows are worse by a factor of 3 (median)"), std::string::npos);
}

}  // namespace
}  // namespace plumbline::verdict
