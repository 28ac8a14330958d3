// A clock that was set back. Slugs are UTC times, and "newest" is the last of them: an entry that was registered after the clock
// went back sorts before those that were there already, and would be passed over in silence. Two things tell of it: a slug that
// lies in the future, and an entry that says it came after one (`supersedes`) whose slug is later than its own.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/measurement.hpp"
#include "core/results/baseline.hpp"
#include "registry/store.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {

using Moment = std::chrono::system_clock::time_point;

// clock_set_back, where the order of time made `chosen` the newest of its measurement and that order cannot be believed. `fits`:
// whether another entry could have been chosen instead; empty: any could.
[[nodiscard]] std::optional<core::Warning> clock_against_newest(
    const registry::Store& store, const std::string& family, const std::string& measurement, const std::string& chosen,
    Moment now, const registry::PathLimits& limits, const std::function<bool(const core::BaselineRecord&)>& fits = {});

// That warning among those of a reference, where its text left the choice to time: a name without a slug of which no acceptance
// chose.
void add_clock_warning(Reference& reference, std::string_view text, const registry::Store& store, const core::Context* current,
                       std::span<const std::string> varying, const Context& context);

// The same as an entry is registered at `now` behind the newest, which stays the newest.
[[nodiscard]] std::optional<core::Warning> clock_against_record(const std::string& family, const std::string& measurement,
                                                                const std::string& newest, Moment now);

}  // namespace plumbline::verbs
