// Units and numbers as Nsight Compute writes them. Units are scaled automatically unless asked otherwise, and changed their names
// over the years ("nsecond", "ns"; "Gbyte/second", "Gbyte/s"; "cycle/nsecond", "Ghz"): all become one base unit and a factor.
// Numbers carry grouping and, by locale, either mark for decimals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline::profiles {

struct NcuUnit {
  std::string unit;   // "ns" "byte" "byte/s" "hz" "cycle" "%" …
  double factor = 1;  // a value times this is in `unit`
};
[[nodiscard]] NcuUnit ncu_unit(std::string_view text);

// What one cell shows of how its file writes decimals; `open`: nothing.
enum class DecimalMark : std::uint8_t { open, point, comma };
[[nodiscard]] DecimalMark decimal_mark(std::string_view cell);

struct NcuNumber {
  enum class Kind : std::uint8_t { number, missing, word } kind = Kind::missing;  // missing: "", "n/a", "nan"
  double value = 0;
};
// "256 (64;64;64;64)" is 256: what stands in brackets are the instances.
[[nodiscard]] NcuNumber ncu_number(std::string_view cell, DecimalMark mark);

}  // namespace plumbline::profiles
