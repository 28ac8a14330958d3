// redis-benchmark: its text, with a block for each test. Since 6.2 a block ends with a summary of latencies; before, it ends with
// the rate, and its percentiles are steps of whole milliseconds, which say nothing and are left out. With -q a test is a line,
// with --csv a row (since 6.2 below a heading).
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("test"),
    shown("requests"),
    shown("duration", "s"),
    headline(higher("requests_per_second", "req/s")),
    lower("average", "ms", "latency.avg"),
    shown("minimum", "ms", "latency.min"),
    lower("p50", "ms", "latency.p50"),
    lower("p95", "ms", "latency.p95"),
    lower("p99", "ms", "latency.p99"),
    shown("maximum", "ms", "latency.max"),
    context("clients", "workload.clients"),
    context("payload", "workload.payload_bytes"),
    context("keep_alive", "workload.keep_alive"),
    context("threads", "workload.threads"),
};
constexpr Line kLines[] = {
    {.text = "====== {test} ======"},
    {.text = "{requests} requests completed in {duration} seconds", .point = "{test}"},
    {.text = "{clients} parallel clients"},
    {.text = "{payload} bytes payload"},
    {.text = "keep alive: {keep_alive}"},
    {.text = "threads: {threads}"},
    {.text = "throughput summary: {requests_per_second} requests per second", .point = "{test}"},
    {.text = "{average} {minimum} {p50} {p95} {p99} {maximum}", .point = "{test}", .within = "latency summary (msec):"},
    {.text = "{test}: {requests_per_second} requests per second, p50={p50} msec", .point = "{test}"},
    {.text = "{test}: {requests_per_second} requests per second", .point = "{test}"},
    {.text = "{requests_per_second} requests per second", .point = "{test}"},
};
constexpr Column kColumns[] = {
    {"test", "test"},          {"rps", "requests_per_second"}, {"avg_latency_ms", "average"}, {"min_latency_ms", "minimum"},
    {"p50_latency_ms", "p50"}, {"p95_latency_ms", "p95"},      {"p99_latency_ms", "p99"},     {"max_latency_ms", "maximum"}};
constexpr Table kTables[] = {{.columns = kColumns, .point = "{test}", .separator = ','}};
constexpr std::string_view kBlock[] = {"====== {} ======", "{} requests completed in {} seconds", "{} parallel clients"};
constexpr std::string_view kQuiet[] = {"{}: {} requests per second, p50={} msec"};
constexpr std::string_view kCsv[] = {"\"test\",\"rps\",{}"};
constexpr Recognised kRecognised[] = {{kBlock}, {kQuiet}, {kCsv}};
constexpr Statement kStatement = {.tool = "redis-benchmark",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .tables = kTables,
                                  .nothing = "no result of redis-benchmark: no \"requests per second\"",
                                  .hint = "it prints that line when a test is over"};

}  // namespace

extern const Format redis_benchmark_format = {
    .name = "redis-benchmark",
    .title = "redis-benchmark, load test of Redis",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text, CSV",
              .produce = "redis-benchmark -n 1000000 -c 50 -t set,get | tee result.txt\n"
                         "redis-benchmark -n 1000000 -c 50 -t set,get -q | tee result.txt\n"
                         "redis-benchmark -n 1000000 -c 50 -t set,get --csv > result.csv",
              .judged = "requests per second (higher), average, p50, p95 and p99 of the latency in ms (lower)",
              .key = "the test",
              .trials = "one value a key; a test that was run again is another trial",
              .context = "parallel clients, payload, keep alive, threads",
              .limits =
                  "versions before 6.2 print no latencies but steps of milliseconds, and their `--csv` has no heading: it is "
                  "read as any CSV",
              .recognised = "`====== … ======`, `… requests completed in … seconds`, `… parallel clients`; the line of `-q`; the "
                            "heading of `--csv`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
