#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"

namespace plumbline::verbs {

using enum ParamKind;

const Verb kRecord{
    .name = "record",
    .tool = "perf_baseline_record",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Record a performance baseline",
    .summary =
        "Register a measurement or a capture as an immutable baseline entry. Use it when a result is worth comparing with "
        "later; accepting one of them then says which holds.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = false,
    .params =
        {
            {.name = "family", .value_name = "F", .doc = "one segment, e.g. inference", .required = true},
            {.name = "measurement", .value_name = "M", .doc = "one segment, e.g. decode", .required = true},
            {.name = "source", .kind = path, .value_name = "PATH", .doc = "file or folder", .required = true},
            {.name = "value", .kind = number, .value_name = "N", .doc = "the scalar, instead of the content's"},
            {.name = "unit", .value_name = "UNIT", .doc = "of the value, e.g. GB/s"},
            {.name = "direction",
             .kind = string_list,
             .value_name = "DIR|KEY=DIR",
             .doc = "auto, higher-is-better, lower-is-better, two-sided"},
            {.name = "headline", .kind = string_list, .value_name = "KEY", .doc = "key globs: regressed alone is RED"},
            {.name = "tolerance", .kind = string_list, .value_name = "KEY=SPEC", .doc = "SPEC 5%, 2abs or 2pp"},
            {.name = "schema", .kind = path, .value_name = "FILE", .doc = "JSON Schema of the source"},
            {.name = "format", .value_name = "NAME", .doc = "do not detect it"},
            {.name = "context", .kind = string_list, .value_name = "K=V", .doc = "e.g. hardware.gpu=H200"},
            {.name = "ceiling", .value_name = "KEY|auto|none", .doc = "for %SoL, default none"},
            {.name = "trials", .kind = path_list, .value_name = "PATH", .doc = "further files of it"},
            {.name = "label", .value_name = "T", .help = "short name"},
            {.name = "notes", .value_name = "T"},
            {.name = "reason", .value_name = "T", .doc = "why it supersedes the last"},
            {.name = "snapshot", .kind = choice, .doc = "keep a copy or only the digest", .choices = {"copy", "reference"}},
            {.name = "redact", .kind = boolean, .doc = "drop environments from the copy"},
            {.name = "as",
             .kind = choice,
             .help = "the source is a folder of results: an entry a case that passes, with --reason",
             .choices = {"suite"}},
            {.name = "against", .value_name = "REF", .help = "with --as suite: what the results must pass, default the family"},
            {.name = "allow_regressed",
             .kind = boolean,
             .help = "with --as suite: also cases that are worse than what they replace"},
            {.name = "dry_run", .kind = boolean, .doc = "write nothing"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "where the registry is"},
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.record.v1"),
    .examples = {"plumbline record --family inference --measurement decode --source before.json",
                 "plumbline record --family nccl --measurement busbw --source before.json --value 310 --unit GB/s "
                 "--direction higher-is-better --context hardware.gpu=B200"},
    .run = &run_record,
};

}  // namespace plumbline::verbs
