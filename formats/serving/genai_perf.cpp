// GenAI-Perf and AIPerf: one JSON of metrics, each {"unit": …, "avg": …, "p50": …}, at the top or (older AIPerf) under "records".
// Units are the file's. Percentiles of rates describe single requests: their average is judged.
#include "core/privacy.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "formats/serving/genai_metrics.hpp"
#include "formats/serving/impossible_times.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

bool is_metric(const Value& value) { return value.is_object() && value.find("unit").is_string() && value.find("avg"); }

// A setting under input_config that the list of context names knows; never environments, headers or secrets.
void take_settings(const Value& object, RowWriter& writer, DeclaredRows& rows, int depth) {
  for (const auto [name, valid, value] : object.members()) {
    if (core::sounds_secret(name) || core::names_environment(name) || name == "headers" || name == "extra") continue;
    if (value.is_object() && depth < 3) take_settings(value, writer, rows, depth + 1);
    if (name == "model_names" && value.is_array() && value.size() == 1) {
      rows.context("identity.model", (*value.elements().begin()).string());
    }
    if (value.is_container() || value.is_null()) continue;
    if (const std::string_view key = writer.names().context_key(name); !key.empty()) rows.context(key, value.text());
  }
}

void metric(DeclaredRows& rows, std::string_view name, const Value& object, bool paced) {
  const std::string_view unit = object.find_string("unit");
  const Declared average = genai::metric_of(name, unit, paced);
  for (const auto [statistic, valid, value] : object.members()) {
    if (statistic == "unit" || statistic == "tag" || statistic == "header" || value.is_container() || value.is_null()) continue;
    rows.add(name, statistic, 0, genai::statistic_of(average, statistic, unit), leaf_of(value));
  }
}

// {"endpoints": {"host:9401": {"gpus": {"gpu_0": {"gpu_index": 0, "gpu_name": …, "metrics": {…}}}}}}
void telemetry(DeclaredRows& rows, const Value& data) {
  for (const auto [endpoint, endpoint_valid, of_endpoint] : data.find("endpoints").members()) {
    for (const auto [label, label_valid, gpu] : of_endpoint.find("gpus").members()) {
      const Value index = gpu.find("gpu_index");
      rows.context("hardware.gpu", gpu.find_string("gpu_name"));
      for (const auto [name, name_valid, statistics] : gpu.find("metrics").members()) {
        for (const auto [statistic, statistic_valid, value] : statistics.members()) {
          if (statistic == "unit" || value.is_container() || value.is_null()) continue;
          genai::telemetry(rows, endpoint, index ? index.text() : label, name, statistic, statistics.find_string("unit"),
                           leaf_of(value));
        }
      }
    }
  }
}

}  // namespace

Detection detect_genai_perf(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{")) return detection;
  if (has_keys(input, {"request_latency/unit", "request_latency/avg"}, detection) ||
      has_keys(input, {"time_to_first_token/unit", "time_to_first_token/avg"}, detection) ||
      has_keys(input, {"records/request_latency/unit", "records/request_latency/avg"}, detection) ||
      has_keys(input, {"records/time_to_first_token/unit", "records/time_to_first_token/avg"}, detection)) {
    detection.score = 0.94;
  }
  return detection;
}

core::Expected<core::Measurement> read_genai_perf(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "genai-perf");
  const Value root = document->root();
  if (const Value config = root.find("input_config"); config.is_object()) take_settings(config, writer, rows, 0);
  const auto rate = writer.out.context.find("workload.request_rate");
  const bool paced = rate != writer.out.context.end() && core::parse_double(rate->second).value_or(0) > 0;
  const Value records = root.find("records");
  for (const auto [name, valid, value] : records.is_object() ? records.members() : root.members()) {
    if (is_metric(value)) metric(rows, name, value, paced);
  }
  const Value completed = root.at_path("request_count.avg");
  if (completed.is_number() && completed.number() == 0) rows.fail_from(0, "no request completed");
  reject_impossible_times(writer, 0);
  genai::lengths_to_context(rows);
  telemetry(rows, root.find("telemetry_data"));
  if (root.find("was_cancelled").boolean()) rows.fail_from(0, "the run was cancelled");
  writer.out.declared.headlines = {"output_token_throughput.avg", "time_to_first_token.p50", "inter_token_latency.p50"};
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

extern const Format genai_perf_format = {
    .name = "genai-perf",
    .title = "GenAI-Perf and AIPerf JSON",
    .replication = core::Replication::run,
    .detect = detect_genai_perf,
    .read = read_genai_perf,
    .about =
        {.judged =
             "averages of latencies (the file's unit, lower) and throughputs (higher), p50, p90, p95 and p99 of latencies; "
             "failed requests and GPU errors are gates; mean lengths, whose change is seen and called neither better nor worse",
         .key = "metric and statistic; endpoint and GPU of telemetry",
         .trials = "one value a key; the distribution is in `profile_export.jsonl`",
         .context = "model, concurrency, request rate, lengths, number of prompts, GPU",
         .limits = "percentiles of rates describe single requests and are context, throughput too when requests were paced",
         .recognised = "`unit` and `avg` with `request_latency` or `time_to_first_token`"},
};

}  // namespace plumbline::formats
