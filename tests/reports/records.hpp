// Fixtures of the smaller verbs: records, acceptances, histories, inspections, verifications, searches.
#pragma once

#include "core/results/baseline.hpp"
#include "core/results/small.hpp"
#include "fixture.hpp"

namespace plumbline::reports::fixture {

// The reference tool's own sample entry.
inline core::BaselineRecord scalar_record() {
  core::BaselineRecord record;
  record.family = "demo";
  record.measurement = "throughput";
  record.value = 100;
  record.unit = "tokens/s";
  record.direction = "higher-is-better";
  record.source_path = "/repo/b.txt";
  record.source_sha256 = kDigestA;
  record.registered_at_utc = "2026-11-20T15:03:59Z";
  record.hostname = "host";
  record.uname = "Linux host 6.1.0 x86_64";
  record.notes = "first | note";
  record.shape = core::Shape::scalar;
  record.format = {"scalar-text", "", 1, {"one number"}, ""};
  record.scalar_sol = core::FrozenSol{"throughput", "b200_sm100.nvlink5_tbps", 1.8, "TB/s", "bi", 17.2, ""};
  record.snapshot_path = "source-snapshot.txt";
  record.snapshot_bytes = 4;
  record.snapshot_sha256 = kDigestA;
  record.rows = 1;
  record.tool = {"plumbline", "0.0.0-test"};
  return record;
}

inline core::BaselineRecord structured_record() {
  core::BaselineRecord record = scalar_record();
  record.value.reset();
  record.unit.reset();
  record.scalar_sol.reset();
  record.direction = "auto";
  record.measurement = "kimi-perfbench-v1";
  record.schema_path = "/repo/schema.json";
  record.operator_user = "ana";
  record.profile_and_optimize_sha = "0123456789abcdef0123456789abcdef01234567";
  record.shape = core::Shape::structured;
  record.format = perfbench();
  record.tier = core::Tier::verdict;
  record.trials = 3;
  record.headline = {"metrics.16.throughput_toks_per_s"};
  record.directions = {{"*_ms", "lower-is-better"}};
  record.tolerances = {{"*.ttft_p99_ms", "15%"}, {"*hit_rate*", "2pp"}};
  record.context = {{"hardware.gpu", "NVIDIA B200"}, {"hardware.driver", "570.124.06"}, {"identity.model", "kimi-k2.5"}};
  record.git_commit = record.profile_and_optimize_sha;
  record.git_dirty = true;
  record.sol = {{"metrics.16.throughput_toks_per_s", "b200_sm100.hbm3e_tbps", 8, "TB/s", "n/a", 62.5, "L3"}};
  record.snapshot_path = "source-snapshot.json";
  record.snapshot_bytes = 2048;
  record.trial_snapshots = {"source-snapshot.2.json", "source-snapshot.3.json"};
  record.supersedes = "20261119T101500000000Z";
  record.reason = "new driver";
  record.label = "nightly";
  record.rows = 42;
  return record;
}

inline core::RecordResult recorded() {
  core::RecordResult result;
  result.baseline = structured_record();
  result.entry_dir = "/repo/experiments/artifacts/perf-baselines/inference/kimi-perfbench-v1/20261120T150359221206Z";
  result.slug = "20261120T150359221206Z";
  result.entry_sha256 = kDigestB;
  result.warnings = {
      {"environment_in_source", "the source carries an environment of 37 variables; --redact removes it before it is hashed"}};
  result.files = {{"baseline.json", result.entry_dir + "/baseline.json", 1234, kDigestA}};
  return result;
}

inline core::AcceptResult accepted() {
  core::AcceptResult result;
  result.acceptance = {7,
                       "inference",
                       "kimi-perfbench-v1",
                       "20261120T150359221206Z",
                       kDigestB,
                       "driver 580 rolled out",
                       "2026-11-20T16:00:00Z",
                       "ana",
                       "20261119T101500000000Z"};
  result.path = "/repo/experiments/artifacts/perf-baselines/inference/kimi-perfbench-v1/accepted/7-20261120T150359221206Z.json";
  result.entry_dir = recorded().entry_dir;
  return result;
}

inline core::HistoryResult history() {
  core::HistoryResult result;
  result.family = "demo";
  result.measurement = "throughput";
  core::HistoryEntry old;
  old.slug = "20261118T101500000000Z";
  old.entry_dir = "/repo/experiments/artifacts/perf-baselines/demo/throughput/20261118T101500000000Z";
  old.registered_at_utc = "2026-11-18T10:15:00Z";
  old.value = 100;
  old.unit = "tokens/s";
  old.superseded_by = "20261119T101500000000Z";
  core::HistoryEntry now = old;
  now.slug = "20261119T101500000000Z";
  now.entry_dir = "/repo/experiments/artifacts/perf-baselines/demo/throughput/20261119T101500000000Z";
  now.registered_at_utc = "2026-11-19T10:15:00Z";
  now.value = 93.5;
  now.accepted = true;
  now.superseded_by.clear();
  now.label = "nightly";
  now.context = {{"hardware.gpu", "NVIDIA B200"}};
  core::HistoryEntry broken;
  broken.slug = "20261120T101500000000Z";
  broken.entry_dir = "/repo/experiments/artifacts/perf-baselines/demo/throughput/20261120T101500000000Z";
  broken.problem = "baseline.json is not JSON: unexpected end of input";
  result.entries = {old, now, broken};
  core::HistoryKey& whole = result.whole;
  whole.unit = "tokens/s";
  whole.entries = 3;
  whole.newest = 93.5;
  whole.values = {100, 97, 93.5};
  whole.trend_pct_per_entry = -3.25;
  whole.noise_floor_pct = 1.25;
  whole.change_points = {{now.slug, "", 100, 93.5, -6.5, 0.0005}};
  whole.drift =
      core::HistoryDrift{-6.5,
                         old.slug,
                         now.slug,
                         2,
                         3.6,
                         true,
                         "-6.5% in 2 steps of about -3.3%, none beyond the tolerance of 5%: no diff of two neighbours shows it"};
  result.diffs = {
      {"20261119T110000000000Z", "/repo/experiments/artifacts/perf-baseline-diffs/demo/throughput/20261119T110000000000Z", "RED",
       "DRAFT", now.slug, "20261119T120000000000Z"},
      {"20261119T120000000000Z", "/repo/experiments/artifacts/perf-baseline-diffs/demo/throughput/20261119T120000000000Z",
       "GREEN", "VERDICT", now.slug, ""}};
  return result;
}

inline core::InspectResult inspected() {
  auto sides = std::make_shared<Sides>();
  Sides& s = *sides;
  s.add({"metrics.16.throughput_toks_per_s",
         "throughput_toks_per_s",
         "tok/s",
         core::Direction::higher,
         {9120, 9150},
         {1},
         core::State::unchanged,
         0,
         false,
         false,
         false,
         {{"concurrency", "16"}}});
  core::MetricClass unknown{};
  core::Row text;
  text.key = s.pool->intern("model");
  text.metric = text.key;
  unknown.role = core::Role::context;
  text.metric_class = s.baseline.intern_class(unknown);
  text.state = core::ValueState::text;
  text.text = s.pool->intern("kimi-k2.5");
  s.baseline.add_row(text, {});
  core::InspectResult result;
  result.path = "/srv/runs/perfbench.json";
  result.format = perfbench();
  result.measurement = std::shared_ptr<const core::Measurement>(sides, &s.baseline);
  result.headline = {"metrics.16.throughput_toks_per_s"};
  result.context = {{"hardware.gpu", "NVIDIA B200"}};
  result.warnings = {{"numeric_strings", "2 values are numbers in quotes, for instance metrics.1.errors"}};
  return result;
}

inline core::InspectResult inspected_capture() {
  core::InspectResult result;
  result.path = "/srv/a.sqlite";
  result.shape = core::Shape::profile;
  result.format = {"nsys-sqlite", "2025.3.1", 1, {"SQLite with CUPTI_ACTIVITY_KIND_KERNEL"}, ""};
  result.profile = core::ProfileSummary{2000, 12, 5000, 10, 2, 4, 1000000000, 850000000, {"NVIDIA H200"}};
  return result;
}

inline core::VerifyResult verified() {
  core::VerifyResult result;
  result.kind = "entry";
  result.path = recorded().entry_dir;
  result.bundle_sha256 = kDigestB;
  result.is_signed = true;
  result.files = 3;
  result.problems = {{"digest_mismatch", "source-snapshot.json", "holds other bytes than were published"},
                     {"extra_file", "notes.txt", "is not in SHA256SUMS"}};
  return result;
}

inline core::SearchResult found() {
  core::SearchResult result;
  result.query = "kimi";
  core::SearchHit hit;
  hit.kind = "bundle";
  hit.family = "inference";
  hit.measurement = "kimi-perfbench-v1";
  hit.slug = "20261120T150359571930Z";
  hit.path = "/repo/experiments/artifacts/perf-baseline-diffs/inference/kimi-perfbench-v1/20261120T150359571930Z";
  hit.date = "2026-11-20T15:03:59Z";
  hit.verdict = "RED";
  hit.tier = "DRAFT";
  hit.score = 2.5;
  hit.matched = {"measurement"};
  result.hits = {hit};
  result.total = 3;
  return result;
}

}  // namespace plumbline::reports::fixture
