// What both formats of github-action-benchmark call a range. Private to formats/ci. Pure.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>

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

}  // namespace plumbline::formats
