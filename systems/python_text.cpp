#include "systems/python_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace plumbline::systems {

namespace {

// One code point of UTF-8 (surrogates allowed) from `at` on, which moves past it.
char32_t code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 && first < 0xF5 ? 3 : first >= 0xE0 && first < 0xF0 ? 2 : first >= 0xC2 && first < 0xE0 ? 1 : 0;
  if (more == 0 || at + static_cast<std::size_t>(more) > text.size()) return 0xFFFD;
  char32_t value = first & (0x3FU >> static_cast<unsigned>(more));
  for (int i = 0; i < more; ++i) {
    const unsigned char next = byte(at + static_cast<std::size_t>(i));
    if ((next & 0xC0U) != 0x80) return 0xFFFD;
    value = (value << 6U) | (next & 0x3FU);
  }
  if ((more == 2 && value < 0x800) || (more == 3 && (value < 0x10000 || value > 0x10FFFF))) return 0xFFFD;
  at += static_cast<std::size_t>(more);
  return value;
}

void append_escape(std::string& out, std::uint32_t unit) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x", unit);
  out += text.data();
}

void append_raw(std::string& out, char32_t c) {
  if (c < 0x800) {
    out += static_cast<char>(0xC0U | (c >> 6U));
  } else {
    if (c < 0x10000) {
      out += static_cast<char>(0xE0U | (c >> 12U));
    } else {
      out += static_cast<char>(0xF0U | (c >> 18U));
      out += static_cast<char>(0x80U | ((c >> 12U) & 0x3FU));
    }
    out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
  }
  out += static_cast<char>(0x80U | (c & 0x3FU));
}

}  // namespace

void append_python_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
    return;
  }
  if (value == 0) {
    out += std::signbit(value) ? "-0.0" : "0.0";
    return;
  }
  std::array<char, 40> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  std::string_view shortest(text.data(), static_cast<std::size_t>(end - text.data()));
  if (shortest.front() == '-') {
    out += '-';
    shortest.remove_prefix(1);
  }
  const std::size_t e = shortest.find('e');
  int exponent = 0;
  // from_chars takes no plus sign.
  const std::size_t digits_at = shortest[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(shortest.data() + digits_at, shortest.data() + shortest.size(), exponent);
  std::string digits(1, shortest.front());
  if (e > 2) digits += shortest.substr(2, e - 2);
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (digits.size() > 1) out += '.' + digits.substr(1);
    std::array<char, 16> power{};
    std::snprintf(power.data(), power.size(), "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
    out += power.data();
    return;
  }
  if (exponent < 0) {
    out += "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    out += digits + std::string(whole - digits.size(), '0') + ".0";
  } else {
    out += digits.substr(0, whole) + '.' + digits.substr(whole);
  }
}

void append_python_string(std::string& out, std::string_view text, bool ensure_ascii) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    char32_t c = code_point(text, at);
    switch (c) {
      case U'"':
        out += "\\\"";
        continue;
      case U'\\':
        out += "\\\\";
        continue;
      case U'\n':
        out += "\\n";
        continue;
      case U'\r':
        out += "\\r";
        continue;
      case U'\t':
        out += "\\t";
        continue;
      case U'\b':
        out += "\\b";
        continue;
      case U'\f':
        out += "\\f";
        continue;
      default:
        break;
    }
    if (c >= 0x20 && c < 0x80 && !(ensure_ascii && c == 0x7F)) {
      out += static_cast<char>(c);
    } else if (c >= 0x80 && !ensure_ascii) {
      append_raw(out, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
    } else if (c < 0x10000) {
      append_escape(out, static_cast<std::uint32_t>(c));
    } else {
      c -= 0x10000;
      append_escape(out, static_cast<std::uint32_t>(0xD800 + (c >> 10U)));
      append_escape(out, static_cast<std::uint32_t>(0xDC00 + (c & 0x3FFU)));
    }
  }
  out += '"';
}

}  // namespace plumbline::systems
