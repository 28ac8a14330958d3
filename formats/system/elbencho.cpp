// elbencho: results as it prints them. The column "last done" is that of the slowest worker and the result; "first done" says how
// far all were when the first had finished.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("phase"),
    shown("first_iops", "1/s", "first_done.iops"),
    headline(higher("iops", "1/s")),
    shown("first_throughput", "MiB/s", "first_done.throughput"),
    headline(higher("throughput", "MiB/s")),
    shown("first_rate", "1/s", "first_done.{entries:lower}_per_second"),
    headline(higher("rate", "1/s", "{entries:lower}_per_second")),
    shown("volume", "MiB"),
    shown("total", {}, "{entries:lower}_total"),
    shown("minimum", "us", "{of:lower}_latency.min"),
    lower("average", "us", "{of:lower}_latency.avg"),
    shown("maximum", "us", "{of:lower}_latency.max"),
};
constexpr Line kLines[] = {
    {.text = "OPERATION RESULT TYPE FIRST DONE LAST DONE", .turn = Turn::begins},
    {.text = "{phase} Elapsed time : {} {}"},
    {.text = "{phase} Elapsed ms : {} {}"},
    {.text = "IOPS : {first_iops} {iops}", .point = "{phase}"},
    {.text = "Throughput MiB/s : {first_throughput} {throughput}", .point = "{phase}"},
    {.text = "Total MiB : {} {volume}", .point = "{phase}"},
    {.text = "{entries}/s : {first_rate} {rate}", .point = "{phase}"},
    {.text = "{entries} total : {} {total}", .point = "{phase}"},
    {.text = "{of} latency : [ min={minimum} avg={average} max={maximum} ]", .point = "{phase}"},
};
constexpr std::string_view kOurs[] = {"OPERATION RESULT TYPE FIRST DONE LAST DONE"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "elbencho",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no phase in the results of elbencho",
                                  .hint = "a phase is printed when all workers have finished it"};

}  // namespace

extern const Format elbencho_format = {
    .name = "elbencho",
    .title = "elbencho, disks, file systems and object stores",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "elbencho -w -r -t 16 -s 1g -b 1m --resfile result.txt FILE",
              .judged = "IOPS, throughput in MiB/s and entries per second when the last worker was done (higher), average "
                        "latencies in us (lower)",
              .key = "the phase: WRITE, READ, MKDIRS, …; of a later run in one log its section",
              .trials = "one value a key; a phase that the same run did again is another trial",
              .context = "none",
              .limits = "figures of when the first worker was done are context; elapsed times and histograms are left out",
              .recognised = "the heading `OPERATION RESULT TYPE FIRST DONE LAST DONE`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
