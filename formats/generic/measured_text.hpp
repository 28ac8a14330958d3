// A measured value as people write it in tables and reports: "132.19 ± 0.55", "12.5 ms", "1.5x", "45 requests". Private to
// formats/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/row_writer.hpp"

namespace plumbline::formats {

struct MeasuredText {
  Leaf leaf;                     // a number, one that is not finite, or an integer beyond 2^53
  std::optional<double> spread;  // behind "±" or "+/-", in the same unit
  std::string_view unit;         // as written beside the number; also one that core::parse_unit does not know
};
// Nothing when the text is no number with at most a spread and a unit. `loose` takes any single word as the unit.
[[nodiscard]] std::optional<MeasuredText> measured_text(std::string_view text, bool loose);

// "", "-", "n/a", "none": nothing was measured here.
[[nodiscard]] bool is_absent(std::string_view text);
// "1,234.5", "1 234", "3,14": a number to people, not to a program that cannot know the locale.
[[nodiscard]] bool is_grouped_number(std::string_view text);
// "latency (ms)", "busbw [GB/s]" as name and unit; the whole text as the name where there is none.
void split_unit(std::string_view header, std::string& name, std::string& unit);

}  // namespace plumbline::formats
