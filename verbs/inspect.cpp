#include "core/text.hpp"
#include "formats/stated/explain.hpp"
#include "intake/known_formats.hpp"
#include "profiles/diff/frames.hpp"
#include "profiles/profile.hpp"
#include "registry/store.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/handed.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

// The file or folder that is looked at. Of a registry entry that is its snapshot, opened and verified.
struct Subject {
  std::string path;
  core::Context context;              // of the entry
  std::vector<std::string> headline;  // of the entry
  std::string format;                 // forced at record
  std::vector<core::Warning> warnings;
  std::string near;  // when nothing is at `path`: what there is of that name in the registry
};

Expected<Subject> subject_of_entry(const std::string& directory, const registry::Store& store,
                                   const registry::PathLimits& limits) {
  auto entry = store.open(directory, limits);
  if (!entry) return core::fail(std::move(entry.error()));
  if (entry->snapshot.empty() && !entry->digests.empty()) entry->snapshot = entry->digests.front();
  if (entry->snapshot.empty()) {
    return core::fail(ErrorCode::not_found, "this entry keeps only the digest of its source, there is nothing to inspect",
                      "its source was " + entry->record.source_path, directory);
  }
  return Subject{entry->snapshot,
                 entry->record.context,
                 entry->record.headline,
                 entry->record.forced_format,
                 std::move(entry->warnings),
                 {}};
}

Expected<Subject> subject_of(const Arguments& arguments, const Context& context, const registry::PathLimits& limits) {
  const std::string text = arguments.text("path");
  const std::string path = absolute(context, text);
  const bool exists = registry::path_kind(path, limits).has_value();
  const auto name = parse_named_reference(text);
  std::string near;
  if (!exists && name) {
    if (const auto root = root_of(arguments, context)) {
      const auto store = open_store(*root, context);
      const auto directory = locate_entry(*name, *store, limits);
      if (directory) return subject_of_entry(*directory, *store, limits);
      if (is_known(*store, *name)) return core::fail(directory.error());
      near = what_is_near(*store, *name);
    }
  }
  if (auto allowed = registry::check_allowed(path, limits); !allowed) return core::fail(std::move(allowed.error()));
  // Opening an entry needs no registry around it: an entry verifies wherever it was copied.
  const auto is_file = [&](const char* file) { return registry::path_kind(path + file, limits) == registry::PathKind::file; };
  if (is_file("/baseline.json") && is_file("/SOURCE.md")) return subject_of_entry(path, *open_folder_store(path, limits), limits);
  if (is_file("/SHA256SUMS") && (is_file("/diff.json") || is_file("/profile-diff.json") || is_file("/outliers.json"))) {
    return core::fail(ErrorCode::usage, path + " is a bundle: what a comparison left behind",
                      "read its Markdown or HTML page; `plumbline verify --recompute " + path + "` checks it", path);
  }
  return Subject{path, {}, {}, {}, {}, std::move(near)};
}

Expected<core::InspectResult> inspect_capture(const std::string& path, const Context& context) {
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(std::move(scratch.error()));
  profiles::ReadOptions options;
  options.nsys = find_program("nsys", context).value_or(std::string());
  options.scratch = scratch->path();
  options.open = capture_opener(context);
  options.stop = [&context] { return context.stop_asked(); };
  options.progress = context.progress;
  const auto profile = profiles::read(path, options);
  if (!profile) return core::fail(profile.error());
  core::InspectResult result;
  result.shape = core::Shape::profile;
  result.format.name = profile->info.format;
  result.format.version = profile->info.version;
  result.format.confidence = 1;
  result.format.evidence = {profile->from_digest ? "read from a digest of a capture of this kind"
                                                 : "read as a capture of this kind"};
  if (profile->from_digest && !profile->info.ranks.empty())
    result.format.evidence.push_back(core::counted(profile->info.ranks.size(), "rank"));
  if (std::string cost = profiles::cost_text(*profile); !cost.empty()) result.format.evidence.push_back(std::move(cost));
  result.profile = profiles::summary(*profile);
  result.context = profile->info.context;
  result.warnings = profile->warnings;
  return result;
}

FlagRules key_rule(const std::string& glob) {
  FlagRules rules;
  rules.key_rules.emplace_back();
  rules.key_rules.back().glob = glob;
  rules.key_rules.back().note = "--key";
  return rules;
}

// The format of that name, a project's own first; null for none.
const formats::Format* format_called(std::string_view name, const ReadingRules& reading) {
  for (const auto& own : reading.formats) {
    for (const formats::Format* one : own->formats()) {
      if (one->name == name) return one;
    }
  }
  for (const formats::Format* one : intake::known_formats()) {
    if (one->name == name) return one;
  }
  return nullptr;
}

// What a file is whose lines were asked for, and which no format reads: nothing but the draft of one.
core::InspectResult only_a_draft(core::Explained explained, const Error& error) {
  core::InspectResult result;
  result.format.name = "unknown";
  result.format.evidence = {error.message};
  result.explained = std::move(explained);
  return result;
}

Expected<core::InspectResult> inspect_measurement(intake::Opened source, const Arguments& arguments, const std::string& format,
                                                  const Context& context) {
  const std::string key = arguments.text("key");
  auto root = root_if_any(arguments, context);
  if (!root) return core::fail(std::move(root.error()));
  auto of_root = reading_rules_for(*root, context);
  if (!of_root) return core::fail(std::move(of_root.error()));
  auto reading = with_formats_beside(std::move(*of_root), source, context);
  if (!reading) return core::fail(std::move(reading.error()));
  std::vector<intake::Opened> sources;
  sources.push_back(std::move(source));
  auto read = read_measurement(sources, format, std::make_shared<core::StringPool>(), context, *reading);
  std::optional<core::Explained> explained;
  if (arguments.flag("explain")) {
    const formats::Format* const by = read ? format_called(read->format.name, *reading) : nullptr;
    auto told = formats::stated::explain(sources.front().input(), by, *reading->names());
    if (told) explained = std::move(*told);
    if (!told && read) return core::fail(std::move(told.error()));
    if (!read && explained) return only_a_draft(std::move(*explained), read.error());
  }
  if (!read) return core::fail(std::move(read.error()));
  core::InspectResult result;
  result.explained = std::move(explained);
  const auto measurement = std::make_shared<core::Measurement>(std::move(*read));
  result.shape = measurement->shape;
  result.format = measurement->format;
  result.context = measurement->context;
  result.headline = measurement->declared.headlines;
  result.warnings = measurement->warnings;
  if (!key.empty()) {
    const core::Measurement* const side = measurement.get();
    if (auto ok = check_keys(key_rule(key), {&side, 1}); !ok) return core::fail(std::move(ok.error()));
    const std::size_t all = measurement->rows().size();
    std::erase_if(measurement->rows(), [&](const core::Row& row) { return !core::glob_match(key, side->key(row)); });
    result.warnings.push_back(
        {"rows_chosen", std::to_string(side->rows().size()) + " of " + core::counted(all, "row") + " match --key " + cited(key)});
  }
  if (result.headline.empty() && measurement->shape == core::Shape::scalar && !measurement->rows().empty()) {
    result.headline.emplace_back(measurement->key(measurement->rows().front()));
  }
  result.measurement = measurement;
  return result;
}

Expected<Outcome> run_inspect(const Arguments& arguments, const Context& context) {
  if (!arguments.has("path")) return core::fail(ErrorCode::usage, "--path is missing", "`plumbline inspect PATH`");
  const auto limits = path_limits(context);
  auto subject = subject_of(arguments, context, limits);
  if (!subject) return core::fail(std::move(subject.error()));
  auto source = load_source(subject->path, context, "path");
  if (!source) {
    if (!subject->near.empty() && !source.error().hint.starts_with("did you mean")) source.error().hint = subject->near;
    return core::fail(std::move(source.error()));
  }
  const std::string path = source->source.path;
  const std::string format = arguments.text("format", subject->format);
  auto result =
      source->is_capture() ? inspect_capture(path, context) : inspect_measurement(std::move(*source), arguments, format, context);
  if (!result) {
    if (result.error().where.empty()) result.error().where = subject->path;
    return core::fail(std::move(result.error()));
  }
  result->path = path;
  for (auto& [key, value] : subject->context) result->context.insert_or_assign(key, value);  // what the entry says is stronger
  if (!subject->headline.empty()) result->headline = subject->headline;
  for (auto& warning : subject->warnings) result->warnings.push_back(std::move(warning));
  Outcome outcome;
  outcome.json = reports::inspect_json(*result, response_format(arguments));
  outcome.text = reports::inspect_table(*result, true);
  outcome.text_has_warnings = true;
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
        "Use it before recording or comparing when it is not clear how a file will be read; it writes nothing.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "path",
             .kind = path,
             .value_name = "PATH",
             .doc = "file, folder, capture, entry or family/measurement[@slug]",
             .help = "file, folder, capture, entry directory or family/measurement[@slug]",
             .required = true,
             .positional = 1},
            {.name = "format",
             .value_name = "NAME",
             .doc = "do not detect it",
             .help = "read it as this format instead of detecting it; `plumbline formats` lists them"},
            {.name = "key",
             .value_name = "GLOB",
             .doc = "only rows like *p99*",
             .help = "only the rows whose key matches, e.g. *p99*"},
            {.name = "explain",
             .kind = boolean,
             .doc = "show line by line what was read",
             .help = "show line by line what was taken and what was left; of a file that no reader knows, draft a format for "
                     "plumbline.yaml"},
            content_param(),
            content_name_param(),
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "folder of the registry, for a name",
             .help = "folder of the registry, where PATH is a name; a path needs none"},
            response_format_param(),
        },
    .output_schema = schemas::text("plumbline.result.inspect.v1"),
    .examples = {"plumbline inspect before.json"},
    .run = &run_inspect,
};

}  // namespace plumbline::verbs
