// export: the baseline file of another system from an entry, a run or such a file; or a registry's values over time. The same
// input gives the same bytes.
#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "systems/table.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/export/series.hpp"
#include "verbs/export/suite.hpp"
#include "verbs/resolving/baseline_side.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/suite/suite.hpp"

namespace plumbline::verbs {

namespace {

using enum ParamKind;

using systems::Exported;
using systems::Exporter;
using systems::ExportOptions;
using systems::ExportSource;

// A path needs no registry: then the working directory stands for the root.
Expected<std::string> root_for(const Arguments& arguments, const Context& context) {
  auto root = root_of(arguments, context);
  if (root) return root;
  if (arguments.has("repo_root")) return core::fail(root.error());
  const auto limits = path_limits(context);
  for (const char* name : {"source", "refresh"}) {
    if (arguments.has(name) && !registry::path_kind(absolute(context, arguments.text(name)), limits))
      return core::fail(root.error());
  }
  return absolute(context, context.cwd);
}

struct Opened {
  Baseline source;
  std::optional<Baseline> refreshed;
};

Expected<Opened> open_sides(const Arguments& arguments, const ExportTools& tools) {
  Opened out;
  const auto open = [&](const std::string& text) -> Expected<Baseline> {
    auto side = open_baseline(text, tools.store, nullptr, tools.format, tools.pool, tools.reading, tools.context);
    if (!side) return core::fail(side.error());
    if (side->capture) {
      return core::fail(ErrorCode::shape_mismatch, text + " is a capture, and no system here has captures for baselines",
                        "name a measurement or an entry of one");
    }
    return side;
  };
  auto source = open(arguments.text("source"));
  if (!source) return core::fail(source.error());
  out.source = std::move(*source);
  if (arguments.has("refresh")) {
    auto refreshed = open(arguments.text("refresh"));
    if (!refreshed) return core::fail(refreshed.error());
    out.refreshed = std::move(*refreshed);
  }
  return out;
}

ExportOptions options_of(const Arguments& arguments) {
  ExportOptions options;
  options.host_label = arguments.text("host_label");
  options.captured_at = arguments.text("captured_at");
  options.reason = std::string(core::trim(arguments.text("reason")));
  if (arguments.has("commit")) options.commit = arguments.text("commit");
  if (arguments.has("notes")) options.notes = arguments.text("notes");
  return options;
}

using LeftOut = std::vector<std::pair<std::string, std::string>>;

void text_or_null(reports::JsonWriter& json, std::string_view name, const std::string& text) {
  json.key(name);
  if (text.empty())
    json.null();
  else
    json.value(text);
}

void file_fields(reports::JsonWriter& json, const Exported& exported) {
  json.field("file_name", exported.file_name).field("bytes", static_cast<std::uint64_t>(exported.text.size()));
  json.field("sha256", registry::sha256_hex(exported.text)).field("written", exported.written);
}

void begin_result(reports::JsonWriter& json, const Exporter& exporter, const std::string& source, const std::string& path) {
  json.begin_object().field("schema", "plumbline.result.export.v1").field("verb", "export");
  json.field("safety", "writes_artifacts").field("as", exporter.name).field("source", source);
  json.place_or_null("path", path);
}

void end_result(reports::JsonWriter& json, const LeftOut& left_out, const std::string& reason,
                const std::vector<core::Warning>& warnings) {
  constexpr std::size_t kMost = 100;
  json.key("left_out").begin_array();
  const std::size_t shown = std::min(kMost, left_out.size());
  for (std::size_t i = 0; i < shown; ++i) {
    json.begin_object().field("name", left_out[i].first);
    json.field("why", one_line(left_out[i].second, 300)).end_object();
  }
  json.end_array().field("left_out_count", static_cast<std::uint64_t>(left_out.size()));
  text_or_null(json, "reason", reason);
  json.key("warnings").begin_array();
  for (const core::Warning& warning : warnings) {
    json.begin_object().field("code", warning.code.text()).field("message", warning.message).end_object();
  }
  json.end_array().end_object();
}

std::string left_out_text(const LeftOut& left_out) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, left_out.size()); ++i)
    text += "  left out: " + one_line(left_out[i].first, 200) + " (" + one_line(left_out[i].second, 200) + ")\n";
  if (left_out.size() > kMost) text += "  left out: " + std::to_string(left_out.size() - kMost) + " more\n";
  return text;
}

bool is_series(std::string_view as) { return as == "csv" || as == "openmetrics"; }

std::string counted_text(const Exporter& exporter, const Exported& exported) {
  return is_series(exporter.name) ? core::counted(exported.written, "value")
                                  : core::counted(exported.written, "entry", "entries");
}

std::string summary(const Exporter& exporter, const Exported& exported, const std::string& path) {
  return "wrote " + counted_text(exporter, exported) + " to " + path + "\n" + left_out_text(exported.left_out);
}

std::string left_out_warning(const LeftOut& left_out) {
  return "left_out: " + core::counted(left_out.size(), "case") + " that did not pass, first " +
         core::cited(left_out.front().first) + ": " + one_line(left_out.front().second, 200);
}

// One file: an entry's, a run's, or that of a suite whose cases stand in one.
Expected<Outcome> conclude(const Exporter& exporter, const Arguments& arguments, const Context& context,
                           const std::string& source, const Exported& exported, const std::vector<core::Warning>& warnings) {
  std::string path;
  if (arguments.has("out")) {
    path = absolute(context, arguments.text("out"));
    if (registry::path_kind(path, path_limits(context)) == registry::PathKind::folder) path += "/" + exported.file_name;
    if (auto yes = confirmed(context, "Write " + counted_text(exporter, exported) + " of " + std::string(exporter.name) + " to " +
                                          one_line(path, 300) + "?");
        !yes)
      return core::fail(std::move(yes.error()));
    if (auto ok = registry::write_report(path, exported.text, path_limits(context)); !ok) return core::fail(ok.error());
  }
  Outcome outcome;
  reports::JsonWriter json(outcome.json);
  begin_result(json, exporter, source, path);
  file_fields(json, exported);
  end_result(json, exported.left_out, std::string(core::trim(arguments.text("reason"))), warnings);
  outcome.json += "\n";
  outcome.text = path.empty() ? exported.text : summary(exporter, exported, path);
  outcome.warnings = warning_lines(warnings);
  if (path.empty() && !exported.left_out.empty()) outcome.warnings.push_back(left_out_warning(exported.left_out));
  return outcome;
}

// A file a case, in the folder of --out; without it what would be written is told.
Expected<Outcome> conclude_suite(const Exporter& exporter, const Arguments& arguments, const Context& context,
                                 const SuiteExport& suite) {
  const auto limits = path_limits(context);
  std::string folder;
  const std::string files = core::counted(suite.files.size(), "file");
  if (arguments.has("out")) {
    folder = absolute(context, arguments.text("out"));
    if (registry::path_kind(folder, limits) != registry::PathKind::folder) {
      return core::fail(ErrorCode::usage, "--out is no folder, and the suite is " + files + ": " + folder,
                        "make the folder, or name the one that holds the baselines");
    }
    if (arguments.has("refresh") && folder == suite.path) {
      return core::fail(ErrorCode::usage, "--out is the folder of the results, which baselines would replace: " + folder,
                        "name the folder that holds the baselines");
    }
    if (auto yes =
            confirmed(context, "Write " + files + " of " + std::string(exporter.name) + " to " + one_line(folder, 300) + "?");
        !yes)
      return core::fail(std::move(yes.error()));
  }
  // Looked at before anything is written: a case that stands in a folder of its own keeps it.
  for (const SuiteExport::File& file : suite.files) {
    const std::size_t slash = file.exported.file_name.rfind('/');
    if (folder.empty() || slash == std::string::npos) continue;
    const std::string below = folder + "/" + file.exported.file_name.substr(0, slash);
    if (registry::path_kind(below, limits) == registry::PathKind::folder) continue;
    return core::fail(ErrorCode::usage, "--out has no folder for " + file.exported.file_name + ": " + below,
                      "make it, or name the folder that holds the baselines");
  }
  std::uint64_t written = 0;
  std::size_t done = 0;
  Outcome outcome;
  reports::JsonWriter json(outcome.json);
  begin_result(json, exporter, suite.path, folder);
  json.key("files").begin_array();
  outcome.text =
      folder.empty() ? "would write " + files + "; --out FOLDER writes them\n" : "wrote " + files + " to " + folder + "\n";
  for (const SuiteExport::File& file : suite.files) {
    const std::string path = folder.empty() ? std::string() : folder + "/" + file.exported.file_name;
    if (!path.empty()) {
      if (auto ok = registry::write_report(path, file.exported.text, limits); !ok) {
        Error error = ok.error();
        if (done > 0) error.message += "; " + std::to_string(done) + " of " + files + " were written before it";
        return core::fail(std::move(error));
      }
    }
    ++done;
    json.begin_object().field("case", file.id);
    json.place_or_null("path", path);
    file_fields(json, file.exported);
    json.end_object();
    written += file.exported.written;
    outcome.text +=
        "  " + one_line(file.exported.file_name, 200) + ": " + core::counted(file.exported.written, "entry", "entries") + "\n";
  }
  json.end_array().field("written", written);
  end_result(json, suite.left_out, std::string(core::trim(arguments.text("reason"))), suite.warnings);
  outcome.json += "\n";
  outcome.text += left_out_text(suite.left_out);
  outcome.warnings = warning_lines(suite.warnings);
  return outcome;
}

// Values over time have nothing to do with the file of another system, and the other way round.
Status check_words(const Arguments& arguments) {
  const bool series = is_series(arguments.text("as"));
  constexpr std::pair<const char*, const char*> kOfSystems[] = {
      {"refresh", "--refresh"},         {"reason", "--reason"}, {"host_label", "--host-label"}, {"commit", "--commit"},
      {"captured_at", "--captured-at"}, {"notes", "--notes"},   {"format", "--format"}};
  for (const auto& [name, flag] : kOfSystems) {
    if (series && arguments.has(name))
      return core::fail(ErrorCode::usage,
                        std::string(flag) + " belongs to the file of another system, not to --as " + arguments.text("as"),
                        "leave it out");
  }
  constexpr std::pair<const char*, const char*> kOfSeries[] = {{"key", "--key"}, {"since", "--since"}};
  for (const auto& [name, flag] : kOfSeries) {
    if (!series && arguments.has(name))
      return core::fail(ErrorCode::usage, std::string(flag) + " belongs to --as csv and --as openmetrics", "leave it out");
  }
  return {};
}

Expected<Outcome> run_series(const Arguments& arguments, const Context& context) {
  const auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  auto reading = reading_rules_for(*root, context);
  if (!reading) return core::fail(reading.error());
  SeriesAsked asked{arguments.text("source"), arguments.text("as"), arguments.text("key"), "", std::move(*reading)};
  if (arguments.has("since")) {
    const auto since = registry::parse_time(arguments.text("since"));
    if (!since)
      return core::fail(ErrorCode::usage, "--since is no time: " + core::cited(arguments.text("since")),
                        "write 2026-11-20 or 2026-11-20T15:00:00Z");
    asked.since = registry::utc_text(*since);
  }
  auto series = export_series(*open_store(*root, context), asked, context);
  if (!series) return core::fail(series.error());
  Exporter shape;
  shape.name = asked.as;
  Exported file;
  file.file_name = std::move(series->file_name);
  file.text = std::move(series->text);
  file.written = series->points;
  return conclude(shape, arguments, context, asked.source, file, series->warnings);
}

Expected<Outcome> run_export(const Arguments& arguments, const Context& context) {
  if (!arguments.has("source"))
    return core::fail(ErrorCode::usage, "--source is missing", "`plumbline export RESULTS --as tensorsharp --out FILE`");
  if (!arguments.has("as")) {
    return core::fail(ErrorCode::usage, "--as is missing",
                      "csv and openmetrics are values over time; systems are tensorsharp, msmodeling and spec_decode");
  }
  if (auto good = check_words(arguments); !good) return core::fail(good.error());
  if (is_series(arguments.text("as"))) return run_series(arguments, context);
  const Exporter& exporter = *systems::find(arguments.text("as"))->exporter;  // the choices of --as have one
  auto root = root_for(arguments, context);
  if (!root) return core::fail(root.error());
  auto reading = reading_rules_for(*root, context);
  if (!reading) return core::fail(reading.error());
  const auto store = open_store(*root, context);
  const ExportTools tools{context, *store, std::make_shared<core::StringPool>(), *reading, arguments.text("format")};
  const ExportOptions options = options_of(arguments);

  auto suite = export_suite(exporter, arguments.text("source"), arguments.text("refresh"), options, tools);
  if (!suite) return core::fail(suite.error());
  if (*suite && !(*suite)->one_file) return conclude_suite(exporter, arguments, context, **suite);
  if (*suite) {
    SuiteExport& whole = **suite;
    whole.files.front().exported.left_out = std::move(whole.left_out);
    return conclude(exporter, arguments, context, whole.path, whole.files.front().exported, whole.warnings);
  }
  auto sides = open_sides(arguments, tools);
  if (!sides) return core::fail(sides.error());
  ExportSource source;
  source.measurement = sides->source.measurement.get();
  source.path = sides->source.side.path;
  source.run_problem = run_problem(*source.measurement);
  if (sides->source.reference.kind == Reference::Kind::entry) source.record = &sides->source.reference.entry.record;
  auto exported = exporter.write(source, sides->refreshed ? sides->refreshed->measurement.get() : nullptr, options);
  if (!exported) return core::fail(exported.error());
  std::vector<core::Warning> warnings = sides->source.reference.warnings;
  warnings.insert(warnings.end(), source.measurement->warnings.begin(), source.measurement->warnings.end());
  warnings.insert(warnings.end(), exported->warnings.begin(), exported->warnings.end());
  return conclude(exporter, arguments, context, source.path, *exported, warnings);
}

}  // namespace

const Verb kExport{
    .name = "export",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Write baselines of other systems, or values over time",
    .summary =
        "Write the values of a measurement over time as CSV or OpenMetrics. Or write TensorSharp's baseline of a host, "
        "msmodeling's case file or a baseline of the vLLM RFC from results, a run or an entry, byte for byte as that system "
        "would. Use it to refresh baselines that are reviewed in git: what failed is left out, and a regression becomes the new "
        "baseline only with a reason.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "source",
             .value_name = "REF",
             .doc = "folder of results, table, baseline file, family, or family/measurement[@slug]",
             .required = true,
             .positional = 1},
            {.name = "as",
             .kind = choice,
             .doc = "the system whose file to write; or values over time, for tables (csv) and Prometheus (openmetrics)",
             .required = true,
             .choices = {"tensorsharp", "msmodeling", "spec_decode", "csv", "openmetrics"}},
            {.name = "out",
             .kind = path,
             .value_name = "FILE",
             .doc = "write it here, over what is there (default: print it); for a suite, a folder"},
            {.name = "refresh",
             .value_name = "REF",
             .doc = "the file that it replaces, or for a suite their folder: what fails against it needs a reason"},
            {.name = "reason", .value_name = "TEXT", .doc = "why a regression becomes the new baseline"},
            {.name = "host_label", .value_name = "LABEL", .doc = "tensorsharp: macos-mlx, linux-cuda, windows-cuda, …"},
            {.name = "commit", .value_name = "SHA", .doc = "tensorsharp: the commit that was measured"},
            {.name = "captured_at", .value_name = "TIME", .doc = "tensorsharp: default the newest passing result's start"},
            {.name = "notes", .value_name = "TEXT", .doc = "tensorsharp: default the reason"},
            {.name = "format", .value_name = "NAME", .doc = "do not detect it"},
            {.name = "key", .value_name = "GLOB", .doc = "csv, openmetrics: these rows (default: the headlines, else all)"},
            {.name = "since", .value_name = "TIME", .doc = "csv, openmetrics: measured then or later"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "where the registry is; a path needs none"},
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.export.v1"),
    .examples = {"plumbline export results --as tensorsharp --host-label linux-cuda --out baseline-linux-cuda.json",
                 "plumbline export run.table.txt --as msmodeling --refresh cases/decode.json --out cases/decode.json",
                 "plumbline export tables --as msmodeling --refresh cases --out cases",
                 "plumbline export inference/decode --as openmetrics --out decode.openmetrics.txt"},
    .run = &run_export,
};

}  // namespace plumbline::verbs
