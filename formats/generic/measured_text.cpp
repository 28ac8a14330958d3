#include "formats/generic/measured_text.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace plumbline::formats {
namespace {

using base::is_digit;

// The number that a text begins with, its digits not grouped.
std::string_view leading_number(std::string_view text) {
  std::size_t end = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t digits = end;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  if (end == digits) return {};
  if (end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent + 1 < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (is_digit(text[exponent])) {
      end = exponent;
      while (end < text.size() && is_digit(text[end])) ++end;
    }
  }
  return text.substr(0, end);
}

// What may stand behind a number as its unit, for whoever takes any word: "requests", "tok/s/user", never "8x4" or "(old)".
bool is_unit_word(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  if (text.empty() || text.size() > kLongest) return false;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '%' || c == '_' || c == '$' || c == '^' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  return std::all_of(text.begin(), text.end(), fits) && text.front() != '/' && text.front() != '_';
}

}  // namespace

std::optional<MeasuredText> measured_text(std::string_view text, bool loose) {
  text = core::trim(text);
  MeasuredText out;
  for (const std::string_view mark : {"\xC2\xB1", "+/-", "+-"}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos || at == 0) continue;
    std::string_view value = core::trim(text.substr(0, at)), rest = core::trim(text.substr(at + mark.size()));
    bool open = value.ends_with('(');  // "12.5 (+/- 0.3)"
    if (open) value = core::trim(value.substr(0, value.size() - 1));
    if (open && rest.ends_with(')')) {
      rest = core::trim(rest.substr(0, rest.size() - 1));
      open = false;
    }
    const std::string_view spread = leading_number(rest);
    const auto number = core::parse_double(spread);
    auto measured = measured_text(value, loose);
    if (open || !number || !measured || measured->spread) return std::nullopt;
    const std::string_view unit = core::trim(rest.substr(spread.size()));
    out = *measured;
    out.spread = *number;
    if (!unit.empty() && !is_unit_word(unit)) return std::nullopt;
    if (!unit.empty() && !out.unit.empty() && unit != out.unit) {
      const auto factor = core::conversion_factor(unit, out.unit);
      if (!factor) return std::nullopt;
      out.spread = *number * *factor;
    } else if (out.unit.empty()) {
      out.unit = unit;  // "132.19 ± 0.55 ms"
    }
    return out;
  }
  // "1234 req/s (avg)": a remark in brackets says nothing of the value.
  if (const std::size_t open = text.rfind(" (");
      open != std::string_view::npos && open > 0 && text.ends_with(')') && text.front() >= '+' && text.front() <= '9') {
    if (auto without = measured_text(text.substr(0, open), loose); without && without->leaf.has_value) return without;
  }
  out.leaf = leaf_of_text(text);
  if (out.leaf.state != core::ValueState::text) {
    out.unit = out.leaf.unit;
    if (out.leaf.state == core::ValueState::numeric_string) out.leaf.state = core::ValueState::number;  // nothing is quoted here
    if (out.leaf.state == core::ValueState::number) out.leaf.text = {};
    out.leaf.unit = {};
    return out;
  }
  const std::string_view number = leading_number(text);
  const auto value = core::parse_double(number);
  if (number.empty() || !value) return std::nullopt;
  const std::string_view unit = core::trim(text.substr(number.size()));
  const bool times = unit == "x" || unit == "X" || unit == "\xC3\x97";  // 1.5x as fast
  const bool apart = number.size() < text.size() && text[number.size()] == ' ';
  if (!times && !(loose && apart && is_unit_word(unit))) return std::nullopt;
  out.leaf = {core::ValueState::number, *value, true, {}};
  out.unit = times ? std::string_view("x") : unit;
  return out;
}

bool is_absent(std::string_view text) {
  if (text.empty() || text == "-" || text == "--" || text == "\xE2\x80\x93" || text == "\xE2\x80\x94") return true;
  if (text.size() > 5) return false;
  const std::string lower = core::to_lower(text);
  return lower == "n/a" || lower == "na" || lower == "null" || lower == "none";
}

bool is_grouped_number(std::string_view text) {
  if (text.size() > 40) return false;
  bool digit = false, mark = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      digit = true;
    } else if (c == ',' || c == '\'' || c == '_' || c == ' ') {
      if (!digit || i + 1 == text.size()) return false;
      mark = true;
    } else if (c != '.' && !((c == '-' || c == '+') && i == 0)) {
      return false;
    }
  }
  return digit && mark;
}

void split_unit(std::string_view header, std::string& name, std::string& unit) {
  constexpr std::size_t kLongest = 20;
  name = std::string(header);
  unit.clear();
  if (header.size() < 4 || (header.back() != ')' && header.back() != ']')) return;
  const std::size_t open = header.rfind(header.back() == ')' ? '(' : '[');
  if (open == std::string_view::npos || open == 0) return;
  const std::string_view inside = core::trim(header.substr(open + 1, header.size() - open - 2));
  const std::string_view before = core::trim(header.substr(0, open));
  if (inside.empty() || inside.size() > kLongest || before.empty() || is_digit(inside.front())) return;
  name = std::string(before);
  unit = std::string(inside);
}

}  // namespace plumbline::formats
