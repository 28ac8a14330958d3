// Results built by hand for the report tests: small, of every kind of row, and hostile where asked. Nothing here compares or
// judges: the numbers are written down as core would give them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/profile_diff.hpp"

namespace plumbline::reports::fixture {

inline constexpr const char* kDigestA = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
inline constexpr const char* kDigestB = "0e11826e1bf49d462533dc9d7ada03fd949f2170ac931f614dc414eba009ff1d";

// Both sides of a comparison and the comparison over them; kept together, because a Comparison borrows its sides.
struct Sides {
  std::shared_ptr<core::StringPool> pool = std::make_shared<core::StringPool>();
  core::Measurement baseline{pool}, current{pool};
  core::Comparison comparison;
  core::RowMarks marks;

  Sides() {
    comparison.baseline = &baseline;
    comparison.current = &current;
    comparison.tolerances.push_back({core::ToleranceKind::percent, 5, core::Source::defaulted, ""});
    comparison.tolerances.push_back({core::ToleranceKind::percent, 3, core::Source::project, "plumbline.yaml:12"});
    comparison.tolerances.push_back({core::ToleranceKind::points, 2, core::Source::flag, ""});
  }

  struct Spec {
    std::string key = {}, metric = {}, unit = {};
    core::Direction direction = core::Direction::lower;
    std::vector<double> baseline = {}, current = {};
    core::State state = core::State::unchanged;
    std::uint32_t tolerance = 0;
    bool headline = false, gate = false, suspect = false;
    std::vector<std::pair<std::string, std::string>> dims = {};
    core::ValueState current_state = core::ValueState::number;
    std::string current_text = {};
  };

  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n == 0 ? 0 : n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  }

  std::uint32_t add_side(core::Measurement& side, const Spec& spec, const std::vector<double>& values, core::ValueState state,
                         const std::string& text) {
    core::MetricClass made{};
    made.unit = pool->intern(spec.unit);
    made.direction = spec.direction;
    made.role = spec.gate ? core::Role::gate : core::Role::judged;
    made.unit_source = core::Source::file;
    made.direction_source = core::Source::name_rule;
    made.direction_note = pool->intern("name rule: " + spec.metric);
    std::vector<std::pair<core::Id, core::Id>> dims;
    for (const auto& [name, value] : spec.dims) dims.emplace_back(pool->intern(name), pool->intern(value));
    core::Row row;
    row.key = pool->intern(spec.key);
    row.metric = pool->intern(spec.metric);
    row.metric_class = side.intern_class(made);
    row.dims = side.add_dims(dims);
    row.state = state;
    row.text = text.empty() ? 0 : pool->intern(text);
    return side.add_row(row, values);
  }

  core::Delta& add(const Spec& spec) {
    core::Delta delta;
    delta.key = pool->intern(spec.key);
    if (spec.state != core::State::added)
      delta.baseline_row = add_side(baseline, spec, spec.baseline, core::ValueState::number, "");
    if (spec.state != core::State::missing) {
      delta.current_row = add_side(current, spec, spec.current, spec.current_state, spec.current_text);
    }
    delta.tolerance = spec.tolerance;
    delta.state = spec.state;
    delta.direction = spec.direction;
    delta.direction_source = core::Source::name_rule;
    delta.headline = spec.headline;
    delta.gate = spec.gate;
    if (spec.suspect) marks.mark_suspect(comparison.deltas.size());
    delta.baseline = median(spec.baseline);
    delta.current = median(spec.current);
    delta.delta = delta.current - delta.baseline;
    delta.delta_pct = delta.baseline == 0 ? (delta.delta == 0 ? 0 : std::numeric_limits<double>::quiet_NaN())
                                          : 100 * delta.delta / delta.baseline;
    delta.adverse = spec.direction == core::Direction::higher ? delta.delta < 0 : delta.delta > 0;
    delta.exceeds = spec.state == core::State::regressed || spec.state == core::State::improved;
    comparison.deltas.push_back(delta);
    return comparison.deltas.back();
  }
};

// The rows of a result that compares measurements.
inline core::RowsResult& rows_of(core::DiffResult& result) { return std::get<core::RowsResult>(result.evidence); }

// The result borrows the comparison of `sides`; the pointer keeps both alive.
inline core::DiffResult around(const std::shared_ptr<Sides>& sides) {
  core::DiffResult result;
  rows_of(result).comparison = std::shared_ptr<const core::Comparison>(sides, &sides->comparison);
  rows_of(result).marks = sides->marks;
  result.tool = {"plumbline", "0.0.0-test"};
  result.compared_at_utc = "2026-11-20T15:03:59Z";
  return result;
}

inline core::FormatInfo perfbench() {
  return {"inference_perfbench_v1",
          "1",
          0.98,
          {"schema field names inference_perfbench_v1", "metrics.<concurrency> objects"},
          "generic-json 0.4"};
}

// A serving benchmark with every kind of row: RED.
inline core::DiffResult serving() {
  using core::Direction;
  using core::State;
  auto sides = std::make_shared<Sides>();
  Sides& s = *sides;
  s.add({"metrics.16.throughput_toks_per_s",
         "throughput_toks_per_s",
         "tok/s",
         Direction::higher,
         {9120, 9150, 9095, 9133, 9140},
         {8402, 8390, 8455, 8421, 8377},
         State::regressed,
         1,
         true,
         false,
         false,
         {{"concurrency", "16"}}});
  s.add({"metrics.16.ttft_p50_ms",
         "ttft_p50_ms",
         "ms",
         Direction::lower,
         {120, 121, 119, 122, 120},
         {181, 179, 184, 180, 183},
         State::regressed,
         0,
         false,
         false,
         false,
         {{"concurrency", "16"}}});
  s.add({"metrics.64.itl_p50_ms",
         "itl_p50_ms",
         "ms",
         Direction::lower,
         {14.2},
         {15.4},
         State::regressed,
         1,
         false,
         false,
         true,
         {{"concurrency", "64"}}});
  s.add({"metrics.64.throughput_toks_per_s",
         "throughput_toks_per_s",
         "tok/s",
         Direction::higher,
         {21000},
         {22890},
         State::improved,
         1,
         false,
         false,
         false,
         {{"concurrency", "64"}}});
  s.add({"metrics.1.ttft_p50_ms",
         "ttft_p50_ms",
         "ms",
         Direction::lower,
         {41.25},
         {41.9},
         State::unchanged,
         0,
         false,
         false,
         false,
         {{"concurrency", "1"}}});
  s.add({"metrics.64.errors",
         "errors",
         "",
         Direction::lower,
         {0},
         {3},
         State::regressed,
         0,
         false,
         true,
         false,
         {{"concurrency", "64"}}});
  s.add({"server_metrics_delta.prefix_cache_hit_rate_post",
         "prefix_cache_hit_rate_post",
         "ratio",
         Direction::higher,
         {0.71},
         {0.702},
         State::unchanged,
         2});
  s.add({"metrics.128.ttft_p99_ms", "ttft_p99_ms", "ms", Direction::lower, {900}, {}, State::missing});
  s.add({"metrics.128.itl_p50_ms",
         "itl_p50_ms",
         "ms",
         Direction::lower,
         {22},
         {},
         State::invalid,
         0,
         false,
         false,
         false,
         {{"concurrency", "128"}},
         core::ValueState::not_finite,
         "NaN"});
  s.add({"metrics.256.ttft_p50_ms", "ttft_p50_ms", "ms", Direction::lower, {}, {610}, State::added});
  s.add({"metrics.32.itl_p50_ms",
         "itl_p50_ms",
         "ms",
         Direction::lower,
         {11.8, 12.9, 12.1},
         {12.6, 13.1, 12.2},
         State::inconclusive,
         1,
         false,
         false,
         false,
         {{"concurrency", "32"}}});

  core::RowStatistics tested;
  tested.n_baseline = tested.n_current = 5;
  tested.baseline = {9127.6, 21.2, 9133, 9095, 9150};
  tested.current = {8409, 30.4, 8402, 8377, 8455};
  tested.interval_low_pct = -8.3;
  tested.interval_high_pct = -7.2;
  tested.p = 1.0 / 252;
  tested.mde_pct = 0.81;
  tested.statistical = true;
  s.comparison.statistics.push_back(tested);
  s.comparison.deltas[0].statistics = 0;
  tested.baseline = {120.4, 1.14, 120, 119, 122};
  tested.current = {181.4, 2.07, 181, 179, 184};
  tested.interval_low_pct = 48.3;
  tested.interval_high_pct = 53.1;
  s.comparison.statistics.push_back(tested);
  s.comparison.deltas[1].statistics = 1;
  core::RowStatistics unsure;
  unsure.n_baseline = unsure.n_current = 3;
  unsure.baseline = {12.266666666666667, 0.5686, 12.1, 11.8, 12.9};
  unsure.current = {12.633333333333333, 0.4509, 12.6, 12.2, 13.1};
  unsure.interval_low_pct = -5.8;
  unsure.interval_high_pct = 10.7;
  unsure.p = 0.35;
  unsure.mde_pct = 11.2;
  unsure.trials_needed = 14;
  s.comparison.statistics.push_back(unsure);
  s.comparison.deltas[10].statistics = 2;
  s.comparison.notes[10] = "underpowered: 14 trials a side would decide it";

  core::DiffResult result = around(sides);
  result.family = "inference";
  result.measurement = "kimi-perfbench-v1";
  result.baseline = {"/srv/repo/experiments/artifacts/perf-baselines/inference/kimi-perfbench-v1/20261119T101500000000Z",
                     "nightly 2026-11-19",
                     "20261119T101500000000Z",
                     kDigestA,
                     kDigestB,
                     perfbench(),
                     5};
  result.current = {"/srv/runs/perfbench.json", "", "", kDigestB, "", perfbench(), 5};
  result.verdict = core::Verdict::red;
  result.tier = core::Tier::draft;
  result.promote = {"run both sides on one node", "record at least 3 independent trials of concurrency 64"};
  result.reasons = {
      {"gate_failed", "a gate failed: errors at concurrency 64 went from 0 to 3", {"metrics.64.errors"}, 1},
      {"headline_regressed", "the headline fell by 8 %, beyond its tolerance of 3 %", {"metrics.16.throughput_toks_per_s"}, 1},
      {"few_regressed", "2 rows regressed beyond tolerance", {"metrics.16.ttft_p50_ms", "metrics.16.throughput_toks_per_s"}, 2},
      {"suspects", "1 regressed row is within the noise of single trials", {"metrics.64.itl_p50_ms"}, 1},
  };
  result.counts = {10, 4, 1, 1, 2, 1, 1, 1, 1, 0, 0};
  result.baseline_context = {{"hardware.gpu", "NVIDIA B200"},
                             {"hardware.driver", "570.124.06"},
                             {"identity.model", "kimi-k2.5"},
                             {"stack.engine", "vllm 0.11.2"}};
  result.current_context = {{"hardware.gpu", "NVIDIA B200"},
                            {"hardware.driver", "580.65.06"},
                            {"identity.model", "kimi-k2.5"},
                            {"stack.engine", "vllm 0.12.0"}};
  result.context_differences = {{"hardware.driver", "570.124.06", "580.65.06", true, true, core::Severity::weakening, true},
                                {"stack.engine", "vllm 0.11.2", "vllm 0.12.0", true, true, core::Severity::weakening, false},
                                {"serving.max_num_seqs", "", "256", false, true, core::Severity::informative, false}};
  result.sol = {{"metrics.16.throughput_toks_per_s", "b200_sm100.hbm3e_tbps", 8, "TB/s", 62.5, 57.6, -4.9,
                 "baseline: 9133 tok/s (62.5% of hbm3e_tbps SoL)\ncurrent: 8402 tok/s (57.6% of hbm3e_tbps SoL)\ndelta: -731 "
                 "tok/s (-8.0% absolute, -4.9 pp SoL)"}};
  core::Culprit part;
  part.predicate = "concurrency=16 and metric=ttft_p50_ms or tpot_p50_ms";
  part.terms = {{"concurrency", "=", {"16"}}, {"metric", "=", {"ttft_p50_ms", "tpot_p50_ms"}}};
  part.regressed_in = 3;
  part.regressed_total = 4;
  part.others_in = 1;
  part.others_total = 6;
  part.p = 0.0042;
  part.effect_pct = -8;
  part.not_affected = {{"not concurrency=16", 1, 6}};
  part.runner_up = core::PartCount{"metric=throughput_toks_per_s", 2, 4};
  part.rows = {0, 1, 5};
  result.culprits = {part};
  result.recommendation = {"bisect",
                           "the engine changed between the sides: bisect vllm 0.11.2..0.12.0 at concurrency 16",
                           {"stack.engine", "metrics.16.ttft_p50_ms"}};
  result.next_lever =
      core::NextLever{"restore the chunked-prefill batch size", "about 8 % throughput", "ttft_p50_ms back within 5 %"};
  result.warnings = {
      {"baseline_not_accepted", "no entry of this measurement is accepted; the newest whose context fits was taken"}};
  rows_of(result).order = {5, 0, 1, 7, 8, 2, 10, 3, 4, 6, 9};
  result.diff_dir = "/srv/repo/experiments/artifacts/perf-baseline-diffs/inference/kimi-perfbench-v1/20261120T150359571930Z";
  result.bundle_sha256 = kDigestA;
  result.files = {{"diff.json", result.diff_dir + "/diff.json", 12345, kDigestA},
                  {"diff.md", result.diff_dir + "/diff.md", 2345, kDigestB}};
  result.command = "plumbline diff inference/kimi-perfbench-v1 perfbench.json --varying hardware.driver";
  return result;
}

// The reference tool's own sample, GREEN: one scalar, 100 -> 106 tokens/s.
inline core::DiffResult scalar() {
  auto sides = std::make_shared<Sides>();
  sides->add({"throughput", "throughput", "tokens/s", core::Direction::higher, {100}, {106}, core::State::improved, 0, true});
  core::DiffResult result = around(sides);
  result.family = "demo";
  result.measurement = "throughput";
  rows_of(result).shape = core::Shape::scalar;
  result.direction = core::Direction::higher;
  result.baseline = {"/repo/baseline", "", "20261120T150359221206Z", kDigestA, "", {"scalar-text", "", 1, {"one number"}, ""}, 1};
  result.current = {"/repo/c.txt", "", "", kDigestB, "", {"scalar-text", "", 1, {"one number"}, ""}, 1};
  result.counts.compared = 1;
  result.counts.improved = 1;
  rows_of(result).order = {0};
  return result;
}

// Keys and texts that break careless renderers.
inline core::DiffResult hostile() {
  auto sides = std::make_shared<Sides>();
  Sides& s = *sides;
  const std::vector<std::string> keys = {"pipe|in|key",
                                         "back`tick``s",
                                         "<script>alert(1)</script>",
                                         "amp&quot;\"'",
                                         "new\nline\r\nkey",
                                         "\x1b[31mred\x1b[0m",
                                         "bad\xff\xc3utf8",
                                         "comma,semi:colon%0A::error::x",
                                         "[link](javascript:alert(1))",
                                         "\xe2\x80\xaertl\xe2\x80\xac",
                                         std::string("nul\0key", 7),
                                         "日本語のキー",
                                         "]]>",
                                         "-->",
                                         "{{mustache}}",
                                         "{{{raw}}}"};
  for (const std::string& key : keys)
    s.add({key, key, "u|`<", core::Direction::lower, {1}, {2}, core::State::regressed, 0, true});
  core::DiffResult result = around(sides);
  result.family = "fam|<b>";
  result.measurement = "mea`sure\nment";
  result.verdict = core::Verdict::red;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    rows_of(result).order.push_back(i);
    result.reasons.push_back({"few_regressed", "message " + keys[i], {keys[i]}, 1});
    result.warnings.push_back({"ragged_lines", keys[i]});
    result.context_differences.push_back(
        {"environment." + keys[i], keys[i], keys[i] + "2", true, true, core::Severity::weakening, false});
    s.comparison.notes[i] = keys[i];
  }
  result.counts.compared = result.counts.regressed = keys.size();
  core::Culprit part;
  part.predicate = keys[2] + "=" + keys[0];
  part.terms = {{keys[2], "either", {keys[5], keys[4]}}};
  part.regressed_in = part.regressed_total = keys.size();
  part.not_affected = {{keys[14], 0, 1}};
  part.runner_up = core::PartCount{keys[9], 1, 2};
  part.rows = {0, 2};
  result.culprits = {part};
  result.recommendation = {"rerun", keys[2] + keys[5], {keys[4]}};
  result.next_lever = core::NextLever{keys[2], keys[0], keys[14]};
  result.baseline.path = "/tmp/x`|<i>\x1b[2J";
  result.baseline.label = keys[2];
  result.current.format = {"fmt<", "1|", 0.5, {keys[2], keys[6]}, keys[0]};
  result.sol = {{keys[2], "dev." + keys[0], 8, "TB/s", 50, 40, -10, "baseline: <x>\ncurrent: |y|\ndelta: `z`"}};
  result.command = keys[5];
  result.diff_dir = "/tmp/a\nb";
  return result;
}

inline core::ProfileRow profile_row(std::string name, std::int64_t before, std::int64_t after, std::uint64_t calls_before,
                                    std::uint64_t calls_after) {
  core::ProfileRow row;
  row.name = std::move(name);
  row.state = calls_before == 0 ? "new" : calls_after == 0 ? "vanished" : "matched";
  row.baseline_name = calls_before == 0 ? "" : row.name;
  row.candidate_name = calls_after == 0 ? "" : row.name;
  row.baseline_ns = before;
  row.candidate_ns = after;
  row.delta_ns = after - before;
  if (before > 0) row.pct = 100.0 * static_cast<double>(row.delta_ns) / static_cast<double>(before);
  if (calls_before > 0) {
    row.baseline_count = calls_before;
    const double avg = static_cast<double>(before) / static_cast<double>(calls_before);
    row.baseline = core::ProfileRowSide{static_cast<std::int64_t>(avg),     avg, avg, 12.5, static_cast<std::int64_t>(avg) - 10,
                                        static_cast<std::int64_t>(avg) + 20};
  }
  if (calls_after > 0) {
    row.candidate_count = calls_after;
    const double avg = static_cast<double>(after) / static_cast<double>(calls_after);
    row.candidate = core::ProfileRowSide{static_cast<std::int64_t>(avg),     avg, avg, 10.25, static_cast<std::int64_t>(avg) - 10,
                                         static_cast<std::int64_t>(avg) + 20};
  }
  row.duration_effect_ns = row.delta_ns;
  return row;
}

// Profiles of the host and of single kernels: frames and metrics in place of rows.
inline core::ProfileDiff host_profile() {
  core::ProfileDiff diff;
  diff.baseline.path = "/srv/a.folded";
  diff.candidate.path = "/srv/b.folded";
  diff.baseline.format = diff.candidate.format = "folded-stacks";
  diff.frames_unit = "samples";
  diff.frames = {{"parse|all", "matched", 400, 700, 300, 900, 1200, 300, 75.0, 40, 70},
                 {"gone", "vanished", 600, 0, -600, 600, 0, -600, -100.0, 60, 0},
                 {"fresh", "new", 0, 300, 300, 0, 300, 300, std::nullopt, 0, 30}};
  diff.metrics = {
      {"copy_blocked", "(1,1,1)x(64,1,1)", "gpu__time_duration.sum", "ns", "matched", 3, 3, 2000.0, 2200.0, 200.0, 10.0},
      {"copy_blocked", "", "sm__throughput", "", "new", 0, 3, std::nullopt, 12.5, std::nullopt, std::nullopt}};
  return diff;
}

// The rows of the reference tool's sample, with a timeline added.
inline core::ProfileDiff profile() {
  core::ProfileDiff diff;
  diff.baseline = {"/srv/a.sqlite",
                   "B",
                   kDigestA,
                   1048576,
                   "nsys-sqlite",
                   "2025.3.1",
                   800000000,
                   2000,
                   1000000000,
                   {0, 1},
                   {{"hardware.gpu", "NVIDIA H200"}}};
  diff.candidate = {"/srv/b.sqlite",
                    "C",
                    kDigestB,
                    1048999,
                    "nsys-sqlite",
                    "2025.3.1",
                    750000100,
                    1001,
                    1100000000,
                    {0, 1},
                    {{"hardware.gpu", "NVIDIA H200"}}};
  diff.limit = 5;
  diff.verdict = core::Verdict::red;
  diff.promote = {"capture each side three times"};
  diff.reasons = {{"wall_regressed", "the wall time of equal work grew by 10 %, beyond the gate of 5 %", {}, 0},
                  {"offsetting_moves", "exposed communication grew from 4 % to 16 % of the span", {"NCCL"}, 1}};
  diff.comparability = 0.95;
  diff.comparability_notes = {"1 of 3 kernel names is new"};
  diff.wall_delta_pct = 10;
  diff.wall_basis = "work_normalised_wall";
  diff.work_ratio = 1;
  const auto buckets = [](std::int64_t compute, std::int64_t comm, std::int64_t copy, std::int64_t idle) {
    core::ProfileBuckets parts;
    parts.span_ns = compute + comm + copy + idle;
    parts.compute_ns = compute;
    parts.exposed_comm_ns = comm;
    parts.exposed_copy_ns = copy;
    parts.idle_ns = idle;
    return parts;
  };
  diff.buckets = {{0, "NVIDIA H200", "NVIDIA H200", buckets(800000000, 40000000, 10000000, 150000000),
                   buckets(750000000, 176000000, 10000000, 164000000)},
                  {1, "NVIDIA H200", "NVIDIA H200", buckets(790000000, 40000000, 0, 150000000), std::nullopt}};
  diff.buckets[0].baseline->hidden_comm_ns = 60000000;
  diff.buckets[0].baseline->idle_split = core::ProfileIdleSplit{100000000, 30000000, 20000000, 0};
  diff.buckets[0].candidate->idle_split = core::ProfileIdleSplit{110000000, 34000000, 20000000, 0};
  diff.steps.emplace();
  diff.steps->baseline = {"marker", "ProfilerStep#", 4, 2, 100e6, 1e6, 99e6, 102e6, {99000000, 100000000, 100000000, 102000000}};
  diff.steps->candidate = {"marker", "ProfilerStep#", 3, 2, 110e6, 1e6, 109e6, 112e6, {109000000, 110000000, 112000000}};
  diff.steps->delta_pct = 10;
  diff.steps->interval_lo_pct = 8.1;
  diff.steps->interval_hi_pct = 12.2;
  diff.steps->p = 0.028;
  diff.steps->noise_pct = 1.5;
  diff.steps->baseline_step = buckets(80000000, 4000000, 1000000, 15000000);
  diff.steps->candidate_step = buckets(75000000, 17600000, 1000000, 16400000);
  diff.kernels = {profile_row("layernorm_kernel", 300000000, 0, 1000, 0),
                  profile_row("gemm_kernel_a", 500000000, 750000000, 1000, 1000), profile_row("new_kernel", 0, 100, 0, 1)};
  diff.kernels[1].category = "GEMM bf16";
  diff.kernels[1].state = "switched";
  diff.kernels[1].match_rule = "family";
  diff.kernels[1].match_confidence = 0.9;
  diff.kernels[1].baseline_name = "gemm_kernel_a_128x64";
  diff.kernels[1].candidate_name = "gemm_kernel_a_256x64";
  diff.kernels[1].change = "tile 128x64 -> 256x64";
  diff.kernels[1].same_shape_effect_ns = 200000000;
  diff.kernels[1].shape_mix_effect_ns = 50000000;
  diff.kernels[1].slowest = {0, 7, 123456, 900000};
  diff.matched_pct = 80.5;
  diff.nvtx = {profile_row("forward", 1000000000, 1000000000, 10, 10), profile_row("dataloader", 1000, 2000000000, 1, 1)};
  diff.cuda_api = {profile_row("cudaLaunchKernel", 200000000, 200000000, 5000, 5000)};
  diff.nccl = {profile_row("AllReduce", 10000000, 10000000, 2, 2)};
  core::ProfileCategory gemm;
  gemm.name = "GEMM bf16";
  gemm.reference_name = "cuBLAS";
  gemm.baseline_ns = 500000000;
  gemm.candidate_ns = 750000000;
  gemm.delta_ns = 250000000;
  gemm.baseline_count = gemm.candidate_count = 1000;
  gemm.ceiling_key = "h200_sxm.bf16_dense_tflops";
  gemm.ceiling_value = 989.5;
  gemm.ceiling_unit = "TFLOPS";
  gemm.bound = "compute";
  gemm.rigor = "L1";
  core::ProfileCategory collectives;
  collectives.name = "Communication";
  collectives.baseline_ns = collectives.candidate_ns = 10000000;
  collectives.baseline_count = collectives.candidate_count = 2;
  diff.categories = {gemm, collectives};
  core::ProfileRoofline mm;
  mm.op = "aten::mm";
  mm.shape = "[8944,1024]x[1024,2816]";
  mm.dtype = "bf16";
  mm.flops = 51581550592;
  mm.bytes = 74456064;
  mm.bound = "compute";
  mm.unit = "TFLOPS";
  mm.ceiling_key = "h100_sxm.bf16_dense_pflops";
  mm.ceiling_unit = "PFLOPS";
  mm.ceiling_value = 0.99;
  mm.baseline = core::ProfileRooflineSide{48, 4015501, 616.589, 62.2817};
  mm.candidate = core::ProfileRooflineSide{48, 5308273, 466.426, std::nullopt};
  mm.delta_ns = 1292772;
  core::ProfileRoofline vanished = mm;
  vanished.shape = "[1,1024]x[1024,2816]";
  vanished.bound = vanished.ceiling_key = vanished.ceiling_unit = "";
  vanished.ceiling_value.reset();
  vanished.candidate.reset();
  vanished.baseline->sol_pct.reset();
  vanished.delta_ns = -4015501;
  diff.rooflines = {mm, vanished};
  diff.rooflines_left_out = 3;
  diff.ranges = {{"step", "step", 0, core::ProfileRangeSide{4, 800, 1000, 600000000, 0},
                  core::ProfileRangeSide{3, 600, 1100, 850000000, 0}, 250000000, 100},
                 {"step / attention", "attention", 1, core::ProfileRangeSide{4, 80, 500, 500000000, 500000000}, std::nullopt,
                  -500000000, -500}};
  diff.subtree = core::ProfileSubtree{"step / mlp", 240000000, 250000000, 96};
  core::ProfileCollectiveSide all_reduce;
  all_reduce.count = 2;
  all_reduce.total_ns = 10000000;
  all_reduce.min_ns = 4900000;
  all_reduce.max_ns = 5100000;
  all_reduce.bytes = 2147483648;
  all_reduce.algbw = 214.7;
  all_reduce.busbw = 375.8;
  core::ProfileCollectiveSide waiting = all_reduce;
  waiting.transfer_ns = 8000000;
  waiting.wait_ns = 2000000;
  waiting.slowest_rank = 3;
  diff.collectives = {{"all_reduce", "1 GiB", "bf16", "default", 8, all_reduce, waiting, 0, 0.0}};
  diff.baseline_launches.emplace();
  diff.baseline_launches->launches = 5000;
  diff.baseline_launches->launch_api_ns = 20000000;
  diff.baseline_launches->median_delay_ns = 4200.5;
  diff.candidate_launches = diff.baseline_launches;
  diff.candidate_launches->syncs = 12;
  diff.candidate_launches->sync_ns = 30000000;
  diff.candidate_launches->sync_calls = {{"cudaStreamSynchronize", 12}};
  diff.findings = {
      {"new_synchronisation", "cudaStreamSynchronize is called 12 times, never before", {"cudaStreamSynchronize"}, {}},
      {"algorithm_switched",
       "gemm_kernel_a runs with tile 256x64 instead of 128x64, +50 %",
       {"gemm_kernel_a"},
       {0, 7, 123456, 900000}}};
  diff.contributors = {{"kernel", "layernorm_kernel", -300000000, 54.5, 54.5, {}},
                       {"kernel", "gemm_kernel_a", 250000000, 45.4, 99.9, {0, 7, 123456, 900000}}};
  diff.wall_baseline_ns = 1980000000;
  diff.wall_delta_ns = -49000000;
  diff.residual_ns = 1000000;
  diff.environment_differences = {{"environment.NCCL_ALGO", "Ring", "Tree", true, true, core::Severity::weakening, false}};
  diff.recommendation = {"investigate", "look at why AllReduce no longer overlaps with gemm_kernel_a", {"AllReduce"}};
  diff.warnings = {{"graph_replays", "the capture does not trace CUDA graph nodes"}};
  diff.diff_dir = "/srv/repo/experiments/artifacts/perf-baseline-diffs/adhoc/profile/20261120T150359571930Z";
  diff.bundle_sha256 = kDigestA;
  diff.files = {{"profile-diff.json", diff.diff_dir + "/profile-diff.json", 4567, kDigestA}};
  diff.compared_at_utc = "2026-11-20T15:03:59Z";
  diff.tool = {"plumbline", "0.0.0-test"};
  return diff;
}

inline core::DiffResult capture(const core::ProfileDiff& capture = profile()) {
  core::DiffResult result;
  result.evidence = core::CaptureResult{std::make_shared<const core::ProfileDiff>(capture)};
  result.family = "adhoc";
  result.measurement = "profile";
  result.verdict = capture.verdict;
  result.reasons = capture.reasons;
  result.baseline.path = capture.baseline.path;
  result.current.path = capture.candidate.path;
  result.baseline.format.name = result.current.format.name = "nsys-sqlite";
  result.tool = {"plumbline", "0.0.0-test"};
  return result;
}

// `count` rows, every hundredth regressed: what a million-row diff writes.
inline core::DiffResult many_rows(std::uint32_t count) {
  auto sides = std::make_shared<Sides>();
  Sides& s = *sides;
  s.baseline.reserve(count, count);
  s.current.reserve(count, count);
  s.comparison.deltas.reserve(count);
  core::MetricClass made{};
  made.unit = s.pool->intern("ms");
  made.direction = core::Direction::lower;
  const std::uint32_t metric_class = s.baseline.intern_class(made);
  s.current.intern_class(made);
  const core::Id metric = s.pool->intern("latency_ms");
  for (std::uint32_t i = 0; i < count; ++i) {
    core::Row row;
    row.key = s.pool->intern("suite.case_" + std::to_string(i / 10) + ".point_" + std::to_string(i % 10) + ".latency_ms");
    row.metric = metric;
    row.metric_class = metric_class;
    core::Delta delta;
    delta.key = row.key;
    delta.baseline = 10.125 + i % 977 * 0.37;
    delta.current = delta.baseline * (i % 100 == 0 ? 1.08 : 1.001);
    delta.delta = delta.current - delta.baseline;
    delta.delta_pct = 100 * delta.delta / delta.baseline;
    delta.baseline_row = s.baseline.add_row(row, {&delta.baseline, 1});
    delta.current_row = s.current.add_row(row, {&delta.current, 1});
    delta.direction = core::Direction::lower;
    delta.adverse = true;
    delta.exceeds = i % 100 == 0;
    delta.state = delta.exceeds ? core::State::regressed : core::State::unchanged;
    s.comparison.deltas.push_back(delta);
  }
  core::DiffResult result = around(sides);
  result.family = "suite";
  result.measurement = "many";
  for (std::uint32_t i = 0; i < count && result.order().size() < 1000; i += 100) rows_of(result).order.push_back(i);
  result.counts.compared = count;
  return result;
}

}  // namespace plumbline::reports::fixture
