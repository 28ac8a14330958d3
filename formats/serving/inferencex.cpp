// InferenceX (InferenceMAX) aggregates: one object a run, or an array of them. Latencies are seconds whatever the raw file had;
// interactivity (*_intvty, tok/s per user) is 1/tpot, so its p99 is the slow tail and its std says nothing.
#include "formats/serving/serving_runs.hpp"

namespace plumbline::formats {
namespace {

std::optional<Declared> inferencex_metric(std::string_view name, bool) {
  if (name.ends_with("_intvty")) {
    if (name.starts_with("std_")) return for_context();
    if (name.starts_with("min_") || name.starts_with("max_")) return for_context("tok/s");
    return higher_is_better("tok/s");
  }
  if (auto latency = latency_metric(name)) return latency;
  if (name == "tput_per_gpu" || name == "output_tput_per_gpu" || name == "input_tput_per_gpu") {
    return higher_is_better("tok/s");
  }
  if (name.starts_with("joules_per_")) return lower_is_better("J/tok");
  if (name == "avg_power_w") return for_context("W");
  return std::nullopt;
}

constexpr std::string_view kPoint[] = {"hw",  "framework", "model", "precision", "spec_decoding", "disagg", "isl",
                                       "osl", "conc",      "tp",    "ep",        "dp_attention"};
constexpr std::string_view kHeadlines[] = {"tput_per_gpu", "median_intvty"};
constexpr ServingFormat kInferencex{"inferencex", kPoint, kHeadlines, inferencex_metric};

}  // namespace

Detection detect_inferencex(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{") && !head.starts_with("[")) return detection;
  if (has_keys(head, {"tput_per_gpu", "conc", "hw"}, detection)) detection.score = 0.96;
  return detection;
}

core::Expected<core::Measurement> read_inferencex(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  auto runs = runs_of(document->root(), input.name);
  if (!runs) return core::fail(runs.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  return rows_of_runs(writer, *runs, kInferencex, document->root().is_array(), input.name);
}

extern const Format inferencex_format = {
    .name = "inferencex",
    .title = "InferenceX aggregates",
    .replication = core::Replication::run,
    .detect = detect_inferencex,
    .read = read_inferencex,
    .about = {.judged = "InferenceX aggregates; latencies in seconds, `*_intvty` higher-better",
              .recognised = "`tput_per_gpu`, `conc`, `hw`"},
};

}  // namespace plumbline::formats
