#include "verbs/diff/request.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/fail_on.hpp"
#include "verbs/calling/handed.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/calling/reader.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/bundle.hpp"
#include "verbs/resolving/given_context.hpp"
#include "verbs/resolving/index_address.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verbs {

using enum ParamKind;

const Verb kDiff{
    .name = "diff",
    .tool = "perf_baseline_diff",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Compare a measurement with a baseline",
    .summary =
        "Compare a measurement, capture or folder with a baseline: verdict (GREEN, YELLOW, RED), rows and a bundle. Use it "
        "before saying that something got faster or slower.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = false,
    .params =
        {
            {.name = "baseline",
             .kind = path_list,
             .value_name = "REF",
             .doc = "family/measurement[@slug|@accepted|@newest], entry folder or file",
             .help = "what to compare with: family/measurement[@slug|@accepted|@newest], an entry directory or a file; several "
                     "files are trials of one measurement",
             .page = "`family/measurement`, an entry's folder or a file, as above",
             .required = true,
             .positional = 1},
            {.name = "baseline_trials",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "more files of baseline",
             .mcp_only = true},
            {.name = "current",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "the new file or folder; several are trials",
             .help = "the new measurement; several files are trials of one measurement",
             .page = "the new measurement, capture or folder of them",
             .required = true,
             .positional = 2},
            {.name = "initial",
             .value_name = "REF",
             .doc = "older reference, to catch drift",
             .help = "a second, older reference: catches slow drift that no single step shows",
             .page = "a second, older reference: catches drift that no single step shows"},
            {.name = "initial_tolerance",
             .value_name = "SPEC",
             .help = "tolerance for --initial",
             .page = "how much worse than the older reference a row may be"},
            {.name = "tolerance_percent",
             .kind = number,
             .value_name = "N",
             .doc = "allowed worsening, default 5",
             .help = "how much worse a row may be, default 5"},
            {.name = "tolerance_absolute",
             .kind = number,
             .value_name = "N",
             .doc = "the same in the row's unit",
             .help = "the same in the row's unit, instead of percent",
             .page = "replaces the percent test, in the metric's unit"},
            {.name = "tolerance",
             .kind = string_list,
             .value_name = "KEY=SPEC",
             .doc = "per row: *p99*=10%, busbw=2abs",
             .help = "tolerance of some rows: 5%, 2abs (in the row's unit) or 2pp (percentage points); KEY may be a glob",
             .page = "as in `record`; a flag wins over what the entry says. A KEY that names no row is an error; one that names "
                     "only rows that are not judged gives the warning `key_not_judged`"},
            {.name = "headline",
             .kind = string_list,
             .value_name = "KEY",
             .doc = "globs of rows that decide",
             .help = "rows that matter most, as globs: one that regresses makes the verdict RED",
             .page = "as in `record`; precedence and KEY work as for `--tolerance`"},
            {.name = "direction",
             .kind = string_list,
             .value_name = "DIR|KEY=DIR",
             .doc = "KEY=lower-is-better",
             .help = "which way is better: auto, higher-is-better, lower-is-better, two-sided",
             .page = "as in `record`; precedence and KEY work as for `--tolerance`"},
            {.name = "varying",
             .kind = string_list,
             .value_name = "CONTEXTKEY",
             .doc = "changed on purpose: hardware.driver",
             .help = "context that was changed on purpose, e.g. hardware.driver",
             .page = "context that was changed on purpose: it does not count as a difference in the verdict, and no entry is "
                     "passed over because of it. A key that neither side states gives the warning `varying_unknown`"},
            {.name = "context",
             .kind = string_list,
             .value_name = "K=V",
             .doc = "hardware.gpu=H200",
             .help = "context that the files do not state, e.g. hardware.gpu=H200",
             .page = "context that the files do not state: for the current side, and for a baseline that is not an entry. If a "
                     "file states something else, that is an error"},
            {.name = "policy",
             .kind = choice,
             .doc = "rules, default plumbline",
             .help = "whose rules make the verdict, default plumbline",
             .page = "the rule set. `reference` counts rows as the older tool does; each of the others gives that system's "
                     "verdict on its own files, see [other-systems.md](../other-systems.md)",
             .choices = verdict::policy_choices()},
            {.name = "native",
             .kind = string_list,
             .value_name = "KEY=VALUE",
             .help = "a setting of the other system's rules (docs/other-systems.md)",
             .page = "a setting of the other system's rules ([other-systems.md](../other-systems.md))",
             .cli_only = true},
            {.name = "format",
             .value_name = "NAME",
             .doc = "do not detect it",
             .help = "read the files as this format instead of detecting it; `plumbline formats` lists them"},
            {.name = "alpha",
             .kind = number,
             .value_name = "N",
             .help = "significance level, default 0.05",
             .page = "significance level, default 0.05"},
            {.name = "paired",
             .kind = boolean,
             .doc = "trials ran A B A B",
             .help = "the trials were run A B A B: the i-th trials of both sides are a pair",
             .page = "the i-th trials of the two sides were run next to each other (A B A B). From five pairs on, the pairs are "
                     "tested, so that what affects both trials of a pair cancels out"},
            {.name = "anytime",
             .kind = boolean,
             .help = "the number of trials was decided by looking at the results: use tests that stay valid whenever one stops",
             .page = "the number of trials was decided by looking at the results, as `run -n auto` does. Rows and classes are "
                     "judged by tests that stay valid whenever one stops (anytime-valid), which need some more trials",
             .cli_only = true},
            {.name = "journal",
             .kind = path,
             .value_name = "FILE",
             .help = "the run.json that says how the trials of both sides were measured",
             .page = "the `run.json` of the [run](run.md) that measured both sides: the order of the trials, their pairs, "
                     "failures and disturbances. The files must be exactly the trials that it names",
             .cli_only = true},
            {.name = "holm",
             .kind = boolean,
             .help = "no effect: headlines are always corrected for multiple testing",
             .page = "no effect any more: two or more headlines with trials are always corrected for multiple testing (Holm)",
             .cli_only = true},
            {.name = "fail_on",
             .kind = string_list,
             .value_name = "LIST",
             .doc = "red, missing",
             .help = "exit 1 on any of red, yellow, draft, row states and reason codes; default never",
             .page = "exit 1 on any of `red`, `yellow`, `draft`, row states and reason codes; default `never`"},
            {.name = "strict",
             .kind = boolean,
             .help = "the same as --fail-on red,regressed,missing,invalid,gate_failed",
             .page = "`--fail-on red,regressed,missing,invalid,gate_failed`"},
            tier_param(),
            {.name = "snapshot",
             .kind = choice,
             .help = "keep copies of both sides in the bundle, or only digests; default copies of up to 64 MiB a side",
             .page = "what the bundle holds of both sides: copies, or only digest, size and path; default copies of up to 64 MiB "
                     "a side",
             .choices = {"copy", "reference"}},
            {.name = "no_bundle", .kind = boolean, .doc = "only answer, write nothing", .help = "write no bundle, only print"},
            {.name = "all_rows",
             .kind = boolean,
             .help = "write unchanged rows past 20,000 too",
             .page = "writes unchanged rows past 20,000 too"},
            {.name = "as",
             .kind = choice,
             .doc = "what a folder's files are",
             .help = "what the files of a folder are, if not the cases of a suite",
             .page = "`trials`: the files of a folder, on either side, are trials of one measurement, not the cases of a suite; "
                     "`nodes`: the files are siblings, which [outliers](outliers.md) compares with each other; with two folders, "
                     "each node is a case",
             .choices = {"trials", "nodes"}},
            {.name = "shards",
             .kind = integer,
             .value_name = "N",
             .help = "the folders of --current are N shards of one suite, each measured by its own job",
             .page = "the folders of `--current` are `N` shards of one suite, each measured by its own job: their cases are "
                     "compared as if they were in one folder. A missing shard is an error, and so is a case that two shards have "
                     "with different bytes",
             .cli_only = true},
            {.name = "on_change",
             .value_name = "CMD",
             .help = "run CMD (by sh) if the verdict is not that of this measurement's previous diff",
             .page = "a command (`sh -c`) that runs after the answer if the verdict is not that of this measurement's previous "
                     "diff; see [below](#when-the-verdict-changes)",
             .cli_only = true},
            {.name = "out",
             .kind = path,
             .value_name = "DIR",
             .help = "copy the bundle into this new or empty folder too; without a registry only there",
             .page = "write the bundle here as well, into a new or empty folder; without a registry only here"},
            index_param(),
            sign_param(),
            report_param(
                "what is printed: table (default), json, md, csv, junit, github, native or png; with =FILE it is written there",
                "the form of the answer: `table` (default), `json`, `md`, `csv`, `junit`, `github`; `native`, what another "
                "system's own program prints for its files (with `--json` its JSON); or `png=FILE`, a picture of what changed. "
                "With `=FILE` it is written to that file. Repeat the flag for several forms. See [below](#reports)"),
            {.name = "md_limit",
             .kind = integer,
             .value_name = "BYTES",
             .help = "most bytes of --report md; a comment on GitHub holds 65536",
             .page = "most bytes of `--report md`; folded parts are left out first. A comment on GitHub holds 65,536 bytes",
             .cli_only = true},
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "folder of the registry",
             .help = "folder of the registry"},
            content_param(),
            content_name_param(),
            confirm_param(),
            response_format_param(),
            chart_param(),
        },
    .output_schema = schemas::text("plumbline.result.diff.v1"),
    .examples = {"plumbline diff inference/decode after.json",
                 "plumbline diff before.json after.json --tolerance '*latency*=10%' --no-bundle",
                 "plumbline diff --baseline inference/decode@newest --current after.json --fail-on red --report md"},
    .run = &run_diff,
};

namespace {

Expected<std::optional<core::Tolerance>> whole_tolerance(const Arguments& arguments, DiffRequest& request) {
  for (const std::string_view name : {"tolerance_percent", "tolerance_absolute"}) {
    const auto value = arguments.number(name);
    if (!value) continue;
    if (!std::isfinite(*value) || *value < 0) {
      std::string flag(name);
      std::replace(flag.begin(), flag.end(), '_', '-');
      return core::fail(ErrorCode::usage, "--" + flag + " must be a finite nonnegative number", "`--" + flag + " 5`");
    }
  }
  std::optional<core::Tolerance> out;
  if (const auto percent = arguments.number("tolerance_percent")) {
    request.tolerance_percent = *percent;
    out = core::Tolerance{core::ToleranceKind::percent, *percent, core::Source::flag, "--tolerance-percent"};
  }
  if (const auto absolute_value = arguments.number("tolerance_absolute")) {
    request.tolerance_absolute = *absolute_value;
    out = core::Tolerance{core::ToleranceKind::absolute, *absolute_value, core::Source::flag, "--tolerance-absolute"};
  }
  return out;
}

Status take_output(const Arguments& arguments, const Context& context, DiffRequest& request) {
  request.no_bundle = arguments.flag("no_bundle");
  request.all_rows = arguments.flag("all_rows");
  using enum ReportKind;
  auto reports = report_targets(arguments, {table, json, md, csv, junit, github, native, png}, context);
  if (!reports) return core::fail(std::move(reports.error()));
  request.reports = std::move(*reports);
  if (const auto limit = arguments.integer("md_limit"))
    request.md_limit = static_cast<std::size_t>(std::max<std::int64_t>(*limit, 0));
  request.response_format = response_format(arguments);
  request.chart = arguments.flag("chart");
  const std::string snapshot = arguments.text("snapshot");
  if (snapshot == "copy") request.snapshot = SnapshotRule::copy;
  if (snapshot == "reference") request.snapshot = SnapshotRule::reference;
  return {};
}

// "a.json (node-1), b.json (node-2)", where the files tell of more than one host.
std::string hosts_of(const std::vector<std::string>& paths, const Context& context) {
  std::vector<std::string> said;
  std::set<std::string> hosts;
  for (const std::string& path : paths) {
    auto source = load_source(path, context, "current");
    if (!source || source->is_capture()) continue;
    std::vector<intake::Opened> one;
    one.push_back(std::move(*source));
    const auto read = read_measurement(one, "", std::make_shared<core::StringPool>(), context);
    if (!read) continue;
    const auto host = read->context.find("environment.hostname");
    if (host == read->context.end()) continue;
    hosts.insert(host->second);
    said.push_back(core::cited_path(path) + " (" + one_line(host->second, 80) + ")");
  }
  return hosts.size() < 2 ? std::string() : core::listed(said, 8);
}

std::string words_of(const std::vector<std::string>& paths, std::size_t from, std::size_t to) {
  constexpr std::size_t kShown = 8;
  std::string out;
  for (std::size_t i = from; i < to && i < from + kShown; ++i) out += " " + core::cited_path(paths[i]);
  return to - from > kShown ? out + " …" : out;
}

// More than two files and no flag: nobody can tell the old runs from the new ones, and one taken for the other makes the verdict
// worthless. What follows an entry is new.
Status check_words(const std::vector<std::string>& words, const Context& context) {
  if (words.size() < 3) return {};
  const registry::PathLimits limits = path_limits(context);
  const std::string first = absolute(context, words.front());
  const auto kind = registry::path_kind(first, limits);
  if (!kind || registry::path_kind(first + "/baseline.json", limits) == registry::PathKind::file) return {};
  const std::size_t half = words.size() / 2;
  std::string message =
      std::to_string(words.size()) + " files without flags: which are the baseline's and which the new ones cannot be told";
  if (const std::string hosts = hosts_of(words, context); !hosts.empty()) message += ", and trials are of one host: " + hosts;
  return core::fail(ErrorCode::usage, std::move(message),
                    "`--baseline" + words_of(words, 0, half) + " --current" + words_of(words, half, words.size()) + "`");
}

}  // namespace

Expected<DiffRequest> parse_diff(const Arguments& arguments, const Context& context) {
  if (auto ok = nothing_to_write(arguments, context); !ok) return core::fail(std::move(ok.error()));
  DiffRequest request;
  std::vector<std::string> missing;
  for (const char* name : {"baseline", "current"}) {
    if (arguments.list(name).empty()) missing.push_back("--" + std::string(name));  // an empty array names nothing, either
  }
  if (!missing.empty()) {
    return core::fail(ErrorCode::usage,
                      "the following arguments are required: " + missing.front() + (missing.size() > 1 ? ", " + missing[1] : ""),
                      "`plumbline diff FAMILY/MEASUREMENT PATH`");
  }
  request.baseline = arguments.list("baseline");
  for (const std::string& path : arguments.list("baseline_trials")) request.baseline.push_back(path);
  request.initial = arguments.text("initial");
  request.current = arguments.list("current");
  if (auto ok = check_words(arguments.list(kWordsWithoutFlag), context); !ok) return core::fail(ok.error());
  auto given = given_context(arguments.list("context"));
  if (!given) return core::fail(given.error());
  request.context = std::move(*given);
  request.as = arguments.text("as") == "trials" ? FolderIs::trials : FolderIs::suite;
  request.shards = arguments.integer("shards");
  if (request.shards) request.as = FolderIs::shards;
  request.format = arguments.text("format");
  request.tier = tier_asked(arguments, context);
  request.varying = arguments.list("varying");
  if (auto ok = take_output(arguments, context, request); !ok) return core::fail(std::move(ok.error()));
  auto root = root_if_any(arguments, context);
  if (!root) return core::fail(root.error());
  request.root = *root;
  auto flags = flag_rules(arguments);
  if (!flags) return core::fail(flags.error());
  request.flags = std::move(*flags);
  auto tolerance = whole_tolerance(arguments, request);
  if (!tolerance) return core::fail(tolerance.error());
  request.tolerance = *tolerance;
  if (arguments.has("initial_tolerance") && request.initial.empty()) {
    return core::fail(ErrorCode::usage, "--initial-tolerance goes with --initial", "name the older reference: `--initial REF`");
  }
  if (arguments.has("out")) {
    if (request.no_bundle) {
      return core::fail(ErrorCode::usage, "--out and --no-bundle contradict each other",
                        "leave one out: --out copies the bundle that is written");
    }
    request.out = absolute(context, arguments.text("out"));
    if (auto free = registry::check_out_folder(*request.out, path_limits(context)); !free) return core::fail(free.error());
  }
  if (arguments.has("on_change")) {
    request.on_change = arguments.text("on_change");
    if (!context.runs_hooks)
      return core::fail(ErrorCode::usage, "--on-change is for the command line: nobody else may have commands run here",
                        "leave it out, and look at `previous_verdict`");
    if (request.no_bundle) {
      return core::fail(ErrorCode::usage, "--on-change and --no-bundle contradict each other",
                        "leave one out: a verdict changes against the bundle before it");
    }
  }
  if (request.no_bundle && arguments.has("sign"))
    return core::fail(ErrorCode::usage, "--sign and --no-bundle contradict each other",
                      "leave one out: what is signed is the bundle");
  if (!request.no_bundle && !context.read_only) {
    auto signer = signer_for("diff", arguments, context);
    if (!signer) return core::fail(signer.error());
    request.signer = std::move(*signer);
  }
  if (arguments.has("initial_tolerance")) {
    auto spec = core::parse_tolerance(arguments.text("initial_tolerance"));
    if (!spec) return core::fail(ErrorCode::usage, "--initial-tolerance: " + spec.error().message, spec.error().hint);
    request.initial_tolerance = *spec;
    request.initial_tolerance->source = core::Source::flag;
    request.initial_tolerance->note = "--initial-tolerance";
  }
  request.paired = arguments.flag("paired");
  request.anytime = arguments.flag("anytime");
  if (arguments.has("journal")) request.journal = absolute(context, arguments.text("journal"));
  if (const auto alpha = arguments.number("alpha")) {
    if (!(*alpha > 0 && *alpha < 0.5))
      return core::fail(ErrorCode::usage, "--alpha must lie between 0 and 0.5", "the default is 0.05");
    request.alpha = *alpha;
  }
  if (arguments.has("policy")) request.policy = arguments.text("policy");
  for (const std::string& text : arguments.list("native")) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0)
      return core::fail(ErrorCode::usage, "--native " + cited(text) + " is not KEY=VALUE",
                        "docs/other-systems.md lists the settings");
    request.native.emplace_back(text.substr(0, at), text.substr(at + 1));
  }
  request.strict = arguments.flag("strict");
  request.gate_asked = request.strict || !arguments.list("fail_on").empty();
  auto words = fail_words(arguments.list("fail_on"), request.strict);
  if (!words) return core::fail(words.error());
  request.fail_on = std::move(*words);
  for (const char* name : {"headline", "tolerance", "direction", "tolerance_absolute", "alpha", "paired", "anytime", "journal",
                           "holm", "initial", "policy", "context"}) {
    if (arguments.has(name)) request.unused_by_captures.emplace_back(name);
  }
  return request;
}

namespace {

// The files of a folder; a folder in it that is one capture (of ranks, of tables) is one trial.
std::vector<std::string> trials_in(const registry::Source& folder, const Context& context) {
  std::vector<std::string> out;
  std::string taken;  // the folder of the files before, where it is a capture
  std::string seen;   // where it is none
  for (const registry::SourceFile& file : folder.files) {
    const std::size_t slash = file.relative.find('/');
    const std::string inner = slash == std::string::npos ? "" : file.relative.substr(0, slash);
    if (!inner.empty() && inner == taken) continue;
    if (!inner.empty() && inner != seen && intake::is_capture(folder.path + "/" + inner, path_limits(context))) {
      out.push_back(folder.path + "/" + (taken = inner));
      continue;
    }
    seen = inner;
    out.push_back(file.path);
  }
  return out;
}

}  // namespace

Expected<std::vector<intake::Opened>> load_side(std::string_view parameter, const std::vector<std::string>& paths, FolderIs as,
                                                const Context& context) {
  std::vector<std::string> files = paths;
  if (as == FolderIs::trials && paths.size() == 1) {
    auto folder = registry::open_source(absolute(context, paths.front()), path_limits(context));
    if (folder && folder->is_directory) {
      files = trials_in(*folder, context);
      if (files.empty())
        return core::fail(ErrorCode::invalid_input, "the folder of trials is empty: " + paths.front(),
                          "name the folder that holds the runs' files, or the files");
    }
  }
  std::vector<intake::Opened> sources;
  for (const std::string& path : files) {
    auto source = load_source(path, context, parameter);
    if (!source) return core::fail(source.error());
    sources.push_back(std::move(*source));
  }
  return sources;
}

}  // namespace plumbline::verbs
