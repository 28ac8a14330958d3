// BabelStream: STREAM's kernels by a programming model of GPUs and CPUs. The rate of each kernel is its best, in MB/s of 1e6
// bytes, or in MiB/s where that was asked for; the times beside it say the same less exactly. Only a check that fails is printed.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field valid() {
  Field field = of("babelstream", counted(gate("validates", {}, core::Direction::higher), "kernel_time"));
  field.otherwise = 1;
  field.several = Several::first;
  return field;
}
constexpr Field kFields[] = {
    context("version", "stack.babelstream"),
    context("implementation", "stack.implementation"),
    context("driver", "hardware.driver"),
    context("memory", "workload.memory"),
    context("repetitions", "regime.repetitions"),
    context("gpu", "hardware.gpu"),
    noted("workload.dtype", dimension("precision")),
    noted("workload.array_size", dimension("array_size")),
    dimension("kernel"),
    headline_of("Triad", higher("rate", "MB/s", "best_rate")),
    headline_of("Triad", higher("binary_rate", "MiB/s", "best_rate")),
    {.name = "kernel_time", .as = "min_time", .declared = {"s", core::Direction::lower, core::Role::context}},
    {.name = "max_time", .declared = {"s", core::Direction::lower, core::Role::context}},
    {.name = "avg_time", .declared = {"s", core::Direction::lower, core::Role::context}},
    valid(),
};
constexpr Line kLines[] = {
    {.text = "BabelStream", .turn = Turn::begins},
    {.text = "Version: {version}"},
    {.text = "Implementation: {implementation}"},
    {.text = "Driver: {driver}"},
    {.text = "Memory: {memory}"},
    {.text = "Precision: {precision}"},
    {.text = "Array size: {array_size} ({}"},
    {.text = "Array size: {array_size}"},
    {.text = "Running {} {repetitions} times"},
    {.text = "Using {} device {gpu}"},
    {.text = "Validation failed{}", .turn = Turn::fails, .says = "validates", .value = "0"},
};
constexpr Column kColumns[] = {
    {"Function", "kernel"}, {"MBytes/sec", "rate"}, {"Min (sec)", "kernel_time"}, {"Max", "max_time"}, {"Average", "avg_time"}};
constexpr Column kBinaryColumns[] = {{"Function", "kernel"},
                                     {"MiBytes/sec", "binary_rate"},
                                     {"Min (sec)", "kernel_time"},
                                     {"Max", "max_time"},
                                     {"Average", "avg_time"}};
constexpr Table kTables[] = {{.columns = kColumns, .point = "{kernel}", .turn = Turn::begins, .rows_only = true},
                             {.columns = kBinaryColumns, .point = "{kernel}", .turn = Turn::begins, .rows_only = true}};
constexpr std::string_view kTable[] = {"Function MBytes/sec {}"}, kBinaryTable[] = {"Function MiBytes/sec {}"};
constexpr std::string_view kNamed[] = {"BabelStream", "Version: {}"}, kImplemented[] = {"BabelStream", "Implementation: {}"};
constexpr Recognised kRecognised[] = {{kTable, 0.97}, {kBinaryTable, 0.97}, {kNamed, 0.9}, {kImplemented, 0.9}};
constexpr Statement kStatement = {
    .tool = "BabelStream",
    .recognised = kRecognised,
    .fields = kFields,
    .lines = kLines,
    .tables = kTables,
    .no_rows = "has no table",
    .nothing = "no table of rates",
    .hint = "the run ended before \"Function    MBytes/sec\"; run it again and look at what it says"};

}  // namespace

extern const Format babelstream_format = {
    .name = "babelstream",
    .title = "BabelStream memory bandwidth",
    .replication = core::Replication::in_process,
    .about = {.group = Group::hardware,
              .file = "text, CSV",
              .produce = "./cuda-stream | tee result.txt\n"
                         "./cuda-stream --csv > result.csv",
              .judged = "BabelStream: best rate by kernel; a failed validation is a gate",
              .key = "kernel, precision, array size",
              .trials = "the best of its own repetitions, one a key",
              .context = "GPU, driver, implementation, memory, precision, array size, repetitions, version",
              .limits = "the times of the kernels are context, those of setting up are not read; its CSV is read as any CSV",
              .recognised = "`Function    MBytes/sec`; the line `BabelStream`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
