#include "verbs/diff/request.hpp"

#include <algorithm>
#include <cmath>

#include "verbs/calling/fail_on.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/bundle.hpp"

namespace plumbline::verbs {

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

DiffReport report_of(std::string_view word) {
  constexpr std::pair<std::string_view, DiffReport> kReports[] = {{"json", DiffReport::json},     {"md", DiffReport::md},
                                                                  {"csv", DiffReport::csv},       {"junit", DiffReport::junit},
                                                                  {"github", DiffReport::github}, {"native", DiffReport::native}};
  for (const auto& [name, report] : kReports) {
    if (word == name) return report;
  }
  return DiffReport::table;
}

// The choices were checked against the table of parameters when they were read.
void take_output(const Arguments& arguments, DiffRequest& request) {
  request.no_bundle = arguments.flag("no_bundle");
  request.all_rows = arguments.flag("all_rows");
  request.report = report_of(arguments.text("report"));
  request.response_format = response_format(arguments);
  const std::string snapshot = arguments.text("snapshot");
  if (snapshot == "copy") request.snapshot = SnapshotRule::copy;
  if (snapshot == "reference") request.snapshot = SnapshotRule::reference;
}

}  // namespace

Expected<DiffRequest> parse_diff(const Arguments& arguments, const Context& context) {
  DiffRequest request;
  if (!arguments.has("baseline") || !arguments.has("current")) {
    const std::string missing = std::string(arguments.has("baseline") ? "" : "--baseline") +
                                (!arguments.has("baseline") && !arguments.has("current") ? ", " : "") +
                                (arguments.has("current") ? "" : "--current");
    return core::fail(ErrorCode::usage, "the following arguments are required: " + missing,
                      "`plumbline diff FAMILY/MEASUREMENT PATH`");
  }
  request.reference = arguments.text("baseline");
  request.initial = arguments.text("initial");
  request.current = arguments.list("current");
  request.as = arguments.text("as") == "trials" ? FolderIs::trials : FolderIs::suite;
  request.format = arguments.text("format");
  request.varying = arguments.list("varying");
  take_output(arguments, request);
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
  if (arguments.has("initial_tolerance")) {
    auto spec = core::parse_tolerance(arguments.text("initial_tolerance"));
    if (!spec) return core::fail(ErrorCode::usage, "--initial-tolerance: " + spec.error().message, spec.error().hint);
    request.initial_tolerance = *spec;
    request.initial_tolerance->source = core::Source::flag;
    request.initial_tolerance->note = "--initial-tolerance";
  }
  request.paired = arguments.flag("paired");
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
  for (const char* name :
       {"headline", "tolerance", "direction", "tolerance_absolute", "alpha", "paired", "holm", "initial", "policy"}) {
    if (arguments.has(name)) request.unused_by_captures.emplace_back(name);
  }
  return request;
}

Expected<std::vector<intake::Opened>> load_current(const DiffRequest& request, const Context& context) {
  std::vector<std::string> paths = request.current;
  if (request.as == FolderIs::trials && paths.size() == 1) {
    auto folder = registry::open_source(absolute(context, paths.front()), path_limits(context));
    if (folder && folder->is_directory) {
      paths.clear();
      for (const registry::SourceFile& file : folder->files) paths.push_back(file.path);
      if (paths.empty())
        return core::fail(ErrorCode::invalid_input, "the folder of trials is empty: " + request.current.front(),
                          "name the folder that holds the runs' files, or the files");
    }
  }
  std::vector<intake::Opened> sources;
  for (const std::string& path : paths) {
    auto source = load_source(path, context, "current");
    if (!source) return core::fail(source.error());
    sources.push_back(std::move(*source));
  }
  return sources;
}

}  // namespace plumbline::verbs
