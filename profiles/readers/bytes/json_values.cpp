#include "profiles/readers/bytes/json_values.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/characters.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kLargest = 4'000'000'000'000'000'000U;

using base::is_digit;

// The UTF-16 unit that an escape of four hexadecimal digits at `at` of `raw` names, -1 where none stands there.
std::int32_t escaped_unit(std::string_view raw, std::size_t at) {
  std::uint32_t unit = 0;
  if (raw.size() < at + 6 || raw[at] != '\\' || raw[at + 1] != 'u') return -1;
  const char* const from = raw.data() + at + 2;
  const auto [end, error] = std::from_chars(from, from + 4, unit, 16);
  return error == std::errc() && end == from + 4 ? static_cast<std::int32_t>(unit) : -1;
}

void append_utf8(std::uint32_t point, std::string& out) {
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xC0U | point >> 6U);
    add(0x80U | (point & 0x3FU));
  } else if (point < 0x10000) {
    add(0xE0U | point >> 12U);
    add(0x80U | (point >> 6U & 0x3FU));
    add(0x80U | (point & 0x3FU));
  } else {
    add(0xF0U | point >> 18U);
    add(0x80U | (point >> 12U & 0x3FU));
    add(0x80U | (point >> 6U & 0x3FU));
    add(0x80U | (point & 0x3FU));
  }
}

struct Digits {
  std::uint64_t value = 0;  // modulo 2^64
  std::size_t count = 0;
};

// Adds eight digits where eight bytes are that: D. Lemire, "Quickly parsing eight digits" (2018), as simdjson does it.
bool add_eight(const char* text, Digits& digits) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0U;
  if (((word & kHigh) | (((word + 0x0606060606060606U) & kHigh) >> 4U)) != 0x3333333333333333U) return false;
  word = (word & 0x0F0F0F0F0F0F0F0FU) * ((10U << 8U) + 1U) >> 8U;                                    // pairs
  word = (word & 0x00FF00FF00FF00FFU) * ((100U << 16U) + 1U) >> 16U;                                 // fours
  word = (word & 0x0000FFFF0000FFFFU) * ((std::uint64_t{10'000} << 32U) + std::uint64_t{1}) >> 32U;  // all
  digits.value = digits.value * 100'000'000U + word;
  digits.count += sizeof word;
  return true;
}

// Those that the text begins with.
Digits leading_digits(std::string_view text) {
  Digits digits;
  if constexpr (std::endian::native == std::endian::little) {
    while (digits.count + 8 <= text.size() && add_eight(text.data() + digits.count, digits)) {
    }
  }
  for (; digits.count < text.size() && is_digit(text[digits.count]); ++digits.count)
    digits.value = digits.value * 10 + static_cast<std::uint64_t>(text[digits.count] - '0');
  return digits;
}

// Digits, and behind a point no more of them than count: what nearly all times are. nullopt: to be read with care.
std::optional<std::int64_t> plain_decimal(std::string_view text, int places) {
  constexpr std::size_t kLongest = 19;  // fits 64 bits
  const Digits whole = leading_digits(text);
  if (whole.count == 0 || whole.count + static_cast<std::size_t>(places) > kLongest) return std::nullopt;
  text.remove_prefix(whole.count);
  Digits parts;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts = leading_digits(text);
  }
  if (parts.count != text.size() || parts.count > static_cast<std::size_t>(places)) return std::nullopt;
  std::uint64_t value = whole.value, rest = parts.value;
  for (int i = 0; i < places; ++i) value *= 10;
  for (std::size_t i = parts.count; i < static_cast<std::size_t>(places); ++i) rest *= 10;
  value += rest;
  if (value > kLargest) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// One escape at `at`; returns where it ends.
std::size_t append_escape(std::string_view raw, std::size_t at, std::string& out) {
  const char c = at + 1 < raw.size() ? raw[at + 1] : '\\';
  switch (c) {
    case '"':
    case '/':
    case '\\':
      out += c;
      return at + 2;
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      out += ' ';
      return at + 2;
    case 'u':
      break;
    default:
      out += '\\';
      return at + 1;  // "C:\Users": no escape, a path that nobody escaped
  }
  std::int32_t unit = escaped_unit(raw, at);
  if (unit < 0) {
    out += '\\';
    return at + 1;
  }
  std::size_t end = at + 6;
  if (unit >= 0xD800 && unit < 0xDC00) {
    const std::int32_t low = escaped_unit(raw, end);
    if (low >= 0xDC00 && low < 0xE000) {
      append_utf8(0x10000U + (static_cast<std::uint32_t>(unit - 0xD800) << 10U) + static_cast<std::uint32_t>(low - 0xDC00), out);
      return end + 6;
    }
  }
  if (unit >= 0xD800 && unit < 0xE000) {
    out += kReplacement;
  } else {
    append_utf8(static_cast<std::uint32_t>(unit), out);
  }
  return end;
}

std::size_t utf8_length(std::string_view text) {  // of the character at the front, 0 where there is none
  for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (core::is_valid_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

std::optional<std::int64_t> scaled_decimal(std::string_view text, int places) {
  if (const auto plain = plain_decimal(text, places)) return plain;
  const bool negative = text.starts_with('-');
  std::size_t at = negative || text.starts_with('+') ? 1 : 0;
  const std::size_t mantissa = at;
  std::size_t point = std::string_view::npos, end = at;
  for (; end < text.size() && (is_digit(text[end]) || text[end] == '.'); ++end) {
    if (text[end] != '.') continue;
    if (point != std::string_view::npos) return std::nullopt;
    point = end;
  }
  const std::size_t digits = end - mantissa - (point == std::string_view::npos ? 0 : 1);
  if (digits == 0) return std::nullopt;
  std::int64_t exponent = places;
  if (end < text.size()) {
    if (text[end] != 'e' && text[end] != 'E') return std::nullopt;
    std::size_t from = end + 1;
    if (from < text.size() && text[from] == '+') ++from;
    std::int32_t written = 0;
    const auto [last, error] = std::from_chars(text.data() + from, text.data() + text.size(), written);
    if (error != std::errc() || last != text.data() + text.size()) return std::nullopt;
    exponent += written;
  }
  // The value is the digits with the point moved right by `exponent`: so many digits count, the next one rounds.
  const std::int64_t before = static_cast<std::int64_t>(point == std::string_view::npos ? digits : point - mantissa);
  std::int64_t wanted = before + exponent;
  std::uint64_t value = 0;
  bool round_up = false;
  for (at = mantissa; at < end; ++at) {
    if (at == point) continue;
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    if (wanted <= 0) {
      round_up = wanted == 0 && digit >= 5;
      break;
    }
    if (value > kLargest / 10) return std::nullopt;
    value = value * 10 + digit;
    --wanted;
  }
  for (; wanted > 0 && value != 0; --wanted) {
    if (value > kLargest / 10) return std::nullopt;
    value *= 10;
  }
  if (round_up) ++value;
  if (value > kLargest) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> json_integer(const JsonValue& value) {
  if (value.kind != JsonKind::scalar && value.kind != JsonKind::string) return std::nullopt;
  constexpr std::size_t kSurelyFits = 18;  // digits
  const Digits plain = leading_digits(value.text.substr(0, kSurelyFits + 1));
  if (plain.count == value.text.size() && plain.count > 0 && plain.count <= kSurelyFits)
    return static_cast<std::int64_t>(plain.value);
  std::int64_t number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [last, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || last != end) return std::nullopt;
  return number;
}

std::optional<std::int64_t> json_id(const JsonValue& value) {
  if (const auto number = json_integer(value)) return number;
  if (value.kind != JsonKind::scalar && value.kind != JsonKind::string) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [last, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || last != end) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string json_name(std::string_view raw) {
  const bool long_name = raw.size() > kLongestName;
  if (long_name) raw = raw.substr(0, kLongestName);
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    const auto byte = static_cast<unsigned char>(raw[at]);
    if (byte == '\\') {
      at = append_escape(raw, at, out);
    } else if (byte < 0x80) {
      out += byte < 0x20 || byte == 0x7F ? ' ' : raw[at];
      ++at;
    } else if (const std::size_t length = utf8_length(raw.substr(at)); length > 0) {
      out += raw.substr(at, length);
      at += length;
    } else {
      out += kReplacement;
      ++at;
    }
  }
  // An escape may name a control character too.
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  if (long_name) out += "…";
  return out;
}

std::string json_quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

}  // namespace plumbline::profiles
