// msmodeling's two checks and its automatic baseline, on their edges; what its README says where its code does less; and what
// is said beside its verdict. Differences and texts were worked out by hand.
#include <gtest/gtest.h>

#include "systems/msmodeling/rule.hpp"
#include "systems/table.hpp"
#include "tests/support/measurements.hpp"

namespace plumbline::systems::msmodeling {
namespace {

using Simulated = Run;  // a test has a Run of its own

Case case_of(double initial, double baseline, std::vector<Operator> operators = {}) {
  Case out;
  out.name = "decode";
  out.initial_time_s = initial;
  out.baseline_time_s = baseline;
  out.operators = std::move(operators);
  return out;
}

Simulated run_of(double total, std::vector<Operator> operators = {}) {
  Simulated out;
  out.total_time_s = total;
  out.operators = std::move(operators);
  return out;
}

std::string status(double initial, double baseline, double actual) {
  return check(case_of(initial, baseline), run_of(actual), Rules::code).status;
}

core::Measurement with(File file) {
  core::Measurement m(std::make_shared<core::StringPool>());
  core::NativeFile native;
  native.system = "msmodeling";
  native.path = "decode.json";
  native.content = std::move(file);
  m.native = std::make_shared<const core::NativeFile>(std::move(native));
  return m;
}

core::Expected<std::optional<core::NativeReport>> report_of(const Case& expected, const Simulated& run,
                                                            const Options& options = {}) {
  return systems::report_of(with({expected, std::nullopt}), with({std::nullopt, run}), options);
}

TEST(Msmodeling, TheTotalIsHeldAgainstBothTimes) {
  EXPECT_EQ(status(1, 1, 1.05), "PASS");
  EXPECT_EQ(status(1, 1, 1.15), "FAIL(INIT)");
  EXPECT_EQ(status(1.2, 1, 1.25), "FAIL(BASE)");
  EXPECT_EQ(status(1, 1, 1.25), "FAIL(BOTH)");
  EXPECT_EQ(status(0, 0, 1.25), "NO_BASELINE");
  EXPECT_EQ(status(0, 1, 1.15), "PASS") << "a time of 0 is not asked";
  EXPECT_EQ(status(1, 0, 1.15), "FAIL(INIT)");
}

TEST(Msmodeling, ToleranceIsInclusiveAndTwoSided) {
  EXPECT_EQ(status(8, 0, 8.8), "FAIL(INIT)") << "(8.8 - 8) / 8 is a hair above 0.1";
  EXPECT_EQ(status(0, 4, 4.8), "PASS") << "(4.8 - 4) / 4 is a hair below 0.2";
  EXPECT_EQ(status(2, 0, 1.75), "FAIL(INIT)") << "faster fails as well";
  Case exact = case_of(2, 0);
  exact.initial_tolerance = 0.125;
  EXPECT_EQ(check(exact, run_of(2.25), Rules::code).status, "PASS") << "exactly at the tolerance";
  EXPECT_EQ(check(exact, run_of(1.75), Rules::code).status, "PASS");
}

TEST(Msmodeling, ACaseMayBoundIncreasesApart) {
  Case bounded = case_of(0, 1);
  bounded.max_increase = 0.05;
  EXPECT_EQ(check(bounded, run_of(1.1), Rules::code).status, "FAIL(BASE)");
  EXPECT_EQ(check(bounded, run_of(0.85), Rules::code).status, "PASS");
}

TEST(Msmodeling, OperatorsAreMissingNewDriftedOrCalledAnotherNumberOfTimes) {
  const Report report =
      check(case_of(1, 1, {{"z", 0.5, 4}, {"a", 0.25, 4}, {"same", 0.125, 4}, {"calls", 0.0625, 4}}),
            run_of(1, {{"z", 0.6, 4}, {"fresh", 0.3, 1}, {"same", 0.125, 4}, {"calls", 0.0625, 5}}), Rules::code);
  EXPECT_EQ(report.status, "PASS");
  EXPECT_EQ(report.operator_status, "WARN");
  ASSERT_EQ(report.operators.size(), 5U);
  EXPECT_EQ(report.operators[0].state, OperatorState::missing);
  EXPECT_EQ(report.operators[0].name, "a");
  EXPECT_EQ(report.operators[1].state, OperatorState::drift);
  EXPECT_EQ(report.operators[2].state, OperatorState::added);
  EXPECT_EQ(report.operators[3].state, OperatorState::pass);
  EXPECT_TRUE(report.operators[4].calls_differ);
  EXPECT_EQ(report.violations,
            (std::vector<std::string>{"MISSING OPERATOR: a (baseline=250.000ms, #calls=4) - Not found in current results",
                                      "z: +20.00% (baseline=500.000ms, actual=600.000ms)",
                                      "NEW OPERATOR: fresh (actual=300.000ms, #calls=1) - Not in baseline Top 10",
                                      "calls: +0.00% (baseline=62.500ms, actual=62.500ms)",
                                      "calls: #CALLS MISMATCH baseline=4, actual=5"}));
}

TEST(Msmodeling, OnlyTheTopOfEachListIsComparedAndTheLastOfTwoCounts) {
  Case expected = case_of(1, 1, {{"small", 0.01, 1}, {"big", 0.5, 1}, {"twice", 0.9, 1}, {"twice", 0.4, 1}});
  expected.top_n = 2;
  const Report report = check(expected, run_of(1, {{"twice", 0.4, 1}, {"big", 0.5, 1}, {"small", 9, 1}}), Rules::code);
  EXPECT_EQ(report.operator_status, "PASS");
  ASSERT_EQ(report.operators.size(), 2U);
  EXPECT_EQ(report.operators[0].name, "twice") << "in printed order";
}

TEST(Msmodeling, AnOperatorOfZeroPassesWhateverItDoes) {
  const Report report = check(case_of(1, 1, {{"a", 0, 3}}), run_of(1, {{"a", 5, 9}}), Rules::code);
  EXPECT_EQ(report.operator_status, "PASS");
  EXPECT_FALSE(report.operators[0].difference);
}

TEST(Msmodeling, CallsOfZeroAreNotCompared) {
  EXPECT_EQ(check(case_of(1, 1, {{"a", 1, 0}}), run_of(1, {{"a", 1, 9}}), Rules::code).operator_status, "PASS");
}

TEST(Msmodeling, WhatItsReadmeSaysIsASetting) {
  const Case drifted = case_of(1, 1, {{"a", 1, 1}});
  const Simulated slow = run_of(1, {{"a", 1.5, 1}});
  const auto code = report_of(drifted, slow);
  ASSERT_TRUE(code && *code);
  EXPECT_EQ((*code)->verdict, "PASS, operators WARN");
  EXPECT_EQ((*code)->outcome, core::NativeOutcome::warn);
  EXPECT_EQ((*code)->exit_code, 0);
  Options options;
  options.settings = {{"rules", "documented"}};
  const auto documented = report_of(drifted, slow, options);
  ASSERT_TRUE(documented && *documented);
  EXPECT_EQ((*documented)->verdict, "PASS, operators FAIL");
  EXPECT_EQ((*documented)->exit_code, 1);
  EXPECT_EQ((*report_of(case_of(1, 1), run_of(1), options))->outcome, core::NativeOutcome::fail) << "no operators";
  EXPECT_EQ((*report_of(case_of(1, 1), run_of(1)))->outcome, core::NativeOutcome::warn) << "a line in its log";
  options.settings = {{"rules", "both"}};
  const auto wrong = report_of(drifted, slow, options);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "--native rules=both is not a set of rules");
  EXPECT_EQ(wrong.error().hint, "they are code and documented");
}

std::vector<std::string> codes(const core::NativeReport& report) {
  std::vector<std::string> out;
  for (const core::Reason& reason : report.misses) out.emplace_back(reason.code.text());
  return out;
}

TEST(Msmodeling, ASpeedUpIsNoRegression) {
  const auto report = report_of(case_of(1, 1, {{"a", 1, 1}}), run_of(0.85, {{"a", 1, 1}}));
  ASSERT_TRUE(report && *report);
  EXPECT_EQ((*report)->verdict, "FAIL(INIT)");
  ASSERT_EQ(codes(**report), std::vector<std::string>{"native_unjust_failure"});
  EXPECT_EQ((*report)->misses[0].message,
            "its check of the total time is two-sided: -15.00% against the initial time is a speed-up, and fails");
  EXPECT_EQ((*report)->said, std::vector<std::string>{"vs Initial: 1000.000ms (-15.00%, tolerance: ±10%) FAIL"});
}

TEST(Msmodeling, WhatVanishedOrSlowedDownOnlyWarns) {
  const auto report = report_of(case_of(1, 1, {{"gone", 1, 1}, {"slow", 1, 1}}), run_of(1, {{"slow", 1.5, 1}}));
  ASSERT_TRUE(report && *report);
  EXPECT_EQ(codes(**report), (std::vector<std::string>{"native_vanished_passes", "native_unchecked"}));
  EXPECT_EQ((*report)->misses[0].keys, std::vector<std::string>{"gone.total_time_s"});
  EXPECT_EQ((*report)->misses[1].keys, std::vector<std::string>{"slow.total_time_s"});
}

TEST(Msmodeling, ACaseWithoutTimesPassesAnything) {
  const auto report = report_of(case_of(0, 0), run_of(99));
  ASSERT_TRUE(report && *report);
  EXPECT_EQ((*report)->verdict, "NO_BASELINE");
  EXPECT_EQ((*report)->exit_code, 0);
  EXPECT_EQ(codes(**report), (std::vector<std::string>{"native_unchecked", "native_unchecked"}));
}

TEST(Msmodeling, ARunThatItsReaderCannotTakeStopsItsTest) {
  Simulated broken;
  broken.total_error = "Could not find 'Total time for analytic' in output";
  const auto report = report_of(case_of(1, 1), broken);
  ASSERT_TRUE(report && *report);
  EXPECT_EQ((*report)->verdict, "ERROR");
  EXPECT_EQ((*report)->exit_code, 1);
  EXPECT_EQ((*report)->said, std::vector<std::string>{"Could not find 'Total time for analytic' in output"});
}

TEST(MsmodelingAutoBaseline, TheFirstRunIsTheBaselineOfTheSecond) {
  EXPECT_EQ(auto_baseline(run_of(2), run_of(2.0625), 0.05).status, "PASS");
  EXPECT_EQ(auto_baseline(run_of(2), run_of(1.875), 0.0625).status, "PASS") << "exactly at the tolerance";
  EXPECT_EQ(auto_baseline(run_of(2), run_of(1.75), 0.05).status, "FAIL");
  Simulated broken;
  broken.total_error = "no total";
  EXPECT_EQ(auto_baseline(broken, run_of(1), 0.05).error, "Baseline run failed: no total");
  EXPECT_EQ(auto_baseline(run_of(1), broken, 0.05).error, "Comparison run failed: no total");
  EXPECT_EQ(auto_baseline(run_of(0), run_of(1), 0.05).error, "Invalid baseline time: 0.0");
}

TEST(MsmodelingAutoBaseline, TakesItsToleranceFromTheCall) {
  const core::Measurement first = with({std::nullopt, run_of(1)}), second = with({std::nullopt, run_of(1.08)});
  EXPECT_EQ((*systems::report_of(first, second, {}))->exit_code, 1);
  Options options;
  options.tolerance_percent = 10;
  EXPECT_EQ((*systems::report_of(first, second, options))->exit_code, 0);
}

}  // namespace
}  // namespace plumbline::systems::msmodeling
