// The bands of the vLLM RFC on speculative decoding: its own seven verdicts, both ends inclusive, the acceptance at each position
// from below, and what its two-sided bands call a failure although users would not.
#include <gtest/gtest.h>

#include "core/native.hpp"
#include "systems/spec_decode/model.hpp"
#include "systems/table.hpp"
#include "tests/support/measurements.hpp"
#include "verdict/native.hpp"

namespace plumbline::systems::spec_decode {
namespace {

using core::NativeReport;

core::Measurement with(File file) {
  core::Measurement m(std::make_shared<core::StringPool>());
  core::NativeFile native;
  native.system = "spec_decode";
  native.path = file.baseline ? "eagle3_llama3.1_8b.json" : "run.json";
  native.content = std::move(file);
  m.native = std::make_shared<const core::NativeFile>(std::move(native));
  return m;
}

core::Measurement baseline_of(std::vector<Expected> metrics) {
  Baseline baseline;
  baseline.variant = "eagle3";
  baseline.model = "meta-llama/Llama-3.1-8B-Instruct";
  baseline.metrics = std::move(metrics);
  return with({.baseline = std::move(baseline), .run = std::nullopt});
}

core::Measurement run_of(std::vector<std::pair<std::string, double>> metrics) {
  Run run;
  run.metrics = std::move(metrics);
  return with({.baseline = std::nullopt, .run = std::move(run)});
}

NativeReport told(const core::Measurement& baseline, const core::Measurement& run, Options options = {}) {
  auto report = systems::report_of(baseline, run, options);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  EXPECT_TRUE(report && *report);
  return report && *report ? std::move(**report) : NativeReport();
}

const std::vector<Expected> kRfc = {{"match_rate", 0.75, 10, Rule::band},
                                    {"acceptance_rate", 0.73, 10, Rule::band},
                                    {"ttft_p50_ms", 44.0, 15, Rule::band},
                                    {"tpot_p50_ms", 12.3, 15, Rule::band},
                                    {"speedup", 2.1, 15, Rule::band}};

// The RFC's Appendix C: five metrics of a run that passes, two of one that fails.
TEST(SpecDecode, the_seven_verdicts_of_the_rfc) {
  const NativeReport passed = told(
      baseline_of(kRfc),
      run_of(
          {{"match_rate", 0.765}, {"acceptance_rate", 0.741}, {"ttft_p50_ms", 44.8}, {"tpot_p50_ms", 12.9}, {"speedup", 2.08}}));
  EXPECT_EQ(passed.verdict, "PASSED");
  EXPECT_EQ(passed.summary, "5/5 metrics within tolerance");
  EXPECT_EQ(passed.outcome, core::NativeOutcome::pass);
  EXPECT_TRUE(passed.said.empty());
  EXPECT_TRUE(passed.misses.empty());

  const NativeReport failed = told(baseline_of({kRfc[1], kRfc[4]}), run_of({{"acceptance_rate", 0.635}, {"speedup", 1.62}}));
  EXPECT_EQ(failed.verdict, "FAILED");
  EXPECT_EQ(failed.outcome, core::NativeOutcome::fail);
  EXPECT_EQ(failed.said, (std::vector<std::string>{"acceptance_rate: 0.635 outside range [0.657, 0.803] (expected: 0.73 ±10%)",
                                                   "speedup: 1.62 outside range [1.79, 2.42] (expected: 2.10 ±15%)"}));
  EXPECT_EQ(failed.said_keys, (std::vector<std::string>{"spec_decode_acceptance_rate", "speedup"}));
  EXPECT_FALSE(failed.exit_code);
}

TEST(SpecDecode, both_ends_of_the_band_are_inside) {
  const auto passes = [](double actual) {
    return core::native_detail<Report>(told(baseline_of({{"speedup", 2.0, 25, Rule::band}}), run_of({{"speedup", actual}})))
        ->passed;
  };
  EXPECT_TRUE(passes(1.5));
  EXPECT_TRUE(passes(2.5));
  EXPECT_FALSE(passes(1.4999999999999998));
  EXPECT_FALSE(passes(2.5000000000000004));
}

TEST(SpecDecode, a_position_is_judged_from_below_alone) {
  const auto passes = [](double actual) {
    return core::native_detail<Report>(told(baseline_of({{"acceptance_rate_at_position.0", 0.8, 25, Rule::at_least}}),
                                            run_of({{"acceptance_rate_at_position.0", actual}})))
        ->passed;
  };
  EXPECT_TRUE(passes(0.99));
  EXPECT_TRUE(passes(0.8 - 0.8 * 0.25));
  EXPECT_FALSE(passes(0.59));
}

TEST(SpecDecode, what_is_better_than_its_band_fails_there_and_is_named) {
  const NativeReport report = told(baseline_of({kRfc[2], kRfc[4]}), run_of({{"ttft_p50_ms", 30.0}, {"speedup", 3.0}}));
  EXPECT_EQ(report.verdict, "FAILED");
  ASSERT_EQ(report.misses.size(), 1U);
  EXPECT_EQ(report.misses.front().code.text(), "native_unjust_failure");
  EXPECT_EQ(report.misses.front().message,
            "spec_decode fails 2 metrics for being better than its band: its bands have two sides, whichever is worse for users");
  EXPECT_EQ(report.misses.front().keys, (std::vector<std::string>{"median_ttft_ms", "speedup"}));
  const NativeReport worse = told(baseline_of({kRfc[2]}), run_of({{"ttft_p50_ms", 60.0}}));
  EXPECT_TRUE(worse.misses.empty());
}

TEST(SpecDecode, a_metric_that_the_run_lacks_is_a_row_and_has_not_passed) {
  const NativeReport report = told(baseline_of({kRfc[0], kRfc[2]}), run_of({{"ttft_p50_ms", 44.0}}));
  EXPECT_EQ(report.verdict, "FAILED");
  EXPECT_EQ(report.said, (std::vector<std::string>{"match_rate: not in the run (expected: 0.75 ±10%)"}));
  const auto& rows = core::native_detail<Report>(report)->rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].actual);
  ASSERT_EQ(report.misses.size(), 1U);
  EXPECT_EQ(report.misses.front().code.text(), "native_unchecked");
}

TEST(SpecDecode, the_speedup_comes_from_a_run_without_speculation) {
  Options options;
  options.settings = {{"base_output_throughput", "60"}};
  const NativeReport report = told(baseline_of({kRfc[4]}), run_of({{"output_throughput", 126.0}}), options);
  EXPECT_EQ(report.verdict, "PASSED");
  EXPECT_EQ(core::native_detail<Report>(report)->rows.front().actual, 2.1);

  options.settings = {{"base_output_throughput", "0"}};
  const auto zero = systems::report_of(baseline_of({kRfc[4]}), run_of({{"output_throughput", 126.0}}), options);
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().message, "--native base_output_throughput=0 is not a rate above 0");
  options.settings = {{"base_output_throughput", "60"}};
  const auto none = systems::report_of(baseline_of({kRfc[4]}), run_of({{"acceptance_rate", 0.7}}), options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "--native base_output_throughput: the run has no output_throughput to divide");
  options.settings = {{"base_throughput", "60"}};
  const auto unknown = systems::report_of(baseline_of({kRfc[4]}), run_of({{"speedup", 2.0}}), options);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "--native: spec_decode has no setting \"base_throughput\"");
}

TEST(SpecDecode, several_runs_are_judged_by_their_median_under_vllms_names) {
  core::Measurement trials(std::make_shared<core::StringPool>());
  trials = plumbline::testing::make_measurement(
      trials.shared_pool(),
      {{"median_ttft_ms", {43, 44, 60}}, {"spec_decode_acceptance_rate", {73, 72, 74}, core::Direction::higher, "%"}});
  trials.format.name = "vllm-serve";
  const NativeReport report = told(baseline_of({kRfc[1], kRfc[2]}), trials);
  const auto& rows = core::native_detail<Report>(report)->rows;
  EXPECT_EQ(rows[0].actual, 0.73);
  EXPECT_EQ(rows[1].actual, 44);
  EXPECT_EQ(report.verdict, "PASSED");
}

TEST(SpecDecode, two_baselines_or_two_runs_are_not_its_business) {
  const auto none = systems::report_of(baseline_of(kRfc), baseline_of(kRfc), {});
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
  const auto runs = systems::report_of(run_of({{"speedup", 2}}), run_of({{"speedup", 2}}), {});
  ASSERT_TRUE(runs);
  EXPECT_FALSE(*runs);
}

TEST(SpecDecode, its_policy_gives_rows_its_states) {
  const auto pool = std::make_shared<core::StringPool>();
  using plumbline::testing::RowSpec;
  core::Measurement baseline =
      plumbline::testing::make_measurement(pool, {{"median_ttft_ms", {44}}, {"speedup", {2.1}, core::Direction::higher, ""}});
  core::Measurement current = plumbline::testing::make_measurement(
      pool, {{"median_ttft_ms", {30}}, {"speedup", {2.0}, core::Direction::higher, ""}, {"extra", {1}}});
  baseline.native = baseline_of({kRfc[2], kRfc[4]}).native;
  current.native = run_of({{"ttft_p50_ms", 30.0}, {"speedup", 2.0}}).native;
  const NativeReport report = told(baseline, current);
  verdict::JudgeInput input;
  input.native = &report;
  const core::Comparison comparison = verdict::decide_by_native(core::compare(baseline, current, {}), input);
  input.comparison = &comparison;
  const verdict::Judgement judgement = verdict::judge_native(input);
  EXPECT_EQ(judgement.verdict, core::Verdict::red);
  EXPECT_EQ(judgement.reasons.front().code.text(), "native_failed");
  EXPECT_EQ(judgement.counts.regressed, 1U);
  EXPECT_EQ(judgement.counts.unchanged, 1U);
  EXPECT_EQ(judgement.counts.added, 1U);
}

TEST(SpecDecode, figures_are_printed_as_the_rfc_prints_them) {
  EXPECT_EQ(figure("acceptance_rate", 0.6569999), "0.657");
  EXPECT_EQ(figure("ttft_p50_ms", 50.6), "50.6");
  EXPECT_EQ(figure("speedup", 2.1 - 2.1 * 0.15), "1.79");
  EXPECT_EQ(expected_figure("speedup", 2.1), "2.10");
  EXPECT_EQ(expected_figure("ttft_p50_ms", 44), "44.0");
  EXPECT_EQ(expected_figure("match_rate", 0.7654), "0.7654");
  EXPECT_EQ(variant_title("ngram"), "N-gram");
  EXPECT_EQ(variant_title("eagle3"), "Eagle3");
  EXPECT_EQ(vllm_name("ttft_p99_ms").name, "p99_ttft_ms");
  EXPECT_EQ(vllm_name("e2e_latency_p50").name, "median_e2el_ms");
  EXPECT_EQ(metric_of("median_e2el_ms"), "e2e_latency_p50_ms");
  EXPECT_EQ(metric_of("num_prompts"), "");
}

}  // namespace
}  // namespace plumbline::systems::spec_decode
