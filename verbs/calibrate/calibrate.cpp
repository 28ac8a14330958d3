// calibrate: tolerances for plumbline.yaml from what a measurement did when nothing happened: its entries, or runs of one build.
#include "reports/verbs/calibrate.hpp"

#include <algorithm>
#include <span>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calibrate/noise_run.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/entry_series.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::size_t kMostEntries = 200;

core::Worse worse_of(core::Direction direction) {
  if (direction == core::Direction::higher) return core::Worse::fall;
  return direction == core::Direction::lower ? core::Worse::rise : core::Worse::either;
}

void add(core::CalibrateResult& result, std::string key, std::span<const double> values, core::Direction direction) {
  const auto tolerance = core::calibrate_tolerance(values, worse_of(direction), result.alarms_pct / 100, result.series);
  if (tolerance) {
    result.keys.push_back({std::move(key), *tolerance});
  } else {
    result.undecided.push_back(std::move(key));
  }
}

Status add_history(core::CalibrateResult& result, const NamedReference& name, const Arguments& arguments,
                   const Context& context) {
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const auto store = open_store(*root, context);
  if (!is_known(*store, name)) {
    return core::fail(
        or_a_path(unknown_baseline(*store, name), absolute(context, name.family + "/" + name.measurement), path_limits(context)));
  }
  auto reading = reading_rules_for(*root, context);
  if (!reading) return core::fail(reading.error());
  EntrySeriesQuery query;
  query.family = name.family;
  query.measurement = name.measurement;
  query.pool = std::make_shared<core::StringPool>();
  query.reading = std::move(*reading);
  query.most_entries = kMostEntries;
  const auto pool = query.pool;
  // Entries come newest first: those of another machine or another question say nothing of this one's noise.
  std::optional<core::Context> newest;
  query.wanted = [&newest](const std::string&, const core::BaselineRecord& record) {
    if (!newest) newest = record.context;
    return same_context(*newest, record.context);
  };
  auto series = read_entry_series(*store, query, context);
  if (!series) return core::fail(series.error());
  result.entries = series->slugs.size();
  for (const KeySeries& key : series->keys) add(result, std::string(pool->view(key.key)), key.values, key.direction);
  if (!result.keys.empty()) return {};
  const std::string text = name.family + "/" + name.measurement;
  return core::fail(ErrorCode::invalid_input,
                    "the " + core::counted(result.entries, "entry", "entries") + " of " + core::cited(text) +
                        " are too few to say what is normal: five values of a key are needed",
                    "measure the noise instead: `plumbline run -n 15 --keep DIR -- CMD` and `plumbline calibrate DIR`; or "
                    "`plumbline import` what you have");
}

Status add_runs(core::CalibrateResult& result, const std::vector<std::string>& paths, const Arguments& arguments,
                const Context& context) {
  auto run = read_noise_run(paths, arguments, context, result.measurement.empty() ? "value" : result.measurement);
  if (!run) return core::fail(run.error());
  result.series = core::Series::runs;
  result.entries = run->runs;
  result.warnings = std::move(run->warnings);
  for (NoiseSeries& key : run->keys) add(result, std::move(key.key), key.values, key.direction);
  if (!result.keys.empty()) return {};
  return core::fail(ErrorCode::invalid_input,
                    core::counted(result.entries, "run") + (result.entries == 1 ? " is" : " are") +
                        " too few to say what is normal: five values of a key are needed",
                    "ten to twenty runs of one build tell: `plumbline run -n 15 --keep DIR -- CMD`");
}

// What is meant by a single word: a measurement of the registry, or a path. nullopt: paths.
Expected<std::optional<NamedReference>> measurement_of(const std::vector<std::string>& given, const Arguments& arguments,
                                                       const Context& context) {
  if (given.size() != 1) return std::nullopt;
  const auto name = parse_named_reference(given.front());
  if (!name || !name->selector.empty()) return std::nullopt;
  const registry::PathLimits limits = path_limits(context);
  if (!registry::path_kind(absolute(context, given.front()), limits)) return name;
  const auto root = root_of(arguments, context);
  if (!root || !is_known(*open_store(*root, context), *name)) return std::nullopt;
  return core::fail(
      ErrorCode::usage, core::cited(given.front()) + " names a registered measurement and a path here",
      "write " + core::cited_path("./" + given.front()) + " for the path, or call it in another folder for the registry");
}

Status check_name(const Arguments& arguments, core::CalibrateResult& result) {
  if (!arguments.has("name")) return {};
  const auto name = parse_named_reference(arguments.text("name"));
  if (!name || !name->selector.empty()) {
    return core::fail(ErrorCode::usage, "--name " + core::cited(arguments.text("name")) + " is no name of a measurement",
                      "write FAMILY/MEASUREMENT, for instance llm/decode");
  }
  result.family = name->family;
  result.measurement = name->measurement;
  return {};
}

void add_rules(core::CalibrateResult& result) {
  std::stable_sort(result.keys.begin(), result.keys.end(),
                   [](const auto& a, const auto& b) { return a.tolerance.spread_pct > b.tolerance.spread_pct; });
  std::vector<core::KeyTolerance> keys;
  for (const core::CalibratedKey& one : result.keys) keys.push_back({one.key, one.tolerance.percent});
  result.rules = core::rules_for_keys(keys);
  // A scalar's row has no name of its own.
  if (result.keys.size() + result.undecided.size() == 1) result.rules.front().glob.clear();
}

Expected<Outcome> run_calibrate(const Arguments& arguments, const Context& context) {
  const std::vector<std::string>& given = arguments.list("measurement");
  if (given.empty()) {
    return core::fail(ErrorCode::usage, "there is nothing to calibrate from",
                      "`plumbline calibrate FAMILY/MEASUREMENT`, or ten to twenty files of one build");
  }
  core::CalibrateResult result;
  result.alarms_pct = arguments.number("false_alarms").value_or(1);
  if (!(result.alarms_pct > 0 && result.alarms_pct < 50))
    return core::fail(ErrorCode::usage, "--false-alarms must lie between 0 and 50 (percent)", "the default is 1");
  if (auto ok = check_name(arguments, result); !ok) return core::fail(ok.error());
  const auto name = measurement_of(given, arguments, context);
  if (!name) return core::fail(name.error());
  if (*name && arguments.has("name"))
    return core::fail(ErrorCode::usage, "--name names files, and " + core::cited(given.front()) + " has its name",
                      "leave out --name");
  if (*name) {
    result.family = (*name)->family;
    result.measurement = (*name)->measurement;
    if (auto ok = add_history(result, **name, arguments, context); !ok) return core::fail(ok.error());
  } else if (auto ok = add_runs(result, given, arguments, context); !ok) {
    return core::fail(ok.error());
  }
  add_rules(result);
  Outcome outcome;
  outcome.json = reports::calibrate_json(result);
  outcome.text = reports::calibrate_text(result, true, context.width);
  for (const core::Warning& warning : result.warnings)
    outcome.warnings.push_back(std::string(warning.code.text()) + ": " + warning.message);
  return outcome;
}

}  // namespace

const Verb kCalibrate{
    .name = "calibrate",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Propose tolerances from history or a noise run",
    .summary =
        "Propose tolerances for plumbline.yaml from how much a measurement scattered while nothing changed, each with its rate "
        "of false alarms and the smallest change that it detects. Use it after ten to twenty entries or runs, instead of "
        "guessing a percentage.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "measurement",
             .kind = path_list,
             .value_name = "F/M|PATH",
             .help = "a recorded measurement; or runs of one build: their files, a folder of them, or what run --keep kept",
             .page = "a recorded measurement; or runs of one build: a file each, a folder of them, or the folder (or its "
                     "`run.json`) that `run --keep` wrote",
             .required = true,
             .positional = 1},
            {.name = "name", .value_name = "F/M", .help = "the measurement that the files belong to, for the rules"},
            {.name = "format", .value_name = "NAME", .help = "read files as this format instead of detecting it"},
            {.name = "false_alarms",
             .kind = number,
             .value_name = "PCT",
             .help = "percent of comparisons of one run with another that may be false alarms, default 1"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .help = "folder of the registry"},
        },
    .output_schema = schemas::text("plumbline.result.calibrate.v1"),
    .examples = {"plumbline calibrate inference/decode", "plumbline calibrate noise --name inference/decode"},
    .run = &run_calibrate,
};

}  // namespace plumbline::verbs
