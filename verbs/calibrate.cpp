// calibrate: tolerances for plumbline.yaml from what the entries of a measurement did when nothing happened.
#include "reports/verbs/calibrate.hpp"

#include <algorithm>
#include <map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/entry_series.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::size_t kMostEntries = 200;

// Rows of one metric share a rule: the last part of their keys names it.
std::string glob_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string(key) : "*" + std::string(key.substr(dot));
}

void add_rules(core::CalibrateResult& result, bool scalar) {
  std::map<std::string, core::CalibratedRule> by_glob;
  for (const core::CalibratedKey& one : result.keys) {
    const std::string glob = scalar ? std::string() : glob_of(one.key);
    core::CalibratedRule& rule = by_glob[glob];
    rule.glob = glob;
    rule.percent = std::max(rule.percent, one.tolerance.percent);
    ++rule.keys;
  }
  for (auto& [glob, rule] : by_glob) {
    if (rule.keys == 1 && !scalar) {
      const auto only =
          std::find_if(result.keys.begin(), result.keys.end(), [&](const auto& one) { return glob_of(one.key) == glob; });
      rule.glob = only->key;
    }
    result.rules.push_back(std::move(rule));
  }
}

Expected<Outcome> run_calibrate(const Arguments& arguments, const Context& context) {
  const auto name = parse_named_reference(arguments.text("measurement"));
  if (!name || !name->selector.empty()) {
    return core::fail(ErrorCode::usage,
                      arguments.has("measurement") ? core::cited(arguments.text("measurement")) + " is no name of a measurement"
                                                   : "there is no measurement to calibrate",
                      "`plumbline calibrate FAMILY/MEASUREMENT`");
  }
  const double alarms_pct = arguments.number("false_alarms").value_or(1);
  if (!(alarms_pct > 0 && alarms_pct < 50))
    return core::fail(ErrorCode::usage, "--false-alarms must lie between 0 and 50 (percent)", "the default is 1");
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const auto store = registry::posix_store(*root, path_limits(context));
  if (!is_known(*store, *name)) return core::fail(unknown_baseline(*store, *name));
  auto reading = reading_rules_for(*root, context);
  if (!reading) return core::fail(reading.error());

  EntrySeriesQuery query;
  query.family = name->family;
  query.measurement = name->measurement;
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

  core::CalibrateResult result;
  result.family = name->family;
  result.measurement = name->measurement;
  result.alarms_pct = alarms_pct;
  result.entries = series->slugs.size();
  for (const KeySeries& key : series->keys) {
    std::string text(pool->view(key.key));
    const auto tolerance = core::calibrate_tolerance(key.values, key.direction == core::Direction::higher, alarms_pct / 100);
    if (tolerance) {
      result.keys.push_back({std::move(text), *tolerance});
    } else {
      result.undecided.push_back(std::move(text));
    }
  }
  if (result.keys.empty()) {
    return core::fail(ErrorCode::invalid_input,
                      "the " + core::counted(result.entries, "entry", "entries") + " of " +
                          core::cited(name->family + "/" + name->measurement) +
                          " are too few to say what is normal: five values of a key are needed",
                      "record more of them, for instance by `plumbline run -n 1 --record " + name->family + "/" +
                          name->measurement + " -- CMD` ten times, or `plumbline import` what you have");
  }
  std::stable_sort(result.keys.begin(), result.keys.end(),
                   [](const auto& a, const auto& b) { return a.tolerance.spread_pct > b.tolerance.spread_pct; });
  add_rules(result, series->keys.size() == 1);
  Outcome outcome;
  outcome.json = reports::calibrate_json(result);
  outcome.text = reports::calibrate_text(result, true, context.width);
  return outcome;
}

}  // namespace

const Verb kCalibrate{
    .name = "calibrate",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Propose tolerances from history",
    .summary =
        "Propose tolerances for plumbline.yaml from what a measurement did while nothing changed, each with its false alarms and "
        "the "
        "smallest change it sees. Use it after ten to twenty entries, instead of guessing a percentage.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "measurement",
             .value_name = "F/M",
             .help = "the measurement, as record named it",
             .required = true,
             .positional = 1},
            {.name = "false_alarms",
             .kind = number,
             .value_name = "PCT",
             .help = "how often one run against another may cry wolf, default 1"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .help = "folder of the registry"},
        },
    .output_schema = schemas::text("plumbline.result.calibrate.v1"),
    .examples = {"plumbline calibrate inference/decode"},
    .run = &run_calibrate,
};

}  // namespace plumbline::verbs
