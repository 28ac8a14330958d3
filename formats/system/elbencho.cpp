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

// --csvfile: a line a phase, appended run after run, so that the settings of a line tell runs apart.
constexpr Field kCsvFields[] = {
    dimension("phase"),
    dimension("hosts"),
    dimension("threads"),
    dimension("file_size"),
    dimension("block_size"),
    dimension("io_depth"),
    context("version", "stack.elbencho"),
    shown("first_time", "ms", "first_done.time"),
    shown("time", "ms"),
    shown("first_entries", "1/s", "first_done.entries_per_second"),
    headline(higher("entries_per_second", "1/s")),
    shown("first_iops", "1/s", "first_done.iops"),
    headline(higher("iops", "1/s")),
    shown("first_throughput", "MiB/s", "first_done.throughput"),
    headline(higher("throughput", "MiB/s")),
    shown("entry_minimum", "us", "ent_latency.min"),
    lower("entry_average", "us", "ent_latency.avg"),
    shown("entry_maximum", "us", "ent_latency.max"),
    shown("io_minimum", "us", "io_latency.min"),
    lower("io_average", "us", "io_latency.avg"),
    shown("io_maximum", "us", "io_latency.max"),
};
constexpr Column kCsvColumns[] = {{"operation", "phase"},
                                  {"hosts", "hosts"},
                                  {"threads", "threads"},
                                  {"file size", "file_size"},
                                  {"block size", "block_size"},
                                  {"IO depth", "io_depth"},
                                  {"version", "version"},
                                  {"time ms [first]", "first_time"},
                                  {"time ms [last]", "time"},
                                  {"entries/s [first]", "first_entries"},
                                  {"entries/s [last]", "entries_per_second"},
                                  {"IOPS [first]", "first_iops"},
                                  {"IOPS [last]", "iops"},
                                  {"MiB/s [first]", "first_throughput"},
                                  {"MiB/s [last]", "throughput"},
                                  {"Ent lat us [min]", "entry_minimum"},
                                  {"Ent lat us [avg]", "entry_average"},
                                  {"Ent lat us [max]", "entry_maximum"},
                                  {"IO lat us [min]", "io_minimum"},
                                  {"IO lat us [avg]", "io_average"},
                                  {"IO lat us [max]", "io_maximum"}};
constexpr Table kCsvTables[] = {{.columns = kCsvColumns, .point = "{phase}", .separator = ','}};
constexpr std::string_view kCsvHeading[] = {"ISO date,{},operation,time ms [first],time ms [last],{}"};
constexpr Recognised kCsvRecognised[] = {{kCsvHeading, 0.97}};
constexpr Statement kCsv = {.tool = "elbencho",
                            .recognised = kCsvRecognised,
                            .fields = kCsvFields,
                            .tables = kCsvTables,
                            .nothing = "no phase in the CSV of elbencho",
                            .hint = "a phase is written when all workers have finished it"};

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
extern const Format elbencho_csv_format = {
    .name = "elbencho-csv",
    .title = "elbencho (--csvfile)",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "CSV",
              .produce = "elbencho --write --read -t 16 -s 1g -b 1m --csvfile result.csv /mnt/test/file",
              .judged = "IOPS, throughput in MiB/s and entries per second when the last worker was done (higher), average "
                        "latencies in us (lower)",
              .key = "the phase, hosts, threads, file and block size, IO depth: `WRITE[hosts=4,threads=1,…].iops`",
              .trials = "phases with the same settings: the file is appended run after run",
              .context = "version",
              .limits = "figures of when the first worker was done are context; other settings do not tell runs apart",
              .recognised = "the heading `ISO date,…,operation,time ms [first],time ms [last],…`"},
    .statement = &kCsv,
};

}  // namespace plumbline::formats
