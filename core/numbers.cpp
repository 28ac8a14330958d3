// The number half of core/text.hpp: doubles and integers to text and back, independent of locale.
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

// Above this, doubles are no longer all integers' neighbours and the digits of the integer would not be the shortest text.
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

struct Decimal {
  std::array<char, 32> digits{};
  int count = 0;     // significant digits
  int exponent = 0;  // of the first digit: d.ddd * 10^exponent
};

// Takes the text that std::to_chars gives in scientific form ("1.25e-07", no sign) apart.
Decimal take_apart(const char* first, const char* last) {
  Decimal decimal;
  const char* at = first;
  for (; at != last && *at != 'e'; ++at) {
    if (*at != '.') decimal.digits[static_cast<std::size_t>(decimal.count++)] = *at;
  }
  if (at != last) {
    ++at;
    if (at != last && *at == '+') ++at;  // std::from_chars takes no plus
    std::from_chars(at, last, decimal.exponent);
  }
  return decimal;
}

void append_plain(std::string& out, const Decimal& decimal) {
  const char* digits = decimal.digits.data();
  if (decimal.exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-decimal.exponent - 1), '0');
    out.append(digits, static_cast<std::size_t>(decimal.count));
    return;
  }
  const int whole = decimal.exponent + 1;
  if (whole >= decimal.count) {
    out.append(digits, static_cast<std::size_t>(decimal.count));
    out.append(static_cast<std::size_t>(whole - decimal.count), '0');
    return;
  }
  out.append(digits, static_cast<std::size_t>(whole));
  out += '.';
  out.append(digits + whole, static_cast<std::size_t>(decimal.count - whole));
}

void append_scientific(std::string& out, const Decimal& decimal) {
  out += decimal.digits[0];
  if (decimal.count > 1) {
    out += '.';
    out.append(decimal.digits.data() + 1, static_cast<std::size_t>(decimal.count - 1));
  }
  out += 'e';
  out += decimal.exponent < 0 ? '-' : '+';
  append_number(out, static_cast<std::int64_t>(std::abs(decimal.exponent)));
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// std::from_chars says only "out of range"; the sign of the decimal exponent tells a too large from a too small number.
bool is_too_large(std::string_view digits) {
  long exponent = 0;
  bool seen_point = false, seen_nonzero = false;
  std::size_t i = 0;
  for (; i < digits.size(); ++i) {
    const char c = digits[i];
    if (c == '.') {
      seen_point = true;
    } else if (c >= '0' && c <= '9') {
      seen_nonzero = seen_nonzero || c != '0';
      if (seen_nonzero && !seen_point) ++exponent;
      if (!seen_nonzero && seen_point) --exponent;
    } else if (c == 'e' || c == 'E') {
      break;
    }
  }
  if (i < digits.size()) {
    ++i;
    const bool negative = i < digits.size() && digits[i] == '-';
    if (i < digits.size() && (digits[i] == '-' || digits[i] == '+')) ++i;
    long written = 0;
    const auto result = std::from_chars(digits.data() + i, digits.data() + digits.size(), written);
    if (result.ec == std::errc::result_out_of_range) return !negative;
    exponent += negative ? -written : written;
  }
  return exponent > 0;
}

}  // namespace

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (std::abs(value) < kExactIntegers) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value) {
      append_number(out, whole);
      return;
    }
  }
  if (value < 0) {
    out += '-';
    value = -value;
  }
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  const Decimal decimal = take_apart(buffer.data(), end);
  if (decimal.exponent >= -6 && decimal.exponent < 21) {
    append_plain(out, decimal);
  } else {
    append_scientific(out, decimal);
  }
}

void append_number(std::string& out, std::int64_t value) {
  std::array<char, 24> buffer{};
  out.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
}

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 24> buffer{};
  out.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
}

std::string number_text(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

std::string short_number(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return "0";
  std::string out;
  if (value < 0) {
    out += '-';
    value = -value;
  }
  digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
  std::array<char, 40> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, digits - 1).ptr;
  Decimal decimal = take_apart(buffer.data(), end);
  while (decimal.count > 1 && decimal.digits[static_cast<std::size_t>(decimal.count - 1)] == '0') --decimal.count;
  if (decimal.exponent >= -4 && decimal.exponent < 15) {
    append_plain(out, decimal);
  } else {
    append_scientific(out, decimal);
  }
  return out;
}

std::string signed_number(double value, int digits) {
  std::string text = short_number(value, digits);
  if (value > 0) text.insert(text.begin(), '+');
  return text;
}

namespace {

// Counts and sizes, as most numbers are that are asked for one by one: fifteen digits are a whole double.
bool whole_number(std::string_view text, std::int64_t& value) {
  constexpr std::size_t kMostDigits = 15;
  if (text.empty() || text.size() > kMostDigits) return false;
  value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  return true;
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  if (std::int64_t whole = 0; whole_number(text, whole)) return static_cast<double>(whole);
  text = trim(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size() || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    const bool negative = text.front() == '-';
    value = is_too_large(negative ? text.substr(1) : text) ? std::numeric_limits<double>::infinity() : 0.0;
    if (negative) value = -value;
  }
  return value;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  if (std::int64_t whole = 0; whole_number(text, whole)) return whole;
  text = trim(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace plumbline::core
