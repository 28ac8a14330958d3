#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/handed.hpp"
#include "verbs/calling/report_targets.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/resolving/index_address.hpp"
#include "verbs/resolving/signing.hpp"

namespace plumbline::verbs {

using enum ParamKind;

const Verb kProfileDiff{
    .name = "profile-diff",
    .tool = "profile_diff",
    .tool_aliases = {"profile_profile_diff"},
    .library = "profile",
    .title = "Compare two captures",
    .summary =
        "Compare two profiler captures: which kernels, ranges, API calls and collectives changed, by how much and whether by "
        "count "
        "or by duration, with a verdict. Use it to find the part behind a regression.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = false,
    .params =
        {
            {.name = "baseline",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "capture (Nsight, PyTorch, JAX, rocprof, pprof, perf) or folder of ranks",
             .help = "a capture of Nsight, PyTorch, JAX, rocprof, pprof or perf, or a folder of ranks; several are trials",
             .positional = 1},
            {.name = "baseline_trials",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "more captures of baseline",
             .mcp_only = true},
            {.name = "candidate",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "the capture to compare with it",
             .help = "the capture to compare with it; several are trials",
             .positional = 2,
             .mostly_one = true},
            {.name = "candidate_trials",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "more captures of candidate",
             .mcp_only = true},
            {.name = "baseline_csv_dir",
             .kind = path,
             .value_name = "DIR",
             .help = "folder of nsys stats CSV files, instead of --baseline"},
            {.name = "candidate_csv_dir",
             .kind = path,
             .value_name = "DIR",
             .help = "folder of nsys stats CSV files, instead of --candidate"},
            {.name = "baseline_label", .value_name = "T", .help = "name of the baseline in reports"},
            {.name = "candidate_label", .value_name = "T", .help = "name of the candidate in reports"},
            {.name = "limit", .kind = integer, .value_name = "N", .help = "rows per table in reports, default 20"},
            {.name = "out",
             .kind = path,
             .value_name = "FILE|DIR",
             .help = "write the Markdown report to this file; or, if it is a folder (`before/`), copy the bundle there"},
            report_param("what is printed: table (default), json, md, junit, github or png; with =FILE it is written there"),
            index_param(),
            sign_param(),
            {.name = "json_out", .kind = path, .value_name = "FILE", .doc = "write profile-diff.json here too"},
            {.name = "gate",
             .value_name = "SPEC",
             .doc = "tolerated growth, default 5%",
             .help = "how much the time for the same work may grow, default 5%"},
            {.name = "steps",
             .value_name = "HOW",
             .doc = "auto, none, a range's name or regex",
             .help =
                 "how steps are found: auto (default: markers, ranges, else the period of the kernels), none, or the name of a "
                 "range or a regular expression over range names"},
            {.name = "rank", .value_name = "N", .doc = "all (default) or one rank of a folder"},
            {.name = "device", .kind = string_list, .value_name = "N", .doc = "only these GPUs", .help = "only these GPUs"},
            {.name = "varying",
             .kind = string_list,
             .value_name = "CONTEXTKEY",
             .doc = "context changed on purpose",
             .help = "context that was changed on purpose, e.g. hardware.driver"},
            {.name = "fail_on",
             .kind = string_list,
             .value_name = "LIST",
             .doc = "red, yellow, draft, reason codes",
             .help = "exit 1 on any of red, yellow, draft and reason codes; default never"},
            {.name = "scratch",
             .kind = path,
             .value_name = "DIR",
             .help = "folder for converted captures, default a temporary one"},
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "where the bundle goes",
             .help = "folder of the registry, where the bundle goes"},
            content_param(),
            content_name_param(),
            confirm_param(),
            response_format_param(),
            chart_param(),
        },
    .output_schema = schemas::text("plumbline.result.profile-diff.v1"),
    .examples = {"plumbline profile-diff before-csv after-csv",
                 "plumbline profile-diff --baseline-csv-dir before-csv --candidate-csv-dir after-csv --limit 5 --gate 10%"},
    .run = &run_profile_diff,
};

}  // namespace plumbline::verbs
