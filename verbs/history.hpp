// What a measurement's entries say together: their values in order, the trend, the spread that is normal for them, where the
// level changed, and the drift that no diff of neighbours shows. Scalars come from baseline.json of every entry and are not
// verified: a history is for orientation, an entry is verified when it is used. The values of structured entries come from
// their snapshots, which are.
#pragma once

#include <string>

#include "core/results/baseline.hpp"
#include "registry/store.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct HistoryQuery {
  std::string family, measurement;
  core::Context
      context_filter;  // empty: every entry; else only those that fit it (verbs/resolving/reference.hpp), the others are counted
  std::string key;     // glob over the keys of structured entries; empty: the headlines, or all when there are none
  std::optional<double> tolerance_percent;  // else the project file's, the newest entry's, 5 %
  ProjectFile project;
  ReadingRules reading;
  // 0: all; else the newest of each, which a warning says: for whoever shows a page and not a list.
  std::size_t newest_entries = 0, newest_diffs = 0;
};

// Trend, drift and change points are over entries with a value in the newest value's unit, whose context has no fatal
// difference from the newest's. Units: percent.
// Trend: Theil & Sen (core/history/series.hpp) over the newest 500, in percent of the median value per entry; from 3 entries on.
// Noise floor: noise_floor (core/history/series.hpp) over entries without a fatal or weakening difference; from 5 on.
// Change points: core/history/change_points.hpp over logarithms, at least as large as tolerance and noise floor; from 10 on.
// Drift: newest against oldest; unseen when all entries go one way beyond chance (Mann & Kendall, p <= .01), no neighbours differ
// by more than the tolerance, and together it is half of it or more.
[[nodiscard]] Expected<core::HistoryResult> build_history(const registry::Store& store, const HistoryQuery& query,
                                                          const Context& context);

}  // namespace plumbline::verbs
