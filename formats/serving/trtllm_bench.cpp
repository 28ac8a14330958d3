// trtllm-bench (TensorRT-LLM): the report it prints, of all its versions, and the JSON of --report_json. Speed per user is one
// over the time per token, speed per GPU the throughput over the GPUs.
#include "formats/format.hpp"
#include "formats/stated/shared_about.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("model", "identity.model"),
    context("gpu", "hardware.gpu"),
    context("version", "stack.tensorrt_llm"),
    context("dtype", "identity.weight_dtype"),
    context("kv_dtype", "identity.kv_cache_dtype"),
    context("quantization", "identity.quantization"),
    context("tp", "parallelism.tp"),
    context("pp", "parallelism.pp"),
    context("ep", "parallelism.ep"),
    context("batch", "serving.max_batch_size"),
    context("tokens", "serving.max_num_tokens"),
    shown("input", "tok", "average_input_length"),
    shown("output", "tok", "average_output_length"),
    shown("requests"),
    shown("requests_under_way"),
    headline(higher("request_throughput", "req/s")),
    headline(higher("output_throughput", "tok/s")),
    higher("total_token_throughput", "tok/s"),
    shown("output_throughput_per_user", "tok/s/user"),
    shown("output_throughput_per_gpu", "tok/s/gpu"),
    shown("output_speed_per_user", "tok/s/user"),
    shown("total_latency", "ms"),
    times(1000, shown("total_seconds", "ms", "total_latency")),
    higher("acceptance_rate", {}),
    higher("acceptance_length", "tok"),
    lower("mean", "ms"),
    lower("p50", "ms"),
    lower("p90", "ms"),
    lower("p95", "ms"),
    lower("p99", "ms"),
    lower("time", "ms", "p{p}"),
    shown("minimum", "ms", "min"),
    shown("maximum", "ms", "max"),
};
constexpr Line kLines[] = {
    {.text = "Model: {model}"},
    {.text = "TensorRT-LLM Version: {version}"},
    {.text = "TensorRT LLM Version: {version}"},
    {.text = "Dtype: {dtype}"},
    {.text = "KV Cache Dtype: {kv_dtype}"},
    {.text = "Quantization: {quantization}"},
    {.text = "TP Size: {tp}"},
    {.text = "PP Size: {pp}"},
    {.text = "EP Size: {ep}"},
    {.text = "Max Runtime Batch Size: {batch}"},
    {.text = "Max Runtime Tokens: {tokens}"},
    {.text = "Number of requests: {requests}"},
    {.text = "Number of concurrent requests: {requests_under_way}"},
    {.text = "Average Input Length (tokens): {input}"},
    {.text = "Average Output Length (tokens): {output}"},
    {.text = "Request Throughput (req/sec): {request_throughput}"},
    {.text = "Total Output Throughput (tokens/sec): {output_throughput}"},
    {.text = "Token Throughput (tokens/sec): {output_throughput}"},
    {.text = "Generation Token Throughput (tokens/sec): {output_throughput}"},
    {.text = "Total Token Throughput (tokens/sec): {total_token_throughput}"},
    {.text = "Per User Output Throughput {}: {output_throughput_per_user}"},
    {.text = "Per GPU Output Throughput {}: {output_throughput_per_gpu}"},
    {.text = "Per User Output Speed {}: {output_speed_per_user}"},
    {.text = "Total Latency (ms): {total_latency}"},
    {.text = "Total Latency (seconds): {total_seconds}"},
    {.text = "Average request latency (ms): {mean}", .point = "latency"},
    {.text = "Average time-to-first-token [TTFT] (ms): {mean}", .point = "ttft"},
    {.text = "Average time-to-first-token (ms): {mean}", .point = "ttft"},
    {.text = "Average time-per-output-token [TPOT] (ms): {mean}", .point = "tpot"},
    {.text = "Average inter-token latency (ms): {mean}", .point = "itl"},
    {.text = "Acceptance Rate (Speculative): {acceptance_rate}"},
    {.text = "[DAR] AVERAGE: {acceptance_rate}"},
    {.text = "[AL] AVERAGE: {acceptance_length}"},
    {.text = "[Latency] P{p} : {time}", .point = "latency"},
    {.text = "[Latency] MINIMUM: {minimum}", .point = "latency"},
    {.text = "[Latency] MAXIMUM: {maximum}", .point = "latency"},
    {.text = "[TTFT] P{p} : {time}", .point = "ttft"},
    {.text = "[TTFT] MINIMUM: {minimum}", .point = "ttft"},
    {.text = "[TTFT] MAXIMUM: {maximum}", .point = "ttft"},
    {.text = "[TPOT] P{p} : {time}", .point = "tpot"},
    {.text = "[TPOT] MINIMUM: {minimum}", .point = "tpot"},
    {.text = "[TPOT] MAXIMUM: {maximum}", .point = "tpot"},
};
constexpr std::string_view kOurs[] = {"= WORLD + RUNTIME INFORMATION", "Request Throughput (req/sec): {}"};
constexpr std::string_view kExcerpt[] = {"= PERFORMANCE OVERVIEW", "Request Throughput (req/sec): {}"};
constexpr Recognised kRecognised[] = {{kOurs}, {kExcerpt}};
constexpr Statement kStatement = {.tool = "trtllm-bench",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of trtllm-bench: no \"Request Throughput\"",
                                  .hint = "it prints nothing more where memory ran out: lower --kv_cache_free_gpu_mem_fraction"};

// --report_json.
constexpr Column kSettings[] = {{"engine/model", "model"},
                                {"engine/version", "version"},
                                {"engine/dtype", "dtype"},
                                {"engine/kv_cache_dtype", "kv_dtype"},
                                {"engine/quantization", "quantization"},
                                {"machine/name", "gpu"},
                                {"world_info/tp_size", "tp"},
                                {"world_info/pp_size", "pp"},
                                {"world_info/ep_size", "ep"},
                                {"world_info/max_batch_size", "batch"},
                                {"world_info/max_num_tokens", "tokens"},
                                {"request_info/avg_input_length", "input"},
                                {"request_info/avg_output_length", "output"},
                                {"request_info/num_requests", "requests"},
                                {"request_info/avg_num_concurrent_requests", "requests_under_way"},
                                {"performance/request_throughput_req_s", "request_throughput"},
                                {"performance/system_output_throughput_tok_s", "output_throughput"},
                                {"performance/system_total_throughput_tok_s", "total_token_throughput"},
                                {"performance/output_throughput_per_user_tok_s", "output_throughput_per_user"},
                                {"performance/output_throughput_per_gpu_tok_s", "output_throughput_per_gpu"},
                                {"streaming_metrics/token_output_speed_tok_s", "output_speed_per_user"},
                                {"performance/total_latency_ms", "total_latency"}};
constexpr Column kLatency[] = {{"avg_request_latency_ms", "mean"},
                               {"request_latency_percentiles_ms/p50", "p50"},
                               {"request_latency_percentiles_ms/p90", "p90"},
                               {"request_latency_percentiles_ms/p95", "p95"},
                               {"request_latency_percentiles_ms/p99", "p99"},
                               {"request_latency_percentiles_ms/minimum", "minimum"},
                               {"request_latency_percentiles_ms/maximum", "maximum"}};
constexpr Column kTtft[] = {{"avg_ttft_ms", "mean"},
                            {"ttft_percentiles/p50", "p50"},
                            {"ttft_percentiles/p90", "p90"},
                            {"ttft_percentiles/p95", "p95"},
                            {"ttft_percentiles/p99", "p99"},
                            {"ttft_percentiles/minimum", "minimum"},
                            {"ttft_percentiles/maximum", "maximum"}};
constexpr Column kTpot[] = {{"avg_tpot_ms", "mean"},
                            {"tpot_percentiles/p50", "p50"},
                            {"tpot_percentiles/p90", "p90"},
                            {"tpot_percentiles/p95", "p95"},
                            {"tpot_percentiles/p99", "p99"},
                            {"tpot_percentiles/minimum", "minimum"},
                            {"tpot_percentiles/maximum", "maximum"}};
constexpr Records kRecords[] = {{.columns = kSettings},
                                {.at = "performance", .columns = kLatency, .point = "latency"},
                                {.at = "streaming_metrics", .columns = kTtft, .point = "ttft"},
                                {.at = "streaming_metrics", .columns = kTpot, .point = "tpot"}};
constexpr std::string_view kOurKeys[] = {"request_info/avg_num_concurrent_requests",
                                         "performance/system_output_throughput_tok_s"};
constexpr Recognised kRecognisedJson[] = {{kOurKeys}};
constexpr Statement kJson = {.tool = "trtllm-bench",
                             .recognised = kRecognisedJson,
                             .fields = kFields,
                             .records = kRecords,
                             .nothing = "no result of trtllm-bench: no \"performance\"",
                             .hint = "trtllm-bench … --report_json FILE writes it when all requests are done"};

constexpr About kAbout = {
    .group = Group::serving,
    .judged =
        "requests and tokens per second (higher), request latency, time to first token and per output token in ms: mean, p50, "
        "p90, p95, p99 (lower)",
    .key = "the metric, or what was timed and the statistic: `ttft.p99`",
    .trials = "one value a key",
    .context = "model, version, types, tensor, pipeline and expert parallelism, batch and token limits",
    .limits = "speed per user and per GPU say the same as throughput and time per token"};

}  // namespace

extern const Format trtllm_bench_format = {
    .name = "trtllm-bench",
    .title = "trtllm-bench of TensorRT-LLM",
    .replication = core::Replication::run,
    .about = stated::about_file(
        kAbout, "text", "trtllm-bench --model MODEL throughput --dataset DATA --streaming 2>&1 | tee result.txt",
        "`Request Throughput (req/sec):` with `= WORLD + RUNTIME INFORMATION` or `= PERFORMANCE OVERVIEW`"),
    .statement = &kStatement,
};
extern const Format trtllm_bench_json_format = {
    .name = "trtllm-bench-json",
    .title = "trtllm-bench of TensorRT-LLM: report",
    .replication = core::Replication::run,
    .about = stated::about_file(
        kAbout, "JSON", "trtllm-bench --model MODEL throughput --dataset DATA --streaming --report_json result.json",
        "keys `request_info/avg_num_concurrent_requests` and `performance/system_output_throughput_tok_s`"),
    .statement = &kJson,
};

}  // namespace plumbline::formats
