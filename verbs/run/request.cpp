#include "verbs/run/request.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/report_targets.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/resolving/signing.hpp"
#include "verbs/run/confirm.hpp"

namespace plumbline::verbs {

using enum ParamKind;

const Verb kRun{
    .name = "run",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Run a benchmark and judge its trials",
    .summary =
        "Run a benchmark several times, watch the machine, and record or compare what it measured. Use it instead of comparing "
        "one "
        "number with another: independent trials on one machine are what a VERDICT needs.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = false,
    .params =
        {
            {.name = "command",
             .kind = string_list,
             .value_name = "CMD",
             .help = "the benchmark and its arguments, behind --",
             .page = "the benchmark and its arguments, behind `--`; it is started as given, without a shell",
             .positional = 1},
            {.name = "ab",
             .kind = path_list,
             .value_name = "CMD",
             .help = "two or more commands to compare with each other: the first is the baseline",
             .page =
                 "two or more commands, each as one word, that are compared with each other in turn; the first is the baseline"},
            {.name = "ab_rev",
             .value_name = "REV..REV",
             .help = "two git revisions to compare: each is checked out and built in a work tree of its own, where CMD runs",
             .page = "two git revisions: each is checked out and built (`--build`) in a work tree of its own, where CMD runs"},
            {.name = "build", .value_name = "CMD", .help = "builds a revision of --ab-rev, in its work tree"},
            {.name = "nodes",
             .value_name = "LIST|auto",
             .help = "run CMD once on each of these nodes and name the slow ones; auto: those of the job",
             .page = "runs CMD once on each of these nodes (`n1,n2`, `'n[1-8]'`, or `auto` for those of the job), one after the "
                     "other, "
                     "and hands the results to [outliers](outliers.md). See [below](#on-every-node-of-a-job)"},
            {.name = "launcher",
             .value_name = "WORDS",
             .help =
                 "with --nodes: how the command is started on a node: 'ssh {node}', srun or mpirun; default in a Slurm job: srun",
             .page =
                 "with `--nodes`: how a command is started on a node, words with `{node}` (`'ssh {node}'`), or `srun`, `mpirun`, "
                 "`ssh`. Default in a job of Slurm: `srun`"},
            {.name = "runs",
             .value_name = "N|auto",
             .help = "trials per side: a number (default 10), or auto, which stops when the verdict is decided (default for "
                     "comparisons)",
             .page =
                 "trials a side; `auto` stops as soon as the verdict is decided. Default: `auto` where something is compared, "
                 "else 10",
             .aliases = {"n"}},
            {.name = "max_runs", .kind = integer, .value_name = "N", .help = "with -n auto: most trials per side, default 30"},
            {.name = "budget",
             .value_name = "TIME",
             .help = "start no trial after this long: 90s, 10m, 1h",
             .page = "starts no trial after this long (`90s`, `10m`, `1h`); what was measured by then is judged"},
            {.name = "warmup",
             .kind = integer,
             .value_name = "N",
             .help = "warm-up trials of each side, which do not count; default 1"},
            {.name = "timeout", .value_name = "TIME", .help = "end a trial that runs longer; it counts as failed"},
            {.name = "prepare", .value_name = "CMD", .help = "a line of shell before each trial, not measured"},
            {.name = "cleanup", .value_name = "CMD", .help = "a line of shell after each trial, not measured"},
            {.name = "seed",
             .kind = integer,
             .value_name = "N",
             .help = "seed of the random order of the sides; default from the clock (the result has it)"},
            {.name = "measure",
             .kind = choice,
             .help = "where a trial's numbers come from: its output, or its wall time, CPU time and peak memory",
             .page =
                 "`output`: what the command prints, read as any file; `time`: its wall time, processor time and peak memory. "
                 "Default: the output where a format reads it, else time",
             .choices = {"auto", "output", "time"}},
            {.name = "result",
             .value_name = "PATH",
             .help = "the file that the command writes its result to, if not its standard output; may be a glob"},
            {.name = "format", .value_name = "NAME", .help = "read results as this format instead of detecting it"},
            {.name = "against", .value_name = "REF", .help = "compare with this baseline: family/measurement[@slug] or a file"},
            {.name = "record", .value_name = "F/M", .help = "record the trials as a baseline entry of this name"},
            {.name = "auto_baseline",
             .value_name = "F/M",
             .help = "compare with the baseline of this name that fits, or record one if there is none"},
            {.name = "confirm_diff",
             .kind = path,
             .value_name = "DIFF",
             .help =
                 "run again only the cases that this diff (its folder) left in doubt, and judge them from the new trials alone",
             .page = "a diff's folder, its `diff.json` or its `deltas.jsonl`: only the cases that it left in doubt are run "
                     "again, and judged "
                     "from the new trials alone. See [below](#confirming-a-diff)",
             .aliases = {"confirm"}},
            {.name = "filter_flag",
             .value_name = "TEMPLATE",
             .help = "how the command is told which cases of --confirm to run: '--only={}' or '--case={case}'; none runs all",
             .page =
                 "how the command is told which cases of `--confirm` to run, where the harness is not known: `{}` is one regular "
                 "expression of all, a template with `{case}` is repeated for each; `none` runs the whole command"},
            {.name = "keep",
             .kind = path,
             .value_name = "DIR",
             .help = "keep the trials' files and the journal in this new or empty folder"},
            {.name = "tolerance",
             .kind = string_list,
             .value_name = "KEY=SPEC",
             .help = "how much worse is allowed, as for diff: 5%, 2abs or 2pp"},
            {.name = "tolerance_percent", .kind = number, .value_name = "N", .help = "of all rows, default 5"},
            {.name = "headline", .kind = string_list, .value_name = "KEY", .help = "rows that matter most, as globs"},
            {.name = "direction",
             .kind = string_list,
             .value_name = "DIR|KEY=DIR",
             .help = "auto, higher-is-better, lower-is-better, two-sided"},
            {.name = "alpha",
             .kind = number,
             .value_name = "N",
             .help = "significance level, default 0.05; with --confirm for all rows together, default 0.02"},
            {.name = "context", .kind = string_list, .value_name = "K=V", .help = "context that is not read from the machine"},
            {.name = "varying", .kind = string_list, .value_name = "CONTEXTKEY", .help = "context that differs on purpose"},
            {.name = "reason", .value_name = "TEXT", .help = "with --record: why it is recorded"},
            {.name = "fail_on",
             .kind = string_list,
             .value_name = "LIST",
             .help = "exit 1 on these, as for diff: red, yellow, draft, a row state or a reason code"},
            {.name = "strict", .kind = boolean, .help = "the same as --fail-on red,regressed,missing,invalid,gate_failed"},
            {.name = "no_bundle", .kind = boolean, .help = "write no bundle, only print"},
            {.name = "out", .kind = path, .value_name = "DIR", .help = "copy the bundle into this new or empty folder too"},
            report_param("how the comparison is printed, as for diff: table (default), json, md, csv, junit or github; with "
                         "=FILE it is written there",
                         "what is printed of the comparison, in the forms of [diff](diff.md#reports). With `=FILE` it is written "
                         "there; repeat it for several"),
            {.name = "md_limit", .kind = integer, .value_name = "BYTES", .help = "most bytes of --report md", .cli_only = true},
            sign_param(),
            tier_param(),
            {.name = "repo_root", .kind = path, .value_name = "DIR", .help = "folder of the registry"},
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.run.v1"),
    .examples = {"plumbline run -n 3 --no-bundle -- true", "plumbline run --ab 'sleep 0.01' 'sleep 0.2' --no-bundle",
                 "plumbline run -n 5 --record demo/sleep -- sleep 0.02"},
    .run = &run_run,
};

namespace {

tl::unexpected<Error> wrong(std::string message, std::string hint) {
  return core::fail(ErrorCode::usage, std::move(message), std::move(hint));
}

Expected<double> duration(const Arguments& arguments, const char* name) {
  if (!arguments.has(name)) return 0.0;
  const auto seconds = parse_duration(arguments.text(name));
  if (seconds) return *seconds;
  return wrong("--" + std::string(name) + " " + core::cited(arguments.text(name)) + " is no time",
               "write 90s, 10m, 1.5h or 250ms");
}

Expected<std::uint32_t> count(const Arguments& arguments, const char* name, std::uint32_t otherwise, std::uint32_t least) {
  const auto value = arguments.integer(name);
  if (!value) return otherwise;
  if (*value >= least && *value <= kMostRuns) return static_cast<std::uint32_t>(*value);
  std::string flag(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return wrong("--" + flag + " " + std::to_string(*value) + " is not between " + std::to_string(least) + " and " +
                   std::to_string(kMostRuns),
               "more than a thousand trials say no more about one change");
}

// A program without a slash is looked for on PATH, as the shell does.
Expected<std::vector<std::string>> found(std::vector<std::string> argv, const Context& context) {
  if (argv.front().find('/') != std::string::npos) return argv;
  const auto path = find_program(argv.front(), context);
  if (!path) {
    return core::fail(ErrorCode::missing_helper, core::cited(argv.front()) + " is not on PATH",
                      "check the name, or give the program's path; a line of shell is run by `sh -c '…'`");
  }
  argv.front() = *path;
  return argv;
}

Expected<RunRequest::Side> side_of_text(const std::string& text, std::string label, const Context& context) {
  auto argv = machine::argv_of(text);
  if (!argv) return core::fail(argv.error());
  auto start = found(std::move(*argv), context);
  if (!start) return core::fail(start.error());
  RunRequest::Side side;
  side.label = std::move(label);
  side.command = text;
  side.start.argv = std::move(*start);
  return side;
}

Status take_sides(RunRequest& request, const Arguments& arguments, const Context& context) {
  const std::vector<std::string>& words = arguments.list("command");
  const std::vector<std::string>& commands = arguments.list("ab");
  if (!commands.empty()) {
    if (!words.empty())
      return wrong("--ab has its commands, and there is another behind it",
                   "write each command as one word: --ab 'CMD A' 'CMD B'");
    if (commands.size() < 2)
      return wrong("--ab compares two or more commands, and there is one", "write each as one word: --ab 'CMD A' 'CMD B'");
    if (commands.size() > 8)
      return wrong("--ab compares at most eight commands", "compare them in groups, the first of each being the same");
    for (std::size_t i = 0; i < commands.size(); ++i) {
      auto side = side_of_text(commands[i], std::string(1, static_cast<char>('A' + i)), context);
      if (!side) return core::fail(side.error());
      request.sides.push_back(std::move(*side));
    }
    return {};
  }
  if (words.empty())
    return wrong("there is no command to run", "`plumbline run -- CMD ARG…`, or `plumbline run --ab 'CMD A' 'CMD B'`");
  RunRequest::Side side;
  side.command = shown_command(words);
  side.start.argv = words;
  // What is started on nodes is looked for there: this machine may not have it, or elsewhere.
  if (!arguments.has("nodes") && (words.front().find('/') == std::string::npos || !arguments.has("ab_rev"))) {
    auto start = found(words, context);
    if (!start) return core::fail(start.error());
    side.start.argv = std::move(*start);
  }
  if (!arguments.has("ab_rev")) {
    request.sides.push_back(std::move(side));
    return {};
  }
  const std::string text = arguments.text("ab_rev");
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos || dots == 0 || dots + 2 >= text.size() || text.find("...") != std::string::npos)
    return wrong("--ab-rev " + core::cited(text) + " is not two revisions", "write BASELINE..CANDIDATE, for instance main..HEAD");
  for (const std::string& revision : {text.substr(0, dots), text.substr(dots + 2)}) {
    side.label = revision;
    request.sides.push_back(side);
    request.revisions.push_back(revision);
  }
  return {};
}

Status take_names(RunRequest& request, const Arguments& arguments) {
  request.against = arguments.text("against");
  request.record = arguments.text("record");
  request.auto_baseline = arguments.text("auto_baseline");
  for (const auto& [flag, name] :
       {std::pair("--record", &request.record), std::pair("--auto-baseline", &request.auto_baseline)}) {
    const auto named = parse_named_reference(*name);
    if (name->empty() || (named && named->selector.empty())) continue;
    return wrong(std::string(flag) + " " + core::cited(*name) + " is no name of a measurement",
                 "write FAMILY/MEASUREMENT, for instance llm/decode");
  }
  const int asked =
      (request.against.empty() ? 0 : 1) + (request.auto_baseline.empty() ? 0 : 1) + (request.sides.size() > 1 ? 1 : 0);
  if (asked > 1)
    return wrong("--against, --auto-baseline and --ab (or --ab-rev) each say what to compare with", "give one of them");
  if (!request.record.empty() && request.sides.size() > 1)
    return wrong("--record records one command, and there are " + std::to_string(request.sides.size()),
                 "run and record the one that is to be the baseline");
  return {};
}

// -n auto stops at a verdict, and without a comparison there is none to stop at. A baseline gets as many trials as one is given
// by default.
Status settle_number(RunRequest& request) {
  if (request.record.empty())
    return wrong(
        "-n auto stops when the verdict is decided, and nothing is compared here",
        "say what to compare with by --against, --ab or --auto-baseline, or give a number: -n " + std::to_string(kDefaultRuns));
  request.automatic = false;
  request.auto_note = "-n auto stops when the verdict is decided, and nothing is compared here: the baseline got " +
                      std::to_string(kDefaultRuns) + " trials, the default; -n N asks for another number";
  return {};
}

}  // namespace

std::string shown_command(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`|&;<>()*?[]#~{}!") == std::string::npos;
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

std::optional<double> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{
      {{"ms", 1e-3}, {"min", 60}, {"s", 1}, {"sec", 1}, {"m", 60}, {"h", 3600}, {"us", 1e-6}, {"", 1}}};
  std::size_t digits = 0;
  while (digits < text.size() && (text[digits] == '.' || (text[digits] >= '0' && text[digits] <= '9'))) ++digits;
  const auto value = core::parse_double(text.substr(0, digits));
  if (!value || !std::isfinite(*value) || !(*value > 0)) return std::nullopt;
  for (const auto& [unit, seconds] : kUnits) {
    if (text.substr(digits) == unit) return *value * seconds;
  }
  return std::nullopt;
}

Expected<RunRequest> parse_run(const Arguments& arguments, const Context& context) {
  RunRequest request;
  if (auto ok = take_sides(request, arguments, context); !ok) return core::fail(ok.error());
  if (auto ok = take_names(request, arguments); !ok) return core::fail(ok.error());
  if (auto ok = take_confirm(request, arguments, context); !ok) return core::fail(ok.error());
  request.build = arguments.text("build");
  if (!request.build.empty() && request.revisions.empty())
    return wrong("--build builds the revisions of --ab-rev", "give --ab-rev BASELINE..CANDIDATE, or build beforehand");
  request.prepare = arguments.text("prepare");
  request.cleanup = arguments.text("cleanup");

  request.automatic = request.compares() || !request.auto_baseline.empty();
  if (arguments.has("runs")) {
    const std::string text = arguments.text("runs");
    request.automatic = text == "auto";
    const auto number = core::parse_double(text);
    if (!request.automatic && (!number || *number < 1 || *number > kMostRuns || *number != std::floor(*number)))
      return wrong("-n " + core::cited(text) + " is no number of trials",
                   "write a number from 1 to " + std::to_string(kMostRuns) + ", or auto");
    if (!request.automatic) request.runs = static_cast<std::uint32_t>(*number);
    if (request.automatic && !request.compares() && request.auto_baseline.empty()) {
      if (auto ok = settle_number(request); !ok) return core::fail(ok.error());
    }
  }
  auto max_runs = count(arguments, "max_runs", request.max_runs, 3);
  if (!max_runs) return core::fail(max_runs.error());
  request.max_runs = *max_runs;
  auto warmup = count(arguments, "warmup", request.warmup, 0);
  if (!warmup) return core::fail(warmup.error());
  request.warmup = *warmup;
  auto budget = duration(arguments, "budget");
  if (!budget) return core::fail(budget.error());
  request.budget_s = *budget;
  auto timeout = duration(arguments, "timeout");
  if (!timeout) return core::fail(timeout.error());
  for (RunRequest::Side& side : request.sides) side.start.timeout_s = *timeout;
  const auto seed = arguments.integer("seed");
  request.seed = seed ? static_cast<std::uint64_t>(*seed)
                      : static_cast<std::uint64_t>(context.now().time_since_epoch().count()) % 1'000'000'007;

  if (arguments.has("report") && !request.compares() && request.auto_baseline.empty())
    return wrong("--report is of a comparison, and nothing is compared here",
                 "say what to compare with by --against, --ab or --auto-baseline");
  if (arguments.has("report") && request.sides.size() > 2)
    return wrong("--report is of one comparison, and there are " + std::to_string(request.sides.size() - 1),
                 "compare two commands, or take the bundles of --out DIR");
  const std::string measures = arguments.text("measure");
  if (measures == "output") request.measures = Measures::output;
  if (measures == "time") request.measures = Measures::time;
  request.result = arguments.text("result");
  request.format = arguments.text("format");
  if (request.measures == Measures::time && !(request.result.empty() && request.format.empty()))
    return wrong("--measure time reads no result", "leave out --result and --format, or --measure");
  if (!request.result.empty() || !request.format.empty()) request.measures = Measures::output;
  if (arguments.has("keep")) request.keep = absolute(context, arguments.text("keep"));
  return request;
}

}  // namespace plumbline::verbs
