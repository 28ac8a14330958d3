// Units: what a unit text means, so that sides in GB/s and TB/s can be compared, ceilings converted, and an unnamed time be
// known as lower-is-better. Case matters: "Gb/s" is bits, "GB/s" bytes; "gbps" is ambiguous and stays unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumbline::core {

enum class Quantity : std::uint8_t {
  unknown,
  time,
  bytes,
  bytes_per_second,
  flops,
  operations_per_second,
  ratio,
  count,
  power,
  energy,
  temperature,
  frequency,
  money
};

struct Unit {
  Quantity quantity = Quantity::unknown;
  double factor = 1;  // to the quantity's base unit: s, B, B/s, FLOP/s, 1/s, 1, W, J, Hz
};

[[nodiscard]] Unit parse_unit(std::string_view text);
// Multiply a value in `from` by this to get it in `to`; nullopt when they do not measure the same thing.
[[nodiscard]] std::optional<double> conversion_factor(std::string_view from, std::string_view to);

}  // namespace plumbline::core
