// inferencebench's rules (facts: baseline-systems section 2), row by row, and what stands beside its verdict.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systems/inferencebench/model.hpp"
#include "systems/table.hpp"
#include "verdict/native.hpp"

namespace plumbline::systems::inferencebench {
namespace {

using Metrics = std::vector<Metric>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Metric number(std::string name, double value) { return {std::move(name), value, std::nullopt}; }
Metric text(std::string name, std::string value) { return {std::move(name), std::nullopt, std::move(value)}; }
Metric null(std::string name) { return {std::move(name), std::nullopt, std::nullopt}; }

core::Measurement side(Metrics metrics, const std::string& path = "e.json") {
  Envelope envelope;
  envelope.suite_id = "suite";
  envelope.model_id = "model";
  envelope.engine_name = "engine";
  envelope.engine_version = "1";
  envelope.hardware_fingerprint = "f";
  envelope.metrics = std::move(metrics);
  core::NativeFile file;
  file.system = "inferencebench";
  file.path = path;
  file.content = std::move(envelope);
  core::Measurement out(std::make_shared<core::StringPool>());
  out.native = std::make_shared<const core::NativeFile>(std::move(file));
  return out;
}

core::NativeReport report(Metrics baseline, Metrics candidate, const Options& options = {}) {
  auto made = systems::report_of(side(std::move(baseline)), side(std::move(candidate)), options);
  EXPECT_TRUE(made && *made);
  return **made;
}

// "name verdict" of every row, in the order of its JSON.
std::string verdicts(const core::NativeReport& native) {
  static constexpr const char* kWords[] = {"regression", "improvement", "no_change", "unknown", "missing"};
  std::string out;
  for (const Row& row : core::native_detail<Report>(native)->rows) {
    out += (out.empty() ? "" : ", ") + row.name + " " + kWords[static_cast<int>(row.verdict)];
  }
  return out;
}
std::string verdict_of(const char* name, double baseline, double candidate, const Options& options = {}) {
  const std::string all = verdicts(report({number(name, baseline)}, {number(name, candidate)}, options));
  return all.substr(all.find(' ') + 1);
}

TEST(Inferencebench, the_name_says_which_way_is_better_exactly) {
  EXPECT_EQ(verdict_of("ttft_p50_ms", 100, 110), "regression");
  EXPECT_EQ(verdict_of("ttft_p50_ms", 100, 90), "improvement");
  EXPECT_EQ(verdict_of("ok_rate", 1, 0.9), "regression");
  EXPECT_EQ(verdict_of("TTFT_P50_MS", 100, 110), "unknown");
  EXPECT_EQ(verdict_of("ttft_p95_ms", 100, 110), "unknown");
}

TEST(Inferencebench, a_change_as_large_as_the_tolerance_is_none) {
  EXPECT_EQ(verdict_of("power_avg_w", 100, 102), "no_change");
  EXPECT_EQ(verdict_of("power_avg_w", 100, 102.0001), "regression");
  Options options;
  options.tolerance_percent = 0;
  EXPECT_EQ(verdict_of("power_avg_w", 100, 100.0001, options), "regression");
  EXPECT_EQ(verdict_of("power_avg_w", -100, -103), "improvement") << "relative to the baseline's size";
}

TEST(Inferencebench, from_zero_every_change_counts) {
  EXPECT_EQ(verdict_of("timeout_rate", 0, 0), "no_change");
  EXPECT_EQ(verdict_of("timeout_rate", 0, 1e-9), "regression");
  const auto native = report({number("timeout_rate", 0)}, {number("timeout_rate", 0.5)});
  const Row& row = core::native_detail<Report>(native)->rows.front();
  EXPECT_EQ(row.delta_abs, 0.5);
  EXPECT_FALSE(row.delta_rel);
}

TEST(Inferencebench, values_that_are_missing_on_a_side) {
  EXPECT_EQ(verdicts(report({number("a", 1), null("b"), text("c", "x"), number("ok_rate", 1)},
                            {text("a", "t"), number("b", 1), text("c", "y")})),
            "a missing, b unknown, c no_change, ok_rate missing");
}

TEST(Inferencebench, infinite_on_both_sides_is_a_regression_there_and_named_here) {
  const auto native = report({number("ttft_p50_ms", kInfinity)}, {number("ttft_p50_ms", kInfinity)});
  EXPECT_EQ(verdicts(native), "ttft_p50_ms regression");
  ASSERT_EQ(native.misses.size(), 1U);
  EXPECT_EQ(native.misses[0].code.text(), "native_unjust_failure");
  EXPECT_EQ(native.misses[0].message,
            "1 metric infinite on both sides: the difference is no number, which inferencebench calls a regression");
}

TEST(Inferencebench, rows_stand_worst_first_then_best_first_then_by_name) {
  const auto native =
      report({number("ttft_p50_ms", 1), number("ttft_p99_ms", 1), number("ok_rate", 1), number("accuracy", 1),
              number("throughput_tok_per_s", 1), number("timeout_rate", 0), number("b", 1), number("a", 1)},
             {number("ttft_p50_ms", 1.5), number("ttft_p99_ms", 2), number("ok_rate", 0.4), number("accuracy", 1.1),
              number("throughput_tok_per_s", 3), number("timeout_rate", 0.5), number("b", 1), number("a", 9)});
  std::string order;
  for (const Row* row : in_table_order(*core::native_detail<Report>(native))) order += row->name + " ";
  EXPECT_EQ(order, "ttft_p99_ms ok_rate ttft_p50_ms timeout_rate throughput_tok_per_s accuracy a b ");
}

TEST(Inferencebench, strict_fails_on_regressions_and_on_nothing_else) {
  Options strict;
  strict.strict = true;
  const Metrics good = {number("ok_rate", 1), number("ttft_p50_ms", 1)};
  EXPECT_EQ(report(good, {number("ok_rate", 0.5), number("ttft_p50_ms", 1)}, strict).exit_code, 1);
  EXPECT_EQ(report(good, {number("ok_rate", 0.5), number("ttft_p50_ms", 1)}).exit_code, 0);
  const auto vanished = report(good, {number("ttft_p50_ms", 1)}, strict);
  EXPECT_EQ(vanished.exit_code, 0);
  EXPECT_EQ(vanished.outcome, core::NativeOutcome::pass);
  ASSERT_EQ(vanished.misses.size(), 1U);
  EXPECT_EQ(vanished.misses[0].code.text(), "native_vanished_passes");
  EXPECT_EQ(vanished.misses[0].keys, std::vector<std::string>{"ok_rate"});
}

TEST(Inferencebench, a_policy_needs_files_of_its_system) {
  core::Measurement plain(std::make_shared<core::StringPool>());
  const auto none = systems::report_of(plain, side({number("a", 1)}), {});
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
  EXPECT_EQ(systems::find("inferencebench")->needs, "two envelope files (envelope_version v1)");
  EXPECT_EQ(systems::find("plumbline"), nullptr);
}

TEST(Inferencebench, every_system_has_a_policy_of_its_name) {
  for (const System* system : systems::table()) {
    EXPECT_NE(verdict::find(system->name), nullptr) << system->name;
    EXPECT_FALSE(system->needs.empty()) << system->name;
  }
}

TEST(Inferencebench, both_verdicts_are_named_when_they_differ) {
  const auto native = report({number("ttft_p50_ms", 100)}, {number("ttft_p50_ms", 103)});
  const auto beside = verdict::native_reasons(native, core::Verdict::green);
  ASSERT_EQ(beside.size(), 2U);
  EXPECT_EQ(beside[0].code.text(), "native_verdict_differs");
  EXPECT_EQ(
      beside[0].message,
      "inferencebench says regression (1 regression, 0 improvements, 0 no_change, 0 unknown, 0 missing), plumbline says GREEN");
  EXPECT_EQ(beside[1].code.text(), "native_noise_unknown");
  EXPECT_EQ(verdict::native_reasons(native, core::Verdict::red).front().code.text(), "native_noise_unknown");
}

}  // namespace
}  // namespace plumbline::systems::inferencebench
