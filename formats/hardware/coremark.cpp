// CoreMark: the report of a run.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    shown("total_ticks"),
    shown("total_time", "s"),
    headline(higher("iterations_per_second", "iterations/s")),
    shown("iterations"),
    context("compiler", "stack.compiler"),
    context("flags", "stack.compiler_flags"),
    context("threads", "parallelism.threads"),
};
constexpr Line kLines[] = {
    {.text = "{} performance run parameters for coremark.", .turn = Turn::begins},
    {.text = "Total ticks : {total_ticks}"},
    {.text = "Total time (secs): {total_time}"},
    {.text = "Total time (secs) : {total_time}"},
    {.text = "Iterations/Sec : {iterations_per_second}"},
    {.text = "Iterations : {iterations}"},
    {.text = "Compiler version : {compiler}"},
    {.text = "Compiler flags : {flags}"},
    {.text = "Parallel {} : {threads}"},
    {.text = "ERROR! {}", .turn = Turn::fails},
    {.text = "Errors detected", .turn = Turn::fails},
};
constexpr std::string_view kOurs[] = {"CoreMark Size : {}", "Iterations/Sec : {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "CoreMark",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of CoreMark: no \"Iterations/Sec\"",
                                  .hint = "it is printed when all iterations are done"};

}  // namespace

extern const Format coremark_format = {
    .name = "coremark",
    .title = "CoreMark",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "make XCFLAGS=\"-DMULTITHREAD=4 -DUSE_PTHREAD -pthread\" && cat run1.log",
              .judged = "iterations per second (higher)",
              .key = "the metric; of a later run in one file its section",
              .trials = "one value a key",
              .context = "compiler, its flags, threads",
              .limits = "a run of less than 10 seconds, or with errors, is failed as CoreMark says",
              .recognised = "`CoreMark Size` and `Iterations/Sec`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
