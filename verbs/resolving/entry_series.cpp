#include "verbs/resolving/entry_series.hpp"

#include <algorithm>
#include <cmath>

#include "core/context.hpp"
#include "core/history/series.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "registry/look.hpp"
#include "verbs/resolving/baseline_side.hpp"
#include "verbs/resolving/digest_rows.hpp"
#include "verbs/resolving/inputs.hpp"
#include "verbs/resolving/measured_order.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {
namespace {

// Beyond so many baseline.json of other contexts the search for fitting entries ends. What asks for captures, too, searches
// nothing: it knows its entries.
constexpr std::size_t kRecordsAtMost = 1000;

bool is_judged(const core::Measurement& measurement, const core::Row& row) {
  const core::Role role = measurement.metric_class(row).role;
  return row.value_count > 0 && (role == core::Role::judged || role == core::Role::gate);
}

}  // namespace

bool same_context(const core::Context& a, const core::Context& b) {
  const auto differences = core::context_differences(a, b, {});
  return std::ranges::none_of(
      differences, [](const core::ContextDifference& difference) { return difference.severity != core::Severity::informative; });
}

std::optional<double> noise_floor_pct(std::span<const double> values) {
  std::vector<double> logarithms;
  logarithms.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0)) return std::nullopt;
    logarithms.push_back(std::log(value));
  }
  const auto floor = core::noise_floor(logarithms);
  if (!floor) return std::nullopt;
  const double pct = 100 * std::expm1(*floor);
  return std::isfinite(pct) ? std::optional(pct) : std::nullopt;
}

std::vector<core::ChangePoint> level_changes(std::span<const double> values, double tolerance_pct,
                                             std::optional<double> floor_pct, core::ChangePointFinder& finder) {
  // Ranks are the same for logarithms; only the least size of a change asks for them.
  std::vector<double> x(values.begin(), values.end());
  const bool ratios = std::ranges::all_of(x, [](double value) { return value > 0; });
  core::ChangePointRules rules;
  if (ratios) {
    for (double& value : x) value = std::log(value);
    rules.least_change = std::log1p(std::max(tolerance_pct, floor_pct.value_or(0)) / 100);
  } else {
    std::vector<double> sizes = x;
    for (double& value : sizes) value = std::abs(value);
    rules.least_change = tolerance_pct / 100 * core::median(sizes);
  }
  std::vector<core::ChangePoint> found = finder.find(x, rules);
  if (ratios) {
    for (core::ChangePoint& point : found) {
      point.before = std::exp(point.before);
      point.after = std::exp(point.after);
    }
  }
  return found;
}

Expected<EntrySeries> read_entry_series(const registry::Store& store, const EntrySeriesQuery& query, const Context& context) {
  EntrySeries out;
  const std::string directory = store.directory(registry::Kind::entry, query.family, query.measurement);
  const auto limits = path_limits(context);
  std::unordered_map<std::uint64_t, std::size_t> index;  // by key, with every_key also by unit
  std::unordered_set<core::Id> unwanted;
  std::uint64_t bytes = 0;
  std::size_t records = 0;
  const registry::Look look;
  // What gc took away since it was listed is not missed.
  const auto problem = [&](const std::string& path, const std::string& message) {
    if (!registry::path_kind(path, limits)) return;
    if (out.unreadable++ == 0) out.first_problem = message;
  };
  // Newest first, so that a bound leaves out the oldest; turned round at the end.
  NewestMeasuredFirst newest_first(store, query.family, query.measurement, limits);
  for (std::size_t met = 0; !query.only || met < query.only->size();) {
    const auto slug = newest_first.next();
    if (!slug) return core::fail(slug.error());
    if (!*slug) break;
    if (context.stop_asked()) return core::fail(cancelled_error());
    if (query.only && !query.only->contains(**slug)) continue;
    ++met;
    const std::string path = directory + "/" + **slug;
    const auto record = read_record(path, limits);
    if (!record) {
      problem(path, record.error().message);
      continue;
    }
    const bool capture = record->shape == core::Shape::profile;
    if ((capture && !query.captures) || (query.wanted && !query.wanted(**slug, *record))) {
      if (!query.captures && ++records > kRecordsAtMost) {
        out.bounded = true;
        break;
      }
      continue;
    }
    bytes += capture ? 0 : record->snapshot_bytes;
    if (out.slugs.size() == query.most_entries || (bytes > query.most_bytes && !out.slugs.empty())) {
      out.bounded = true;
      break;
    }
    if (capture) {
      if (auto ok = store.bring({registry::Kind::entry, query.family, query.measurement, **slug, false}); !ok) {
        problem(path, ok.error().message);
        continue;
      }
    }
    auto opened = capture ? open_digest(path, *record, query.pool, context)
                          : open_baseline(path, store, nullptr, "", query.pool, query.reading, context);
    if (!opened) {
      problem(path, opened.error().message);
      continue;
    }
    if (opened->measurement == nullptr) continue;
    const core::Measurement& measurement = *opened->measurement;
    const bool newest = out.slugs.empty();
    const auto at = static_cast<std::uint32_t>(out.slugs.size());
    for (const core::Row& row : measurement.rows()) {
      if (row.value_count == 0) continue;
      const core::MetricClass& klass = measurement.metric_class(row);
      const std::uint64_t place = row.key + (query.every_key ? std::uint64_t{klass.unit} << 32 : 0);
      auto known = index.find(place);
      if (known == index.end()) {
        if (!newest && !query.every_key) continue;
        if (!is_judged(measurement, row) && measurement.shape != core::Shape::scalar) continue;
        if (unwanted.contains(row.key)) continue;
        if (query.wanted_key && !query.wanted_key(measurement.key(row), *record)) {
          unwanted.insert(row.key);
          continue;
        }
        known = index.emplace(place, out.keys.size()).first;
        out.keys.push_back({row.key, std::string(measurement.unit(row)), klass.direction, {}, {}});
      }
      KeySeries& series = out.keys[known->second];
      if (!series.entries.empty() && series.entries.back() == at) continue;
      if (series.unit != measurement.unit(row)) {
        ++out.other_units;
        continue;
      }
      series.values.push_back(core::median(measurement.values(row)));
      series.entries.push_back(at);
    }
    out.slugs.push_back(**slug);
    out.contexts.push_back(std::move(opened->context));
  }
  std::ranges::reverse(out.slugs);
  std::ranges::reverse(out.contexts);
  for (KeySeries& series : out.keys) {
    std::ranges::reverse(series.values);
    std::ranges::reverse(series.entries);
    for (std::uint32_t& entry : series.entries) entry = static_cast<std::uint32_t>(out.slugs.size()) - 1 - entry;
  }
  return out;
}

namespace {

// As the bundle keeps them, and back.
UsedHistory history_of(const NoiseFloors& floors, const core::StringPool& pool) {
  UsedHistory out;
  out.median_pct = floors.median_pct;
  for (const auto& [key, floor] : floors.by_key_pct) {
    out.keys.push_back({std::string(pool.view(key)), floor, floors.range_by_key.at(key)});
  }
  std::ranges::sort(out.keys, {}, &UsedHistory::Key::key);
  return out;
}

NoiseFloors floors_of(const UsedHistory& history, core::StringPool& pool) {
  NoiseFloors out;
  out.median_pct = history.median_pct;
  for (const UsedHistory::Key& key : history.keys) {
    const core::Id id = pool.intern(key.key);
    out.by_key_pct.emplace(id, key.floor_pct);
    out.range_by_key.emplace(id, key.range);
  }
  return out;
}

}  // namespace

Expected<NoiseFloors> noise_floors(const registry::Store& store, const registry::Entry& like,
                                   const std::shared_ptr<core::StringPool>& pool, const ReadingRules& reading,
                                   const Context& context) {
  if (context.inputs != nullptr) {
    if (const UsedHistory* given = context.inputs->given_history(like)) return floors_of(*given, *pool);
  }
  NoiseFloors out;
  EntrySeriesQuery query;
  query.family = like.family;
  query.measurement = like.measurement;
  query.pool = pool;
  query.reading = reading;
  query.wanted = [&](const std::string&, const core::BaselineRecord& record) {
    return same_context(record.context, like.record.context);
  };
  const auto slugs = store.newest_slugs(registry::Kind::entry, like.family, like.measurement, core::kNoiseFloorAtLeast);
  if (!slugs || slugs->size() < core::kNoiseFloorAtLeast) return out;  // an entry of another registry has no history here
  Context apart = context;
  apart.inputs = nullptr;  // of the entries before nothing but the floors is an input
  auto read = read_entry_series(store, query, apart);
  if (!read) return core::fail(read.error());
  const auto series = std::make_shared<const EntrySeries>(std::move(*read));
  out.series = series;
  std::vector<double> floors;
  for (const KeySeries& key : series->keys) {
    const auto floor = noise_floor_pct(key.values);
    if (!floor) continue;
    out.by_key_pct.emplace(key.key, *floor);
    const auto [low, high] = std::minmax_element(key.values.begin(), key.values.end());
    out.range_by_key.emplace(key.key, std::pair(*low, *high));
    floors.push_back(*floor);
  }
  if (!floors.empty()) out.median_pct = core::median(floors);
  if (series->unreadable != 0) {
    out.warnings.push_back(
        {"entry_unreadable", core::counted(series->unreadable, "entry", "entries") +
                                 " of the history not used for noise floors, first: " + series->first_problem});
  }
  if (context.inputs != nullptr) context.inputs->note_history(like, history_of(out, *pool));
  return out;
}

}  // namespace plumbline::verbs
