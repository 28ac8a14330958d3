// tinybench: console.table(bench.table()) of versions 2 and 3. Times are in ns. Throughput is one over the latency, as an average
// of its own.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    named("benchmark"),
    lower("latency.avg", "ns"),
    lower("latency.med", "ns"),
    shown("throughput.avg", "ops/s"),
    shown("throughput.med", "ops/s"),
    shown("samples"),
};
constexpr Column kColumns[] = {{"Task name", "benchmark"},
                               {"Latency avg (ns)", "latency.avg"},
                               {"Latency med (ns)", "latency.med"},
                               {"Throughput avg (ops/s)", "throughput.avg"},
                               {"Throughput med (ops/s)", "throughput.med"},
                               {"Samples", "samples"}};
constexpr Column kLongColumns[] = {{"Task name", "benchmark"},
                                   {"Latency average (ns)", "latency.avg"},
                                   {"Latency median (ns)", "latency.med"},
                                   {"Throughput average (ops/s)", "throughput.avg"},
                                   {"Throughput median (ops/s)", "throughput.med"},
                                   {"Samples", "samples"}};
constexpr Column kOldColumns[] = {
    {"Task Name", "benchmark"}, {"Average Time (ns)", "latency.avg"}, {"ops/sec", "throughput.avg"}, {"Samples", "samples"}};
constexpr Table kTables[] = {{.columns = kColumns, .point = "{benchmark}", .separator = '|'},
                             {.columns = kLongColumns, .point = "{benchmark}", .separator = '|'},
                             {.columns = kOldColumns, .point = "{benchmark}", .separator = '|', .as_stated = true}};
constexpr std::string_view kShort[] = {"│{}│ Task name │ Latency avg (ns) │{}"},
                           kLong[] = {"│{}│ Task name │ Latency average (ns) │{}"}, kOld[] = {"│{}│ Task Name │ ops/sec │{}"};
constexpr Recognised kRecognised[] = {{kShort, 0.98}, {kLong, 0.98}, {kOld, 0.98}};
constexpr Statement kStatement = {.tool = "tinybench",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .tables = kTables,
                                  .again_is_another_run = true,
                                  .nothing = "no task in the table of tinybench",
                                  .hint = "console.table(bench.table()) prints one"};

}  // namespace

extern const Format tinybench_format = {
    .name = "tinybench",
    .title = "tinybench (console.table)",
    .replication = core::Replication::in_process,
    .about = {.group = Group::harness,
              .file = "text",
              .produce = "node bench.mjs | tee result.txt  # console.table(bench.table())",
              .judged = "average and median of the latency in ns (lower)",
              .key = "the task",
              .trials = "one value a key: it prints statistics of its samples",
              .context = "none",
              .limits = "throughput says the same; margins behind `±` are left out",
              .recognised = "a heading between `│` with `Task name` and `Latency avg (ns)` or `ops/sec`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
