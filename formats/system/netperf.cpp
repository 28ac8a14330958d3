// netperf: the classic tables of streams and of request and response, the CSV of omni tests (-o) and its lines of a name and a
// value (-k). A classic table says its unit in its heading; what of UDP arrives counts, not what was sent.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("test"),
    dimension("request"),
    dimension("response"),
    context("units", "workload.throughput_units"),
    shown("elapsed", "s"),
    shown("okay", "", "messages"),
    shown("errors", "", "send_errors"),
    shown("sent", "Mbit/s", "sent_throughput"),
    headline(higher("kilobits", "kbit/s", "throughput")),
    headline(higher("megabits", "Mbit/s", "throughput")),
    headline(higher("gigabits", "Gbit/s", "throughput")),
    headline(higher("megabytes", "MiB/s", "throughput")),
    headline(higher("gigabytes", "GiB/s", "throughput")),
    headline(higher("rate", "trans/s", "transactions")),
    headline(higher("omni", "", "throughput")),
    lower("mean", "us", "latency.mean"),
    lower("p50", "us", "latency.p50"),
    lower("p90", "us", "latency.p90"),
    lower("p99", "us", "latency.p99"),
    noise("deviation", "us", "latency.stddev"),
    shown("minimum", "us", "latency.min"),
    shown("maximum", "us", "latency.max"),
    shown("retransmissions", "", "local_retransmissions"),
    shown("remote", "", "remote_retransmissions"),
};
constexpr std::string_view kUdp = "bytes bytes secs # # 10^6bits/sec";
constexpr Line kLines[] = {
    {.text = "MIGRATED UDP STREAM TEST from {}", .turn = Turn::begins, .says = "test", .value = "UDP STREAM"},
    {.text = "MIGRATED {test} TEST from {}"},
    {.text = "{test} TEST from {} port {}"},
    {.text = "{#} {#} {elapsed} {okay} {errors} {sent}", .point = "{test}", .within = kUdp},
    {.text = "{#} {#} {okay} {megabits}", .point = "{test}", .within = kUdp},
    {.text = "{#} {#} {#} {elapsed} {megabits}", .point = "{test}", .within = "bytes bytes bytes secs. 10^6bits/sec"},
    {.text = "{#} {#} {#} {elapsed} {kilobits}", .point = "{test}", .within = "bytes bytes bytes secs. 10^3bits/sec"},
    {.text = "{#} {#} {#} {elapsed} {gigabits}", .point = "{test}", .within = "bytes bytes bytes secs. 10^9bits/sec"},
    {.text = "{#} {#} {#} {elapsed} {megabytes}", .point = "{test}", .within = "bytes bytes bytes secs. MBytes/sec"},
    {.text = "{#} {#} {#} {elapsed} {gigabytes}", .point = "{test}", .within = "bytes bytes bytes secs. GBytes/sec"},
    {.text = "{#} {#} {request} {response} {elapsed} {rate}",
     .point = "{test}",
     .within = "bytes Bytes bytes bytes secs. per sec"},
    {.text = "THROUGHPUT={omni}", .point = "{test}"},
    {.text = "THROUGHPUT_UNITS={units}"},
    {.text = "MEAN_LATENCY={mean}", .point = "{test}"},
    {.text = "P50_LATENCY={p50}", .point = "{test}"},
    {.text = "P90_LATENCY={p90}", .point = "{test}"},
    {.text = "P99_LATENCY={p99}", .point = "{test}"},
    {.text = "STDDEV_LATENCY={deviation}", .point = "{test}"},
    {.text = "MIN_LATENCY={minimum}", .point = "{test}"},
    {.text = "MAX_LATENCY={maximum}", .point = "{test}"},
    {.text = "LOCAL_TRANSPORT_RETRANS={retransmissions}", .point = "{test}"},
};
constexpr Column kColumns[] = {{"Throughput", "omni"},
                               {"Throughput Units", "units"},
                               {"Mean Latency Microseconds", "mean"},
                               {"50th Percentile Latency Microseconds", "p50"},
                               {"90th Percentile Latency Microseconds", "p90"},
                               {"99th Percentile Latency Microseconds", "p99"},
                               {"Stddev Latency Microseconds", "deviation"},
                               {"Minimum Latency Microseconds", "minimum"},
                               {"Maximum Latency Microseconds", "maximum"},
                               {"Local Transport Retransmissions", "retransmissions"},
                               {"Remote Transport Retransmissions", "remote"}};
constexpr Table kTables[] = {{.columns = kColumns, .point = "{test}", .separator = ','}};
constexpr std::string_view kOurs[] = {"{} TEST from {} port {} AF_INET{}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "netperf",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .tables = kTables,
                                  .nothing = "no result of netperf that is read: no row below its heading",
                                  .hint =
                                      "tables with processor utilisation (-c, -C) and chosen columns (-O) are not read: "
                                      "`netperf … -- -o` writes CSV, which is; of CSV each row has to have as many values as its "
                                      "heading has names, else nobody can tell which is which"};

}  // namespace

extern const Format netperf_format = {
    .name = "netperf",
    .title = "netperf, streams and transactions between two hosts",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text, CSV",
              .produce = "netperf -H SERVER -t TCP_STREAM | tee result.txt\n"
                         "netperf -H SERVER -t TCP_RR -- -o THROUGHPUT,THROUGHPUT_UNITS,P99_LATENCY | tee result.txt",
              .judged = "throughput in the unit of the table and transactions per second (higher), mean, p50, p90 and p99 of the "
                        "latency in us (lower)",
              .key = "the test; of request and response also their sizes: `TCP STREAM.throughput`",
              .trials = "one value a key; a test that was run again is another trial, of UDP_STREAM another section",
              .context = "the unit of an omni test's throughput, which it prints apart from the number",
              .limits =
                  "tables with processor utilisation and the drawn columns of omni tests (-O) are not read, nor rows of CSV with "
                  "more values than their heading has names, as PerfKit keeps some of UDP",
              .recognised = "`… TEST from … port … AF_INET`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
