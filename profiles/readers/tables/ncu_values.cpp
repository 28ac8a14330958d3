#include "profiles/readers/tables/ncu_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/characters.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

struct Scaled {
  std::string unit;
  double factor = 1;
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kUnits = {{{"second", "s"},
                                                                                   {"seconds", "s"},
                                                                                   {"sec", "s"},
                                                                                   {"s", "s"},
                                                                                   {"byte", "byte"},
                                                                                   {"bytes", "byte"},
                                                                                   {"b", "byte"},
                                                                                   {"hz", "hz"},
                                                                                   {"cycle", "cycle"},
                                                                                   {"cycles", "cycle"},
                                                                                   {"inst", "inst"},
                                                                                   {"w", "w"}}};
constexpr std::array<std::pair<char, double>, 9> kPrefixes = {
    {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};

std::optional<std::string_view> base_unit(std::string_view text) {
  const std::string lower = core::to_lower(text);
  for (const auto& [spelling, unit] : kUnits) {
    if (lower == spelling) return unit;
  }
  return std::nullopt;
}

// One side of a fraction, its prefix gone: "Gbyte" -> byte, 1e9. Words with other beginnings stay ("msg", "Mma").
Scaled scaled(std::string_view text) {
  if (const auto unit = base_unit(text)) return {std::string(*unit), 1};
  for (const auto& [prefix, factor] : kPrefixes) {
    if (text.size() < 2 || text.front() != prefix) continue;
    if (const auto unit = base_unit(text.substr(1))) return {std::string(*unit), factor};
  }
  return {std::string(text), 1};
}

using base::is_digit;

std::string_view without_instances(std::string_view cell) {
  cell = core::trim(cell);
  const std::size_t open = cell.find(" (");
  return core::trim(open == std::string_view::npos ? cell : cell.substr(0, open));
}

}  // namespace

NcuUnit ncu_unit(std::string_view text) {
  text = core::trim(text);
  const std::size_t slash = text.find('/');
  Scaled over = scaled(core::trim(text.substr(0, slash)));
  if (slash == std::string_view::npos) {
    if (over.unit == "s") return {"ns", std::round(over.factor * 1e9)};  // times are nanoseconds everywhere here
    return {std::move(over.unit), over.factor};
  }
  const Scaled under = scaled(core::trim(text.substr(slash + 1)));
  const double factor = under.factor < 1 ? over.factor * std::round(1 / under.factor) : over.factor / under.factor;
  if (over.unit == "cycle" && under.unit == "s") return {"hz", factor};
  return {over.unit + "/" + under.unit, factor};
}

DecimalMark decimal_mark(std::string_view cell) {
  cell = without_instances(cell);
  if (cell.empty() || std::any_of(cell.begin(), cell.end(), [](char c) {
        return !is_digit(c) && c != '.' && c != ',' && c != '-' && c != '+' && c != 'e' && c != 'E';
      })) {
    return DecimalMark::open;
  }
  const auto dots = std::count(cell.begin(), cell.end(), '.');
  const auto commas = std::count(cell.begin(), cell.end(), ',');
  if (dots > 0 && commas > 0) return cell.rfind('.') > cell.rfind(',') ? DecimalMark::point : DecimalMark::comma;
  if (dots + commas == 0) return DecimalMark::open;
  const DecimalMark own = dots > 0 ? DecimalMark::point : DecimalMark::comma;
  const DecimalMark other = dots > 0 ? DecimalMark::comma : DecimalMark::point;
  if (dots + commas > 1) return other;  // what stands several times groups thousands
  // Once: three digits behind it may be a group of thousands, unless nothing or a zero stands before.
  const std::size_t at = cell.find(dots > 0 ? '.' : ',');
  const std::size_t begin = cell.front() == '-' || cell.front() == '+' ? 1 : 0;
  std::size_t behind = at + 1;
  while (behind < cell.size() && is_digit(cell[behind])) ++behind;
  const bool group = behind - at - 1 == 3 && behind == cell.size() && at > begin && at - begin <= 3 && cell[begin] != '0';
  return group ? DecimalMark::open : own;
}

NcuNumber ncu_number(std::string_view cell, DecimalMark mark) {
  cell = without_instances(cell);
  const std::string lower = core::to_lower(cell);
  for (const std::string_view none : {"", "n/a", "nan", "-nan", "-", "inf", "-inf"}) {
    if (lower == none) return {};
  }
  std::string plain;
  for (const char c : cell) {
    if (c == (mark == DecimalMark::comma ? '.' : ',')) continue;
    plain += c == ',' ? '.' : c;
  }
  const auto value = core::parse_double(plain);
  if (!value) return {NcuNumber::Kind::word, 0};
  if (!std::isfinite(*value)) return {};
  return {NcuNumber::Kind::number, *value};
}

}  // namespace plumbline::profiles
