// hey and oha: a run of a load generator, hey as text, oha as text and JSON. Codes and errors are printed only where there are
// any; requests that were still running when the time was over are no errors.
#include <iterator>
#include <span>

#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field success(std::string_view name) {
  return {.name = name, .as = "success_rate", .declared = {"%", core::Direction::higher, core::Role::gate, true}};
}
constexpr Field kFields[] = {
    success("success_rate"),
    times(100, success("success_ratio")),
    shown("duration", "s"),
    headline(higher("requests_per_second", "req/s")),
    headline(lower("average", "s", "latency.average")),
    shown("fastest", "s", "latency.fastest"),
    shown("slowest", "s", "latency.slowest"),
    percentile("percentile", "s", "latency.p{p:short}"),
    percentile("json_percentile", "s", "latency.{p}"),
    shown("ok_responses"),
    counted(gate("error_responses"), "requests_per_second"),
    counted(gate("errors"), "requests_per_second"),
};
constexpr Line kLines[] = {
    {.text = "Summary:", .turn = Turn::begins},
    {.text = "Success rate: {success_rate}"},
    {.text = "Total: {duration}"},
    {.text = "Slowest: {slowest}"},
    {.text = "Fastest: {fastest}"},
    {.text = "Average: {average}"},
    {.text = "Requests/sec: {requests_per_second}"},
    {.text = "{p}% in {percentile}", .within = "Latency distribution:"},
    {.text = "{p}% in {percentile}", .within = "Response time distribution:"},
    {.text = "[2{}] {ok_responses} responses", .within = "Status code distribution:"},
    {.text = "[{}] {error_responses} responses", .within = "Status code distribution:"},
    {.text = "[{}] aborted due to deadline", .within = "Error distribution:"},
    {.text = "[{errors}] {}", .within = "Error distribution:"},
};
constexpr Spoiled kSpoiled[] = {{{}, "success_rate", "no request succeeded"}, {{}, "success_ratio", "no request succeeded"}};
constexpr std::string_view kNothing = "no result: no \"Requests/sec:\"";
constexpr std::string_view kHint = "it is printed when the run is over; look at what is said before";

constexpr std::string_view kLinesOfBoth[] = {"Slowest: {}", "Fastest: {}", "Requests/sec: {}"};
constexpr Recognised kRecognised[] = {{kLinesOfBoth}};
constexpr Statement kText = {.tool = "hey",
                             .recognised = kRecognised,
                             .fields = kFields,
                             .lines = kLines,
                             .spoiled = kSpoiled,
                             .nothing = kNothing,
                             .hint = kHint};

constexpr Column kSummary[] = {{"successRate", "success_ratio"}, {"total", "duration"},
                               {"slowest", "slowest"},           {"fastest", "fastest"},
                               {"average", "average"},           {"requestsPerSec", "requests_per_second"}};
constexpr Column kPercentile[] = {{"", "json_percentile"}}, kOk[] = {{"", "ok_responses"}}, kErrors[] = {{"", "error_responses"}};
constexpr Records kRecords[] = {{.at = "summary", .columns = kSummary},
                                {.at = "latencyPercentiles/{p}", .columns = kPercentile},
                                {.at = "statusCodeDistribution/2{code}", .columns = kOk},
                                {.at = "statusCodeDistribution/3{code}", .columns = kErrors},
                                {.at = "statusCodeDistribution/4{code}", .columns = kErrors},
                                {.at = "statusCodeDistribution/5{code}", .columns = kErrors}};
constexpr std::string_view kOhaPaths[] = {"summary/requestsPerSec", "latencyPercentiles", "statusCodeDistribution"};
constexpr Recognised kOhaJsonRecognised[] = {{kOhaPaths}};
// Errors are not among them: the file counts requests aborted at the deadline as such.
constexpr std::span<const Field> kJsonFields = std::span(kFields).first<std::size(kFields) - 1>();
constexpr Statement kOhaJson = {.tool = "oha",
                                .recognised = kOhaJsonRecognised,
                                .fields = kJsonFields,
                                .records = kRecords,
                                .spoiled = kSpoiled,
                                .nothing = kNothing,
                                .hint = kHint};

constexpr std::string_view kJudged =
    "requests per second (higher), average, p50, p90, p95 and p99 of the latency in s (lower); responses with other codes than "
    "2xx, errors and oha's success rate are gates";
constexpr std::string_view kKey = "the metric; of a later run in one log its section";

}  // namespace

extern const Format hey_format = {
    .name = "hey",
    .title = "hey and oha, load tests of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "text",
              .produce = "hey -z 30s -c 50 URL | tee result.txt\n"
                         "oha --no-tui -z 30s -c 50 URL | tee result.txt",
              .judged = kJudged,
              .key = kKey,
              .trials = "one value a key",
              .context = "none",
              .limits =
                  "seconds of four decimals; requests aborted at the deadline are no errors; `hey -o csv` is a line a request "
                  "and read as CSV",
              .recognised = "`Slowest: …`, `Fastest: …` and `Requests/sec: …`"},
    .statement = &kText,
};
extern const Format oha_json_format = {
    .name = "oha-json",
    .title = "oha, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "JSON",
              .produce = "oha --no-tui --output-format json -z 30s -c 50 URL > result.json",
              .judged = kJudged,
              .key = kKey,
              .trials = "one value a key",
              .context = "none",
              .limits = "the distribution of errors is left out, because requests aborted at the deadline are among them",
              .recognised = "`summary.requestsPerSec`, `latencyPercentiles` and `statusCodeDistribution`"},
    .statement = &kOhaJson,
};

}  // namespace plumbline::formats
