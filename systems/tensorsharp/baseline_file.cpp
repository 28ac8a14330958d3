#include "systems/tensorsharp/baseline_file.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "core/text.hpp"

namespace plumbline::systems::tensorsharp {

namespace {

// What .NET's relaxed encoder leaves as it stands: everything but quotes, backslashes, control characters, the separators that
// are no plain blank, and code points for private use.
bool stands(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0)) return false;
  if (c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000)
    return false;
  return c < 0xE000 || c > 0xF8FF;
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  char32_t value = more == 3 ? first & 0x07U : more == 2 ? first & 0x0FU : more == 1 ? first & 0x1FU : first;
  for (std::size_t i = 0; i < more && at < text.size(); ++i) value = (value << 6U) | (byte(at++) & 0x3FU);
  return value;
}

std::string dotnet_string(std::string_view text) {
  if (!core::is_valid_utf8(text)) {
    std::string valid;
    core::append_quoted(valid, text);  // replaces what is not UTF-8
    return valid;
  }
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    switch (c) {
      case '"':
        out += "\\\"";
        continue;
      case '\\':
        out += "\\\\";
        continue;
      case '\b':
        out += "\\b";
        continue;
      case '\f':
        out += "\\f";
        continue;
      case '\n':
        out += "\\n";
        continue;
      case '\r':
        out += "\\r";
        continue;
      case '\t':
        out += "\\t";
        continue;
      default:
        break;
    }
    if (stands(c)) {
      out += text.substr(begin, at - begin);
      continue;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04X", static_cast<unsigned>(c));
    out += escape.data();
  }
  return out + "\"";
}

std::string dotnet_text_or_null(const std::optional<std::string>& text) { return text ? dotnet_string(*text) : "null"; }

}  // namespace

std::string dotnet_number(double value) {
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::fabs(value), std::chars_format::scientific);
  const std::string_view printed(text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  const std::size_t e = printed.find('e');
  std::string digits(printed.substr(0, 1));
  if (e > 2) digits += printed.substr(2, e - 2);
  int exponent = 0;
  const std::string_view power = printed.substr(e + 1);
  std::from_chars(power.data() + (power.front() == '+' ? 1 : 0), power.data() + power.size(), exponent);
  const int scale = exponent + 1;  // digits before the point
  const auto count = static_cast<int>(digits.size());
  std::string out = value < 0 ? "-" : "";
  if (scale > std::max(count, 15) || scale < -3) {
    out += digits.substr(0, 1);
    if (count > 1) out += "." + digits.substr(1);
    std::array<char, 16> suffix{};
    std::snprintf(suffix.data(), suffix.size(), "E%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
    return out + suffix.data();
  }
  if (scale <= 0) return out + "0." + std::string(static_cast<std::size_t>(-scale), '0') + digits;
  if (scale >= count) return out + digits + std::string(static_cast<std::size_t>(scale - count), '0');
  return out + digits.substr(0, static_cast<std::size_t>(scale)) + "." + digits.substr(static_cast<std::size_t>(scale));
}

std::string text_of(const Baseline& baseline) {
  std::string out = "{\n  \"host_label\": " + dotnet_string(baseline.host_label) + ",\n";
  out += "  \"captured_at\": " + dotnet_string(baseline.captured_at) + ",\n";
  out += "  \"commit\": " + dotnet_text_or_null(baseline.commit) + ",\n";
  out += "  \"notes\": " + dotnet_text_or_null(baseline.notes) + ",\n";
  out += "  \"entries\": [";
  bool first = true;
  for (const Entry& entry : baseline.entries) {
    out += first ? "\n    {\n" : ",\n    {\n";
    first = false;
    out += "      \"case_id\": " + dotnet_string(entry.case_id) + ",\n";
    out += std::string("      \"ok\": ") + (entry.ok ? "true" : "false") + ",\n";
    out += std::string("      \"correctness_ok\": ") +
           (!entry.correctness_ok   ? "null"
            : *entry.correctness_ok ? "true"
                                    : "false") +
           ",\n";
    out += "      \"prefill_tps\": " + dotnet_number(entry.prefill_tps) + ",\n";
    out += "      \"decode_tps\": " + dotnet_number(entry.decode_tps) + ",\n";
    out += "      \"model_load_ms\": " + dotnet_number(entry.model_load_ms) + "\n    }";
  }
  out += first ? "]" : "\n  ]";
  return out + "\n}";
}

}  // namespace plumbline::systems::tensorsharp
