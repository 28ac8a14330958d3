// What a text is as a value: a number, a number with its unit, or a word; and which names make a truth value a check.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/characters.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/decimal.hpp"
#include "formats/row_writer.hpp"

namespace plumbline::formats {
namespace {

constexpr double kTwoTo53 = 9007199254740992.0;

using base::is_digit;
using base::is_lower;
using base::is_upper;

struct Quantified {
  double value = 0;
  std::string_view unit;
};

// "90%", "10 ms", "1.5e3GiB". Texts that only start with digits (versions, dates, addresses, hashes) are turned away by
// their first characters, before any unit is looked up.
std::optional<Quantified> number_with_unit(std::string_view text) {
  constexpr std::size_t kLongestNumber = 24, kLongestUnit = 20;
  std::size_t end = text.front() == '-' || text.front() == '+' ? 1 : 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  if (end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t digits = end + 1;
    if (digits + 1 < text.size() && (text[digits] == '-' || text[digits] == '+')) ++digits;
    if (is_digit(text[digits])) {
      end = digits;
      while (end < text.size() && is_digit(text[end])) ++end;
    }
  }
  if (end == 0 || end == text.size() || end > kLongestNumber) return std::nullopt;
  const std::string_view unit = core::trim(text.substr(end));
  if (unit.empty() || unit.size() > kLongestUnit) return std::nullopt;
  const char c = unit.front();
  const bool may_start = is_upper(c) || is_lower(c) || c == '%' || c == '$' || (static_cast<unsigned char>(c) & 0x80U) != 0;
  if (!may_start || std::any_of(unit.begin(), unit.end(), is_digit)) return std::nullopt;
  // Written without a blank these are names: "7B" parameters, a "2d" grid.
  const bool joined = unit.data() == text.data() + end;
  if (joined && (unit == "B" || unit == "d")) return std::nullopt;
  const auto value = core::parse_double(text.substr(0, end));
  if (!value || !std::isfinite(*value) || core::parse_unit(unit).quantity == core::Quantity::unknown) return std::nullopt;
  return Quantified{*value, unit};
}

}  // namespace

Leaf leaf_of_text(std::string_view text) {
  if (double plain = 0; plain_decimal(text, plain)) return {core::ValueState::numeric_string, plain, true, text};
  const std::string_view trimmed = core::trim(text);
  Leaf leaf{core::ValueState::text, 0, false, text};
  if (trimmed.empty() || trimmed.size() > 400) return leaf;
  const char c = trimmed.front();
  const bool may_be_number = is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'n' || c == 'N' || c == 'i' || c == 'I';
  if (!may_be_number) return leaf;
  const auto value = core::parse_double(trimmed);
  if (!value) {
    const auto with_unit = number_with_unit(trimmed);
    if (with_unit) return {core::ValueState::numeric_string, with_unit->value, true, text, with_unit->unit};
    return leaf;
  }
  if (!std::isfinite(*value)) return {core::ValueState::not_finite, 0, false, text};
  const bool integer = trimmed.find_first_not_of("+-0123456789") == std::string_view::npos;
  if (integer && std::fabs(*value) >= kTwoTo53) return {core::ValueState::big_integer, *value, true, trimmed};
  return {core::ValueState::numeric_string, *value, true, text};
}

bool is_check(std::string_view name) {
  static constexpr auto kChecks = std::to_array<std::string_view>(
      {"valid", "validated", "validation", "passed", "pass", "correct", "correctness", "ok", "success"});
  // With one of these the name says what was asked for, or the opposite of a check.
  static constexpr auto kSettings =
      std::to_array<std::string_view>({"validate", "passthrough", "through", "enable", "enabled", "disable", "disabled", "skip",
                                       "skipped", "use", "allow", "require", "required", "not", "no", "single", "two", "multi"});
  bool check = false;
  for (std::size_t at = 0; at < name.size();) {
    if (name[at] == '_' || name[at] == '-' || name[at] == '.') {
      ++at;
      continue;
    }
    std::array<char, 16> word{};
    std::size_t length = 0;
    const std::size_t start = at;
    for (; at < name.size(); ++at) {
      const char c = name[at];
      if (c == '_' || c == '-' || c == '.') break;
      const bool camel =
          at > start && is_upper(c) && (!is_upper(name[at - 1]) || (at + 1 < name.size() && is_lower(name[at + 1])));
      if (camel) break;
      if (length < word.size()) word[length] = is_upper(c) ? static_cast<char>(c | 0x20) : c;
      ++length;
    }
    if (length > word.size()) continue;
    const std::string_view lower(word.data(), length);
    if (std::find(kSettings.begin(), kSettings.end(), lower) != kSettings.end()) return false;
    check = check || std::find(kChecks.begin(), kChecks.end(), lower) != kChecks.end();
  }
  return check;
}

}  // namespace plumbline::formats
