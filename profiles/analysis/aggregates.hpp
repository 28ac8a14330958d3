// Events by name with the statistics that `nsys stats` prints: count, total, min, max, exact median (the mean of the middle two
// of an even number), sample standard deviation (n - 1, two passes; 0 for one event). Names become dense slots already when
// they are interned, so an event costs one count and one store of 32 bits.
#pragma once

#include <functional>

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// The most that the times of one kind of row may add up to (73 years): differences, effects and their halves stay in int64.
inline constexpr std::int64_t kTimeBound = std::int64_t{1} << 61;

// One aggregate per name that has an event, in order of name ids; `ids` receives them. `wanted` empty: all events.
// `total` is the sum of everything; false when it goes beyond kTimeBound: the capture is damaged.
[[nodiscard]] bool aggregate(const Times& times, const Column<std::uint32_t>& names, const NameTable& table,
                             const std::function<bool(std::size_t)>& wanted, std::vector<NamedAggregate>& out,
                             std::vector<std::uint32_t>& ids, std::int64_t& total);

}  // namespace plumbline::profiles
