// JMeter's dashboard (`-e -o`, `-g`): statistics.json, a record for each sampler and "Total". Its three percentiles are the 90th,
// 95th and 99th unless `aggregate_rpt_pct1..3` say otherwise, and the file does not tell, so they are called as there.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("name"),
    shown("requests"),
    gate("errors"),
    shown("error_rate", "%"),
    headline(lower("mean", "ms", "response_time.mean")),
    lower("median", "ms", "response_time.median"),
    shown("minimum", "ms", "response_time.min"),
    shown("maximum", "ms", "response_time.max"),
    lower("pct1", "ms", "response_time.pct1"),
    headline(lower("pct2", "ms", "response_time.pct2")),
    lower("pct3", "ms", "response_time.pct3"),
    headline(higher("requests_per_second", "req/s")),
    shown("received", "KiB/s", "received_throughput"),
    shown("sent", "KiB/s", "sent_throughput"),
};
constexpr Column kColumns[] = {{"sampleCount", "requests"},
                               {"errorCount", "errors"},
                               {"errorPct", "error_rate"},
                               {"meanResTime", "mean"},
                               {"medianResTime", "median"},
                               {"minResTime", "minimum"},
                               {"maxResTime", "maximum"},
                               {"pct1ResTime", "pct1"},
                               {"pct2ResTime", "pct2"},
                               {"pct3ResTime", "pct3"},
                               {"throughput", "requests_per_second"},
                               {"receivedKBytesPerSec", "received"},
                               {"sentKBytesPerSec", "sent"}};
constexpr Records kRecords[] = {{.at = "{name}", .columns = kColumns, .point = "{name}"}};
constexpr Spoiled kSpoiled[] = {{"errors", "requests", "every request failed"}};
constexpr std::string_view kOurs[] = {"{name}/sampleCount", "{name}/meanResTime", "{name}/pct1ResTime"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "JMeter",
                                  .together = "Total",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .records = kRecords,
                                  .spoiled = kSpoiled,
                                  .nothing = "no sampler in the statistics of JMeter",
                                  .hint = "`jmeter -g results.jtl -o FOLDER` writes statistics.json again"};

}  // namespace

extern const Format jmeter_statistics_format = {
    .name = "jmeter-statistics",
    .title = "JMeter load test: `statistics.json` of the dashboard",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "JSON",
              .produce = "jmeter -n -t plan.jmx -l result.jtl -e -o dashboard  # writes dashboard/statistics.json",
              .judged =
                  "requests per second (higher), mean, median and the three percentiles of the response time in ms (lower); "
                  "errors are a gate",
              .key = "the sampler's label; all together have no point",
              .trials = "one value a key",
              .context = "none",
              .limits =
                  "which percentiles `pct1` to `pct3` are is set where the dashboard is made (90, 95, 99) and not in the file",
              .recognised = "records with `sampleCount`, `meanResTime` and `pct1ResTime`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
