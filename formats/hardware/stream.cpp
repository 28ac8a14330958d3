// STREAM (McCalpin): the best rate of each kernel in MB/s of 1e6 bytes. The times beside it say the same less exactly. A run
// whose arrays do not validate has no results.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("version", "stack.stream"),
    context("repetitions", "regime.repetitions"),
    noted("parallelism.threads", dimension("threads")),
    noted("workload.array_size", dimension("array_size")),
    dimension("kernel"),
    headline_of("Triad", higher("best_rate", "MB/s")),
    {.name = "avg_time", .declared = {"s", core::Direction::lower, core::Role::context}},
    {.name = "min_time", .declared = {"s", core::Direction::lower, core::Role::context}},
    {.name = "max_time", .declared = {"s", core::Direction::lower, core::Role::context}},
    of("stream", gate("validates", {}, core::Direction::higher)),
};
constexpr Line kLines[] = {
    {.text = "STREAM version $Revision: {version} $", .turn = Turn::begins},
    {.text = "STREAM Version $Revision: {version} $", .turn = Turn::begins},  // that of Fortran
    {.text = "STREAM version {}", .turn = Turn::begins},
    {.text = "STREAM Version {}", .turn = Turn::begins},
    {.text = "Array size = {array_size} (elements){}"},
    {.text = "Array size = {array_size}, {}"},
    {.text = "Array size = {array_size}"},
    {.text = "Number of Threads requested = {threads}"},
    {.text = "Number of Threads counted = {threads}"},
    {.text = "Each kernel will be executed {repetitions} times{}"},
    {.text = "You are running each test {repetitions} times{}"},
    {.text = "Solution Validates{}", .turn = Turn::ends, .says = "validates", .value = "1"},
    {.text = "{}Failed Validation{}", .turn = Turn::fails, .says = "validates", .value = "0"},
};
constexpr Column kColumns[] = {{"Function", "kernel"},
                               {"Best Rate MB/s", "best_rate"},
                               {"Avg time", "avg_time"},
                               {"Min time", "min_time"},
                               {"Max time", "max_time"}};
constexpr Column kOldColumns[] = {{"Function", "kernel"},
                                  {"Rate (MB/s)", "best_rate"},
                                  {"Avg time", "avg_time"},
                                  {"Min time", "min_time"},
                                  {"Max time", "max_time"}};
constexpr Table kTables[] = {{.columns = kColumns, .point = "{kernel}", .turn = Turn::begins, .rows_only = true},
                             {.columns = kOldColumns, .point = "{kernel}", .turn = Turn::begins, .rows_only = true}};
constexpr std::string_view kNamed[] = {"STREAM version $Revision{}"}, kNamedFortran[] = {"STREAM Version $Revision{}"};
constexpr std::string_view kTable[] = {"{}Best Rate MB/s{}", "Triad:{}"};
constexpr Recognised kRecognised[] = {{kNamed, 0.97}, {kNamedFortran, 0.97}, {kTable}};
constexpr std::string_view kDims[] = {"threads", "array_size"};
constexpr Statement kStatement = {
    .tool = "STREAM",
    .recognised = kRecognised,
    .fields = kFields,
    .lines = kLines,
    .tables = kTables,
    .dims = kDims,
    .no_rows = "has no table",
    .no_end = "does not say whether its solution validates",
    .nothing = "no table of rates",
    .hint = "the run ended before \"Function    Best Rate MB/s\"; run it again and look at what it says"};

}  // namespace

extern const Format stream_format = {
    .name = "stream",
    .title = "STREAM memory bandwidth",
    .replication = core::Replication::in_process,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "OMP_NUM_THREADS=64 ./stream | tee result.txt",
              .judged = "STREAM: best rate by kernel; the validation is a gate",
              .key = "kernel, threads, array size",
              .trials = "the best of its own repetitions, one a key",
              .context = "threads, array size, repetitions, version",
              .limits = "average and slowest times are context",
              .recognised = "`STREAM version`; `Best Rate MB/s`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
