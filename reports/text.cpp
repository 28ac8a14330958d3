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

struct Range {
  char32_t first, last;
};
// Unicode 14 East Asian Width W and F, and emoji that terminals draw wide; coarse where a whole block is wide.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},  {0x2614, 0x2615},   {0x26A1, 0x26A1},
                           {0x2705, 0x2705},   {0x274C, 0x274C},   {0x2E80, 0x303E},  {0x3041, 0x33FF},   {0x3400, 0x4DBF},
                           {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},  {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                           {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                           {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range kZero[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                           {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
                           {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

template <std::size_t N>
bool within(const Range (&table)[N], char32_t c) {
  return std::any_of(std::begin(table), std::end(table), [c](Range r) { return c >= r.first && c <= r.last; });
}

int width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (within(kZero, c)) return 0;
  return within(kWide, c) ? 2 : 1;
}

// What a cut in the middle keeps: about half from the front, the rest from the back. `size` says what one code point costs.
template <class Size>
std::string cut_middle(std::string_view text, std::size_t room, std::size_t mark, Size size) {
  struct Piece {
    std::size_t from, cost;
  };
  std::vector<Piece> pieces;
  std::size_t total = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = core::next_code_point(text, at);
    const std::size_t cost = size(c, at - from);
    pieces.push_back({from, cost});
    total += cost;
  }
  if (total <= room) return std::string(text);
  if (room <= mark) return room >= mark && mark > 0 ? "…" : std::string();
  const std::size_t keep = room - mark;
  std::size_t front = 0, front_cost = 0;
  while (front < pieces.size() && front_cost + pieces[front].cost <= (keep + 1) / 2) front_cost += pieces[front++].cost;
  std::size_t back = pieces.size(), back_cost = 0;
  while (back > front && front_cost + back_cost + pieces[back - 1].cost <= keep) back_cost += pieces[--back].cost;
  const std::size_t head_end = front < pieces.size() ? pieces[front].from : text.size();
  const std::size_t tail = back < pieces.size() ? pieces[back].from : text.size();
  std::string out(text.substr(0, head_end));
  out += "…";
  out += text.substr(tail);
  return out;
}

}  // namespace

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
          core::append_utf8(out, U' ');
        else if (core::is_deceptive(c) || c == 0xFFFE || c == 0xFFFF)
          core::append_utf8(out, kReplacement);
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
      core::append_utf8(out, core::is_break(c) ? U' ' : core::is_deceptive(c) ? kReplacement : c);
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

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(core::next_code_point(text, at));
  return width;
}

std::string shorten_middle(std::string_view text, int width) {
  return cut_middle(text, static_cast<std::size_t>(std::max(width, 0)), 1,
                    [](char32_t c, std::size_t) { return static_cast<std::size_t>(width_of(c)); });
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
}
std::string pad_left(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ') + std::string(text);
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
