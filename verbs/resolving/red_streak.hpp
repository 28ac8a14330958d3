// Since when the diffs of a measurement are RED, and what the newest said. Read from the newest bundles backwards as far as
// needed: a bundle that says itself since when ends the search, so that it costs the same whatever the registry holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/store.hpp"

namespace plumbline::verbs {

inline constexpr std::size_t kStreakAtMost = 100;  // bundles that are looked into

struct NewestDiffs {
  std::optional<core::Verdict> verdict;  // of the newest that can be read
  std::optional<core::RedStreak> red;    // of the newest, where they are RED; days up to `today`
};
// Of published bundles; nothing where there are none. `today`: "2026-11-23".
[[nodiscard]] core::Expected<NewestDiffs> newest_diffs(const registry::Store& store, std::string_view family,
                                                       std::string_view measurement, std::string_view today,
                                                       const registry::PathLimits& limits);

}  // namespace plumbline::verbs
