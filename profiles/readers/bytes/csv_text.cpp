#include "profiles/readers/bytes/csv_text.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "base/csv_field.hpp"
#include "core/text.hpp"
#include "profiles/int128.hpp"

namespace plumbline::profiles {
namespace {
using base::is_digit;
}  // namespace

CsvRecords::CsvRecords(std::string_view text, std::uint64_t line) : text_(text), line_(line), record_line_(line) {
  if (line == 1 && text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

// The next separator of fields or records, or the end.
std::size_t CsvRecords::separator_from(std::size_t at) const {
  const char* const begin = text_.data();
  const char* const end = begin + text_.size();
  const char* place = begin + at;
  while (place < end && *place != ',' && *place != '\n') ++place;
  return static_cast<std::size_t>(place - begin);
}

bool CsvRecords::next(std::vector<std::string_view>& fields) {
  fields.clear();
  if (at_ >= text_.size()) return false;
  record_line_ = line_;
  for (;;) {
    if (at_ < text_.size() && text_[at_] == '"') {
      const base::QuotedField quoted = base::quoted_field(text_, at_, unescaped_);
      unterminated_ = unterminated_ || !quoted.closed;
      line_ += static_cast<std::uint64_t>(std::count(quoted.content.begin(), quoted.content.end(), '\n'));
      fields.push_back(quoted.content);
      // Whatever stands between the closing quote and the separator belongs to no field.
      at_ = separator_from(at_);
    } else {
      const std::size_t begin = at_;
      at_ = separator_from(at_);
      std::string_view field = text_.substr(begin, at_ - begin);
      if (field.ends_with('\r')) field.remove_suffix(1);
      fields.push_back(field);
    }
    if (at_ >= text_.size()) {
      open_end_ = true;
      return true;
    }
    const char separator = text_[at_++];
    if (separator == '\n') {
      ++line_;
      return true;
    }
    if (at_ >= text_.size()) {
      fields.push_back({});
      open_end_ = true;
      return true;
    }
  }
}

Comma comma_in(std::string_view cell) {
  cell = core::trim(cell);
  if (!cell.empty() && (cell.front() == '-' || cell.front() == '+')) cell.remove_prefix(1);
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos) return Comma::none;
  const std::size_t last = cell.rfind(',');
  const std::size_t dot = cell.find('.');
  if (dot != std::string_view::npos) return dot > last ? Comma::thousands : Comma::decimal;
  if (last != comma) return Comma::thousands;
  std::size_t digits = 0;
  while (comma + 1 + digits < cell.size() && is_digit(cell[comma + 1 + digits])) ++digits;
  if (digits != 3 || comma == 0 || comma > 3 || cell.front() == '0') return Comma::decimal;
  return Comma::ambiguous;
}

Comma merge(Comma column, Comma cell) {
  if (cell == Comma::none || column == Comma::contradictory || column == cell) return column;
  if (column == Comma::none || column == Comma::ambiguous) return cell;
  return cell == Comma::ambiguous ? column : Comma::contradictory;
}

ScaledNumber parse_scaled(std::string_view cell, int power, bool decimal_comma) {
  cell = core::trim(cell);
  // Most cells of a trace are whole nanoseconds.
  if (power == 0 && !cell.empty() && cell.size() <= 18) {
    std::int64_t value = 0;
    std::size_t digits = 0;
    for (; digits < cell.size() && is_digit(cell[digits]); ++digits) value = value * 10 + (cell[digits] - '0');
    if (digits == cell.size()) return {value, NumberFault::none};
  }
  const std::string lower = core::to_lower(cell);
  if (cell.empty() || lower == "n/a" || lower == "na" || lower == "-" || lower == "none" || lower == "null")
    return {0, NumberFault::missing};
  bool negative = false;
  if (cell.front() == '-' || cell.front() == '+') {
    negative = cell.front() == '-';
    cell.remove_prefix(1);
  }
  const std::string word = core::to_lower(cell);
  if (word == "inf" || word == "infinity" || word == "nan" || word == "-nan") return {0, NumberFault::not_finite};
  const char point = decimal_comma ? ',' : '.';
  const char group = decimal_comma ? '.' : ',';

  // Digits into an integer and a power of ten; digits past 36 places cannot matter to a nanosecond.
  Int128 mantissa = 0;
  int exponent = power;
  bool any = false;
  bool fraction = false;
  std::size_t at = 0;
  for (; at < cell.size(); ++at) {
    const char c = cell[at];
    if (is_digit(c)) {
      any = true;
      if (mantissa < static_cast<Int128>(1'000'000'000'000'000'000) * 1'000'000'000'000) {
        mantissa = mantissa * 10 + (c - '0');
        exponent -= fraction ? 1 : 0;
      } else {
        exponent += fraction ? 0 : 1;
        if (exponent > 1000) return {0, NumberFault::too_large};
      }
    } else if (c == point && !fraction) {
      fraction = true;
    } else if (c == group && !fraction && any) {
      continue;
    } else {
      break;
    }
  }
  if (!any) return {0, NumberFault::not_a_number};
  if (at < cell.size()) {
    if (cell[at] != 'e' && cell[at] != 'E') return {0, NumberFault::not_a_number};
    std::string_view rest = cell.substr(at + 1);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    const auto written = core::parse_int(rest);
    if (!written || *written > 10000 || *written < -10000)
      return {0, written ? NumberFault::too_large : NumberFault::not_a_number};
    exponent += static_cast<int>(*written);
  }
  constexpr Int128 kBound = INT64_MAX;
  for (; exponent > 0 && mantissa != 0; --exponent) {
    mantissa *= 10;
    if (mantissa > kBound) return {0, NumberFault::too_large};
  }
  int last = 0;
  for (; exponent < 0 && mantissa != 0; ++exponent) {
    last = static_cast<int>(mantissa % 10);
    mantissa /= 10;
  }
  if (exponent == 0 && last >= 5) ++mantissa;
  if (mantissa > kBound) return {0, NumberFault::too_large};
  return {static_cast<std::int64_t>(negative ? -mantissa : mantissa), NumberFault::none};
}

}  // namespace plumbline::profiles
