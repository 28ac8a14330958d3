// GenAI-Perf and AIPerf: one JSON of metrics, each {"unit": …, "avg": …, "p50": …}, at the top or (older AIPerf) under "records".
// Units are the file's. Percentiles of rates describe single requests: their average is judged.
#include "core/privacy.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using json::Value;

bool is_metric(const Value& value) { return value.is_object() && value.find("unit").is_string() && value.find("avg"); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

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
  Declared average;
  if (has(name, "error_request_count")) {
    average = gate();
  } else if (has(name, "throughput")) {
    average = paced && !has(name, "per_user") ? for_context(unit) : higher_is_better(unit);
  } else if (has(name, "latency") || has(name, "time_to_") || has(name, "duration_per")) {
    average = lower_is_better(unit);
  } else if (name == "goodput") {
    average = higher_is_better(unit);
  } else {  // lengths, counts, how long the benchmark ran
    average = for_context(unit);
  }
  for (const auto [statistic, valid, value] : object.members()) {
    if (statistic == "unit" || statistic == "tag" || statistic == "header" || value.is_container() || value.is_null()) continue;
    Declared declared = for_context(unit);
    const bool tail = statistic == "p50" || statistic == "p90" || statistic == "p95" || statistic == "p99";
    if (statistic == "avg" || (tail && average.direction == Direction::lower && average.role == core::Role::judged)) {
      declared = average;
    } else if (statistic == "std") {
      declared = own_noise(unit);
    } else if (statistic == "count") {
      declared = for_context();
    }
    rows.add(name, statistic, 0, declared, leaf_of(value));
  }
}

}  // namespace

Detection detect_genai_perf(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{") || !has_keys(head, {"unit", "avg"}, detection)) return detection;
  if (has_keys(head, {"request_latency"}, detection) || has_keys(head, {"time_to_first_token"}, detection))
    detection.score = 0.94;
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
    .about = {.judged = "GenAI-Perf and AIPerf JSON; percentiles of rates are context",
              .recognised = "`unit` and `avg` with `request_latency` or `time_to_first_token`"},
};

}  // namespace plumbline::formats
