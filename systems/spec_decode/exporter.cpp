// A baseline file of the vLLM RFC on speculative decoding: from a run, with the metrics and tolerances of the file that it
// replaces or else with the RFC's own (10 % for rates, 15 % for times and the speedup); or such a file written again. What the
// run fails against the file that it replaces becomes the expectation only for a reason.
#include <algorithm>

#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/native.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "systems/spec_decode/model.hpp"
#include "systems/spec_decode/system.hpp"

namespace plumbline::systems::spec_decode {
namespace {

using core::ErrorCode;
using core::Status;

constexpr double kRatePct = 10, kTimePct = 15, kLengthPct = 5;

const File* file_of(const core::Measurement* measurement) {
  return measurement == nullptr ? nullptr : core::native_file<File>(*measurement);
}

std::string context_of(const core::Measurement& measurement, const char* key) {
  const auto it = measurement.context.find(key);
  return it == measurement.context.end() ? std::string() : it->second;
}

// What the run says of one metric, under whichever of its two names.
std::optional<double> actual_of(const core::Measurement& run, std::string_view metric) {
  const VllmName name = vllm_name(metric);
  for (const core::Row& row : run.rows()) {
    if (run.key(row) != name.name || row.value_count == 0 || row.state != core::ValueState::number) continue;
    if (const File* file = file_of(&run); file != nullptr && file->run && row.value_count == 1) {
      for (const auto& [own, value] : file->run->metrics) {
        if (own == metric) return value;
      }
    }
    return core::median(run.values(row)) / name.factor;
  }
  return std::nullopt;
}

// The metrics that the RFC tracks, in its order, with its tolerances.
std::vector<Expected> tracked(const core::Measurement& run) {
  struct Tracked {
    std::string_view metric;
    double pct;
  };
  constexpr Tracked kTracked[] = {{"match_rate", kRatePct},  {"acceptance_rate", kRatePct},    {"acceptance_length", kLengthPct},
                                  {"ttft_p50_ms", kTimePct}, {"ttft_p99_ms", kTimePct},        {"tpot_p50_ms", kTimePct},
                                  {"tpot_p99_ms", kTimePct}, {"e2e_latency_p50_ms", kTimePct}, {"speedup", kTimePct}};
  std::vector<Expected> out;
  for (const Tracked& one : kTracked) {
    if (const auto actual = actual_of(run, one.metric)) out.push_back({std::string(one.metric), *actual, one.pct, Rule::band});
  }
  return out;
}

// The first ten characters of a time: 2026-01-05.
core::Expected<std::string> day_of(const ExportSource& source, const ExportOptions& options) {
  std::string text = options.captured_at;
  if (text.empty() && source.record != nullptr) text = source.record->registered_at_utc;
  if (text.empty()) return text;
  const auto digits = [&](std::size_t from, std::size_t count) {
    return text.size() >= from + count &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(from), text.begin() + static_cast<std::ptrdiff_t>(from + count),
                       [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!digits(0, 4) || !digits(5, 2) || !digits(8, 2) || text[4] != '-' || text[7] != '-') {
    return core::fail(ErrorCode::usage, "--captured-at " + core::cited(text) + " is not a time", "write it like 2026-01-05");
  }
  return text.substr(0, 10);
}

std::string text_of(const Baseline& baseline) {
  std::string text;
  core::JsonWriter json(text);
  const auto optional = [&json](std::string_view name, const std::string& value) {
    if (!value.empty()) json.field(name, value);
  };
  json.begin_object().field("variant", baseline.variant).field("model", baseline.model);
  optional("draft_model", baseline.draft_model);
  optional(baseline.hardware_name, baseline.hardware);
  optional("dataset", baseline.dataset);
  json.key(baseline.form).begin_object();
  std::vector<const Expected*> positions;
  for (const Expected& metric : baseline.metrics) {
    if (metric.rule == Rule::at_least) {
      positions.push_back(&metric);
      continue;
    }
    json.key(metric.metric).begin_object();
    json.field("expected", metric.expected).field("tolerance_pct", metric.tolerance_pct).end_object();
  }
  if (!positions.empty()) {
    json.key("acceptance_rates_per_position").begin_object().key("expected").begin_array();
    for (const Expected* one : positions) json.value(one->expected);
    json.end_array().field("tolerance_pct", positions.front()->tolerance_pct).end_object();
  }
  json.end_object();
  optional("last_updated", baseline.last_updated);
  optional("baseline_commit", baseline.baseline_commit);
  optional("notes", baseline.notes);
  json.end_object();
  return text + "\n";
}

core::Expected<Baseline> from_run(const core::Measurement& run, const core::Measurement* refresh, const ExportSource& source,
                                  const ExportOptions& options, Exported& exported) {
  if (!source.run_problem.empty()) {
    return core::fail(ErrorCode::invalid_input, "the run failed: " + source.run_problem,
                      "a run that broke is no expectation: run it again", source.path);
  }
  Baseline out;
  if (refresh == nullptr) {
    out.variant = context_of(run, "serving.speculative_method");
    out.model = context_of(run, "identity.model");
    out.draft_model = context_of(run, "identity.draft_model");
    out.hardware = context_of(run, "hardware.gpu");
    out.dataset = context_of(run, "workload.dataset");
    out.metrics = tracked(run);
    if (out.variant.empty() || out.model.empty()) {
      return core::fail(
          ErrorCode::usage,
          std::string("the run does not say its ") + (out.variant.empty() ? "variant" : "model") + ", which a baseline needs",
          "`--refresh BASELINE` takes it, the metrics and the tolerances from the file that is replaced", source.path);
    }
    if (out.metrics.empty()) {
      return core::fail(ErrorCode::invalid_input, "the run holds none of the metrics that the RFC tracks",
                        "they are match_rate, acceptance_rate, acceptance_length, ttft, tpot, e2e_latency and speedup",
                        source.path);
    }
    return out;
  }
  out = *file_of(refresh)->baseline;
  out.notes.clear();
  out.baseline_commit.clear();
  out.last_updated.clear();
  std::vector<std::string> worse;
  if (kSystem.applies(*refresh, run)) {
    const auto report = kSystem.judge(*refresh, run, {});
    if (!report) return core::fail(report.error());
    for (const Row& row : core::native_detail<Report>(*report)->rows) {
      if (!row.actual) {
        exported.left_out.emplace_back(row.metric, "not in the run: the value it had stays");
        continue;
      }
      if (!row.passed && !row.better) {
        worse.push_back(row.metric + " " + figure(row.metric, *row.actual) + " outside " + band_text(row));
      }
      for (Expected& metric : out.metrics) {
        if (metric.metric == row.metric) metric.expected = *row.actual;
      }
    }
  }
  if (exported.left_out.size() == out.metrics.size()) {
    return core::fail(ErrorCode::shape_mismatch, "the run holds none of the baseline's metrics",
                      "`plumbline inspect PATH` shows what it holds", source.path);
  }
  if (!worse.empty() && options.reason.empty()) {
    return core::fail(ErrorCode::invalid_input, "this would make a regression the expectation: " + core::listed(worse),
                      "say why it is agreed on: `--reason TEXT` (it becomes the file's notes unless --notes says others)");
  }
  return out;
}

// Several files of one run, merged as trials, are no file any more: their rows have vLLM's names all the same.
bool is_run(const core::Measurement& measurement) {
  const File* file = file_of(&measurement);
  if (file != nullptr) return file->run.has_value();
  return measurement.trial_files > 1 && (measurement.format.name == "vllm-serve" || measurement.format.name == "spec_decode_run");
}

core::Expected<Exported> write(const ExportSource& source, const core::Measurement* refresh, const ExportOptions& options) {
  const File* file = file_of(source.measurement);
  if ((file == nullptr || !file->baseline) && !is_run(*source.measurement)) return core::fail(not_exportable(kExporter, source));
  const File* before = file_of(refresh);
  if (refresh != nullptr && (before == nullptr || !before->baseline)) {
    return core::fail(ErrorCode::usage, "--refresh names no baseline of the RFC on speculative decoding",
                      "give the file with variant, model and `baselines` or `metrics` that is replaced");
  }
  Exported out;
  Baseline baseline;
  if (file != nullptr && file->baseline) {
    baseline = *file->baseline;
  } else {
    auto made = from_run(*source.measurement, refresh, source, options, out);
    if (!made) return core::fail(made.error());
    baseline = std::move(*made);
  }
  auto day = day_of(source, options);
  if (!day) return core::fail(day.error());
  if (!day->empty()) baseline.last_updated = *day;
  if (options.commit) baseline.baseline_commit = *options.commit;
  if (baseline.baseline_commit.empty() && source.record != nullptr && source.record->git_commit)
    baseline.baseline_commit = source.record->git_commit->substr(0, 9);
  if (options.notes) {
    baseline.notes = *options.notes;
  } else if (!options.reason.empty()) {
    baseline.notes = options.reason;
  }
  out.written = baseline.metrics.size();
  out.file_name = baseline.variant + "_" + core::to_lower(model_name(baseline.model)) + ".json";
  std::replace_if(
      out.file_name.begin(), out.file_name.end(),
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-');
      },
      '-');
  out.text = text_of(baseline);
  return out;
}

}  // namespace

const Exporter kExporter{.name = "spec_decode",
                         .takes =
                             "a baseline of the vLLM RFC on speculative decoding, a run of one (the JSON of `vllm "
                             "bench serve`, or a map of its metrics), or an entry of either",
                         .write = &write,
                         .join = nullptr};

}  // namespace plumbline::systems::spec_decode
