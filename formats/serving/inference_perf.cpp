// inference-perf (kubernetes-sigs): the report of a stage of load, or of all stages together. Times are in seconds. What a stage
// was asked to send is its offered load: then latencies are the result, and rates follow from it.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("of"),
    context("requested_rate", "workload.request_rate"),
    context("concurrency", "workload.concurrency"),
    shown("requests"),
    shown("achieved_rate", "req/s"),
    shown("delay_mean", "s", "mean"),
    shown("delay_p99", "s", "p99"),
    shown("successes"),
    gate("failures"),
    load(headline(higher("requests_per_second", "req/s"))),
    load(headline(higher("output_tokens_per_second", "tok/s"))),
    load(higher("total_tokens_per_second", "tok/s")),
    shown("input_tokens_per_second", "tok/s"),
    shown("tokens", "tok", "mean"),
    lower("mean", "s"),
    headline(lower("p50", "s")),
    lower("p90", "s"),
    lower("p95", "s"),
    lower("p99", "s"),
    shown("min", "s"),
    shown("max", "s"),
    shown("p99.9", "s"),
};
constexpr Column kRun[] = {{"load_summary/requested_rate", "requested_rate"},
                           {"load_summary/concurrency", "concurrency"},
                           {"load_summary/count", "requests"},
                           {"load_summary/achieved_rate", "achieved_rate"},
                           {"successes/count", "successes"},
                           {"failures/count", "failures"}};
constexpr Column kThroughput[] = {{"requests_per_sec", "requests_per_second"},
                                  {"output_tokens_per_sec", "output_tokens_per_second"},
                                  {"total_tokens_per_sec", "total_tokens_per_second"},
                                  {"input_tokens_per_sec", "input_tokens_per_second"}};
constexpr Column kTimes[] = {{"mean", "mean"}, {"median", "p50"}, {"p90", "p90"}, {"p95", "p95"},
                             {"p99", "p99"},   {"min", "min"},    {"max", "max"}, {"p99.9", "p99.9"}};
constexpr Column kDelay[] = {{"mean", "delay_mean"}, {"p99", "delay_p99"}};
constexpr Column kLength[] = {{"mean", "tokens"}};
constexpr Records kRecords[] = {{.columns = kRun},
                                {.at = "load_summary/requested_rate", .turn = Turn::paces},
                                {.at = "successes/throughput", .columns = kThroughput},
                                {.at = "successes/latency/{of}", .columns = kTimes, .point = "{of}"},
                                {.at = "load_summary/schedule_delay", .columns = kDelay, .point = "schedule_delay"},
                                {.at = "successes/prompt_len", .columns = kLength, .point = "prompt_len"},
                                {.at = "successes/output_len", .columns = kLength, .point = "output_len"}};
constexpr Spoiled kSpoiled[] = {{"failures", "requests", "every request failed"}};
constexpr std::string_view kOurs[] = {"load_summary", "successes/latency/request_latency",
                                      "successes/throughput/requests_per_sec", "failures"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "inference-perf",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .records = kRecords,
                                  .spoiled = kSpoiled,
                                  .nothing = "no result of inference-perf: no request succeeded, and none failed",
                                  .hint = "stage_N_lifecycle_metrics.json and summary_lifecycle_metrics.json are read"};

}  // namespace

extern const Format inference_perf_format = {
    .name = "inference-perf",
    .title = "inference-perf of Kubernetes, load test of model servers",
    .replication = core::Replication::run,
    .about = {.group = Group::serving,
              .file = "JSON",
              .produce = "inference-perf --config_file config.yml\n"
                         "# writes stage_0_lifecycle_metrics.json, … and summary_lifecycle_metrics.json",
              .judged = "latencies in s: mean, p50, p90, p95, p99 (lower); requests and tokens per second (higher) where no rate "
                        "was asked for; failures are a gate",
              .key = "what was timed and the statistic: `time_to_first_token.p99`",
              .trials = "one value a key",
              .context = "the rate asked for, concurrency",
              .limits = "the summary of several stages mixes their loads: compare stages; the summary of Prometheus is not read",
              .recognised = "keys `load_summary`, `successes/latency/request_latency` and `failures`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
