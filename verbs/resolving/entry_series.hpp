// A measurement's values over its entries, key by key: what history looks at, and the noise floors that diff holds a change
// against. Entries are opened and verified like any reference; one that does not verify is left out and counted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/history/change_points.hpp"
#include "core/measurement.hpp"
#include "registry/store.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

struct KeySeries {
  core::Id key = 0;
  std::string unit;
  core::Direction direction = core::Direction::unknown;
  std::vector<double> values;          // medians of the trials, oldest first, all in this unit
  std::vector<std::uint32_t> entries;  // index into EntrySeries::slugs
};
struct EntrySeries {
  std::vector<std::string> slugs;  // of the entries that were read, oldest first
  std::vector<core::Context> contexts;
  std::vector<KeySeries> keys;   // judged rows of the newest entry, in its order; with every_key those of older ones after them
  std::uint64_t unreadable = 0;  // entries left out because they cannot be read or do not verify
  std::string first_problem;
  std::uint64_t other_units = 0;  // values left out because they are in another unit than the newest entry's
  bool bounded = false;           // older entries were left unread for their number or size
};

struct EntrySeriesQuery {
  std::string family, measurement;
  std::shared_ptr<core::StringPool> pool;
  ReadingRules reading;
  // Which entries: these alone, where it is said, so that no others are read; and by their record, before anything else is.
  std::optional<std::unordered_set<std::string>> only;
  std::function<bool(const std::string& slug, const core::BaselineRecord& record)> wanted;
  // Which keys, and the record of the entry that has one.
  std::function<bool(std::string_view key, const core::BaselineRecord& record)> wanted_key;
  // Keys that the newest entry lacks, too; and a key that changed its unit is a series in each.
  bool every_key = false;
  // Of entries of captures the digests, too: step, wall and kernel time by category.
  bool captures = false;
  std::size_t most_entries = 31;
  std::uint64_t most_bytes = 64ULL << 20;  // of their snapshots
};
[[nodiscard]] Expected<EntrySeries> read_entry_series(const registry::Store& store, const EntrySeriesQuery& query,
                                                      const Context& context);

// No fatal or weakening difference: the same question under the same conditions.
[[nodiscard]] bool same_context(const core::Context& a, const core::Context& b);

// The noise floor of each key that has five or more entries of the context of `like`, in percent; of all keys the median.
struct NoiseFloors {
  std::unordered_map<core::Id, double> by_key_pct;
  std::optional<double> median_pct;
  std::unordered_map<core::Id, std::pair<double, double>> range_by_key;  // least and most that the entries hold
  std::shared_ptr<const EntrySeries> series;                             // that they are of; null where they were given
  std::vector<core::Warning> warnings;
};
[[nodiscard]] Expected<NoiseFloors> noise_floors(const registry::Store& store, const registry::Entry& like,
                                                 const std::shared_ptr<core::StringPool>& pool, const ReadingRules& reading,
                                                 const Context& context);

// noise_floor (core/history/series.hpp) of the logarithms, in percent; none when a value is not positive.
[[nodiscard]] std::optional<double> noise_floor_pct(std::span<const double> values);

// Where values, oldest first, change their level by more than the tolerance and the noise floor, both in percent.
[[nodiscard]] std::vector<core::ChangePoint> level_changes(std::span<const double> values, double tolerance_pct,
                                                           std::optional<double> floor_pct, core::ChangePointFinder& finder);

}  // namespace plumbline::verbs
