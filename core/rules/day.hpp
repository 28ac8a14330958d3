// A day of the calendar as ISO 8601 writes it, "2026-12-31". Days compare as their texts do.
#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::core {

// The text itself where it is a day; else what is wrong, with the nearest right form as the hint. `name` says what is read.
[[nodiscard]] Expected<std::string> parse_day(std::string_view name, std::string_view text);

// From the first day to the second; negative where that is earlier. Both are days.
[[nodiscard]] int days_between(std::string_view from, std::string_view to);

}  // namespace plumbline::core
