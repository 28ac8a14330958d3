// autocannon: its tables, and the JSON of `--json`. Its percentiles are 50, 97.5 and 99; rates are means over seconds.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    headline(lower("average", "ms", "latency.average")),
    noise("deviation", "ms", "latency.sd"),
    lower("p50", "ms", "latency.p50"),
    lower("p97_5", "ms", "latency.p97.5"),
    headline(lower("p99", "ms", "latency.p99")),
    shown("p99_9", "ms", "latency.p99.9"),
    shown("maximum", "ms", "latency.max"),
    headline(higher("requests_per_second", "req/s")),
    noise("rate_deviation", "req/s", "requests_per_second_sd"),
    with_prefixes(Prefixes::decimal, higher("throughput", "B/s")),
    with_prefixes(Prefixes::decimal, shown("requests")),
    shown("duration", "s"),
    counted(gate("non_2xx_responses"), "requests_per_second"),
    counted(with_prefixes(Prefixes::decimal, gate("errors")), "requests_per_second"),
    shown("timeouts"),
    gate("mismatches"),
    context("connections", "workload.connections"),
    context("pipelining", "workload.pipelining"),
    context("workers", "workload.workers"),
};
constexpr Line kLines[] = {
    {.text = "Running {} test @ {}", .turn = Turn::begins},
    {.text = "{connections} connections"},
    {.text = "{connections} connections with {pipelining} pipelining factor"},
    {.text = "│ Latency │ {} │ {p50} │ {p97_5} │ {p99} │ {average} │ {deviation} │ {maximum} │"},
    {.text = "│ Req/Sec │ {} │ {} │ {} │ {} │ {requests_per_second} │ {rate_deviation} │ {} │"},
    {.text = "│ Bytes/Sec │ {} │ {} │ {} │ {} │ {throughput}B │ {} │ {} │"},
    {.text = "{} 2xx responses, {non_2xx_responses} non 2xx responses"},
    {.text = "{requests} requests in {duration}, {} read"},
    {.text = "{errors} errors ({timeouts} timeouts)"},
};
constexpr std::string_view kOurs[] = {"│ Latency │ {} │ {} │", "│ Req/Sec │ {} │ {} │"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kText = {.tool = "autocannon",
                             .recognised = kRecognised,
                             .fields = kFields,
                             .lines = kLines,
                             .nothing = "no table of autocannon",
                             .hint = "it is printed when the run is over"};

constexpr Column kMembers[] = {{"latency/average", "average"},
                               {"latency/stddev", "deviation"},
                               {"latency/p50", "p50"},
                               {"latency/p97_5", "p97_5"},
                               {"latency/p99", "p99"},
                               {"latency/p99_9", "p99_9"},
                               {"latency/p999", "p99_9"},
                               {"latency/max", "maximum"},
                               {"requests/average", "requests_per_second"},
                               {"requests/stddev", "rate_deviation"},
                               {"requests/total", "requests"},
                               {"throughput/average", "throughput"},
                               {"duration", "duration"},
                               {"non2xx", "non_2xx_responses"},
                               {"errors", "errors"},
                               {"timeouts", "timeouts"},
                               {"mismatches", "mismatches"},
                               {"connections", "connections"},
                               {"pipelining", "pipelining"},
                               {"workers", "workers"}};
constexpr Records kRecords[] = {{.columns = kMembers}};
constexpr std::string_view kPaths[] = {"latency/p99", "requests/average", "throughput/average", "non2xx"};
constexpr Recognised kJsonRecognised[] = {{kPaths}};
constexpr Statement kJson = {.tool = "autocannon",
                             .recognised = kJsonRecognised,
                             .fields = kFields,
                             .records = kRecords,
                             .nothing = "no latencies of autocannon",
                             .hint = "`--json` prints them when the run is over"};

constexpr std::string_view kJudged =
    "requests and bytes per second (higher), average, p50, p97.5 and p99 of the latency in ms (lower); errors, mismatches and "
    "responses other than 2xx are gates";

}  // namespace

extern const Format autocannon_format = {
    .name = "autocannon",
    .title = "autocannon, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "text",
              .produce = "autocannon -c 50 -d 30 URL 2>&1 | tee result.txt",
              .judged = kJudged,
              .key = "the metric; of a later run in one log its section",
              .trials = "one value a key",
              .context = "connections, pipelining",
              .limits = "latencies are whole milliseconds but for the average",
              .recognised = "the rows `│ Latency │ …` and `│ Req/Sec │ …`"},
    .statement = &kText,
};
extern const Format autocannon_json_format = {
    .name = "autocannon-json",
    .title = "autocannon, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "JSON",
              .produce = "autocannon -c 50 -d 30 --json URL > result.json",
              .judged = kJudged,
              .key = "the metric",
              .trials = "one value a key",
              .context = "connections, pipelining, workers",
              .limits = "latencies are whole milliseconds but for the average",
              .recognised = "`latency.p99`, `requests.average`, `throughput.average` and `non2xx`"},
    .statement = &kJson,
};

}  // namespace plumbline::formats
