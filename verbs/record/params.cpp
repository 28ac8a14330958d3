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
            {.name = "value",
             .kind = number,
             .value_name = "N",
             .doc = "the scalar, instead of the content's",
             .page = "the number itself, where the source does not state it"},
            {.name = "unit", .value_name = "UNIT", .doc = "of the value, e.g. GB/s", .page = "of `--value`, for instance `GB/s`"},
            {.name = "direction",
             .kind = string_list,
             .value_name = "DIR|KEY=DIR",
             .doc = "auto, higher-is-better, lower-is-better, two-sided",
             .page = "`auto` (default), `higher-is-better`, `lower-is-better`, `two-sided`; KEY may be a glob"},
            {.name = "headline",
             .kind = string_list,
             .value_name = "KEY",
             .doc = "key globs: regressed alone is RED",
             .page = "rows whose regression alone is RED; globs"},
            {.name = "tolerance",
             .kind = string_list,
             .value_name = "KEY=SPEC",
             .doc = "SPEC 5%, 2abs or 2pp",
             .page = "`5%`, `2abs` (in the metric's unit), `2pp` (percentage points)"},
            {.name = "schema",
             .kind = path,
             .value_name = "FILE",
             .doc = "JSON Schema of the source",
             .page = "a JSON Schema (draft-07) that the source must satisfy; what of it is checked stands below"},
            {.name = "format", .value_name = "NAME", .doc = "do not detect it"},
            {.name = "context",
             .kind = string_list,
             .value_name = "K=V",
             .doc = "e.g. hardware.gpu=H200",
             .page = "what the number was measured in ([below](#context)), for instance `hardware.gpu=…`, `identity.model=…`, "
                     "`workload.concurrency=16`"},
            {.name = "ceiling",
             .value_name = "KEY|auto|none",
             .doc = "for %SoL, default none",
             .page = "freezes the share of that limit; `auto` chooses by `hardware.gpu` and metric and says why ([speed of "
                     "light](../speed-of-light.md)); default `none`"},
            {.name = "trials",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "further files of it",
             .page =
                 "further files of the same measurement, or further captures of the same program: the entry holds copies of all"},
            {.name = "label", .value_name = "T", .help = "short name", .page = "a short name, for people"},
            {.name = "notes", .value_name = "T", .page = "for people"},
            {.name = "reason",
             .value_name = "T",
             .doc = "why it supersedes the last",
             .page = "for people: why it follows the entry before"},
            {.name = "snapshot",
             .kind = choice,
             .doc = "keep a copy or only the digest",
             .page = "`copy`: all of the source; `reference`: only its digest, size and path; default a copy up to 1 GiB",
             .choices = {"copy", "reference"}},
            {.name = "redact",
             .kind = boolean,
             .doc = "drop environments from the copy",
             .page = "record a copy of the source without environments and secrets, of captures one made of nothing but what is "
                     "known to be harmless (see [provenance](../provenance.md#secrets))"},
            {.name = "as",
             .kind = choice,
             .help = "the source is a folder of results: an entry a case that passes, with --reason",
             .page = "an entry for every passing case of a folder of results, see below",
             .choices = {"suite"}},
            {.name = "against", .value_name = "REF", .help = "with --as suite: what the results must pass, default the family"},
            {.name = "allow_regressed",
             .kind = boolean,
             .help = "with --as suite: also cases that are worse than what they replace"},
            {.name = "dry_run", .kind = boolean, .doc = "write nothing", .page = "says what would be recorded, writes nothing"},
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
