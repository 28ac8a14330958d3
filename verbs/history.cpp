#include "verbs/history.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/citing.hpp"
#include "core/context.hpp"
#include "core/history/change_points.hpp"
#include "core/history/series.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/look.hpp"
#include "registry/records.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/clock.hpp"
#include "verbs/resolving/entry_series.hpp"
#include "verbs/resolving/index_address.hpp"
#include "verbs/resolving/open_claims.hpp"
#include "verbs/resolving/red_streak.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::size_t kTrendEntries = 500;
constexpr std::size_t kTrendAtLeast = 3;
constexpr std::size_t kDriftKendall = 200;  // entries that the order of a drift is looked for in
// A drift of less than half the tolerance is not worth a sentence; one of the whole tolerance needs five entries in order (p
// .0167) instead of six. Of entries that scatter about one level at most .9 % drift by this rule (normal, CV .5 to 5 %, 5 to 20
// entries).
constexpr double kDriftShare = 0.5;
constexpr double kDriftP = 0.01;
constexpr double kLargeDriftP = 0.02;
constexpr std::size_t kSparkline = 60;
constexpr std::size_t kSnapshotsAtMost = 500;
constexpr std::uint64_t kSnapshotBytes = 256ULL << 20;
constexpr double kDefaultTolerance = 5;

// One key's values, oldest first, with the slug and context of each.
struct Values {
  std::string key, unit;
  std::vector<double> values;
  std::vector<std::string> slugs;
  std::vector<const core::Context*> contexts;
};

std::string percent_text(double pct) { return core::signed_number(pct, 3) + "%"; }

std::optional<double> trend_pct(std::span<const double> values) {
  if (values.size() < kTrendAtLeast) return std::nullopt;
  if (values.size() > kTrendEntries) values = values.last(kTrendEntries);
  const double middle = std::abs(core::median(values));
  const auto slope = core::theil_sen(values);
  if (middle == 0 || !slope) return std::nullopt;
  const double trend = 100.0 * *slope / middle;
  return std::isfinite(trend) ? std::optional(trend) : std::nullopt;
}

std::optional<double> step_pct(double from, double to) {
  if (from == 0) return from == to ? std::optional(0.0) : std::nullopt;
  const double pct = 100.0 * (to - from) / std::abs(from);
  return std::isfinite(pct) ? std::optional(pct) : std::nullopt;
}

bool beyond_chance(std::span<const double> values, double total_pct, double tolerance_pct) {
  const double size = std::abs(total_pct);
  if (size == 0 || size < kDriftShare * tolerance_pct) return false;
  return core::mann_kendall(values.last(std::min(values.size(), kDriftKendall))) <=
         (size >= tolerance_pct ? kLargeDriftP : kDriftP);
}

// What the neighbours' diffs hide: all of one direction, each within tolerance.
std::optional<core::HistoryDrift> drift_of(const Values& all, double tolerance_pct) {
  if (all.values.size() < 2) return std::nullopt;
  const auto total = step_pct(all.values.front(), all.values.back());
  if (!total) return std::nullopt;
  core::HistoryDrift drift;
  drift.pct = *total;
  drift.from = all.slugs.front();
  drift.to = all.slugs.back();
  drift.steps = all.values.size() - 1;
  std::vector<double> steps;
  bool defined = true;
  for (std::size_t i = 1; i < all.values.size(); ++i) {
    const auto step = step_pct(all.values[i - 1], all.values[i]);
    defined = defined && step;
    if (!step) continue;
    steps.push_back(*step);
    drift.largest_step_pct = std::max(drift.largest_step_pct.value_or(0), std::abs(*step));
  }
  drift.unseen =
      defined && *drift.largest_step_pct <= tolerance_pct * (1 + 1e-12) && beyond_chance(all.values, *total, tolerance_pct);
  if (drift.unseen) {
    drift.text = percent_text(*total) + " in " + core::counted(drift.steps, "step") + " of about " +
                 percent_text(core::median(steps)) + ", none beyond the tolerance of " + core::short_number(tolerance_pct, 3) +
                 "%: no diff of two neighbours shows it";
  }
  return drift;
}

std::vector<core::HistoryChangePoint> change_points_of(const Values& all, double tolerance_pct, std::optional<double> floor_pct,
                                                       core::ChangePointFinder& finder) {
  std::vector<core::HistoryChangePoint> out;
  for (const core::ChangePoint& point : level_changes(all.values, tolerance_pct, floor_pct, finder)) {
    core::HistoryChangePoint one;
    one.slug = all.slugs[point.at];
    one.key = all.key;
    one.before = point.before;
    one.after = point.after;
    one.change_pct = step_pct(one.before, one.after);
    one.p = point.p;
    out.push_back(std::move(one));
  }
  return out;
}

core::HistoryKey look_at(const Values& all, double tolerance_pct, core::ChangePointFinder& finder) {
  core::HistoryKey out;
  out.key = all.key;
  out.unit = all.unit;
  out.entries = all.values.size();
  out.tolerance_pct = tolerance_pct;
  if (all.values.empty()) return out;
  out.newest = all.values.back();
  out.values.assign(all.values.end() - static_cast<std::ptrdiff_t>(std::min(all.values.size(), kSparkline)), all.values.end());
  std::vector<double> alike;
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    if (same_context(*all.contexts[i], *all.contexts.back())) alike.push_back(all.values[i]);
  }
  if (alike.size() > kTrendEntries) alike.erase(alike.begin(), alike.end() - kTrendEntries);
  out.noise_floor_pct = noise_floor_pct(alike);
  out.trend_pct_per_entry = trend_pct(all.values);
  out.drift = drift_of(all, tolerance_pct);
  out.change_points = change_points_of(all, tolerance_pct, out.noise_floor_pct, finder);
  return out;
}

// In percent of the typical value, from wherever diff would take it.
double tolerance_pct_of(const std::vector<core::KeyRule>& rules, const HistoryQuery& query,
                        const std::optional<core::Tolerance>& whole, const Values& all) {
  if (query.tolerance_percent) return *query.tolerance_percent;
  const std::string_view key = all.key.empty() ? std::string_view(query.measurement) : std::string_view(all.key);
  const core::KeyRule* best = nullptr;
  for (const core::KeyRule& rule : rules) {
    if (!rule.tolerance || !core::glob_match(rule.glob, key)) continue;
    const bool better = best == nullptr || rule.source < best->source ||
                        (rule.source == best->source && core::glob_specificity(rule.glob) > core::glob_specificity(best->glob));
    if (better) best = &rule;
  }
  const core::Tolerance tolerance = best != nullptr ? *best->tolerance : whole.value_or(core::Tolerance{});
  if (tolerance.kind == core::ToleranceKind::percent) return tolerance.value;
  const double typical = std::abs(core::median(all.values));
  double size = tolerance.value;
  if (tolerance.kind == core::ToleranceKind::points) {
    const auto points = core::points_per_unit(all.unit, typical, typical);
    if (!points) return kDefaultTolerance;
    size /= *points;
  }
  return typical > 0 ? 100 * size / typical : kDefaultTolerance;
}

// True when older ones were left out.
bool keep_newest(std::vector<std::string>& slugs, std::size_t most) {
  if (most == 0 || slugs.size() <= most) return false;
  slugs.erase(slugs.begin(), slugs.end() - static_cast<std::ptrdiff_t>(most));
  return true;
}

core::HistoryEntry entry_of(const std::string& slug, const std::string& directory, const Expected<core::BaselineRecord>& record) {
  core::HistoryEntry entry;
  entry.slug = slug;
  entry.entry_dir = directory;
  if (!record) {
    entry.problem = record.error().message;
    return entry;
  }
  entry.registered_at_utc = record->registered_at_utc;
  entry.measured_at_utc = record->measured_at_utc;
  entry.label = record->label;
  entry.reason = record->reason;
  entry.value = record->value;
  entry.unit = record->unit.value_or(std::string());
  entry.tier = record->tier;
  entry.context = record->context;
  return entry;
}

// Its slug, or where it was measured before it was registered what would be the slug of that moment.
std::string place_in_time(const core::HistoryEntry& entry) {
  core::BaselineRecord record;
  record.measured_at_utc = entry.measured_at_utc;
  return registry::measured_slug(record, entry.slug);
}

Expected<core::Context> context_of(const std::vector<std::string>& pairs) {
  core::Context context;
  for (const std::string& pair : pairs) {
    const auto equals = pair.find('=');
    const std::string key = pair.substr(0, equals);
    if (equals == std::string::npos || !core::is_context_key(key)) {
      return core::fail(ErrorCode::usage, "--context must be GROUP.KEY=VALUE, not " + core::cited(pair),
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
      return core::fail(ErrorCode::usage, "--name must be family/measurement, not " + core::cited(arguments.text("name")),
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
  const auto store = open_store(*root, context);
  const registry::Look look;
  const auto name = asked_measurement(arguments, *store);
  if (!name) return core::fail(name.error());
  const auto filter = context_of(arguments.list("context"));
  if (!filter) return core::fail(filter.error());
  HistoryQuery query;
  query.family = name->family;
  query.measurement = name->measurement;
  query.context_filter = *filter;
  query.key = arguments.text("key");
  query.tolerance_percent = arguments.number("tolerance_percent");
  if (query.tolerance_percent && !(*query.tolerance_percent >= 0)) {
    return core::fail(ErrorCode::usage, "--tolerance-percent must not be negative", "5 is the default");
  }
  auto project = read_project_file(*root, context);
  if (!project) return core::fail(project.error());
  query.project = std::move(*project);
  auto reading = reading_rules_for(*root, context);
  if (!reading) return core::fail(reading.error());
  query.reading = std::move(*reading);
  auto history = build_history(*store, query, context);
  if (!history) return core::fail(std::move(history.error()));
  if (arguments.has("before")) {
    // Trend, noise floor, change points and drift stay those of the whole history: only the list is turned back.
    std::erase_if(history->entries,
                  [before = arguments.text("before")](const auto& entry) { return place_in_time(entry) >= before; });
  }
  Outcome outcome;
  outcome.json = reports::history_json(*history, response_format(arguments));
  outcome.text = reports::history_table(*history, true, context.width);
  outcome.text_has_warnings = true;
  outcome.warnings = warning_lines(history->warnings);
  return outcome;
}

// The entries' list, and what the rest is computed from.
class HistoryBuilder {
 public:
  HistoryBuilder(const registry::Store& store, const HistoryQuery& query, const Context& context)
      : store_(store), query_(query), context_(context), limits_(path_limits(context)) {}

  Expected<core::HistoryResult> build() {
    out_.family = query_.family;
    out_.measurement = query_.measurement;
    if (auto listed = list_entries(); !listed) return core::fail(listed.error());
    if (auto valued = newest_.has_value() && !newest_->value ? look_at_keys() : look_at_scalars(); !valued)
      return core::fail(valued.error());
    say_drift();
    if (auto read = list_diffs(); !read) return core::fail(read.error());
    const std::string today = registry::utc_text(context_.now()).substr(0, 10);
    auto newest = newest_diffs(store_, query_.family, query_.measurement, today, limits_);
    if (!newest) return core::fail(newest.error());
    out_.red = std::move(newest->red);
    return std::move(out_);
  }

 private:
  Status list_entries() {
    auto slugs = store_.slugs(registry::Kind::entry, query_.family, query_.measurement);
    if (!slugs) return core::fail(slugs.error());
    if (const std::size_t all = slugs->size(); keep_newest(*slugs, query_.newest_entries)) {
      warn("history_bounded", "of " + core::counted(all, "entry", "entries") + " the newest " +
                                  std::to_string(query_.newest_entries) + " were looked at");
    }
    const auto accepted = store_.accepted(query_.family, query_.measurement);
    if (!accepted) return core::fail(accepted.error());
    if (auto open = unfinished_acceptances(store_, query_.family, query_.measurement)) out_.warnings.push_back(std::move(*open));
    const std::string directory = store_.directory(registry::Kind::entry, query_.family, query_.measurement);
    std::map<std::string, std::string> superseded;  // older -> newer
    std::uint64_t unfitting = 0, unreadable = 0;
    std::string newest, newest_slug;
    registry::Records records(store_, query_.family, query_.measurement, limits_);
    for (const std::string& slug : *slugs) {
      if (context_.stop_asked()) return core::fail(cancelled_error());
      const auto record = records.read(slug);
      if (!record && !registry::path_kind(directory + "/" + slug, limits_)) continue;  // gc took it away since it was listed
      auto entry = entry_of(slug, store_.address_of(directory + "/" + slug), record);
      if (record && !record->supersedes.empty()) superseded[record->supersedes] = slug;
      entry.accepted = *accepted && (*accepted)->slug == slug;
      unreadable += record ? 0 : 1;
      if (record && !context_fits(entry.context, query_.context_filter)) {
        ++unfitting;
        continue;
      }
      if (record && registry::measured_slug(*record, slug) >= newest) {
        newest = registry::measured_slug(*record, slug);
        newest_slug = slug;
      }
      out_.entries.push_back(std::move(entry));
    }
    for (core::Warning& warning : records.warnings()) out_.warnings.push_back(std::move(warning));
    std::ranges::stable_sort(out_.entries, {}, place_in_time);
    if (!newest_slug.empty()) {  // all of it: its rules are asked for
      auto record = read_record(directory + "/" + newest_slug, limits_);
      if (record) newest_ = std::move(*record);
      const auto fits = [this](const core::BaselineRecord& each) { return context_fits(each.context, query_.context_filter); };
      auto warning = clock_against_newest(store_, query_.family, query_.measurement, newest_slug, context_.now(), limits_, fits);
      if (warning) out_.warnings.push_back(std::move(*warning));
    }
    for (core::HistoryEntry& entry : out_.entries) {
      if (const auto newer = superseded.find(entry.slug); newer != superseded.end()) entry.superseded_by = newer->second;
    }
    if (unreadable != 0) {
      warn("entry_unreadable",
           core::counted(unreadable, "entry", "entries") + " cannot be read and are in the list with what is wrong");
    }
    if (unfitting != 0) {
      warn("entries_left_out", core::counted(unfitting, "entry", "entries") + " of another context left out");
    }
    if (newest_) {
      const ProjectSettings settings = settings_for(query_.project, query_.family, query_.measurement, newest_->format.name);
      rules_ = settings.key_rules;
      whole_tolerance_ = settings.tolerance;
      const auto entry = entry_key_rules(*newest_);
      if (!entry) return core::fail(entry.error());
      rules_.insert(rules_.end(), entry->begin(), entry->end());
    }
    return {};
  }

  Status look_at_scalars() {
    if (!query_.key.empty() && newest_ && !core::glob_match(query_.key, query_.measurement)) {
      return core::fail(ErrorCode::usage, query_.family + "/" + query_.measurement + " is one number and has no keys",
                        "leave --key out");
    }
    Values all;
    bool unit_known = false;
    std::size_t scalars = 0;
    const core::Context* newest = nullptr;
    for (auto entry = out_.entries.rbegin(); entry != out_.entries.rend(); ++entry) {
      if (!entry->value) continue;
      ++scalars;
      if (!unit_known) all.unit = entry->unit;
      unit_known = true;
      if (entry->unit != all.unit) continue;
      if (newest == nullptr) newest = &entry->context;
      if (is_apart(entry->context, *newest)) continue;
      add(all, *entry->value, entry->slug, entry->context);
    }
    turn_round(all);
    if (scalars > all.values.size() + apart_) {
      warn("units_differ", core::counted(scalars - all.values.size() - apart_, "entry", "entries") + " in another unit than " +
                               core::cited(all.unit) + ": not in trend, noise floor, change points and drift");
    }
    say_apart();
    core::ChangePointFinder finder;
    out_.whole = look_at(all, tolerance_of(all), finder);
    return {};
  }

  Status look_at_keys() {
    EntrySeriesQuery query;
    query.family = query_.family;
    query.measurement = query_.measurement;
    query.pool = std::make_shared<core::StringPool>();
    query.reading = query_.reading;
    query.most_entries = kSnapshotsAtMost;
    query.most_bytes = kSnapshotBytes;
    query.captures = true;
    std::vector<std::string> keys_seen;
    query.only.emplace();
    for (const core::HistoryEntry& entry : out_.entries) query.only->insert(entry.slug);
    query.wanted = [](const std::string&, const core::BaselineRecord& record) { return !record.value; };
    query.wanted_key = [&](std::string_view key, const core::BaselineRecord& newest) {
      if (query_.key.empty()) {
        return newest.headline.empty() ||
               std::ranges::any_of(newest.headline, [&](const std::string& headline) { return core::glob_match(headline, key); });
      }
      if (keys_seen.size() < kKeysToSuggest) keys_seen.emplace_back(key);
      return core::glob_match(query_.key, key);
    };
    auto series = read_entry_series(store_, query, context_);
    if (!series) return core::fail(series.error());
    if (series->keys.empty() && !query_.key.empty()) {
      if (keys_seen.empty()) return {};  // nothing could be read: the list says what is wrong
      std::string hint = did_you_mean(query_.key, keys_seen);
      if (hint.empty()) hint = "the newest entry has " + core::cited_list(keys_seen);
      return core::fail(ErrorCode::usage, "no key of the newest entry matches --key " + core::cited(query_.key), hint);
    }
    if (series->unreadable != 0) {
      warn("entry_unreadable",
           core::counted(series->unreadable, "entry", "entries") + " without values here, first: " + series->first_problem);
    }
    if (series->bounded) {
      warn("history_bounded", "values are those of the newest " + core::counted(series->slugs.size(), "entry", "entries") +
                                  ": more are not read at once (500 entries, 256 MiB)");
    }
    if (series->other_units != 0) {
      warn("units_differ", core::counted(series->other_units, "value") +
                               " in another unit than the newest entry has: not in trend, noise floor, change points and drift");
    }
    core::ChangePointFinder finder;
    std::vector<bool> apart(series->slugs.size());
    for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = is_apart(series->contexts[i], series->contexts.back());
    say_apart();
    for (const KeySeries& key : series->keys) {
      if (context_.stop_asked()) return core::fail(cancelled_error());
      Values all;
      all.key = query.pool->view(key.key);
      all.unit = key.unit;
      for (std::size_t i = 0; i < key.values.size(); ++i) {
        const std::uint32_t at = key.entries[i];
        if (!apart[at]) add(all, key.values[i], series->slugs[at], series->contexts[at]);
      }
      out_.keys.push_back(look_at(all, tolerance_of(all), finder));
    }
    out_.keys_total = out_.keys.size();
    // What has something to say first; else the newest entry's own order.
    std::ranges::stable_sort(out_.keys, std::greater<>(), [](const core::HistoryKey& key) {
      return (key.drift && key.drift->unseen ? 2 : 0) + (key.change_points.empty() ? 0 : 1);
    });
    if (!out_.keys.empty()) show_values(out_.keys.front(), *series, query);
    if (out_.keys.size() > kKeysKept) out_.keys.resize(kKeysKept);
    return {};
  }

  // The first key stands in the list of entries, as a scalar's value does.
  void show_values(const core::HistoryKey& key, const EntrySeries& series, const EntrySeriesQuery& query) {
    out_.whole = key;
    for (const KeySeries& one : series.keys) {
      if (query.pool->view(one.key) != key.key) continue;
      for (std::size_t i = 0; i < one.values.size(); ++i) {
        const auto entry = std::ranges::find(out_.entries, series.slugs[one.entries[i]], &core::HistoryEntry::slug);
        if (entry == out_.entries.end()) continue;
        entry->value = one.values[i];
        entry->unit = one.unit;
      }
    }
  }

  Status list_diffs() {
    std::string since;
    if (query_.newest_diffs > 0) {
      auto slugs = store_.slugs(registry::Kind::bundle, query_.family, query_.measurement);
      if (!slugs) return core::fail(slugs.error());
      if (keep_newest(*slugs, query_.newest_diffs)) since = slugs->front();
    }
    const auto found = registry::bundle_heads(store_, query_.family, query_.measurement, since, limits_);
    if (!found) return core::fail(found.error());
    for (const registry::BundleHead& head : found->heads) {
      out_.diffs.push_back(
          {head.slug, store_.address_of(head.path), head.verdict, head.tier, head.baseline_slug, head.superseded_by});
    }
    if (found->unreadable != 0) {
      warn("unreadable", core::counted(found->unreadable, "diff") + " of this measurement cannot be read");
    }
    if (found->older != 0) {
      warn("history_bounded", "the oldest " + core::counted(found->older, "diff") + " of this measurement left out");
    }
    return {};
  }

  void say_drift() {
    std::vector<const core::HistoryKey*> drifting;
    if (out_.keys.empty() && out_.whole.drift && out_.whole.drift->unseen) drifting.push_back(&out_.whole);
    for (const core::HistoryKey& key : out_.keys) {
      if (key.drift && key.drift->unseen) drifting.push_back(&key);
    }
    if (drifting.empty()) return;
    const core::HistoryKey& first = *drifting.front();
    std::string text = (first.key.empty() ? "" : first.key + ": ") + first.drift->text + "; `plumbline diff --initial " +
                       query_.family + "/" + query_.measurement + "@" + first.drift->from + "` does";
    if (drifting.size() > 1) text += "; " + core::counted(drifting.size() - 1, "more key") + " likewise";
    warn("drift_unseen", text);
  }

  bool is_apart(const core::Context& context, const core::Context& newest) {
    if (context_fits(context, newest)) return false;
    ++apart_;
    if (apart_from_.empty()) {
      for (const auto& difference : core::context_differences(context, newest, {})) {
        if (difference.severity != core::Severity::fatal || !difference.baseline_known || !difference.current_known) continue;
        apart_from_ = difference.key + " " + core::cited(difference.baseline) + ", the newest " + core::cited(difference.current);
        break;
      }
    }
    return true;
  }
  void say_apart() {
    if (apart_ == 0) return;
    warn("contexts_differ", core::counted(apart_, "entry", "entries") +
                                " of a context that cannot be compared with the newest's (" + apart_from_ +
                                "): not in trend, noise floor, change points and drift");
  }

  static void add(Values& all, double value, const std::string& slug, const core::Context& context) {
    all.values.push_back(value);
    all.slugs.push_back(slug);
    all.contexts.push_back(&context);
  }
  static void turn_round(Values& all) {
    std::ranges::reverse(all.values);
    std::ranges::reverse(all.slugs);
    std::ranges::reverse(all.contexts);
  }
  [[nodiscard]] double tolerance_of(const Values& all) const { return tolerance_pct_of(rules_, query_, whole_tolerance_, all); }
  void warn(core::WarningCode code, std::string message) { out_.warnings.push_back({code, std::move(message)}); }

  static constexpr std::size_t kKeysToSuggest = 10'000;
  static constexpr std::size_t kKeysKept = 1000;

  const registry::Store& store_;
  const HistoryQuery& query_;
  const Context& context_;
  registry::PathLimits limits_;
  core::HistoryResult out_;
  std::optional<core::BaselineRecord> newest_;
  std::vector<core::KeyRule> rules_;
  std::optional<core::Tolerance> whole_tolerance_;
  std::uint64_t apart_ = 0;
  std::string apart_from_;
};

}  // namespace

Expected<core::HistoryResult> build_history(const registry::Store& store, const HistoryQuery& query, const Context& context) {
  return HistoryBuilder(store, query, context).build();
}

const Verb kHistory{
    .name = "history",
    .tool = "perf_baseline_history",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "History of a measurement",
    .summary =
        "List a measurement's entries and diffs, with trend, noise floor, changes of level and drift. Use it to see which entry "
        "fits, how large a change has been normal so far, and when a level changed.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "name",
             .value_name = "FAMILY/MEASUREMENT",
             .doc = "family/measurement",
             .help = "the measurement, as one word",
             .positional = 1},
            {.name = "family", .value_name = "F", .doc = "instead of name", .help = "its first part, instead of the name"},
            {.name = "measurement", .value_name = "M", .doc = "instead of name", .help = "its second part, instead of the name"},
            {.name = "context",
             .kind = string_list,
             .value_name = "K=V",
             .doc = "only entries that fit: hardware.gpu=H200",
             .help = "only entries that fit this, e.g. hardware.gpu=H200"},
            {.name = "key",
             .value_name = "KEY",
             .doc = "glob of rows, else the headlines",
             .help = "rows of structured entries (a glob), default the headlines"},
            {.name = "tolerance_percent",
             .kind = number,
             .value_name = "N",
             .doc = "smaller changes of level do not count",
             .help = "smaller changes of level do not count; default as in diff"},
            {.name = "before",
             .value_name = "SLUG",
             .doc = "only older ones: 20261120",
             .help = "only entries older than this, e.g. 20261120"},
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "folder of the registry",
             .help = "folder of the registry"},
            index_param(),
            response_format_param(),
        },
    .output_schema = schemas::text("plumbline.result.history.v1"),
    .examples = {"plumbline history inference/decode", "plumbline history nccl/busbw --key '*busbw*'"},
    .run = &run_history,
};

}  // namespace plumbline::verbs
