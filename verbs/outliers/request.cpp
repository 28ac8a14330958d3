#include "verbs/outliers/request.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "registry/store.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/fail_on.hpp"
#include "verbs/calling/handed.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/calling/reader.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/resolving/index_address.hpp"

namespace plumbline::verbs {

using enum ParamKind;

const Verb kOutliers{
    .name = "outliers",
    .tool = "measurement_outliers",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Find the slow one among siblings",
    .summary =
        "Compare siblings with each other: nodes that ran the same test, the GPUs of one file, pair tests. Says which one is "
        "slow, by how much and whether by chance, and lists what to drain. Use it when there is no baseline, but many of a kind.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = false,
    .params =
        {
            {.name = "paths",
             .kind = path_list,
             .value_name = "FILE|FOLDER",
             .doc = "results of one test on several nodes, or their folder",
             .help =
                 "files of one test, one or more per node, or a folder of them; or one file whose rows name GPUs, ranks or pairs",
             .page =
                 "files of one test, one or several a node, or a folder of them; one file whose rows name GPUs, ranks or pairs; "
                 "`family/measurement` of a fleet that was recorded",
             .required = true,
             .positional = 1},
            {.name = "by",
             .value_name = "DIM",
             .doc = "what tells siblings apart: gpu, rank, node",
             .help =
                 "the dimension that tells siblings apart (gpu, rank, node); with several files, each GPU (or rank) of each file",
             .page = "the dimension of rows that tells siblings apart (`gpu`, `rank`, `node`); of several files each of each"},
            {.name = "tolerance_percent",
             .kind = number,
             .value_name = "N",
             .doc = "allowed worsening, default 5",
             .help = "how much worse a sibling may be than the others, default 5"},
            {.name = "tolerance",
             .kind = string_list,
             .value_name = "KEY=SPEC",
             .doc = "per row: *latency*=10%",
             .help = "tolerance of some rows: 5%, 2abs (in the row's unit) or 2pp (percentage points); KEY may be a glob"},
            {.name = "direction",
             .kind = string_list,
             .value_name = "DIR|KEY=DIR",
             .doc = "KEY=lower-is-better",
             .help = "which way is better: auto, higher-is-better, lower-is-better, two-sided"},
            {.name = "varying",
             .kind = string_list,
             .value_name = "CONTEXTKEY",
             .doc = "differs on purpose: hardware.driver",
             .help = "context that differs on purpose, e.g. hardware.driver"},
            {.name = "ceiling",
             .value_name = "KEY|auto",
             .doc = "hardware limit: KEY or auto",
             .help = "hardware limit of which to show each value as a share; default none"},
            {.name = "format",
             .value_name = "NAME",
             .doc = "do not detect it",
             .help = "read the files as this format instead of detecting it; `plumbline formats` lists them"},
            {.name = "drain",
             .kind = choice,
             .doc = "print commands that drain; runs nothing",
             .help = "print the commands that take slow siblings out of service; nothing is run",
             .choices = {"slurm", "k8s"}},
            {.name = "family", .value_name = "F", .help = "keep the bundle under this family and measurement"},
            {.name = "measurement", .value_name = "M", .help = "second part of its name, with --family"},
            {.name = "fail_on",
             .kind = string_list,
             .value_name = "LIST",
             .doc = "outlier, red, yellow",
             .help = "exit 1 on outlier, red, yellow, draft, reason code"},
            {.name = "no_bundle", .kind = boolean, .doc = "only answer, write nothing", .help = "write nothing"},
            {.name = "out", .kind = path, .value_name = "DIR", .help = "also copy the bundle here"},
            index_param(),
            sign_param(),
            report_param("what is printed: table (default), json or md; with =FILE it is written there"),
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "folder of the registry",
             .help = "where the registry is"},
            content_param(),
            content_name_param(),
            confirm_param(),
            response_format_param(),
        },
    .output_schema = schemas::text("plumbline.result.outliers.v1"),
    .examples = {"plumbline outliers nodes --no-bundle", "plumbline outliers nodes --fail-on never --drain slurm --no-bundle"},
    .run = &run_outliers,
};

namespace {

Status take_tolerance(const Arguments& arguments, DiffRequest& request) {
  const auto percent = arguments.number("tolerance_percent");
  if (!percent) return {};
  if (!std::isfinite(*percent) || *percent < 0) {
    return core::fail(ErrorCode::usage, "--tolerance-percent must be a finite nonnegative number", "`--tolerance-percent 5`");
  }
  request.tolerance_percent = *percent;
  request.tolerance = core::Tolerance{core::ToleranceKind::percent, *percent, core::Source::flag, "--tolerance-percent"};
  return {};
}

Status take_place(const Arguments& arguments, const Context& context, OutliersRequest& request) {
  DiffRequest& rules = request.rules;
  auto root = root_if_any(arguments, context);
  if (!root) return core::fail(root.error());
  rules.root = std::move(*root);
  rules.no_bundle = arguments.flag("no_bundle");
  request.family = arguments.text("family");
  request.measurement = arguments.text("measurement");
  if (request.family.empty() != request.measurement.empty()) {
    return core::fail(ErrorCode::usage, "--family and --measurement go together", "`--family F --measurement M`");
  }
  if (!request.family.empty()) {
    if (auto ok = registry::check_segment("family", request.family); !ok) return ok;
    if (auto ok = registry::check_segment("measurement", request.measurement); !ok) return ok;
  }
  if (rules.no_bundle && arguments.has("sign"))
    return core::fail(ErrorCode::usage, "--sign and --no-bundle contradict each other",
                      "leave one out: what is signed is the bundle");
  if (!rules.no_bundle && !context.read_only) {
    auto signer = signer_for("outliers", arguments, context);
    if (!signer) return core::fail(signer.error());
    rules.signer = std::move(*signer);
  }
  if (!arguments.has("out")) return {};
  if (rules.no_bundle) {
    return core::fail(ErrorCode::usage, "--out and --no-bundle contradict each other",
                      "leave one out: --out copies the bundle that is written");
  }
  rules.out = absolute(context, arguments.text("out"));
  return registry::check_out_folder(*rules.out, path_limits(context));
}

}  // namespace

Expected<OutliersRequest> parse_outliers(const Arguments& arguments, const Context& context) {
  if (auto ok = nothing_to_write(arguments, context); !ok) return core::fail(std::move(ok.error()));
  OutliersRequest request;
  request.paths = arguments.list("paths");
  if (request.paths.empty()) {
    return core::fail(ErrorCode::usage, "the following arguments are required: --paths", "`plumbline outliers FILE… | FOLDER`");
  }
  request.by = arguments.text("by");
  request.ceiling = arguments.text("ceiling", "none");
  const std::string drain = arguments.text("drain");
  if (!drain.empty()) request.drain = drain == "slurm" ? reports::Drain::slurm : reports::Drain::k8s;
  auto reports = report_targets(arguments, {ReportKind::table, ReportKind::json, ReportKind::md}, context);
  if (!reports) return core::fail(std::move(reports.error()));
  request.rules.reports = std::move(*reports);
  DiffRequest& rules = request.rules;
  rules.format = arguments.text("format");
  rules.varying = arguments.list("varying");
  rules.response_format = response_format(arguments);
  auto flags = flag_rules(arguments);
  if (!flags) return core::fail(flags.error());
  rules.flags = std::move(*flags);
  if (auto ok = take_tolerance(arguments, rules); !ok) return core::fail(ok.error());
  if (auto ok = take_place(arguments, context, request); !ok) return core::fail(ok.error());
  rules.gate_asked = !arguments.list("fail_on").empty();
  auto words = fail_words(arguments.list("fail_on"), arguments.flag("strict"));
  if (!words) return core::fail(words.error());
  rules.fail_on = std::move(*words);
  return request;
}

Expected<Arguments> outliers_arguments(const Arguments& of_diff) {
  constexpr auto kOfDiff = std::to_array<std::string_view>({"baseline", "baseline_trials", "current", "as", "strict"});
  for (const auto& [name, value] : of_diff.all()) {
    const bool known = name == kWordsWithoutFlag || std::find(kOfDiff.begin(), kOfDiff.end(), name) != kOfDiff.end() ||
                       std::any_of(kOutliers.params.begin(), kOutliers.params.end(),
                                   [&name = name](const Param& param) { return param.name == name; });
    if (known) continue;
    return core::fail(ErrorCode::usage, flag_of(name) + " does not go with --as nodes",
                      "siblings have no baseline; `plumbline outliers --help` says what goes with them");
  }
  Arguments out = of_diff;
  std::vector<std::string> paths = of_diff.list("baseline");
  for (const char* more : {"baseline_trials", "current"}) {
    for (const std::string& path : of_diff.list(more)) paths.push_back(path);
  }
  out.set("paths", std::move(paths));
  return out;
}

}  // namespace plumbline::verbs
