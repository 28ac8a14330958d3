#include "reports/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/privacy.hpp"
#include "core/text.hpp"

namespace plumbline::reports {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

}  // namespace

std::string one_line(std::string_view text) { return core::one_line(core::without_secrets(text)); }

std::string markdown_text(std::string_view text) {
  std::string out;
  const std::string line = one_line(text);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '[':
      case ']':
      case '|':
      case '~':
        out += '\\';
        out += c;
        break;
      case '_': {  // emphasis only at a word's edge: keys such as ttft_p50_ms stay as they are
        const bool inside = i > 0 && i + 1 < line.size() && line[i - 1] != ' ' && line[i + 1] != ' ';
        if (!inside) out += '\\';
        out += c;
        break;
      }
      default:
        out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text, bool in_table) {
  const std::string line = one_line(text);
  std::size_t longest = 0, run = 0;
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool spaced = line.empty() || line.front() == '`' || line.back() == '`';
  std::string out = fence + (spaced ? " " : "");
  for (const char c : line) {
    if (in_table && c == '|') out += '\\';
    out += c;
  }
  return out + (spaced ? " " : "") + fence;
}

std::string markup(std::string_view raw) {
  const std::string text = core::without_secrets(raw);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = core::next_code_point(text, at);
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // XML 1.0 allows no control character but these three, and not U+FFFE and U+FFFF.
        if (c == '\n' || c == '\t' || c == '\r')
          append_utf8(out, U' ');
        else if (core::is_deceptive(c) || c == 0xFFFE || c == 0xFFFF)
          append_utf8(out, kReplacement);
        else
          core::append_utf8(out, c);
    }
  }
  return out;
}

std::string csv_field(std::string_view text) {
  std::string valid;
  // A spreadsheet takes a text that begins like this for a formula: an apostrophe keeps it a text.
  if (!text.empty() && std::string_view("=+-@\t").find(text.front()) != std::string_view::npos) valid += '\'';
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = core::next_code_point(text, at);
    const bool kept = !core::is_deceptive(c) || c == '\n' || c == '\t';
    core::append_utf8(valid, kept ? c : kReplacement);
  }
  if (valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
  std::string out = "\"";
  for (const char c : valid) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string github_data(std::string_view raw) {
  const std::string text = core::without_secrets(raw);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = core::next_code_point(text, at);
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else
      append_utf8(out, core::is_break(c) ? U' ' : core::is_deceptive(c) ? kReplacement : c);
  }
  return out;
}

std::string github_property(std::string_view text) {
  std::string out;
  for (const char c : github_data(text)) {
    if (c == ':')
      out += "%3A";
    else if (c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string figure(double value) {
  if (!std::isfinite(value)) return "n/a";
  if (std::nearbyint(value) == value && std::fabs(value) < 1e15) return core::number_text(value);
  return core::short_number(value, 6);
}

std::string figure(double value, std::string_view unit) {
  std::string out = figure(value);
  if (out == "n/a" || unit.empty()) return out;
  if (unit != "%") out += ' ';
  return out + one_line(unit);
}

std::string figure(const std::optional<double>& value, std::string_view unit) { return value ? figure(*value, unit) : "n/a"; }

std::string short_figure(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "n/a";
  const double size = std::fabs(value);
  std::string out = size >= 1000 && size < 1e15 ? (value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::llround(size)))
                                                : core::short_number(value, 3);
  if (!unit.empty()) out += (unit == "%" ? "" : " ") + one_line(unit);
  return out;
}

std::string signed_figure(double value, std::string_view unit) {
  const std::string out = figure(value, unit);
  return value > 0 && out != "n/a" ? "+" + out : out;
}

std::string percent(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? core::short_number(*value, 6) + "%" : "n/a";
}

std::string signed_percent(double value) {
  if (!std::isfinite(value)) return "n/a";
  const double size = std::fabs(value);
  if (size == 0) return "0%";
  if (size >= 1e15) return core::signed_number(value, 3) + "%";
  char text[48];
  const int digits = size < 0.0995 ? 3 : size < 99.95 ? 1 : 0;
  std::snprintf(text, sizeof text, "%+.*f%%", digits, value);
  if (size < 0.0005) return value > 0 ? "+<0.001%" : "-<0.001%";
  return text;
}

std::string byte_count(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit < 6) value /= 1024, ++unit;
  return core::short_number(value, 3) + " " + kUnits[unit];
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string time_text(std::int64_t ns) {
  constexpr std::array<std::pair<double, std::string_view>, 3> kUnits = {{{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}}};
  const double value = static_cast<double>(ns);
  if (ns == 0) return "0";
  for (const auto& [factor, unit] : kUnits) {
    if (std::fabs(value) >= factor || factor == 1e3) return core::short_number(value / factor, 4) + std::string(unit);
  }
  return {};
}

std::string signed_time_text(std::int64_t ns) { return (ns > 0 ? "+" : "") + time_text(ns); }

std::string fmt_ns(std::int64_t ns) {
  if (ns == 0) return "0";
  const double value = static_cast<double>(ns);
  const double size = std::fabs(value);
  char text[48];
  if (size >= 1e9)
    std::snprintf(text, sizeof text, "%.3fs", value / 1e9);
  else if (size >= 1e6)
    std::snprintf(text, sizeof text, "%.3fms", value / 1e6);
  else if (size >= 1e3)
    std::snprintf(text, sizeof text, "%.3fus", value / 1e3);
  else
    std::snprintf(text, sizeof text, "%lldns", static_cast<long long>(ns));
  return text;
}

std::string fmt_pct(const std::optional<double>& pct) {
  if (!pct || !std::isfinite(*pct)) return "n/a";
  char text[400];
  std::snprintf(text, sizeof text, "%+.1f%%", *pct);
  return text;
}

}  // namespace plumbline::reports
