// SGLang's bench_serving: one JSON object a run, appended to a file. A file is a history: of each
// point the last run counts.
#include "formats/serving/serving_runs.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;

std::optional<Declared> sglang_metric(std::string_view name, bool paced) {
  if (auto latency = latency_metric(name)) return latency;
  const auto rate = [&](std::string_view unit) { return paced ? for_context(unit) : higher_is_better(unit); };
  if (name == "request_throughput") return rate("req/s");
  if (name == "input_throughput" || name == "output_throughput" || name == "total_throughput") return rate("tok/s");
  if (name == "accept_length") return higher_is_better("tok");
  if (name == "completed") return gate(Direction::higher);
  if (name == "duration") return for_context("s");
  if (name == "max_output_tokens_per_s") return for_context("tok/s");
  // The measured mean of requests in flight, not a setting.
  if (name == "concurrency" || name == "max_concurrent_requests" || name.starts_with("total_")) return for_context();
  return std::nullopt;
}

constexpr std::string_view kPoint[] = {"dataset_name",      "max_concurrency",    "request_rate",       "random_input_len",
                                       "random_output_len", "random_range_ratio", "sharegpt_output_len"};
constexpr std::string_view kHeadlines[] = {"output_throughput", "median_ttft_ms", "median_itl_ms"};
constexpr RunSetting kSettings[] = {{"random_input_len", "workload.isl"},
                                    {"random_output_len", "workload.osl"},
                                    {"random_range_ratio", "workload.random_range_ratio"},
                                    {"sharegpt_output_len", "workload.sharegpt_output_len"}};
constexpr ServingFormat kSglang{"sglang-serving", kPoint, kHeadlines, sglang_metric, kSettings, true};

}  // namespace

Detection detect_sglang(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{") && !head.starts_with("[")) return detection;
  if (!has_keys(input, {"backend", "request_throughput", "output_throughput", "total_throughput"}, detection)) return detection;
  detection.score =
      has_keys(input, {"random_range_ratio"}, detection) || has_keys(input, {"mean_e2e_latency_ms"}, detection) ? 0.96 : 0.92;
  return detection;
}

core::Expected<core::Measurement> read_sglang(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  auto runs = runs_of(document->root(), input.name);
  if (!runs) return core::fail(runs.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  return rows_of_runs(writer, std::move(*runs), kSglang, input.name);
}

extern const Format sglang_serving_format = {
    .name = "sglang-serving",
    .title = "SGLang bench_serving",
    .replication = core::Replication::run,
    .detect = detect_sglang,
    .read = read_sglang,
    .about = {.judged = "SGLang `bench_serving` lines: throughput (higher), latencies (ms, lower); completed requests are a gate",
              .key = "the settings of a point where the file holds several points",
              .trials =
                  "none in one file: the tool appends, so the last run of a point counts; runs that are to be trials go into "
                  "a file each",
              .context = "model, backend, dataset, lengths, concurrency (`none` without a bound), request rate",
              .limits = "earlier runs of a point are left out and counted; a fixed rate makes throughput context",
              .recognised = "`backend`, `total_throughput` and companions"},
};

}  // namespace plumbline::formats
