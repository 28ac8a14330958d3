#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"

namespace plumbline::verbs {

using enum ParamKind;

const Verb kBisect{
    .name = "bisect",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Find the commit that made a benchmark slower",
    .summary =
        "Find the commit between two revisions that made a benchmark worse, with a probability for each commit. Use it after a "
        "RED verdict: if the trials of a commit do not decide, it is measured again, not guessed.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = false,
    .params =
        {
            {.name = "command",
             .kind = string_list,
             .value_name = "CMD",
             .help = "the benchmark and its arguments, behind --; it runs in a work tree of each commit",
             .positional = 1},
            {.name = "good", .value_name = "REV", .help = "a revision that is fast"},
            {.name = "bad", .value_name = "REV", .help = "a later revision that is slow, default HEAD"},
            {.name = "build",
             .value_name = "CMD",
             .help = "builds a commit, at the top of its work tree; a commit that does not build is skipped"},
            {.name = "step",
             .kind = boolean,
             .help = "judge the current work tree alone, for `git bisect run`: exit 0 good, 1 bad, 125 cannot tell, 255 error",
             .page =
                 "judges the current work tree alone against `--against`, for `git bisect run`: exit 0 good, 1 bad, 125 cannot "
                 "tell, 255 an error, which ends git's bisection"},
            {.name = "against", .value_name = "REF", .help = "with --step: the baseline, family/measurement or a file"},
            {.name = "probability", .kind = number, .value_name = "N", .help = "how likely the answer must be, default 0.98"},
            {.name = "key", .value_name = "KEY", .help = "the row to search for; default the worst one"},
            {.name = "max_runs", .kind = integer, .value_name = "N", .help = "most runs of the benchmark, default 300"},
            {.name = "budget", .value_name = "TIME", .help = "start no run after this long: 10m, 2h"},
            {.name = "warmup",
             .kind = integer,
             .value_name = "N",
             .help = "warm-up runs of each commit, which do not count; default 1"},
            {.name = "timeout", .value_name = "TIME", .help = "end a run that takes longer"},
            {.name = "prepare", .value_name = "CMD", .help = "a line of shell before each run, not measured"},
            {.name = "cleanup", .value_name = "CMD", .help = "a line of shell after each run, not measured"},
            {.name = "seed", .kind = integer, .value_name = "N", .help = "seed of the random order of the runs"},
            {.name = "measure", .kind = choice, .help = "as for run", .choices = {"auto", "output", "time"}},
            {.name = "result", .value_name = "PATH", .help = "the file that the command writes its result to; may be a glob"},
            {.name = "format", .value_name = "NAME", .help = "read results as this format"},
            {.name = "tolerance",
             .kind = string_list,
             .value_name = "KEY=SPEC",
             .help = "how much worse is allowed, as for diff"},
            {.name = "tolerance_percent", .kind = number, .value_name = "N", .help = "of all rows, default 5"},
            {.name = "headline", .kind = string_list, .value_name = "KEY", .help = "rows that matter most, as globs"},
            {.name = "direction",
             .kind = string_list,
             .value_name = "DIR|KEY=DIR",
             .help = "auto, higher-is-better, lower-is-better, two-sided"},
            {.name = "alpha", .kind = number, .value_name = "N", .help = "significance level, default 0.05"},
            {.name = "out", .kind = path, .value_name = "FILE.md", .help = "also write the report to this file"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .help = "folder of the registry, for --against"},
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.bisect.v1"),
    .examples = {"plumbline bisect --good v1.0 --build make -- ./bench"},
    .run = &run_bisect,
};

}  // namespace plumbline::verbs
