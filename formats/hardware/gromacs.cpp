// GROMACS: the end of md.log, or of what mdrun prints. A log that was appended to has a run a start.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("version", "stack.gromacs"),
    context("precision", "stack.gromacs_precision"),
    context("gpu", "stack.gromacs_gpu"),
    context("simd", "stack.gromacs_simd"),
    context("ranks", "parallelism.ranks"),
    context("threads", "parallelism.threads"),
    headline(higher("performance", "ns/day")),
    shown("hours_per_ns", "h/ns"),
    shown("core_time", "s"),
    shown("wall_time", "s"),
    shown("cpu_use", "%"),
};
constexpr Line kLines[] = {
    {.text = "GROMACS: gmx{}mdrun, version {version}", .turn = Turn::begins},
    {.text = "Precision: {precision}"},
    {.text = "GPU support: {gpu}"},
    {.text = "SIMD instructions: {simd}"},
    {.text = "Using {ranks} MPI {}"},
    {.text = "Using {threads} OpenMP threads{}"},
    {.text = "Performance: {performance} {hours_per_ns}"},
    {.text = "Time: {core_time} {wall_time} {cpu_use}", .within = "Core t (s) Wall t (s) (%)"},
    {.text = "Fatal error:{}", .turn = Turn::fails},
};
constexpr std::string_view kOurs[] = {"GROMACS: gmx{}mdrun, version {}"};
constexpr std::string_view kOurs2[] = {"Core t (s) Wall t (s) (%)", "Performance: {} {}"};
constexpr Recognised kRecognised[] = {{kOurs}, {kOurs2}};
constexpr Statement kStatement = {.tool = "GROMACS",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "the run of GROMACS has no end: no \"Performance:\"",
                                  .hint = "mdrun prints it when its last step is done; look at what the log says before"};

}  // namespace

extern const Format gromacs_format = {
    .name = "gromacs",
    .title = "GROMACS, molecular dynamics: log",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "gmx mdrun -s bench.tpr -g md.log",
              .judged = "performance in ns/day (higher)",
              .key = "metric; a later run in an appended log is `section=2`",
              .trials = "one value a key",
              .context = "version, precision, GPU support, SIMD, ranks, threads",
              .limits = "the table of cycles is not read; hours per ns, core and wall time say the same as the performance",
              .recognised = "`GROMACS: gmx mdrun, version …`, or `Core t (s)  Wall t (s)` and `Performance:`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
