#include "schemas/schemas.hpp"
#include "verbs/all.hpp"

namespace plumbline::verbs {

using enum ParamKind;

const Verb kDiff{
    .name = "diff",
    .tool = "perf_baseline_diff",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Compare a measurement with a baseline",
    .summary =
        "Compare a measurement, a capture or a folder of them with a baseline: a verdict (GREEN, YELLOW, RED), its rows and a "
        "bundle that anyone can check. Use it after a change, before saying that something got faster or slower.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = false,
    .params =
        {
            {.name = "baseline",
             .value_name = "REF",
             .doc = "family/measurement[@slug|@accepted|@newest], entry directory or file",
             .required = true,
             .positional = 1},
            {.name = "current",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "the new measurement; several files are trials of one",
             .required = true,
             .positional = 2},
            {.name = "initial", .value_name = "REF", .doc = "older reference: catches slow drift"},
            {.name = "initial_tolerance", .value_name = "SPEC", .doc = "SPEC for initial"},
            {.name = "tolerance_percent", .kind = number, .value_name = "N", .doc = "default 5"},
            {.name = "tolerance_absolute", .kind = number, .value_name = "N", .doc = "instead of percent"},
            {.name = "tolerance",
             .kind = string_list,
             .value_name = "KEY=SPEC",
             .doc = "SPEC 5%, 2abs or 2pp; KEY may be a glob"},
            {.name = "headline", .kind = string_list, .value_name = "KEY", .doc = "key globs: regressed alone is RED"},
            {.name = "direction",
             .kind = string_list,
             .value_name = "DIR|KEY=DIR",
             .doc = "auto, higher-is-better, lower-is-better, two-sided"},
            {.name = "varying",
             .kind = string_list,
             .value_name = "CONTEXTKEY",
             .doc = "changed on purpose, e.g. hardware.driver"},
            {.name = "policy", .kind = choice, .doc = "rules of the verdict", .choices = {"plumbline", "reference"}},
            {.name = "format", .value_name = "NAME", .doc = "do not detect it"},
            {.name = "alpha", .kind = number, .value_name = "N", .doc = "significance, default 0.05"},
            {.name = "fail_on",
             .kind = string_list,
             .value_name = "LIST",
             .doc = "exit 1 on red, yellow, draft, row state, reason code"},
            {.name = "strict", .kind = boolean, .doc = "fail on red, regressed, missing, invalid, gate_failed"},
            {.name = "snapshot", .kind = choice, .doc = "current in the bundle", .choices = {"copy", "reference"}},
            {.name = "no_bundle", .kind = boolean, .doc = "write nothing"},
            {.name = "all_rows", .kind = boolean, .doc = "unchanged rows too in deltas.jsonl"},
            {.name = "as", .kind = choice, .doc = "what a folder is, if not a suite", .choices = {"trials"}},
            {.name = "out", .kind = path, .value_name = "DIR", .doc = "also copy the bundle here"},
            {.name = "report",
             .kind = choice,
             .doc = "what is printed",
             .choices = {"table", "json", "md", "csv", "junit", "github"},
             .cli_only = true},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "where the registry is"},
        },
    .output_schema = schemas::text("plumbline.result.diff.v1"),
    .examples = {"plumbline diff inference/decode after.json",
                 "plumbline diff before.json after.json --tolerance '*latency*=10%' --no-bundle",
                 "plumbline diff --baseline inference/decode@newest --current after.json --fail-on red --report md"},
    .run = &run_diff,
};

}  // namespace plumbline::verbs
