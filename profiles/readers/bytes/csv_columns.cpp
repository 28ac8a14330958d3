#include "profiles/readers/bytes/csv_columns.hpp"

#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

// Spellings of one column: of nsys before 2022, of rocprof and of tables that people make with pandas.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kSynonyms = {{{"average", "avg"},
                                                                                      {"mean", "avg"},
                                                                                      {"median", "med"},
                                                                                      {"minimum", "min"},
                                                                                      {"maximum", "max"},
                                                                                      {"std", "stddev"},
                                                                                      {"meankerneltime", "avg"},
                                                                                      {"mediankerneltime", "med"},
                                                                                      {"minkerneltime", "min"},
                                                                                      {"maxkerneltime", "max"},
                                                                                      {"stdkerneltime", "stddev"},
                                                                                      {"totalkerneltime", "totaltime"},
                                                                                      {"totalduration", "totaltime"},
                                                                                      {"kernelname", "name"}}};

// 10^power of a size makes bytes. nsys' MB are 10^6.
std::optional<int> size_power(std::string_view unit) {
  if (unit == "b" || unit == "bytes") return 0;
  if (unit == "kb") return 3;
  if (unit == "mb") return 6;
  if (unit == "gb") return 9;
  return std::nullopt;
}

}  // namespace

CsvHeader csv_header(std::string_view text) {
  text = core::trim(text);
  CsvHeader header;
  const std::size_t open = text.rfind('(');
  if (open != std::string_view::npos && text.ends_with(')')) {
    header.unit = core::to_lower(core::trim(text.substr(open + 1, text.size() - open - 2)));
    text = text.substr(0, open);
  }
  for (const char c : text) {
    if (c != ' ' && c != '_') header.name += c;
  }
  // rocprof: "AverageNs". A capital N, lest "Registers per Thread, columns" lose letters.
  if (header.unit.empty() && header.name.size() > 2 && header.name.ends_with("Ns")) {
    header.unit = "ns";
    header.name.resize(header.name.size() - 2);
  }
  header.name = core::to_lower(header.name);
  for (const auto& [spelling, name] : kSynonyms) {
    if (header.name == spelling) {
      header.name = name;
      break;
    }
  }
  return header;
}

std::optional<int> time_power(std::string_view unit) {
  if (unit == "ns" || unit == "nsec") return 0;
  if (unit == "us" || unit == "usec" || unit == "\xC2\xB5s" || unit == "\xCE\xBCs") return 3;
  if (unit == "ms" || unit == "msec") return 6;
  if (unit == "s" || unit == "sec") return 9;
  return std::nullopt;
}

HeaderLine::HeaderLine(const std::vector<std::string_view>& fields) {
  headers_.reserve(fields.size());
  texts_.reserve(fields.size());
  for (const std::string_view field : fields) {
    headers_.push_back(csv_header(field));
    texts_.emplace_back(core::trim(field));
  }
}

std::size_t HeaderLine::index(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      if (headers_[i].name == name && headers_[i].unit != "%") return i;
    }
  }
  return kNoColumn;
}

// `power` says what 10 to which power a unit is, or nullopt for a unit that is none of the kind looked for.
template <class Power>
NumberColumn HeaderLine::find(std::initializer_list<std::string_view> names, Power&& power) {
  NumberColumn column;
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      if (headers_[i].name != name || headers_[i].unit == "%") continue;
      const std::optional<int> found = power(headers_[i].unit);
      if (!found) continue;
      if (column.there()) {
        problem_ = "column " + core::cited(texts_[i]) + " is twice in the header";
        return column;
      }
      column.index = i;
      column.header = texts_[i];
      column.power = *found;
    }
    if (column.there()) return column;
  }
  return column;
}

NumberColumn HeaderLine::time(std::initializer_list<std::string_view> names) {
  bool missing = false;
  NumberColumn column = find(names, [&missing](std::string_view unit) -> std::optional<int> {
    if (!unit.empty()) return time_power(unit);
    missing = true;
    return 0;
  });
  unit_missing_ = unit_missing_ || missing;
  column.whole = column.power == 0;
  return column;
}

NumberColumn HeaderLine::number(std::initializer_list<std::string_view> names) {
  NumberColumn column = find(names, [](std::string_view) { return std::optional<int>(0); });
  column.whole = column.count = true;
  return column;
}

NumberColumn HeaderLine::bytes(std::initializer_list<std::string_view> names) {
  return find(names, [](std::string_view unit) { return unit.empty() ? std::optional<int>(0) : size_power(unit); });
}

void TableRows::add(const std::vector<std::string_view>& fields, std::uint64_t line) {
  std::size_t size = 0;
  for (const std::string_view field : fields) size += field.size();
  std::string& text = texts_.emplace_back();
  text.reserve(size);  // views into it must not move, nor does a deque's element
  rows_.push_back({cells_.size(), fields.size(), line});
  for (const std::string_view field : fields) {
    const std::size_t at = text.size();
    text += field;
    cells_.emplace_back(text.data() + at, field.size());
  }
  bytes_ += size + sizeof(std::string) + sizeof(Row) + fields.size() * sizeof(std::string_view);
}

core::Error cell_error(const std::string& where, std::uint64_t line, std::string message, std::string hint) {
  return {core::ErrorCode::invalid_input, std::move(message), std::move(hint), where + ":" + std::to_string(line)};
}

core::Status settle_commas(std::initializer_list<NumberColumn*> columns, const TableRows& rows, const std::string& where) {
  for (const TableRows::Row& row : rows.rows()) {
    for (NumberColumn* column : columns) {
      if (column->there() && column->index < row.count)
        column->comma = merge(column->comma, comma_in(rows.cell(row, column->index)));
    }
  }
  const NumberColumn& first = **columns.begin();
  for (NumberColumn* column : columns) {
    if (!column->there()) continue;
    const std::uint64_t line = rows.rows().empty() ? 0 : rows.rows().front().line;
    if (column->comma == Comma::ambiguous && column->whole) column->comma = Comma::thousands;
    // A time column is written as its neighbours are.
    if (column->comma == Comma::ambiguous && (first.comma == Comma::thousands || first.comma == Comma::decimal))
      column->comma = first.comma;
    if (column->comma == Comma::ambiguous) {
      return core::fail(cell_error(
          where, line, "column " + core::cited(column->header) + ": a comma may be a decimal point or a thousands separator",
          std::string(kLocaleHint)));
    }
    if (column->comma == Comma::contradictory || (column->count && column->comma == Comma::decimal)) {
      return core::fail(cell_error(
          where, line, "column " + core::cited(column->header) + ": commas mean decimals in one row and thousands in another",
          std::string(kLocaleHint)));
    }
  }
  return {};
}

ScaledNumber read_cell(const TableRows& rows, const TableRows::Row& row, const NumberColumn& column, int extra_power) {
  if (!column.there() || column.index >= row.count) return {0, NumberFault::missing};
  return parse_scaled(rows.cell(row, column.index), column.power + extra_power, column.comma == Comma::decimal);
}

core::Error number_error(const std::string& where, std::uint64_t line, const NumberColumn& column, std::string_view cell,
                         NumberFault fault) {
  const std::string_view why = fault == NumberFault::not_finite  ? "is not a finite number"
                               : fault == NumberFault::too_large ? "is larger than 64 bits hold"
                                                                 : "is not a number";
  return cell_error(where, line,
                    "column " + core::cited(column.header) + ": " + core::cited(core::trim(cell)) + " " + std::string(why));
}

LineKind line_kind(const std::vector<std::string_view>& fields) {
  const std::string_view first = core::trim(fields.front());
  if (fields.size() == 1 && first.empty()) return LineKind::blank;
  if (first.starts_with("SKIPPED:")) return LineKind::skipped;
  if (first.starts_with("**")) return first.find("OS Runtime") != std::string_view::npos ? LineKind::osrt_title : LineKind::title;
  for (const std::string_view start : {"Processing [", "Generating ", "Exporting ", "NOTICE:", "WARNING:", "Using "}) {
    if (first.starts_with(start)) return LineKind::noise;
  }
  return fields.size() == 1 ? LineKind::noise : LineKind::row;
}

}  // namespace plumbline::profiles
