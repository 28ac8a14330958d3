// What a measurement's entries say together: their values in order, the trend, the spread that is normal for them. Reads
// baseline.json of every entry and verifies none: a history is for orientation, an entry is verified when it is used.
#pragma once

#include <string>

#include "core/results/baseline.hpp"
#include "registry/store.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// `context_filter` empty: every entry; else only those that fit it (verbs/reference.hpp), the others are counted in a warning.
// Trend and drift are over entries with a value in the newest value's unit. Units: percent.
// Trend: Theil 1950 / Sen 1968, the median of the slopes of all pairs (of the newest 500), in percent of the median value per
// entry; from 3 entries on. Noise floor: three robust spreads (1.4826 MAD) of the logarithms of consecutive ratios, over entries
// whose context has no fatal or weakening difference from the newest's; from 5 such entries on.
[[nodiscard]] Expected<core::HistoryResult> build_history(const registry::Store& store, const std::string& family,
                                                          const std::string& measurement, const core::Context& context_filter,
                                                          const registry::PathLimits& limits);

}  // namespace plumbline::verbs
