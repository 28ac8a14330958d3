// likwid-bench: what one kernel did with a working set, as lines of a name and a value. Its rates are of 10^6 bytes and 10^6
// operations.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("test"),
    dimension("size"),
    dimension("threads"),
    headline(higher("bandwidth", "MB/s")),
    higher("flops", "MFLOP/s"),
    lower("cycles", "", "cycles_per_update"),
    shown("line_cycles", "", "cycles_per_cacheline"),
};
constexpr Line kLines[] = {
    {.text = "Test: {test}"},
    {.text = "Using {threads} threads"},
    {.text = "Size (Byte): {size}"},
    {.text = "MFlops/s: {flops}", .point = "{test}"},
    {.text = "MByte/s: {bandwidth}", .point = "{test}"},
    {.text = "Cycles per update: {cycles}", .point = "{test}"},
    {.text = "Cycles per cacheline: {line_cycles}", .point = "{test}"},
};
constexpr std::string_view kOurs[] = {"LIKWID MICRO BENCHMARK", "Test: {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "likwid-bench",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of likwid-bench: no \"MByte/s\"",
                                  .hint = "it prints that line when the test is over"};

}  // namespace

extern const Format likwid_bench_format = {
    .name = "likwid-bench",
    .title = "likwid-bench, kernels on one working set",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "likwid-bench -t copy -w S0:1GB | tee result.txt",
              .judged = "bandwidth in MB/s and MFLOP/s (higher), cycles per update (lower)",
              .key = "the test, its threads and the size of the working set: `copy[threads=1,size=1000000].bandwidth`",
              .trials = "one value a key; a test that was run again is another trial",
              .context = "none",
              .limits = "cycles, iterations and instructions follow from the time and are left out",
              .recognised = "`LIKWID MICRO BENCHMARK` and `Test:`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
