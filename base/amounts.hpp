// Amounts as people write them in options and variables: a whole number and a unit behind it, without a blank. Nothing for what
// is none, or lies above 2^50.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumbline::base {

// "5GiB", "64MiB", "100"; units are KiB, MiB, GiB and TiB, and none is bytes.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);
// "1d", "12h", "30m", "45s"; the unit is needed.
[[nodiscard]] std::optional<std::uint64_t> parse_seconds(std::string_view text);

}  // namespace plumbline::base
