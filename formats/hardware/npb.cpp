// NAS Parallel Benchmarks: what a benchmark prints when it is completed. Repetitions in one log are trials.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("benchmark"),
    dimension("class"),
    context("version", "stack.npb"),
    context("processes", "parallelism.processes"),
    context("threads", "parallelism.threads"),
    shown("iterations"),
    lower("time", "s"),
    headline(higher("mops_total", "Mop/s")),
    shown("mops_per_process", "Mop/s/process"),
    shown("mops_per_thread", "Mop/s/thread"),
    gate("verification", {}, core::Direction::higher),
};
constexpr Line kLines[] = {
    {.text = "{benchmark} Benchmark Completed."},
    {.text = "Class = {class}"},
    {.text = "Iterations = {iterations}", .point = "{benchmark}"},
    {.text = "Time in seconds = {time}", .point = "{benchmark}"},
    {.text = "Total processes = {processes}"},
    {.text = "Total threads = {threads}"},
    {.text = "Mop/s total = {mops_total}", .point = "{benchmark}"},
    {.text = "Mop/s/process = {mops_per_process}", .point = "{benchmark}"},
    {.text = "Mop/s/thread = {mops_per_thread}", .point = "{benchmark}"},
    {.text = "Verification = {verification}", .point = "{benchmark}"},
    {.text = "Version = {version}"},
};
constexpr std::string_view kOurs[] = {"{} Benchmark Completed.", "Mop/s total = {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "NPB",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of the NAS Parallel Benchmarks: no \"Mop/s total\"",
                                  .hint = "a benchmark prints it when it is completed; look at what it says before"};

}  // namespace

extern const Format npb_format = {
    .name = "npb",
    .title = "NAS Parallel Benchmarks (NPB)",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "mpirun -np 8 bin/cg.B.x | tee result.txt\n"
                         "OMP_NUM_THREADS=8 bin/cg.B.x | tee result.txt",
              .judged = "Mop/s in total (higher), time in s (lower); verification is a gate",
              .key = "benchmark and class: `FT[class=C].mops_total`",
              .trials = "runs of one benchmark and class in one log",
              .context = "version, processes, threads",
              .limits = "a verification that was not performed is no gate; runs with other numbers of processes belong in files "
                        "of their own",
              .recognised = "`… Benchmark Completed.` and `Mop/s total =`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
