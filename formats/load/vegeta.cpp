// vegeta: its report as text and as JSON. Requests are sent at the rate that was asked for, so neither the rate nor the
// throughput is a result: they are context, and the success ratio tells whether the rate was kept.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field success() { return {.name = "success", .declared = {"%", core::Direction::higher, core::Role::gate, true}}; }
constexpr Field kFields[] = {
    shown("requests"),
    shown("rate", "req/s"),
    shown("throughput", "req/s"),
    shown("duration", "s"),
    shown("minimum", "ms", "latency.min"),
    headline(lower("mean", "ms", "latency.mean")),
    lower("p50", "ms", "latency.p50"),
    lower("p90", "ms", "latency.p90"),
    lower("p95", "ms", "latency.p95"),
    headline(lower("p99", "ms", "latency.p99")),
    shown("maximum", "ms", "latency.max"),
    success(),
};
constexpr Line kLines[] = {
    {.text = "Requests [total, rate, throughput] {requests}, {rate}, {throughput}", .turn = Turn::begins},
    {.text = "Requests [total, rate] {requests}, {rate}", .turn = Turn::begins},
    {.text = "Duration [total, attack, wait] {duration}, {}, {}"},
    {.text = "Latencies [min, mean, 50, 90, 95, 99, max] {minimum}, {mean}, {p50}, {p90}, {p95}, {p99}, {maximum}"},
    {.text = "Latencies [mean, 50, 95, 99, max] {mean}, {p50}, {p95}, {p99}, {maximum}"},
    {.text = "Success [ratio] {success}"},
};
constexpr Spoiled kSpoiled[] = {{{}, "success", "no request succeeded"}};
constexpr std::string_view kNothing = "no latencies in the report of vegeta";
constexpr std::string_view kHint = "`vegeta report` reads the results that `vegeta attack` wrote";
constexpr std::string_view kOurs[] = {"Latencies [{}mean, 50, {}95, 99, max] {}", "Success [ratio] {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kText = {.tool = "vegeta",
                             .recognised = kRecognised,
                             .fields = kFields,
                             .lines = kLines,
                             .spoiled = kSpoiled,
                             .nothing = kNothing,
                             .hint = kHint};

constexpr double kMsOfNs = 1e-6;
constexpr Field kJsonFields[] = {
    shown("requests"),
    shown("rate", "req/s"),
    shown("throughput", "req/s"),
    times(1e-9, shown("duration", "s")),
    times(kMsOfNs, shown("minimum", "ms", "latency.min")),
    headline(times(kMsOfNs, lower("mean", "ms", "latency.mean"))),
    times(kMsOfNs, lower("p50", "ms", "latency.p50")),
    times(kMsOfNs, lower("p90", "ms", "latency.p90")),
    times(kMsOfNs, lower("p95", "ms", "latency.p95")),
    headline(times(kMsOfNs, lower("p99", "ms", "latency.p99"))),
    times(kMsOfNs, shown("maximum", "ms", "latency.max")),
    times(100, success()),
};
constexpr Column kMembers[] = {
    {"requests", "requests"},     {"rate", "rate"},           {"throughput", "throughput"}, {"duration", "duration"},
    {"latencies/min", "minimum"}, {"latencies/mean", "mean"}, {"latencies/50th", "p50"},    {"latencies/90th", "p90"},
    {"latencies/95th", "p95"},    {"latencies/99th", "p99"},  {"latencies/max", "maximum"}, {"success", "success"}};
constexpr Records kRecords[] = {{.columns = kMembers}};
constexpr std::string_view kPaths[] = {"latencies/mean", "latencies/99th", "status_codes", "success"};
constexpr Recognised kJsonRecognised[] = {{kPaths}};
constexpr Statement kJson = {.tool = "vegeta",
                             .recognised = kJsonRecognised,
                             .fields = kJsonFields,
                             .records = kRecords,
                             .spoiled = kSpoiled,
                             .nothing = kNothing,
                             .hint = kHint};

constexpr std::string_view kJudged = "mean, p50, p90, p95 and p99 of the latency in ms (lower); the success ratio is a gate";
constexpr std::string_view kLimits = "rate and throughput follow from the rate that was asked for and are context";

}  // namespace

extern const Format vegeta_format = {
    .name = "vegeta",
    .title = "vegeta, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "text",
              .produce = "echo 'GET http://HOST:PORT/' | vegeta attack -rate=100 -duration=60s > attack.bin\n"
                         "vegeta report attack.bin > result.txt",
              .judged = kJudged,
              .key = "the metric; of a later report in one log its section",
              .trials = "one value a key",
              .context = "none",
              .limits = kLimits,
              .recognised = "`Latencies [min, mean, 50, 90, 95, 99, max] …` and `Success [ratio] …`"},
    .statement = &kText,
};
extern const Format vegeta_json_format = {
    .name = "vegeta-json",
    .title = "vegeta, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "JSON",
              .produce = "echo 'GET http://HOST:PORT/' | vegeta attack -rate=100 -duration=60s > attack.bin\n"
                         "vegeta report -type=json attack.bin > result.json",
              .judged = kJudged,
              .key = "the metric",
              .trials = "one value a key",
              .context = "none",
              .limits = kLimits,
              .recognised = "`latencies.mean`, `latencies.99th`, `status_codes` and `success`"},
    .statement = &kJson,
};

}  // namespace plumbline::formats
