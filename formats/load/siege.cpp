// siege: the summary of a run, as text (version 3 and 4.0) and as JSON (4.1). Its times have two decimals.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    shown("transactions"),
    {.name = "availability", .declared = {"%", core::Direction::higher, core::Role::gate, true}},
    shown("elapsed_time", "s"),
    shown("data_transferred", "MB"),
    headline(lower("response_time", "s")),
    headline(higher("transaction_rate", "1/s")),
    higher("throughput", "MB/s"),
    shown("concurrency"),
    shown("successful_transactions"),
    gate("failed_transactions"),
    shown("longest_transaction", "s"),
    shown("shortest_transaction", "s"),
};
constexpr Line kLines[] = {
    {.text = "Transactions: {transactions} hits", .turn = Turn::begins},
    {.text = "Availability: {availability}"},
    {.text = "Elapsed time: {elapsed_time}"},
    {.text = "Data transferred: {data_transferred}"},
    {.text = "Response time: {response_time}"},
    {.text = "Transaction rate: {transaction_rate} trans/sec"},
    {.text = "Throughput: {throughput} MB/sec"},
    {.text = "Concurrency: {concurrency}"},
    {.text = "Successful transactions: {successful_transactions}"},
    {.text = "Failed transactions: {failed_transactions}"},
    {.text = "Longest transaction: {longest_transaction}"},
    {.text = "Shortest transaction: {shortest_transaction}"},
};
constexpr Spoiled kSpoiled[] = {{{}, "successful_transactions", "no transaction succeeded"}};
constexpr std::string_view kNothing = "no summary of siege";
constexpr std::string_view kHint = "it is printed when the siege is lifted";
constexpr std::string_view kOurs[] = {"Availability: {} %", "Transaction rate: {} trans/sec"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kText = {.tool = "siege",
                             .recognised = kRecognised,
                             .fields = kFields,
                             .lines = kLines,
                             .spoiled = kSpoiled,
                             .nothing = kNothing,
                             .hint = kHint};

constexpr Column kMembers[] = {{"transactions", "transactions"},
                               {"availability", "availability"},
                               {"elapsed_time", "elapsed_time"},
                               {"data_transferred", "data_transferred"},
                               {"response_time", "response_time"},
                               {"transaction_rate", "transaction_rate"},
                               {"throughput", "throughput"},
                               {"concurrency", "concurrency"},
                               {"successful_transactions", "successful_transactions"},
                               {"failed_transactions", "failed_transactions"},
                               {"longest_transaction", "longest_transaction"},
                               {"shortest_transaction", "shortest_transaction"}};
constexpr Records kRecords[] = {{.columns = kMembers}};
constexpr std::string_view kPaths[] = {"availability", "transaction_rate", "longest_transaction"};
constexpr Recognised kJsonRecognised[] = {{kPaths}};
constexpr Statement kJson = {.tool = "siege",
                             .recognised = kJsonRecognised,
                             .fields = kFields,
                             .records = kRecords,
                             .spoiled = kSpoiled,
                             .nothing = kNothing,
                             .hint = kHint};

constexpr std::string_view kJudged =
    "transaction rate and throughput (higher), response time in s (lower); availability and failed transactions are gates";

}  // namespace

extern const Format siege_format = {
    .name = "siege",
    .title = "siege, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "text",
              .produce = "siege -c 25 -t 30S URL 2>&1 | tee result.txt",
              .judged = kJudged,
              .key = "the metric; of a later run in one log its section",
              .trials = "one value a key",
              .context = "none",
              .limits = "a response time of a few milliseconds is rounded to 0.00 or 0.01 s",
              .recognised = "`Availability: … %` and `Transaction rate: … trans/sec`"},
    .statement = &kText,
};
extern const Format siege_json_format = {
    .name = "siege-json",
    .title = "siege, load test of HTTP servers",
    .replication = core::Replication::run,
    .about = {.group = Group::load,
              .file = "JSON",
              .produce = "siege -q -j -c 25 -t 30S URL > result.json",
              .judged = kJudged,
              .key = "the metric",
              .trials = "one value a key",
              .context = "none",
              .limits = "a response time of a few milliseconds is rounded to 0.00 or 0.01 s",
              .recognised = "`availability`, `transaction_rate` and `longest_transaction`"},
    .statement = &kJson,
};

}  // namespace plumbline::formats
