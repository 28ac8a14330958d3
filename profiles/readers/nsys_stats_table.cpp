#include "profiles/readers/nsys_stats_table.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/text.hpp"
#include "profiles/names/names.hpp"
#include "profiles/readers/csv_text.hpp"
#include "profiles/analysis/aggregates.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

// One column's header: "Total Time (ns)" -> {"totaltime", "ns"}, "Time(%)" -> {"time", "%"}.
struct Header {
  std::string name, unit;
};
Header normalise(std::string_view text) {
  text = core::trim(text);
  Header header;
  const std::size_t open = text.rfind('(');
  if (open != std::string_view::npos && text.ends_with(')')) {
    header.unit = core::to_lower(core::trim(text.substr(open + 1, text.size() - open - 2)));
    text = text.substr(0, open);
  }
  for (const char c : text) {
    if (c != ' ' && c != '_') header.name += c;
  }
  header.name = core::to_lower(header.name);
  if (header.name == "average" || header.name == "mean") header.name = "avg";
  if (header.name == "median") header.name = "med";
  if (header.name == "minimum") header.name = "min";
  if (header.name == "maximum") header.name = "max";
  return header;
}

// 10^power of a unit makes nanoseconds; nullopt: not a time.
std::optional<int> time_power(std::string_view unit) {
  if (unit == "ns" || unit == "nsec") return 0;
  if (unit == "us" || unit == "usec" || unit == "\xC2\xB5s" || unit == "\xCE\xBCs") return 3;
  if (unit == "ms" || unit == "msec") return 6;
  if (unit == "s" || unit == "sec") return 9;
  return std::nullopt;
}

}  // namespace

struct StatsColumns {
  Report report = Report::unknown;
  struct Column {
    std::size_t index = kAbsent;
    int power = 0;  // 10^power makes nanoseconds
    std::string header;
    Comma comma = Comma::none;
    [[nodiscard]] bool there() const { return index != kAbsent; }
  };
  Column name, total, count, median, low, high, stddev;
  std::size_t width = 0;
  bool unit_missing = false;
  std::string problem;  // why a line that is a header cannot be used
};

namespace {

std::optional<StatsColumns> find_columns(const std::vector<std::string_view>& fields, Report expected) {
  // Every record is asked; only one with such a column is worth a closer look.
  if (fields.size() < 3 || std::none_of(fields.begin(), fields.end(), [](std::string_view field) {
        field = core::trim(field);
        return core::starts_with_no_case(field, "total") || core::starts_with_no_case(field, "duration");
      })) {
    return std::nullopt;
  }
  std::vector<Header> headers;
  headers.reserve(fields.size());
  for (const std::string_view field : fields) headers.push_back(normalise(field));
  StatsColumns columns;
  columns.width = fields.size();
  const auto find = [&](std::initializer_list<std::string_view> names, bool time) {
    StatsColumns::Column column;
    for (const std::string_view name : names) {
      for (std::size_t i = 0; i < headers.size(); ++i) {
        if (headers[i].name != name || headers[i].unit == "%") continue;
        const auto power = time_power(headers[i].unit);
        if (time && !power && !headers[i].unit.empty()) continue;
        if (column.there()) {
          columns.problem = "column '" + std::string(core::trim(fields[i])) + "' stands twice in the header";
          return column;
        }
        column.index = i;
        column.header = core::trim(fields[i]);
        column.power = power.value_or(0);
        if (time && !power) columns.unit_missing = true;
      }
      if (column.there()) return column;
    }
    return column;
  };
  const auto has = [&](std::string_view name) {
    return std::any_of(headers.begin(), headers.end(), [&](const Header& header) { return header.name == name; });
  };
  if (has("numgpuops") || has("totalprojtime") || has("qcount") || has("nvtxinst"))
    return std::nullopt;  // reports of another kind
  const bool summary = has("totaltime") && (has("instances") || has("numcalls") || has("calls") || has("count"));
  const bool trace = !summary && has("duration") && (has("function") || has("operation")) && expected == Report::nccl;
  if (!summary && !trace) return std::nullopt;
  if (trace) {
    columns.report = Report::nccl;
    columns.name = find({"function", "name", "operation"}, false);
    columns.total = find({"duration"}, true);
    return columns;
  }
  columns.total = find({"totaltime"}, true);
  columns.count = find({"instances", "numcalls", "calls", "count"}, false);
  columns.median = find({"med"}, true);
  columns.low = find({"min"}, true);
  columns.high = find({"max"}, true);
  columns.stddev = find({"stddev"}, true);
  if (has("range")) {
    columns.report = expected == Report::nvtx_startend ? Report::nvtx_startend : Report::nvtx;
    columns.name = find({"range"}, false);
  } else if (has("operation")) {
    columns.report = expected == Report::nccl ? Report::nccl : Report::memory;
    columns.name = find({"operation"}, false);
  } else if (has("numcalls")) {
    columns.report = expected == Report::other ? Report::other : Report::api;
    columns.name = find({"name", "apiname"}, false);
  } else {
    const bool shaped = has("gridxyz") || has("blockxyz");
    columns.report = expected == Report::unknown || expected == Report::kernels_by_shape
                         ? (shaped ? Report::kernels_by_shape : Report::kernels)
                         : expected;
    columns.name = find({"name", "kernelname"}, false);
  }
  if (!columns.name.there() || !columns.total.there()) return std::nullopt;
  return columns;
}

// The lines nsys prints around its tables: none is a row.
enum class Line : std::uint8_t { row, blank, noise, skipped, osrt_title };
Line kind_of(const std::vector<std::string_view>& fields) {
  const std::string_view first = core::trim(fields.front());
  if (fields.size() == 1 && first.empty()) return Line::blank;
  if (first.starts_with("SKIPPED:")) return Line::skipped;
  if (first.starts_with("** ") || first.starts_with("**"))
    return first.find("OS Runtime") != std::string_view::npos ? Line::osrt_title : Line::noise;
  for (const std::string_view start : {"Processing [", "Generating ", "Exporting ", "NOTICE:", "WARNING:", "Using "}) {
    if (first.starts_with(start)) return Line::noise;
  }
  return fields.size() == 1 ? Line::noise : Line::row;
}

core::Error cell_error(const std::string& where, std::uint64_t line, std::string message, std::string hint = {}) {
  return {core::ErrorCode::invalid_input, std::move(message), std::move(hint), where + ":" + std::to_string(line)};
}

constexpr std::string_view kLocaleHint = "export the report again with LC_ALL=C";

}  // namespace

StatsTables::Sums& StatsTables::sums(Report report) {
  switch (report) {
    case Report::api:
      return api_;
    case Report::nvtx:
    case Report::nvtx_startend:
      return nvtx_;
    case Report::memory:
      return memory_;
    case Report::nccl:
      return nccl_;
    default:
      return kernels_;
  }
}

core::Status StatsTables::take(const StatsColumns& given, const StatsRows& table, const std::string& where) {
  using Row = StatsRows::Row;
  StatsColumns columns = given;
  seen_.insert(columns.report);
  unit_assumed_ = unit_assumed_ || columns.unit_missing;
  // First what commas mean, column by column, then the numbers.
  for (const Row& row : table.rows) {
    for (StatsColumns::Column* column :
         {&columns.total, &columns.count, &columns.median, &columns.low, &columns.high, &columns.stddev}) {
      if (column->there() && column->index < row.count)
        column->comma = merge(column->comma, comma_in(table.cells[row.first + column->index]));
    }
  }
  for (StatsColumns::Column* column :
       {&columns.total, &columns.count, &columns.median, &columns.low, &columns.high, &columns.stddev}) {
    if (!column->there()) continue;
    // Counts, and totals and extremes in ns, are whole numbers: there a comma before three digits can only group thousands.
    const bool whole = column == &columns.count ||
                       ((column == &columns.total || column == &columns.low || column == &columns.high) && column->power == 0);
    if (column->comma == Comma::ambiguous && whole) column->comma = Comma::thousands;
    // A time column is written as its neighbours are.
    if (column->comma == Comma::ambiguous && columns.total.comma == Comma::thousands) column->comma = Comma::thousands;
    if (column->comma == Comma::ambiguous && columns.total.comma == Comma::decimal) column->comma = Comma::decimal;
    if (column->comma == Comma::ambiguous) {
      return core::fail(cell_error(where, table.rows.front().line,
                                   "column '" + column->header + "': a comma may be a decimal point or a thousands separator",
                                   std::string(kLocaleHint)));
    }
    if (column->comma == Comma::contradictory || (column == &columns.count && column->comma == Comma::decimal)) {
      return core::fail(
          cell_error(where, table.rows.front().line,
                     "column '" + column->header + "': commas stand for decimals in one row and for thousands in another",
                     std::string(kLocaleHint)));
    }
  }
  Sums& into = sums(columns.report);
  const auto cell = [&](const Row& row, const StatsColumns::Column& column) {
    if (!column.there() || column.index >= row.count) return ScaledNumber{0, NumberFault::missing};
    return parse_scaled(table.cells[row.first + column.index], column.power, column.comma == Comma::decimal);
  };
  for (const Row& row : table.rows) {
    if (row.count != columns.width) {
      return core::fail(cell_error(
          where, row.line, "the row has " + core::counted(row.count, "field") + ", the header " + std::to_string(columns.width),
          "numbers with commas must stand in quotes; " + std::string(kLocaleHint)));
    }
    const std::string_view raw_name = core::trim(table.cells[row.first + columns.name.index]);
    const ScaledNumber total = cell(row, columns.total);
    const ScaledNumber count = columns.count.there() ? cell(row, columns.count) : ScaledNumber{1, NumberFault::none};
    for (const auto& [number, column] : {std::pair{&total, &columns.total}, std::pair{&count, &columns.count}}) {
      if (number->fault == NumberFault::none || number->fault == NumberFault::missing) continue;
      const std::string text(core::trim(table.cells[row.first + column->index]));
      const std::string_view why = number->fault == NumberFault::not_finite  ? "is not a finite number"
                                   : number->fault == NumberFault::too_large ? "is larger than 64 bits hold"
                                                                             : "is not a number";
      return core::fail(
          cell_error(where, row.line, "column '" + column->header + "': " + core::quoted(text) + " " + std::string(why)));
    }
    if (total.fault == NumberFault::missing || count.fault == NumberFault::missing || raw_name.empty()) {
      ++unusable_;
      if (first_unusable_.empty()) first_unusable_ = raw_name.empty() ? "a row without a name" : std::string(raw_name);
      continue;
    }
    if (total.value < 0 || count.value < 0) {
      return core::fail(cell_error(where, row.line, "a time or a count is negative"));
    }
    if (total.value > kTimeBound - total_) {
      return core::fail(cell_error(where, row.line, "the times in the report add up to more than 73 years",
                                   "check the unit in the header of column '" + columns.total.header + "'"));
    }
    total_ += total.value;
    std::string name = columns.report == Report::memory ? canonical_operation(raw_name)
                       : columns.report == Report::api  ? std::string(api_name(raw_name))
                                                        : std::string(raw_name);
    Aggregate one;
    one.count = static_cast<std::uint64_t>(count.value);
    one.total = total.value;
    const ScaledNumber low = cell(row, columns.low);
    const ScaledNumber high = cell(row, columns.high);
    // Medians and deviations carry a decimal: read to a thousandth of a nanosecond.
    const auto fine = [&](const StatsColumns::Column& column) {
      if (!column.there()) return ScaledNumber{0, NumberFault::missing};
      return parse_scaled(table.cells[row.first + column.index], column.power + 3, column.comma == Comma::decimal);
    };
    const ScaledNumber median = fine(columns.median);
    const ScaledNumber stddev = fine(columns.stddev);
    for (const auto& [number, column] : {std::pair{&low, &columns.low}, std::pair{&high, &columns.high},
                                         std::pair{&median, &columns.median}, std::pair{&stddev, &columns.stddev}}) {
      if (column->there() && number->fault != NumberFault::none) ++not_available_;
    }
    one.has_spread = low.fault == NumberFault::none && high.fault == NumberFault::none && median.fault == NumberFault::none &&
                     stddev.fault == NumberFault::none;
    if (one.has_spread) {
      one.min = low.value;
      one.max = high.value;
      one.median = static_cast<double>(median.value) / 1000;
      one.stddev = static_cast<double>(stddev.value) / 1000;
    }
    const auto [found, added] = into.by_name.try_emplace(name, into.rows.size());
    if (added) {
      into.rows.push_back({std::move(name), one});
      continue;
    }
    // The same name again (launch shapes, styles, trace rows): added up. Medians do not add.
    Aggregate& sum = into.rows[found->second].aggregate;
    sum.count += one.count;
    sum.total += one.total;
    sum.has_spread = false;
    sum.min = sum.max = 0;
    sum.median = sum.stddev = 0;
    if (columns.report != Report::kernels_by_shape && columns.report != Report::nccl) ++duplicates_;
  }
  return {};
}

core::Status StatsTables::add(std::string_view text, const std::string& where, Report expected) {
  CsvRecords records(text);
  std::vector<std::string_view> fields;
  std::optional<StatsColumns> columns;
  StatsRows rows;
  Report title = expected;
  bool any_header = false;
  bool any_row = false;
  const auto flush = [&]() -> core::Status {
    if (!columns) return {};
    core::Status status;
    if (columns->report != Report::other) status = take(*columns, rows, where);
    columns.reset();
    rows = {};
    return status;
  };
  while (records.next(fields)) {
    const Line line = kind_of(fields);
    if (line != Line::row) {
      if (line == Line::skipped) ++skipped_;
      if (line == Line::osrt_title) title = Report::other;
      if (line == Line::noise && core::trim(fields.front()).starts_with("**")) title = expected;
      if (core::Status status = flush(); !status) return status;
      continue;
    }
    if (auto header = find_columns(fields, title)) {
      if (!header->problem.empty()) return core::fail(cell_error(where, records.line(), header->problem));
      if (core::Status status = flush(); !status) return status;
      columns = std::move(header);
      any_header = true;
      continue;
    }
    any_row = true;
    if (!columns) continue;
    rows.rows.push_back({rows.cells.size(), fields.size(), records.line()});
    rows.cells.insert(rows.cells.end(), fields.begin(), fields.end());
  }
  if (records.unterminated())
    return core::fail(cell_error(where, records.line(), "a quoted field is not closed: the file is cut short"));
  if (core::Status status = flush(); !status) return status;
  if (!any_header && any_row) {
    return core::fail(core::ErrorCode::invalid_input, "no line of the file is the header of an nsys summary",
                      "a kernel summary has the columns Total Time (ns), Instances and Name", where);
  }
  return {};
}

core::Expected<Profile> StatsTables::profile() {
  Profile profile;
  profile.kernels = std::move(kernels_.rows);
  profile.api = std::move(api_.rows);
  profile.nvtx = std::move(nvtx_.rows);
  profile.memory = std::move(memory_.rows);
  for (const NamedAggregate& kernel : profile.kernels) {
    profile.info.kernel_ns += kernel.aggregate.total;
    profile.info.kernels += kernel.aggregate.count;
    if (nccl_.rows.empty() && is_collective(kernel.name)) profile.nccl.push_back(kernel);
  }
  if (!nccl_.rows.empty()) profile.nccl = std::move(nccl_.rows);
  profile.warnings = std::move(warnings_);
  const auto warn = [&](std::string code, std::string message) {
    profile.warnings.push_back({std::move(code), std::move(message)});
  };
  if (skipped_ > 0)
    warn("report_skipped",
         core::counted(skipped_, "report was", "reports were") + " skipped by nsys: the capture has no such data");
  if (unusable_ > 0) {
    warn("rows_without_numbers", core::counted(unusable_, "row has", "rows have") +
                                     " no name, total or count and could not be used; first: " + first_unusable_);
  }
  if (not_available_ > 0)
    warn("cells_not_available", core::counted(not_available_, "cell holds", "cells hold") + " no number (N/A)");
  if (duplicates_ > 0)
    warn("duplicate_names", core::counted(duplicates_, "row repeats", "rows repeat") + " a name and was added to it");
  if (unit_assumed_) warn("unit_assumed", "a time column names no unit; taken as nanoseconds");
  return profile;
}

bool looks_like_stats(std::string_view head) {
  CsvRecords records(head);
  std::vector<std::string_view> fields;
  for (int lines = 0; lines < 40 && records.next(fields); ++lines) {
    if (kind_of(fields) != Line::row) continue;
    return find_columns(fields, Report::unknown).has_value();
  }
  return false;
}

}  // namespace plumbline::profiles
