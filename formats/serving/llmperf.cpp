// LLMPerf (ray-project): the *_summary.json of token_benchmark_ray.py, one flat object. Times are in seconds; a fixed number of
// requests is under way, so rates are results.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("model", "identity.model"),
    context("framework", "serving.engine"),
    context("concurrency", "workload.concurrency"),
    context("input_tokens", "workload.isl"),
    context("output_tokens", "workload.osl"),
    shown("num_requests_started"),
    shown("num_completed_requests"),
    shown("error_rate"),
    gate("number_errors"),
    headline(higher("mean_output_throughput", "tok/s")),
    higher("num_completed_requests_per_min", "req/min"),
    headline(lower("mean", "s")),
    lower("p50", "s"),
    lower("p90", "s"),
    lower("p95", "s"),
    lower("p99", "s"),
    shown("p25", "s"),
    shown("p75", "s"),
    shown("min", "s"),
    shown("max", "s"),
    noise("sd", "s", "stddev"),
    higher("rate_mean", "tok/s", "mean"),
    shown("rate_p25", "tok/s", "p25"),
    shown("rate_p50", "tok/s", "p50"),
    shown("rate_p75", "tok/s", "p75"),
    shown("rate_p90", "tok/s", "p90"),
    shown("rate_p95", "tok/s", "p95"),
    shown("rate_p99", "tok/s", "p99"),
    shown("rate_min", "tok/s", "min"),
    shown("rate_max", "tok/s", "max"),
    noise("rate_sd", "tok/s", "stddev"),
    shown("tokens", "tok", "mean"),
};
constexpr Column kRun[] = {{"model", "model"},
                           {"framework", "framework"},
                           {"num_concurrent_requests", "concurrency"},
                           {"mean_input_tokens", "input_tokens"},
                           {"mean_output_tokens", "output_tokens"},
                           {"results_num_requests_started", "num_requests_started"},
                           {"results_num_completed_requests", "num_completed_requests"},
                           {"results_error_rate", "error_rate"},
                           {"results_number_errors", "number_errors"},
                           {"results_mean_output_throughput_token_per_s", "mean_output_throughput"},
                           {"results_num_completed_requests_per_min", "num_completed_requests_per_min"}};
constexpr Column kTtft[] = {{"results_ttft_s_mean", "mean"},         {"results_ttft_s_quantiles_p25", "p25"},
                            {"results_ttft_s_quantiles_p50", "p50"}, {"results_ttft_s_quantiles_p75", "p75"},
                            {"results_ttft_s_quantiles_p90", "p90"}, {"results_ttft_s_quantiles_p95", "p95"},
                            {"results_ttft_s_quantiles_p99", "p99"}, {"results_ttft_s_min", "min"},
                            {"results_ttft_s_max", "max"},           {"results_ttft_s_stddev", "sd"}};
constexpr Column kGap[] = {
    {"results_inter_token_latency_s_mean", "mean"},         {"results_inter_token_latency_s_quantiles_p25", "p25"},
    {"results_inter_token_latency_s_quantiles_p50", "p50"}, {"results_inter_token_latency_s_quantiles_p75", "p75"},
    {"results_inter_token_latency_s_quantiles_p90", "p90"}, {"results_inter_token_latency_s_quantiles_p95", "p95"},
    {"results_inter_token_latency_s_quantiles_p99", "p99"}, {"results_inter_token_latency_s_min", "min"},
    {"results_inter_token_latency_s_max", "max"},           {"results_inter_token_latency_s_stddev", "sd"}};
constexpr Column kEndToEnd[] = {
    {"results_end_to_end_latency_s_mean", "mean"},         {"results_end_to_end_latency_s_quantiles_p25", "p25"},
    {"results_end_to_end_latency_s_quantiles_p50", "p50"}, {"results_end_to_end_latency_s_quantiles_p75", "p75"},
    {"results_end_to_end_latency_s_quantiles_p90", "p90"}, {"results_end_to_end_latency_s_quantiles_p95", "p95"},
    {"results_end_to_end_latency_s_quantiles_p99", "p99"}, {"results_end_to_end_latency_s_min", "min"},
    {"results_end_to_end_latency_s_max", "max"},           {"results_end_to_end_latency_s_stddev", "sd"}};
constexpr Column kRate[] = {{"results_request_output_throughput_token_per_s_mean", "rate_mean"},
                            {"results_request_output_throughput_token_per_s_quantiles_p25", "rate_p25"},
                            {"results_request_output_throughput_token_per_s_quantiles_p50", "rate_p50"},
                            {"results_request_output_throughput_token_per_s_quantiles_p75", "rate_p75"},
                            {"results_request_output_throughput_token_per_s_quantiles_p90", "rate_p90"},
                            {"results_request_output_throughput_token_per_s_quantiles_p95", "rate_p95"},
                            {"results_request_output_throughput_token_per_s_quantiles_p99", "rate_p99"},
                            {"results_request_output_throughput_token_per_s_min", "rate_min"},
                            {"results_request_output_throughput_token_per_s_max", "rate_max"},
                            {"results_request_output_throughput_token_per_s_stddev", "rate_sd"}};
constexpr Column kInput[] = {{"results_number_input_tokens_mean", "tokens"}};
constexpr Column kOutput[] = {{"results_number_output_tokens_mean", "tokens"}};
constexpr Records kRecords[] = {{.columns = kRun},
                                {.columns = kTtft, .point = "ttft"},
                                {.columns = kGap, .point = "inter_token_latency"},
                                {.columns = kEndToEnd, .point = "end_to_end_latency"},
                                {.columns = kRate, .point = "request_output_throughput"},
                                {.columns = kInput, .point = "number_input_tokens"},
                                {.columns = kOutput, .point = "number_output_tokens"}};
constexpr Spoiled kSpoiled[] = {{"number_errors", "num_requests_started", "every request failed"}};
constexpr std::string_view kOurs[] = {"num_concurrent_requests", "results_ttft_s_mean", "results_num_requests_started"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "LLMPerf",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .records = kRecords,
                                  .spoiled = kSpoiled,
                                  .nothing = "no result of LLMPerf: no \"results_…\"",
                                  .hint = "token_benchmark_ray.py --results-dir writes *_summary.json, which is read"};

}  // namespace

extern const Format llmperf_format = {
    .name = "llmperf",
    .title = "LLMPerf of Ray, load test of model servers: summary",
    .replication = core::Replication::run,
    .about = {.group = Group::serving,
              .file = "JSON",
              .produce = "export OPENAI_API_BASE=http://HOST:PORT/v1 OPENAI_API_KEY=KEY\n"
                         "python token_benchmark_ray.py --model MODEL --llm-api openai --results-dir results\n"
                         "# writes results/…_summary.json",
              .judged = "time to first token, inter-token and end-to-end latency in s: mean, p50, p90, p95, p99 (lower); output "
                        "throughput in tok/s and completed requests per minute (higher); errors are a gate",
              .key = "what was measured and the statistic: `ttft.p99`",
              .trials = "one value a key",
              .context = "model, framework, requests under way, mean lengths asked for",
              .limits = "of the single requests' rates the mean is judged; the file of single responses is no summary",
              .recognised = "keys `num_concurrent_requests`, `results_ttft_s_mean` and `results_num_requests_started`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
