#include "verbs/history.hpp"

#include <algorithm>
#include <cmath>

#include "core/context.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/environment.hpp"
#include "verbs/reference.hpp"
#include "verbs/shared_params.hpp"
#include "verbs/warnings.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::size_t kTrendEntries = 500;
constexpr std::size_t kTrendAtLeast = 3;
constexpr std::size_t kNoiseAtLeast = 5;
constexpr std::size_t kChangePointsAtLeast = 10;

// Values in the newest value's unit, oldest first, with the index of their entry.
struct Series {
  std::string unit;
  std::vector<double> values;
  std::vector<std::size_t> entries;
};

Series same_unit_series(const core::HistoryResult& history) {
  Series series;
  bool unit_known = false;
  for (std::size_t i = history.entries.size(); i-- > 0;) {
    const core::HistoryEntry& entry = history.entries[i];
    if (!entry.value) continue;
    if (!unit_known) series.unit = entry.unit;
    unit_known = true;
    if (entry.unit != series.unit) continue;
    series.values.push_back(*entry.value);
    series.entries.push_back(i);
  }
  std::ranges::reverse(series.values);
  std::ranges::reverse(series.entries);
  return series;
}

std::optional<double> trend_pct(const std::vector<double>& all) {
  if (all.size() < kTrendAtLeast) return std::nullopt;
  const std::size_t from = all.size() > kTrendEntries ? all.size() - kTrendEntries : 0;
  const std::vector<double> values(all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
  const double middle = std::abs(core::median(values));
  if (middle == 0) return std::nullopt;
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  }
  const double trend = 100.0 * core::median(slopes) / middle;
  return std::isfinite(trend) ? std::optional(trend) : std::nullopt;
}

bool same_context(const core::Context& a, const core::Context& b) {
  const auto differences = core::context_differences(a, b, {});
  return std::ranges::none_of(
      differences, [](const core::ContextDifference& difference) { return difference.severity != core::Severity::informative; });
}

std::optional<double> noise_floor_pct(const core::HistoryResult& history, const Series& series) {
  if (series.values.empty()) return std::nullopt;
  const core::Context& newest = history.entries[series.entries.back()].context;
  std::vector<double> logarithms;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (series.values[i] > 0 && same_context(history.entries[series.entries[i]].context, newest)) {
      logarithms.push_back(std::log(series.values[i]));
    }
  }
  if (logarithms.size() < kNoiseAtLeast) return std::nullopt;
  std::vector<double> steps;
  for (std::size_t i = 1; i < logarithms.size(); ++i) steps.push_back(logarithms[i] - logarithms[i - 1]);
  return 100.0 * std::expm1(3.0 * core::robust_spread(steps));
}

std::optional<double> drift_pct(const std::vector<double>& values) {
  if (values.size() < 2 || values.front() == 0) return std::nullopt;
  const double drift = 100.0 * (values.back() - values.front()) / values.front();
  return std::isfinite(drift) ? std::optional(drift) : std::nullopt;
}

core::HistoryEntry entry_of(const std::string& slug, const std::string& directory, const registry::PathLimits& limits,
                            std::string& supersedes) {
  core::HistoryEntry entry;
  entry.slug = slug;
  entry.entry_dir = directory;
  const auto record = read_record(directory, limits);
  if (!record) {
    entry.problem = record.error().message;
    return entry;
  }
  entry.registered_at_utc = record->registered_at_utc;
  entry.label = record->label;
  entry.reason = record->reason;
  entry.value = record->value;
  entry.unit = record->unit.value_or(std::string());
  entry.tier = record->tier;
  entry.context = record->context;
  supersedes = record->supersedes;
  return entry;
}

Expected<core::Context> context_of(const std::vector<std::string>& pairs) {
  core::Context context;
  for (const std::string& pair : pairs) {
    const auto equals = pair.find('=');
    const std::string key = pair.substr(0, equals);
    if (equals == std::string::npos || !core::is_context_key(key)) {
      return core::fail(ErrorCode::usage, "--context must be GROUP.KEY=VALUE, not " + core::quoted(pair),
                        "for instance hardware.gpu=H200");
    }
    context[key] = pair.substr(equals + 1);
  }
  return context;
}

Expected<NamedReference> asked_measurement(const Arguments& arguments, const registry::Store& store) {
  NamedReference name;
  if (arguments.has("name")) {
    const auto parsed = parse_named_reference(arguments.text("name"));
    if (!parsed || !parsed->selector.empty()) {
      return core::fail(ErrorCode::usage, "--name must be family/measurement, not " + core::quoted(arguments.text("name")),
                        "write `plumbline history family/measurement`, without a slug: it lists all of them");
    }
    name = *parsed;
  }
  if (arguments.has("family")) name.family = arguments.text("family");
  if (arguments.has("measurement")) name.measurement = arguments.text("measurement");
  if (name.family.empty() || name.measurement.empty()) {
    return core::fail(ErrorCode::usage, "history needs a measurement",
                      "`plumbline history family/measurement`; " + what_is_near(store, name));
  }
  if (auto checked = registry::check_segment("family", name.family); !checked) return core::fail(std::move(checked.error()));
  if (auto checked = registry::check_segment("measurement", name.measurement); !checked)
    return core::fail(std::move(checked.error()));
  if (!is_known(store, name)) return core::fail(unknown_baseline(store, name));
  return name;
}

Expected<Outcome> run_history(const Arguments& arguments, const Context& context) {
  const auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const auto store = registry::posix_store(*root, path_limits(context));
  const auto name = asked_measurement(arguments, *store);
  if (!name) return core::fail(name.error());
  const auto filter = context_of(arguments.list("context"));
  if (!filter) return core::fail(filter.error());
  auto history = build_history(*store, name->family, name->measurement, *filter, path_limits(context));
  if (!history) return core::fail(std::move(history.error()));
  if (arguments.has("before")) {
    // Trend, noise floor and drift stay those of the whole history: only the list is turned back.
    std::erase_if(history->entries, [before = arguments.text("before")](const auto& entry) { return entry.slug >= before; });
  }
  Outcome outcome;
  outcome.json = reports::history_json(*history, response_format(arguments));
  outcome.text = reports::history_table(*history, true);
  outcome.warnings = warning_lines(history->warnings);
  return outcome;
}

}  // namespace

Expected<core::HistoryResult> build_history(const registry::Store& store, const std::string& family,
                                            const std::string& measurement, const core::Context& context_filter,
                                            const registry::PathLimits& limits) {
  core::HistoryResult history;
  history.family = family;
  history.measurement = measurement;
  const auto slugs = store.slugs(registry::Kind::entry, family, measurement);
  if (!slugs) return core::fail(slugs.error());
  const auto accepted = store.accepted(family, measurement);
  if (!accepted) return core::fail(accepted.error());
  const std::string directory = store.directory(registry::Kind::entry, family, measurement);
  std::vector<std::pair<std::string, std::string>> superseded;  // (older, newer)
  std::uint64_t unfitting = 0, unreadable = 0;
  for (const std::string& slug : *slugs) {
    if (limits.stop && limits.stop()) return core::fail(ErrorCode::cancelled, "cancelled");
    std::string supersedes;
    auto entry = entry_of(slug, directory + "/" + slug, limits, supersedes);
    if (!supersedes.empty()) superseded.emplace_back(supersedes, slug);
    entry.accepted = *accepted && (*accepted)->slug == slug;
    if (!entry.problem.empty()) ++unreadable;
    if (entry.problem.empty() && !context_fits(entry.context, context_filter)) {
      ++unfitting;
      continue;
    }
    history.entries.push_back(std::move(entry));
  }
  for (core::HistoryEntry& entry : history.entries) {
    for (const auto& [older, newer] : superseded) {
      if (older == entry.slug) entry.superseded_by = newer;
    }
  }
  const Series series = same_unit_series(history);
  history.trend_pct_per_entry = trend_pct(series.values);
  history.noise_floor_pct = noise_floor_pct(history, series);
  history.drift_pct = drift_pct(series.values);
  if (unreadable != 0) {
    history.warnings.push_back({"entry_unreadable", core::counted(unreadable, "entry", "entries") +
                                                        " cannot be read and stand in the list with what is wrong"});
  }
  if (unfitting != 0) {
    history.warnings.push_back(
        {"entries_left_out", core::counted(unfitting, "entry", "entries") + " of another context left out"});
  }
  std::size_t scalars = 0;
  for (const auto& entry : history.entries) scalars += entry.value ? 1 : 0;
  if (scalars > series.values.size()) {
    history.warnings.push_back({"units_differ", core::counted(scalars - series.values.size(), "entry", "entries") +
                                                    " in another unit than " + core::quoted(series.unit) +
                                                    ": not in trend, noise floor and drift"});
  }
  if (series.values.size() >= kChangePointsAtLeast) {
    history.warnings.push_back(
        {"change_points_not_computed", "this version does not look for change points: change_points is empty for that reason"});
  }
  return history;
}

const Verb kHistory{
    .name = "history",
    .tool = "perf_baseline_history",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "History of a measurement",
    .summary =
        "List a measurement's entries with value, tier, context and which is accepted, with trend, noise floor and drift. Use it "
        "to "
        "see which entry fits and how large a change has been normal so far.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "name", .value_name = "FAMILY/MEASUREMENT", .doc = "the measurement, in one word", .positional = 1},
            {.name = "family", .value_name = "F", .doc = "the same, in two"},
            {.name = "measurement", .value_name = "M"},
            {.name = "context", .kind = string_list, .value_name = "K=V", .doc = "only entries that fit, e.g. hardware.gpu=H200"},
            {.name = "before", .value_name = "SLUG", .doc = "only older entries, e.g. 20261120"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "where the registry is"},
            response_format_param(),
        },
    .output_schema = schemas::text("plumbline.result.history.v1"),
    .examples = {"plumbline history inference/decode"},
    .run = &run_history,
};

}  // namespace plumbline::verbs
