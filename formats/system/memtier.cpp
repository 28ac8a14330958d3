// memtier_benchmark: its table of operations (text), and the file of --json-out-file, whose seconds and histogram steps are left
// out. A kind of operation that was not asked for has a row of zeros.
#include "formats/format.hpp"
#include "formats/stated/shared_about.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("type"),
    dimension("run"),
    headline(higher("ops_per_second", "ops/s")),
    shown("hits_per_second", "1/s"),
    shown("misses_per_second", "1/s"),
    lower("average", "ms", "latency.avg"),
    shown("minimum", "ms", "latency.min"),
    shown("maximum", "ms", "latency.max"),
    headline(percentile("percentile", "ms", "latency.p{p:short}")),
    headline(percentile("json_percentile", "ms", "latency.{p:short}")),
    higher("throughput", "KiB/s"),
    shown("operations"),
    gate("connection_errors"),
    context("threads", "workload.threads"),
    context("connections", "workload.connections_per_thread"),
    context("seconds", "workload.seconds"),
    context("requests", "workload.requests"),
    context("protocol", "workload.protocol"),
    context("ratio", "workload.ratio"),
    context("data_size", "workload.data_size"),
    context("pipeline", "workload.pipeline"),
    context("key_pattern", "workload.key_pattern"),
};
constexpr Line kLines[] = {{.text = "{threads} Threads"},
                           {.text = "{connections} Connections per thread"},
                           {.text = "{seconds} Seconds"},
                           {.text = "{requests} Requests per client"},
                           {.text = "{run} RUN RESULTS"},  // of several: BEST, WORST
                           {.text = "AGGREGATED AVERAGE RESULTS {}", .turn = Turn::begins}};
constexpr Column kColumns[] = {{"Type", "type"},
                               {"Ops/sec", "ops_per_second"},
                               {"Hits/sec", "hits_per_second"},
                               {"Misses/sec", "misses_per_second"},
                               {"Avg. Latency", "average"},
                               {"Latency", "average"},
                               {"p{p} Latency", "percentile"},
                               {"KB/sec", "throughput"}};
constexpr Table kTables[] = {{.columns = kColumns, .point = "{type}", .busy = "ops_per_second"}};
constexpr std::string_view kOurs[] = {"{} Connections per thread", "Type Ops/sec Hits/sec Misses/sec {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "memtier_benchmark",
                                  .subject = "all",
                                  .together = "Totals",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .tables = kTables,
                                  .nothing = "no result of memtier_benchmark: no row of operations",
                                  .hint = "it prints the table \"ALL STATS\" when the test is over; look at what it says before"};

constexpr Column kMembers[] = {
    {"Ops/sec", "ops_per_second"},  {"Hits/sec", "hits_per_second"}, {"Misses/sec", "misses_per_second"},
    {"Average Latency", "average"}, {"Min Latency", "minimum"},      {"Max Latency", "maximum"},
    {"KB/sec", "throughput"},       {"Count", "operations"},         {"Connection Errors", "connection_errors"}};
constexpr Column kPercentile[] = {{"", "json_percentile"}};
constexpr Column kSettings[] = {{"Threads", "threads"},
                                {"Connections per thread", "connections"},
                                {"Seconds", "seconds"},
                                {"Requests per client", "requests"},
                                {"../configuration/protocol", "protocol"},
                                {"../configuration/ratio", "ratio"},
                                {"../configuration/data_size", "data_size"},
                                {"../configuration/pipeline", "pipeline"},
                                {"../configuration/key_pattern", "key_pattern"}};
constexpr Records kRecords[] = {
    {.at = "ALL STATS/{type}", .columns = kMembers, .point = "{type}", .busy = "ops_per_second"},
    {.at = "ALL STATS/{type}/Percentile Latencies/{p}", .columns = kPercentile, .point = "{type}", .busy = "json_percentile"},
    {.at = "run information", .columns = kSettings}};
constexpr std::string_view kOurPaths[] = {"ALL STATS/Totals/Average Latency", "run information/Connections per thread"};
constexpr Recognised kRecognisedJson[] = {{kOurPaths}};
constexpr Statement kJson = {.tool = "memtier_benchmark",
                             .together = "Totals",
                             .recognised = kRecognisedJson,
                             .fields = kFields,
                             .records = kRecords,
                             .nothing = "no operations under \"ALL STATS\"",
                             .hint = "the file of --json-out-file is complete when the test is over"};

constexpr About kAbout = {
    .group = Group::system,
    .judged =
        "operations per second and throughput (higher), average and percentiles p50, p90, p95 and p99 of the latency in ms "
        "(lower); connection errors are a gate",
    .key =
        "the kind of operation; all together have no point; of several runs `run` says BEST or WORST, their averages have none",
    .trials = "one value a key; of `--print-all-runs` the runs",
    .context = "threads, connections, seconds or requests; of JSON also protocol, ratio, data size, pipeline and key pattern",
    .limits = "kinds of operations that were not asked for, seconds and histograms are left out"};

}  // namespace

extern const Format memtier_format = {
    .name = "memtier",
    .title = "memtier_benchmark, load test of Redis and memcached",
    .replication = core::Replication::run,
    .about = stated::about_file(kAbout, "text", "memtier_benchmark -s HOST -t 4 -c 50 --test-time=60 --out-file=result.txt",
                                "`… Connections per thread` and the heading `Type Ops/sec Hits/sec Misses/sec …`"),
    .statement = &kStatement,
};
extern const Format memtier_json_format = {
    .name = "memtier-json",
    .title = "memtier_benchmark, load test of Redis and memcached",
    .replication = core::Replication::run,
    .about = stated::about_file(kAbout, "JSON", "memtier_benchmark -s HOST -t 4 -c 50 --test-time=60 --json-out-file=result.json",
                                "`ALL STATS` and `run information`"),
    .statement = &kJson,
};

}  // namespace plumbline::formats
