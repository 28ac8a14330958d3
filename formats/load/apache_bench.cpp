// ApacheBench (ab): a run of a load generator as text. Its percentiles are those of all requests, failed ones too.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("server", "stack.server"),
    context("version", "stack.apache_bench"),
    context("level", "workload.concurrency"),
    context("length", "workload.document_bytes"),
    shown("duration", "s"),
    shown("complete_requests"),
    gate("failed_requests"),
    counted(gate("write_errors"), "complete_requests"),
    counted(gate("non_2xx_responses"), "complete_requests"),
    headline(higher("requests_per_second", "req/s")),
    headline(lower("time_per_request", "ms")),
    higher("transfer_rate", "KiB/s"),
    shown("minimum", "ms", "{of:lower}_min"),
    lower("mean", "ms", "{of:lower}_mean"),
    noise("deviation", "ms", "{of:lower}_sd"),
    lower("median", "ms", "{of:lower}_p50"),
    shown("maximum", "ms", "{of:lower}_max"),
    lower("time", "ms", "p{p}"),
    shown("slowest", "ms", "p100"),
};
constexpr Line kLines[] = {
    {.text = "This is ApacheBench, Version {version}", .turn = Turn::begins},
    {.text = "Server Software: {server}"},
    {.text = "Document Length: {length} bytes"},
    {.text = "Concurrency Level: {level}"},
    {.text = "Time taken for tests: {duration} seconds"},
    {.text = "Complete requests: {complete_requests}"},
    {.text = "Failed requests: {failed_requests}"},
    {.text = "Write errors: {write_errors}"},
    {.text = "Non-2xx responses: {non_2xx_responses}"},
    {.text = "Requests per second: {requests_per_second} [#/sec] (mean)"},
    {.text = "Time per request: {time_per_request} [ms] (mean)"},
    {.text = "Transfer rate: {transfer_rate} [Kbytes/sec] received"},
    {.text = "{of}: {minimum} {mean} {deviation} {median} {maximum}", .point = "connection", .within = "Connection Times (ms)"},
    {.text = "100% {slowest} (longest request)", .point = "latency"},
    {.text = "{p}% {time}", .point = "latency", .within = "Percentage of the requests served within a certain time (ms)"},
};
constexpr Spoiled kSpoiled[] = {{"failed_requests", "complete_requests", "every request failed"},
                                {"non_2xx_responses", "complete_requests", "every response was an error"}};
constexpr std::string_view kOurs[] = {"Concurrency Level: {}", "Requests per second: {} [#/sec] (mean)"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "ApacheBench",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .spoiled = kSpoiled,
                                  .nothing = "no result of ApacheBench: no \"Requests per second:\"",
                                  .hint = "ab prints it when all requests are done; look at what it says before"};

}  // namespace

extern const Format apache_bench_format = {
    .name = "apache-bench",
    .title = "ApacheBench (ab), load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "text",
              .produce = "ab -n 5000 -c 16 http://HOST:PORT/ | tee result.txt",
              .judged =
                  "requests per second and transfer rate (higher), time per request, connection times and percentiles in ms "
                  "(lower); failed requests, write errors and non-2xx responses are gates",
              .key = "the metric; of a later run in one log its section",
              .trials = "one value a key",
              .context = "version, server, concurrency, document length",
              .limits = "the time per request across all requests says the same as the rate",
              .recognised = "`Concurrency Level:`, `Requests per second: … [#/sec] (mean)`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
