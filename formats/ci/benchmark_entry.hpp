// What both formats of github-action-benchmark say of one benchmark. Private to formats/ci. Pure.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>

#include "configs/configs.hpp"
#include "core/text.hpp"

namespace plumbline::formats {

// "± 5", "+/- 5", "5": a number in the value's unit; "±0.74%" is one of the value. Nothing where it is neither.
[[nodiscard]] inline std::optional<double> range_of(std::string_view text, double value) {
  for (const std::string_view sign : {"\xC2\xB1", "+/-"}) {
    if (text.starts_with(sign)) text.remove_prefix(sign.size());
  }
  text = core::trim(text);
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = core::parse_double(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return percent ? std::abs(value) * *number / 100 : *number;
}

// By which name its value is judged: its own, since many are called after a metric. Where that sounds like a setting and the unit
// is of a time or a rate, "matmul batch size 64" in ns/iter, it is a benchmark's name alone, and the unit speaks.
[[nodiscard]] inline std::string_view metric_of(const configs::MetricNames& names, std::string_view name, std::string_view unit) {
  constexpr std::string_view kAny = "value";
  if (names.guess(name, unit).role != core::Role::context) return name;
  return names.guess(kAny, unit).direction == core::Direction::unknown ? name : kAny;
}

}  // namespace plumbline::formats
