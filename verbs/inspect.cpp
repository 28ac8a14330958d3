#include <sys/stat.h>

#include "core/text.hpp"
#include "profiles/profile.hpp"
#include "registry/store.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/environment.hpp"
#include "verbs/reference.hpp"
#include "verbs/session.hpp"
#include "verbs/warnings.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

bool is_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// The file or folder that is looked at. Of a registry entry that is its snapshot, opened and verified.
struct Subject {
  std::string path;
  core::Context context;              // of the entry
  std::vector<std::string> headline;  // of the entry
  std::string format;                 // forced at record
  std::vector<core::Warning> warnings;
};

Expected<Subject> subject_of_entry(const std::string& directory, const registry::Store& store,
                                   const registry::PathLimits& limits) {
  auto entry = store.open(directory, limits);
  if (!entry) return core::fail(std::move(entry.error()));
  if (entry->snapshot.empty()) {
    return core::fail(ErrorCode::not_found, "this entry keeps only the digest of its source, there is nothing to inspect",
                      "its source was " + entry->record.source_path, directory);
  }
  return Subject{entry->snapshot, entry->record.context, entry->record.headline, entry->record.forced_format,
                 std::move(entry->warnings)};
}

Expected<Subject> subject_of(const Arguments& arguments, const Context& context, const registry::PathLimits& limits) {
  const std::string text = arguments.text("path");
  const std::string path = registry::absolute_path(text, context.cwd);
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  const auto name = parse_named_reference(text);
  if (!exists && name) {
    if (const auto root = root_of(arguments, context)) {
      const auto store = registry::posix_store(*root);
      const auto directory = locate_entry(*name, *store);
      if (directory) return subject_of_entry(*directory, *store, limits);
      if (is_known(*store, *name)) return core::fail(directory.error());
    }
  }
  if (auto allowed = registry::check_allowed(path, limits); !allowed) return core::fail(std::move(allowed.error()));
  // Opening an entry needs no registry around it: an entry verifies wherever it was copied.
  if (is_file(path + "/baseline.json") && is_file(path + "/SOURCE.md"))
    return subject_of_entry(path, *registry::posix_store(path), limits);
  return Subject{path, {}, {}, {}, {}};
}

Expected<core::InspectResult> inspect_capture(const std::string& path, const Context& context) {
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(std::move(scratch.error()));
  profiles::ReadOptions options;
  options.nsys = find_program("nsys", context).value_or(std::string());
  options.scratch = scratch->path();
  options.stop = [&context] { return context.stop_asked(); };
  options.progress = context.progress;
  const auto profile = profiles::read(path, options);
  if (!profile) return core::fail(profile.error());
  core::InspectResult result;
  result.shape = core::Shape::profile;
  result.format.name = profile->info.format;
  result.format.version = profile->info.version;
  result.format.confidence = 1;
  result.format.evidence = {"read as a capture of this kind"};
  result.profile = profiles::summary(*profile);
  result.context = profile->info.context;
  result.warnings = profile->warnings;
  return result;
}

Expected<core::InspectResult> inspect_measurement(LoadedSource source, const std::string& format, const Context& context) {
  std::vector<LoadedSource> sources;
  sources.push_back(std::move(source));
  auto read = read_measurement(sources, format, std::make_shared<core::StringPool>(), context);
  if (!read) return core::fail(std::move(read.error()));
  core::InspectResult result;
  const auto measurement = std::make_shared<core::Measurement>(std::move(*read));
  result.shape = measurement->shape;
  result.format = measurement->format;
  result.context = measurement->context;
  result.headline = measurement->declared.headlines;
  result.warnings = measurement->warnings;
  if (result.headline.empty() && measurement->shape == core::Shape::scalar && !measurement->rows().empty()) {
    result.headline.emplace_back(measurement->key(measurement->rows().front()));
  }
  result.measurement = measurement;
  return result;
}

Expected<Outcome> run_inspect(const Arguments& arguments, const Context& context) {
  if (!arguments.has("path")) return core::fail(ErrorCode::usage, "--path is missing", "plumbline inspect PATH");
  const auto limits = path_limits(context);
  auto subject = subject_of(arguments, context, limits);
  if (!subject) return core::fail(std::move(subject.error()));
  auto source = load_source(subject->path, context, "path");
  if (!source) return core::fail(std::move(source.error()));
  const std::string path = source->source.path;
  const std::string format = arguments.text("format", subject->format);
  auto result = source->capture ? inspect_capture(path, context) : inspect_measurement(std::move(*source), format, context);
  if (!result) {
    if (result.error().where.empty()) result.error().where = subject->path;
    return core::fail(std::move(result.error()));
  }
  result->path = path;
  for (auto& [key, value] : subject->context) result->context.insert_or_assign(key, value);  // what the entry says is stronger
  if (!subject->headline.empty()) result->headline = subject->headline;
  for (auto& warning : subject->warnings) result->warnings.push_back(std::move(warning));
  Outcome outcome;
  outcome.json = reports::inspect_json(*result);
  outcome.text = reports::inspect_table(*result, true);
  outcome.warnings = warning_lines(result->warnings);
  return outcome;
}

}  // namespace

const Verb kInspect{
    .name = "inspect",
    .tool = "measurement_inspect",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Inspect a measurement or a capture",
    .summary =
        "Say what a file, folder or capture is: its format and the evidence for it, rows, units, directions, context and "
        "problems. "
        "Use it before record or diff when it is not clear how a file will be read; it writes nothing.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "path",
             .kind = path,
             .value_name = "PATH",
             .doc = "file, folder, capture, entry directory or family/measurement[@slug]",
             .required = true,
             .positional = 1},
            {.name = "format", .value_name = "NAME", .doc = "read it as this format, do not detect"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "registry of a name; a path needs none"},
        },
    .output_schema = schemas::text("plumbline.result.inspect.v1"),
    .examples = {"plumbline inspect before.json"},
    .run = &run_inspect,
};

}  // namespace plumbline::verbs
