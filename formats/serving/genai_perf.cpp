// GenAI-Perf and AIPerf: one JSON of metrics, each {"unit": …, "avg": …, "p50": …}, at the top or (older AIPerf) under "records".
// Units are the file's. Percentiles of rates describe single requests: their average is judged. Several runs of AIPerf are summed
// up in a file of means under "metrics", with deviations.
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
    if ((name == "model_names" || name == "model") && value.is_array() && value.size() == 1) {
      rows.context("identity.model", (*value.elements().begin()).string());
    }
    if (value.is_container() || value.is_null()) continue;
    if (const std::string_view key = writer.names().context_key(name); !key.empty()) rows.context(key, value.text());
  }
}

// What the phases of newer releases of AIPerf are paced by; "concurrency" sends as soon as a place is free.
bool is_paced_phase(std::string_view type) {
  constexpr std::string_view kPaced[] = {"constant", "poisson", "gamma", "user_centric", "fixed_schedule"};
  return std::find(std::begin(kPaced), std::end(kPaced), type) != std::end(kPaced);
}

// Newer releases: {"models": {"items": [{"name"}]}, "tokenizer": {"name"}, "datasets": […], "phases": [{"name", "type",
// "concurrency", "rate", "requests"}, …]}. Whether what counts was paced.
bool take_phases(const Value& config, DeclaredRows& rows) {
  const auto note = [&](std::string_view key, const Value& value) {
    if (value && !value.is_container() && !value.is_null()) rows.context(key, value.text());
  };
  if (const Value models = config.at_path("models.items"); models.is_array() && models.size() == 1) {
    note("identity.model", (*models.elements().begin()).find("name"));
  }
  note("identity.tokenizer", config.at_path("tokenizer.name"));
  if (const Value datasets = config.find("datasets"); datasets.is_array() && datasets.size() == 1) {
    const Value dataset = *datasets.elements().begin();
    const std::string_view path = dataset.find_string("path");
    rows.context("workload.dataset", path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1));
    note("workload.dataset_format", dataset.find("format"));
  }
  bool paced = false;
  std::size_t counted = 0;
  const Value phases = config.find("phases");
  for (const Value& phase : phases.is_array() ? phases.elements() : Value().elements()) {
    const std::string_view kind = phase.find_string("kind").empty() ? phase.find_string("name") : phase.find_string("kind");
    if (kind == "warmup" || phase.find("exclude_from_results").boolean()) continue;
    const std::string_view type = phase.find_string("type");
    paced = paced || is_paced_phase(type) || phase.find_number("rate").value_or(0) > 0;
    if (++counted > 1) continue;  // of several the first describes the load
    rows.context("workload.arrival", type);
    note("workload.concurrency", phase.find("concurrency"));
    note("workload.request_rate", phase.find("rate"));
    note("workload.num_prompts", phase.find("requests"));
  }
  return paced;
}

void metric(DeclaredRows& rows, std::string_view printed, const Value& object, bool paced) {
  const std::string_view name = genai::name_of(printed), unit = object.find_string("unit");
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

// "request_latency_p99" -> {"request_latency", "p99"}
std::pair<std::string_view, std::string_view> halves(std::string_view name) {
  const std::size_t cut = name.rfind('_');
  if (cut == std::string_view::npos) return {name, "avg"};
  const std::string_view last = name.substr(cut + 1);
  const bool percentile = last.starts_with('p') && core::parse_double(last.substr(1));
  constexpr std::string_view kStatistics[] = {"avg", "min", "max", "std", "count", "sum"};
  if (!percentile && std::find(std::begin(kStatistics), std::end(kStatistics), last) == std::end(kStatistics)) {
    return {name, "avg"};
  }
  return {name.substr(0, cut), last};
}

// profile_export_aiperf_aggregate.json: a mean over runs for each metric and statistic, and how far the runs were apart.
core::Expected<core::Measurement> read_runs(const Value& root, RowWriter& writer, std::string_view file) {
  DeclaredRows rows(writer, "genai-perf");
  const Value metadata = root.find("metadata"), metrics = root.find("metrics");
  const auto count = [&](std::string_view name) {
    const Value value = metadata.find(name);
    return value.is_array() ? static_cast<double>(value.size()) : value.is_number() ? value.number() : 0.0;
  };
  rows.add("runs", "asked", 0, for_context(), count("num_profile_runs"));
  rows.add("runs", "failed", 0, gate(), count("failed_runs"));
  for (const auto [printed, valid, object] : metrics.members()) {
    if (!object.is_object() || !object.find("mean")) continue;
    const auto [metric, statistic] = halves(printed);
    const std::string_view name = genai::name_of(metric), unit = object.find_string("unit");
    const Declared declared = genai::statistic_of(genai::metric_of(name, unit, false), statistic, unit);
    for (const auto [part, part_valid, value] : object.members()) {
      if (part == "unit" || value.is_container() || value.is_null()) continue;
      if (part == "mean") {
        rows.add(name, statistic, 0, declared, leaf_of(value));
      } else {
        const bool share = part == "cv" || part == "t_critical";
        const bool spread = part == "std" || part == "cv" || part == "se";
        const std::string key = std::string(name) + "." + std::string(statistic);
        rows.add(key, part, 0, spread ? own_noise(share ? "" : unit) : for_context(share ? "" : unit), leaf_of(value));
      }
    }
  }
  reject_impossible_times(writer, 0);
  genai::lengths_to_context(rows);
  writer.out.declared.headlines = {"output_token_throughput.avg", "time_to_first_token.p50", "inter_token_latency.p50"};
  return writer.finish(file);
}

// How many requests the summary of errors counts.
double errors_of(const Value& summary) {
  double count = 0;
  for (const Value& kind : summary.elements()) count += kind.find_number("count").value_or(0);
  return count;
}

}  // namespace

core::Expected<core::Measurement> read_genai_perf(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  const Value root = document->root();
  if (root.at_path("metadata.aggregation_type").is_string() && root.find("metrics").is_object()) {
    return read_runs(root, writer, input.name);
  }
  DeclaredRows rows(writer, "genai-perf");
  const Value config = root.find("input_config");
  bool paced = config.is_object() && take_phases(config, rows);
  if (config.is_object()) take_settings(config, writer, rows, 0);
  const auto rate = writer.out.context.find("workload.request_rate");
  paced = paced || (rate != writer.out.context.end() && core::parse_double(rate->second).value_or(0) > 0) ||
          config.at_path("input.fixed_schedule").boolean();
  const Value records = root.find("records");
  for (const auto [name, valid, value] : records.is_object() ? records.members() : root.members()) {
    if (is_metric(value)) metric(rows, name, value, paced);
  }
  if (const Value errors = root.find("error_summary"); errors.is_array()) genai::add_errors(rows, errors_of(errors));
  const Value completed = root.at_path(records.is_object() ? "records.request_count.avg" : "request_count.avg");
  if (completed.is_number() && completed.number() == 0) rows.fail_from(0, "no request completed");
  reject_impossible_times(writer, 0);
  genai::lengths_to_context(rows);
  telemetry(rows, root.find("telemetry_data"));
  if (root.find("was_cancelled").boolean()) rows.fail_from(0, "the run was cancelled");
  writer.out.declared.headlines = {"output_token_throughput.avg", "time_to_first_token.p50", "inter_token_latency.p50"};
  return writer.finish(input.name);
}

extern const Format genai_perf_format = {
    .name = "genai-perf",
    .title = "AIPerf and GenAI-Perf load test",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::object, 0.94, {"request_latency/unit", "request_latency/avg"}},
               {Sign::In::object, 0.94, {"time_to_first_token/unit", "time_to_first_token/avg"}},
               {Sign::In::object, 0.94, {"records/request_latency/unit", "records/request_latency/avg"}},
               {Sign::In::object, 0.94, {"records/time_to_first_token/unit", "records/time_to_first_token/avg"}},
               {Sign::In::object, 0.94, {"aiperf_version", "metadata/aggregation_type", "metrics"}}}},
    .read = read_genai_perf,
    .about =
        {.group = Group::serving,
         .file = "JSON",
         .produce = "aiperf profile -m MODEL --url URL --endpoint-type chat --streaming \\\n"
                    "  --concurrency 16 --artifact-dir DIR  # writes profile_export_aiperf.json\n"
                    "genai-perf profile -m MODEL --endpoint-type chat --streaming \\\n"
                    "  --concurrency 16  # writes artifacts/*/profile_export_genai_perf.json",
         .judged =
             "averages of latencies (the file's unit, lower) and throughputs (higher), p50, p90, p95 and p99 of latencies; "
             "failed requests and GPU errors are gates; mean lengths, whose change is seen and called neither better nor worse",
         .key = "metric and statistic; endpoint and GPU of telemetry",
         .trials =
             "one value a key; the distribution is in `profile_export.jsonl`, and of several runs the sum in `…_aggregate.json` "
             "has means and, as noise, deviations",
         .context = "model, tokenizer, data set, arrival, concurrency, request rate, lengths, number of prompts, GPU",
         .limits = "percentiles of rates describe single requests and are context, throughput too when requests were paced",
         .recognised = "`unit` and `avg` with `request_latency` or `time_to_first_token`"},
};

}  // namespace plumbline::formats
