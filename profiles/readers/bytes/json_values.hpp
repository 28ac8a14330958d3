// Texts of JSON values -> numbers and names, exactly: times are decimals and never pass through a double, which at the size of
// an epoch in microseconds has no nanoseconds left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/readers/bytes/json_text.hpp"

namespace plumbline::profiles {

// "1712195495519689.123" with places = 3 -> 1712195495519689123. Digits beyond the places round to nearest, halves away from
// zero; an exponent is understood. nullopt for what is no decimal number (NaN, Infinity, "") and beyond +-4e18.
[[nodiscard]] std::optional<std::int64_t> scaled_decimal(std::string_view text, int places);
// Whole numbers, of strings too ("7"); fractions are not whole.
[[nodiscard]] std::optional<std::int64_t> json_integer(const JsonValue& value);
// Ids, which may use all 64 bits: beyond int64 they wrap around.
[[nodiscard]] std::optional<std::int64_t> json_id(const JsonValue& value);

// A JSON string's text as a name fit to print: escapes resolved, control characters are spaces, bytes that are not UTF-8 are
// U+FFFD, and at most kLongestName bytes of it.
inline constexpr std::size_t kLongestName = std::size_t{64} << 10U;
[[nodiscard]] std::string json_name(std::string_view raw);
// Such a name as a JSON string, quotes and all.
[[nodiscard]] std::string json_quoted(std::string_view name);

}  // namespace plumbline::profiles
