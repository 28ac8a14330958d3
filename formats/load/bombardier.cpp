// bombardier: its text, and the JSON of `-o json`, whose latencies are microseconds.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    headline(higher("requests_per_second", "req/s")),
    noise("rps_deviation", "req/s", "requests_per_second_sd"),
    shown("rps_maximum", "req/s", "requests_per_second_max"),
    headline(lower("mean", "ms", "latency.mean")),
    noise("deviation", "ms", "latency.sd"),
    shown("maximum", "ms", "latency.max"),
    percentile("percentile", "ms", "latency.p{p}"),
    shown("1xx", {}, "responses_1xx"),
    shown("2xx", {}, "responses_2xx"),
    shown("3xx", {}, "responses_3xx"),
    gate("4xx", "responses_4xx"),
    gate("5xx", "responses_5xx"),
    gate("others", "responses_none"),
    with_prefixes(Prefixes::binary, higher("throughput", "B/s")),
    context("connections", "workload.connections"),
};
constexpr Line kLines[] = {
    {.text = "Bombarding {} using {connections} connections", .turn = Turn::begins},
    {.text = "Statistics Avg Stdev Max", .turn = Turn::begins},
    {.text = "Reqs/sec {requests_per_second} {rps_deviation} {rps_maximum}"},
    {.text = "Latency {mean} {deviation} {maximum}"},
    {.text = "{p}% {percentile}", .within = "Latency Distribution"},
    {.text = "1xx - {1xx}, 2xx - {2xx}, 3xx - {3xx}, 4xx - {4xx}, 5xx - {5xx}"},
    {.text = "others - {others}"},
    {.text = "Throughput: {throughput}"},
};
constexpr std::string_view kOurs[] = {"Statistics Avg Stdev Max", "Reqs/sec {} {} {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kText = {.tool = "bombardier",
                             .recognised = kRecognised,
                             .fields = kFields,
                             .lines = kLines,
                             .nothing = "no result of bombardier: no \"Reqs/sec\"",
                             .hint = "it is printed when the run is over"};

constexpr Field kJsonFields[] = {
    headline(higher("requests_per_second", "req/s")),
    noise("rps_deviation", "req/s", "requests_per_second_sd"),
    shown("rps_maximum", "req/s", "requests_per_second_max"),
    headline(lower("mean", "us", "latency.mean")),
    noise("deviation", "us", "latency.sd"),
    shown("maximum", "us", "latency.max"),
    percentile("percentile", "us", "latency.p{p}"),
    shown("1xx", {}, "responses_1xx"),
    shown("2xx", {}, "responses_2xx"),
    shown("3xx", {}, "responses_3xx"),
    gate("4xx", "responses_4xx"),
    gate("5xx", "responses_5xx"),
    gate("others", "responses_none"),
    shown("duration", "s"),
    shown("read", "B", "bytes_read"),
    shown("written", "B", "bytes_written"),
    context("connections", "workload.connections"),
    context("method", "workload.method"),
    context("client", "workload.client"),
    context("rate", "workload.rate"),
};
constexpr Column kMembers[] = {{"rps/mean", "requests_per_second"},
                               {"rps/stddev", "rps_deviation"},
                               {"rps/max", "rps_maximum"},
                               {"latency/mean", "mean"},
                               {"latency/stddev", "deviation"},
                               {"latency/max", "maximum"},
                               {"req1xx", "1xx"},
                               {"req2xx", "2xx"},
                               {"req3xx", "3xx"},
                               {"req4xx", "4xx"},
                               {"req5xx", "5xx"},
                               {"others", "others"},
                               {"timeTakenSeconds", "duration"},
                               {"bytesRead", "read"},
                               {"bytesWritten", "written"}};
constexpr Column kPercentile[] = {{"", "percentile"}};
constexpr Column kSettings[] = {
    {"numberOfConnections", "connections"}, {"method", "method"}, {"client", "client"}, {"rate", "rate"}};
constexpr Records kRecords[] = {{.at = "spec", .columns = kSettings},
                                {.at = "result", .columns = kMembers},
                                {.at = "result/latency/percentiles/{p}", .columns = kPercentile}};
constexpr std::string_view kPaths[] = {"spec/numberOfConnections", "result/latency/mean", "result/rps/mean"};
constexpr Recognised kJsonRecognised[] = {{kPaths}};
constexpr Statement kJson = {.tool = "bombardier",
                             .recognised = kJsonRecognised,
                             .fields = kJsonFields,
                             .records = kRecords,
                             .nothing = "no result of bombardier",
                             .hint = "`-o json` prints it when the run is over"};

}  // namespace

extern const Format bombardier_format = {
    .name = "bombardier",
    .title = "bombardier, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "text",
              .produce = "bombardier -c 125 -d 30s -l URL | tee result.txt",
              .judged = "requests per second and throughput (higher), mean, p50, p90, p95 and p99 of the latency in ms (lower); "
                        "responses 4xx and 5xx and requests without a response are gates",
              .key = "the metric; of a later run in one log its section",
              .trials = "one value a key",
              .context = "connections",
              .limits = "a rate that was set with `-r` is not printed",
              .recognised = "`Statistics Avg Stdev Max` and `Reqs/sec …`"},
    .statement = &kText,
};
extern const Format bombardier_json_format = {
    .name = "bombardier-json",
    .title = "bombardier, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "JSON",
              .produce = "bombardier -c 125 -d 30s -l -p r -o json URL > result.json",
              .judged =
                  "requests per second (higher), mean, p50, p90, p95 and p99 of the latency in us (lower); responses 4xx and "
                  "5xx and requests without a response are gates",
              .key = "the metric",
              .trials = "one value a key",
              .context = "connections, method, client, rate",
              .limits = "percentiles of the rate of single seconds are left out",
              .recognised = "`spec.numberOfConnections`, `result.latency.mean` and `result.rps.mean`"},
    .statement = &kJson,
};

}  // namespace plumbline::formats
