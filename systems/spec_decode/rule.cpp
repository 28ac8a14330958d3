// The vLLM RFC's validation of a speculative-decoding run: every metric of the baseline inside its band, both ends inclusive,
// both sides alike; and the acceptance at each position not below its own bound. The RFC's printed ranges are rounded; what
// counts are the bounds themselves.
#include <algorithm>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "systems/spec_decode/model.hpp"
#include "systems/spec_decode/system.hpp"
#include "systems/spec_decode/vllm_run.hpp"

namespace plumbline::systems::spec_decode {

namespace {

constexpr Setting kSettings[] = {
    {"base_output_throughput", "tok/s of the same load without speculation: speedup = output_throughput / this"},
};

// Several files of one run, merged as trials, are no file any more, and the table that vLLM prints is none of its results:
// their rows have vLLM's names all the same.
bool is_run(const core::Measurement& side) {
  if (const File* file = core::native_file<File>(side)) return file->run.has_value();
  return side.format.name == "vllm-serve" || side.format.name == "vllm-console" || side.format.name == "spec_decode_run";
}

bool applies(const core::Measurement& baseline, const core::Measurement& current) {
  const File* expected = core::native_file<File>(baseline);
  return expected != nullptr && expected->baseline && is_run(current);
}

Run run_of(const core::Measurement& side) {
  if (const File* file = core::native_file<File>(side); file != nullptr && file->run) return *file->run;
  Run run;
  for (const core::Row& row : side.rows()) {
    if (row.value_count == 0 || row.state != core::ValueState::number) continue;
    const std::string metric = metric_of(side.key(row));
    const double value = core::median(side.values(row));
    run.metrics.emplace_back(metric.empty() ? std::string(side.key(row)) : metric,
                             metric.empty() ? value : value / vllm_name(metric).factor);
  }
  return run;
}

// Of a name that stands twice the last counts, as in any JSON reader of that side of the world.
std::optional<double> actual_of(const Run& run, std::string_view metric) {
  const std::string wanted = vllm_name(metric).name;
  std::optional<double> found;
  for (const auto& [name, value] : run.metrics) {
    if (name == metric || vllm_name(name).name == wanted) found = value;
  }
  return found;
}

Row row_of(const Expected& expected, std::optional<double> actual) {
  Row row;
  row.metric = expected.metric;
  row.rule = expected.rule;
  row.expected = expected.expected;
  row.tolerance_pct = expected.tolerance_pct;
  const double tolerance = expected.expected * (expected.tolerance_pct / 100);
  row.low = expected.expected - tolerance;
  row.high = expected.expected + tolerance;
  row.actual = actual;
  if (!actual) return row;
  const bool below = *actual < row.low;
  const bool above = row.rule == Rule::band && *actual > row.high;
  row.passed = !below && !above;
  // A rate above one is no rate: it is written in per cent, and nothing is better for that.
  const bool rate = row.metric.find("rate") != std::string::npos && row.expected <= 1;
  row.better = lower_is_better(row.metric) ? below : above && !(rate && *actual > 1);
  return row;
}

std::string expected_text(const Row& row) {
  const std::string sign = row.rule == Rule::band ? "±" : "-";
  return "(expected: " + expected_figure(row.metric, row.expected) + " " + sign + core::number_text(row.tolerance_pct) + "%)";
}

// The RFC's line of a failure.
std::string sentence(const Row& row) {
  if (!row.actual) return core::cited_word(row.metric) + ": not in the run " + expected_text(row);
  return core::cited_word(row.metric) + ": " + figure(row.metric, *row.actual) + " outside range " + band_text(row) + " " +
         expected_text(row);
}

// What the band calls a failure although users would not.
void add_misses(const Report& report, core::NativeReport& out) {
  core::Reason better{"native_unjust_failure"};
  core::Reason absent{"native_unchecked"};
  for (const Row& row : report.rows) {
    if (row.better) better.keys.push_back(vllm_name(row.metric).name);
    if (!row.actual) absent.keys.push_back(vllm_name(row.metric).name);
  }
  if (!better.keys.empty()) {
    better.message = "spec_decode fails " + core::counted(better.keys.size(), "metric") +
                     " for being better than its band: its bands have two sides, whichever is worse for users";
    better.keys_count = better.keys.size();
    out.misses.push_back(std::move(better));
  }
  if (!absent.keys.empty()) {
    absent.message = "the run does not say " + core::counted(absent.keys.size(), "metric") +
                     " of the baseline: the RFC is silent about that, and what was not measured has not passed";
    absent.keys_count = absent.keys.size();
    out.misses.push_back(std::move(absent));
  }
}

core::Expected<core::NativeReport> judge(const core::Measurement& baseline, const core::Measurement& current,
                                         const Options& options) {
  const Baseline& expected = *core::native_file<File>(baseline)->baseline;
  Run run = run_of(current);
  if (const auto text = options.setting("base_output_throughput")) {
    const auto base = core::parse_double(*text);
    if (!base || !(*base > 0)) {
      return core::fail(core::ErrorCode::usage,
                        "--native base_output_throughput=" + std::string(*text) + " is not a rate above 0",
                        "give the output tokens per second of the run without speculation");
    }
    const auto throughput = actual_of(run, "output_throughput");
    if (!throughput) {
      return core::fail(core::ErrorCode::usage, "--native base_output_throughput: the run has no output_throughput to divide",
                        "give the JSON of `vllm bench serve`, or a run that holds \"speedup\" itself");
    }
    run.metrics.emplace_back("speedup", *throughput / *base);
  }

  Report report;
  report.baseline = expected;
  report.baseline.metrics.clear();
  report.baseline_path = baseline.native->path;
  if (current.native != nullptr) report.run_path = current.native->path;
  report.duration_s = run.duration_s;
  report.num_prompts = run.num_prompts;
  std::uint64_t passing = 0;
  for (const Expected& metric : expected.metrics) {
    report.rows.push_back(row_of(metric, actual_of(run, metric.metric)));
    passing += report.rows.back().passed ? 1 : 0;
  }
  report.passed = passing == report.rows.size();

  core::NativeReport out;
  out.system = "spec_decode";
  out.verdict = report.passed ? "PASSED" : "FAILED";
  out.summary = std::to_string(passing) + "/" + core::counted(report.rows.size(), "metric") + " within tolerance";
  out.outcome = report.passed ? core::NativeOutcome::pass : core::NativeOutcome::fail;
  for (const Row& row : report.rows) {
    if (row.passed) continue;
    out.said.push_back(sentence(row));
    out.said_keys.push_back(vllm_name(row.metric).name);
  }
  add_misses(report, out);
  out.detail = std::move(report);
  return out;
}

// Inside the band nothing happened; outside, the side that is better is an improvement by its nature, but the policy of this
// name follows the RFC, for which it is a failure.
core::Comparison decide_rows(const core::NativeReport& report, core::Comparison comparison) {
  const auto& rows = core::native_detail<Report>(report)->rows;
  for (core::Delta& delta : comparison.deltas) {
    const std::string_view key = comparison.baseline->pool().view(delta.key);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& one) { return vllm_name(one.metric).name == key; });
    if (row == rows.end()) {
      if (delta.state != core::State::added) delta.state = core::State::context;
      continue;
    }
    delta.headline = false;
    if (!row->actual) {
      delta.state = core::State::missing;
    } else {
      delta.state = row->passed ? core::State::unchanged : core::State::regressed;
      delta.exceeds = delta.adverse = !row->passed;
    }
  }
  return comparison;
}

}  // namespace

const System kSystem = {
    .name = "spec_decode",
    .title = "the vLLM RFC on speculative decoding: two-sided bands, acceptance at each position from below",
    .needs =
        "a baseline of the RFC (variant, model and `baselines` or `metrics` with expected and tolerance_pct) and a run: "
        "the JSON of `vllm bench serve`, or a map of the RFC's metrics",
    .settings = kSettings,
    .applies = &applies,
    .judge = &judge,
    .decide_rows = &decide_rows,
    .printer = &kPrinter,
    .exporter = &kExporter,
    .retell = &retell};

}  // namespace plumbline::systems::spec_decode
