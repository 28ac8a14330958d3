// Changes that say something about the files: a unit taken for another, a setting that neither file shows.
#include "verdict/plausibility.hpp"

#include <gtest/gtest.h>

#include "tests/support/measurements.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verdict {
namespace {

using core::Direction;
using core::Verdict;
using plumbline::testing::make_measurement;
using plumbline::testing::RowSpec;

// Rows of one metric in one unit, each changed by its factor.
struct Change {
  std::string unit;
  std::vector<double> factors;
  core::Source unit_source = core::Source::name_rule;
  Direction direction = Direction::higher;
  std::string current_format = "tool";

  Judgement judge() {
    const auto pool = std::make_shared<core::StringPool>();
    const auto side = [&](bool changed) {
      std::vector<RowSpec> rows;
      for (std::size_t i = 0; i < factors.size(); ++i) {
        const double value = 100 + 10 * static_cast<double>(i);
        rows.push_back({"point" + std::to_string(i) + ".rate", {changed ? value * factors[i] : value}, direction});
      }
      core::Measurement made = make_measurement(pool, rows);
      for (core::Row& row : made.rows()) {
        core::MetricClass klass = made.metric_class(row);
        klass.unit = unit.empty() ? 0 : pool->intern(unit);
        klass.unit_source = unit_source;
        row.metric = pool->intern("rate");
        row.metric_class = made.intern_class(klass);
      }
      made.format.name = changed ? current_format : "tool";
      return made;
    };
    baseline = side(false);
    current = side(true);
    JudgeInput input;
    comparison = find("plumbline")->decide(core::compare(*baseline, *current, {}), input);
    input.comparison = &comparison;
    return find("plumbline")->judge(input);
  }
  [[nodiscard]] bool suspected() {
    const Judgement judged = judge();
    return std::any_of(judged.reasons.begin(), judged.reasons.end(), [](const auto& r) { return r.code == "unit_mismatch"; });
  }
  std::optional<core::Measurement> baseline = std::nullopt, current = std::nullopt;
  core::Comparison comparison = {};
};

TEST(UnitMismatch, a_thousand_is_another_unit_and_no_improvement) {
  for (const double factor : {1000.0, 1024.0, 870.0, 1e6}) {
    Change change{.unit = "ms", .factors = {factor}};
    const Judgement judged = change.judge();
    EXPECT_EQ(judged.verdict, Verdict::yellow) << factor;
    EXPECT_EQ(change.comparison.deltas[0].state, core::State::inconclusive) << factor;
  }
  Change slip{.unit = "ms", .factors = {1000, 1000}};
  EXPECT_EQ(slip.judge().reasons.at(0).message,
            "all 2 rows of \"rate\" grew by a factor of 1000, as two units a thousand apart differ: the unit is likelier to have "
            "changed than the speed; the files say ms on both sides");
}

// A worse value never improves the verdict, whatever is doubted about it: 900 times worse is RED, so 1000 times is too.
TEST(UnitMismatch, what_is_worse_stays_red_with_the_doubt_beside_it) {
  for (const double factor : {0.5, 0.001, 1e-9}) {
    Change change{.unit = "ms", .factors = {factor}};
    const Judgement judged = change.judge();
    EXPECT_EQ(judged.verdict, Verdict::red) << factor;
    EXPECT_EQ(change.comparison.deltas[0].state, core::State::regressed) << factor;
    EXPECT_EQ(judged.reasons.back().code == "unit_mismatch", factor < 0.5) << factor;
    EXPECT_EQ(judged.recommendation.action, factor < 0.5 ? "investigate" : "bisect") << factor;
  }
}

TEST(UnitMismatch, a_factor_of_500_is_a_regression) {
  Change change{.unit = "ms", .factors = {500, 500, 500}, .direction = Direction::lower};
  EXPECT_EQ(change.judge().verdict, Verdict::red);
}

TEST(UnitMismatch, eight_is_bits_and_bytes_only_where_data_is_counted_and_only_closely) {
  EXPECT_TRUE((Change{.unit = "GB/s", .factors = {8}}.suspected()));
  EXPECT_TRUE((Change{.unit = "", .factors = {0.125, 0.125}}.suspected()));
  EXPECT_FALSE((Change{.unit = "GB/s", .factors = {7.7}}.suspected()));
  EXPECT_FALSE((Change{.unit = "tok/s", .factors = {8}}.suspected()));
}

TEST(UnitMismatch, factors_close_to_one_need_three_rows_that_agree) {
  // 4.9 % is within the tolerance of 5 %: there is nothing to explain.
  EXPECT_FALSE((Change{.unit = "MB/s", .factors = {1.048576, 1.0486, 1.04855}}.suspected()));
  EXPECT_TRUE((Change{.unit = "GB/s", .factors = {1.0737, 1.0738, 1.0737}}.suspected()));
  EXPECT_FALSE((Change{.unit = "GB/s", .factors = {1.0737, 1.0738}}.suspected()));
  EXPECT_FALSE((Change{.unit = "GB/s", .factors = {1.0737, 1.0738, 1.081}}.suspected()));
}

TEST(UnitMismatch, one_row_that_stayed_proves_the_unit) {
  EXPECT_FALSE((Change{.unit = "ms", .factors = {1000, 1000, 1}}.suspected()));
  EXPECT_FALSE((Change{.unit = "ms", .factors = {1000, 0.001}}.suspected()));
}

TEST(UnitMismatch, what_one_reader_knows_of_both_sides_is_not_doubted) {
  EXPECT_FALSE((Change{.unit = "GB/s", .factors = {8}, .unit_source = core::Source::format}.suspected()));
  EXPECT_TRUE(
      (Change{.unit = "GB/s", .factors = {8}, .unit_source = core::Source::format, .current_format = "other"}.suspected()));
}

TEST(UnitMismatch, but_a_slip_of_a_thousand_is_even_there) {
  EXPECT_TRUE((Change{.unit = "ms", .factors = {0.001}, .unit_source = core::Source::format}.suspected()));
}

std::vector<std::string> warnings_of(const Judgement& judged) {
  std::vector<std::string> out;
  for (const core::Warning& warning : judged.warnings) out.push_back(std::string(warning.code.text()) + ": " + warning.message);
  return out;
}

TEST(HiddenConfiguration, rows_that_moved_together_in_one_context_have_a_cause_that_the_files_do_not_show) {
  Change change{.unit = "tok/s", .factors = {0.26, 0.25, 0.27, 0.99}};
  EXPECT_EQ(warnings_of(change.judge()),
            std::vector<std::string>{
                "hidden_configuration: 3 of 4 rows are worse by a factor of 3.8 (median) though both sides say the same of how "
                "they were measured: a setting that the files do not show (environment, transport, placement, clocks) is "
                "likelier than a change of the code"});
  EXPECT_TRUE(warnings_of(Change{.unit = "tok/s", .factors = {0.26, 0.25, 0.9, 0.99}}.judge()).empty());
  EXPECT_TRUE(warnings_of(Change{.unit = "tok/s", .factors = {0.7, 0.7, 0.7}}.judge()).empty());
  EXPECT_EQ(warnings_of(Change{.unit = "tok/s", .factors = {4, 4, 4}}.judge()).size(), 1U) << "what got better by as much, too";
}

// One gate, or none on a side (nullopt): an exact count as formats declare it.
core::Verdict gate(std::optional<double> before, std::optional<double> now, Direction direction) {
  const auto pool = std::make_shared<core::StringPool>();
  const auto side = [&](std::optional<double> value) {
    std::vector<RowSpec> rows = {{"latency", {10}}};
    if (value) rows.push_back({"check", {*value}, direction, "", core::Role::gate, core::ValueState::number, true});
    return make_measurement(pool, rows);
  };
  const core::Measurement baseline = side(before), current = side(now);
  JudgeInput input;
  const core::Comparison comparison = find("plumbline")->decide(core::compare(baseline, current, {}), input);
  input.comparison = &comparison;
  return find("plumbline")->judge(input).verdict;
}

TEST(Gates, one_that_fails_by_itself_needs_no_baseline) {
  EXPECT_EQ(gate(std::nullopt, 100, Direction::lower), Verdict::red) << "errors";
  EXPECT_EQ(gate(std::nullopt, 0, Direction::lower), Verdict::green);
  EXPECT_EQ(gate(std::nullopt, 0, Direction::higher), Verdict::red) << "not passed";
  EXPECT_EQ(gate(std::nullopt, 1, Direction::higher), Verdict::green);
}

TEST(Gates, two_failed_checks_are_no_pass_and_errors_that_did_not_grow_are_let_be) {
  EXPECT_EQ(gate(0, 0, Direction::higher), Verdict::red);
  EXPECT_EQ(gate(3, 3, Direction::lower), Verdict::green);
  EXPECT_EQ(gate(3, 4, Direction::lower), Verdict::red);
}

}  // namespace
}  // namespace plumbline::verdict
