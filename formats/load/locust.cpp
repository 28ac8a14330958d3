// Locust's CSV files (--csv): `_stats.csv` has a row for each request and one for all together, `_stats_history.csv` a row a
// second whose totals go on counting and whose rates and percentiles are of the last seconds only. Percentiles above 100 ms are
// rounded by Locust to two digits.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

// Totals of a history go on counting: the last one says it.
constexpr Field total(Field field) { return taken_as(Several::last, field); }
constexpr Field kFields[] = {
    dimension("type"),
    dimension("name"),
    total(shown("requests")),
    total(gate("failures")),
    headline(total(lower("median", "ms", "response_time.median"))),
    headline(total(lower("average", "ms", "response_time.average"))),
    total(shown("minimum", "ms", "response_time.min")),
    total(shown("maximum", "ms", "response_time.max")),
    total(shown("average_content_size", "B")),
    headline(higher("requests_per_second", "req/s")),
    shown("failures_per_second", "1/s"),
    shown("rounded_median", "ms", "response_time.p50"),
    percentile("percentile", "ms", "response_time.p{p}"),
    taken_as(Several::most, shown("users")),
};
constexpr Spoiled kSpoiled[] = {{"failures", "requests", "every request failed"}};

constexpr Column kStatsColumns[] = {{"Name", "name"},
                                    {"Median Response Time", "median"},
                                    {"Type", "type"},
                                    {"Request Count", "requests"},
                                    {"Failure Count", "failures"},
                                    {"Average Response Time", "average"},
                                    {"Min Response Time", "minimum"},
                                    {"Max Response Time", "maximum"},
                                    {"Average Content Size", "average_content_size"},
                                    {"Requests/s", "requests_per_second"},
                                    {"Failures/s", "failures_per_second"},
                                    {"50%", "rounded_median"},
                                    {"{p}%", "percentile"}};
constexpr Table kStatsTables[] = {{.columns = kStatsColumns, .point = "{name}", .separator = ','}};
constexpr std::string_view kStatsHeading[] = {"Type,Name,Request Count,Failure Count,Median Response Time,{}"};
constexpr Recognised kStatsRecognised[] = {{kStatsHeading}};
constexpr Statement kStats = {.tool = "Locust",
                              .together = "Aggregated",
                              .recognised = kStatsRecognised,
                              .fields = kFields,
                              .tables = kStatsTables,
                              .spoiled = kSpoiled,
                              .nothing = "no request in the statistics of Locust",
                              .hint = "Locust writes a row for each request that it has made"};

constexpr Column kHistoryColumns[] = {{"Name", "name"},
                                      {"Total Request Count", "requests"},
                                      {"Type", "type"},
                                      {"User Count", "users"},
                                      {"Total Failure Count", "failures"},
                                      {"Total Median Response Time", "median"},
                                      {"Total Average Response Time", "average"},
                                      {"Total Min Response Time", "minimum"},
                                      {"Total Max Response Time", "maximum"},
                                      {"Total Average Content Size", "average_content_size"}};
constexpr Table kHistoryTables[] = {{.columns = kHistoryColumns, .point = "{name}", .separator = ',', .busy = "requests"}};
constexpr std::string_view kHistoryHeading[] = {"Timestamp,User Count,Type,Name,{}Total Request Count,{}"};
constexpr Recognised kHistoryRecognised[] = {{kHistoryHeading}};
constexpr Statement kHistory = {.tool = "Locust",
                                .together = "Aggregated",
                                .recognised = kHistoryRecognised,
                                .fields = kFields,
                                .tables = kHistoryTables,
                                .spoiled = kSpoiled,
                                .nothing = "no request in the history of Locust",
                                .hint = "every row has 0 as its total request count; give the file that ends in `_stats.csv`"};

}  // namespace

extern const Format locust_format = {
    .name = "locust",
    .title = "Locust load test: statistics",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "CSV",
              .produce = "locust -f locustfile.py --headless -u 100 -r 10 -t 5m --host URL --csv result\n"
                         "# writes result_stats.csv",
              .judged = "requests per second (higher), median, average, p90, p95 and p99 of the response time in ms (lower); "
                        "failures are a gate",
              .key = "the name, and the type as a dimension; all requests together have no point",
              .trials = "one value a key",
              .context = "none",
              .limits = "Locust rounds percentiles above 100 ms to two digits",
              .recognised = "the heading `Type,Name,Request Count,Failure Count,Median Response Time,…`"},
    .statement = &kStats,
};
extern const Format locust_history_format = {
    .name = "locust-history",
    .title = "Locust load test: history",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "CSV",
              .produce = "locust -f locustfile.py --headless -u 100 -r 10 -t 5m --host URL --csv result\n"
                         "# writes result_stats_history.csv",
              .judged = "median and average of the response time in ms (lower); failures are a gate",
              .key = "the name, and the type as a dimension; all requests together have no point",
              .trials = "one value a key: its last row, because the totals go on counting",
              .context = "none",
              .limits = "rates and percentiles are of the last seconds before a row and left out",
              .recognised = "the heading `Timestamp,User Count,Type,Name,…,Total Request Count,…`"},
    .statement = &kHistory,
};

}  // namespace plumbline::formats
