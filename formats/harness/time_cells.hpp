// Times as tables for people print them, each with a unit of its own: "14.72 µs". Private to the readers of such tables.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {

// In ns; nothing for what is no time.
[[nodiscard]] inline std::optional<double> nanoseconds(std::string_view number, std::string_view unit) {
  const auto value = core::parse_double(number);
  const auto factor = core::conversion_factor(unit, "ns");
  return value && factor && std::isfinite(*value) ? std::optional(*value * *factor) : std::nullopt;
}
[[nodiscard]] inline std::optional<double> nanoseconds(std::string_view cell) {
  std::vector<std::string_view> words;
  split_blanks(cell, words);
  return words.size() == 2 ? nanoseconds(words[0], words[1]) : std::nullopt;
}

}  // namespace plumbline::formats
