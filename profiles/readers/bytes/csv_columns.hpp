// The header line of a profiler's table and the number columns under it. Columns are found by normalised name, never by
// position: "Time (%)", "Time(%)", "Average", "Avg (us)", "AverageNs", "Mean Kernel Time (µs)" each become a name and a unit,
// and every time column keeps its own unit as a power of ten that makes nanoseconds.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "profiles/readers/bytes/csv_text.hpp"

namespace plumbline::profiles {

inline constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

// "Total Time (ns)" -> {"totaltime", "ns"}, "Time(%)" -> {"time", "%"}, "TotalDurationNs" -> {"totaltime", "ns"}.
struct CsvHeader {
  std::string name, unit;
};
[[nodiscard]] CsvHeader csv_header(std::string_view text);
// 10^power of a unit makes nanoseconds; nullopt: not a time.
[[nodiscard]] std::optional<int> time_power(std::string_view unit);

struct NumberColumn {
  std::size_t index = kNoColumn;
  int power = 0;       // 10^power makes nanoseconds (or bytes)
  bool whole = false;  // whole numbers where all is well: a comma before three digits groups thousands
  bool count = false;  // cannot hold anything but whole numbers
  std::string header;  // as the file has it
  Comma comma = Comma::none;
  [[nodiscard]] bool there() const { return index != kNoColumn; }
};

class HeaderLine {
 public:
  explicit HeaderLine(const std::vector<std::string_view>& fields);
  [[nodiscard]] bool has(std::string_view name) const { return index({name}) != kNoColumn; }
  [[nodiscard]] std::size_t width() const { return headers_.size(); }
  // The first of the names that is there; columns of percentages are none.
  [[nodiscard]] std::size_t index(std::initializer_list<std::string_view> names) const;
  // A column that stands twice, or a unit that is missing, is noted below.
  [[nodiscard]] NumberColumn time(std::initializer_list<std::string_view> names);
  [[nodiscard]] NumberColumn number(std::initializer_list<std::string_view> names);
  [[nodiscard]] NumberColumn bytes(std::initializer_list<std::string_view> names);
  [[nodiscard]] const std::string& problem() const { return problem_; }  // why the header cannot be used; "" if it can
  [[nodiscard]] bool unit_missing() const { return unit_missing_; }

 private:
  template <class Power>
  NumberColumn find(std::initializer_list<std::string_view> names, Power&& power);
  std::vector<CsvHeader> headers_;
  std::vector<std::string> texts_;
  std::string problem_;
  bool unit_missing_ = false;
};

// Rows of one table, kept until the table ends: what commas mean is decided by whole columns.
class TableRows {
 public:
  struct Row {
    std::size_t first = 0, count = 0;
    std::uint64_t line = 0;
  };
  void add(const std::vector<std::string_view>& fields, std::uint64_t line);
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] std::string_view cell(const Row& row, std::size_t index) const {
    return index < row.count ? cells_[row.first + index] : std::string_view();
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // about what is held

 private:
  std::deque<std::string> texts_;
  std::vector<std::string_view> cells_;
  std::vector<Row> rows_;
  std::size_t bytes_ = 0;
};

[[nodiscard]] core::Error cell_error(const std::string& where, std::uint64_t line, std::string message, std::string hint = {});
inline constexpr std::string_view kLocaleHint = "export the report again with LC_ALL=C";

// What commas mean in each column, from all of its cells; a column that leaves it open follows the first of the list.
[[nodiscard]] core::Status settle_commas(std::initializer_list<NumberColumn*> columns, const TableRows& rows,
                                         const std::string& where);
// A cell as a whole number of the column's base unit; missing where the column or the cell is.
[[nodiscard]] ScaledNumber read_cell(const TableRows& rows, const TableRows::Row& row, const NumberColumn& column,
                                     int extra_power = 0);
// "column 'Total Time (ns)': "inf" is not a finite number"
[[nodiscard]] core::Error number_error(const std::string& where, std::uint64_t line, const NumberColumn& column,
                                       std::string_view cell, NumberFault fault);

// The lines that profilers print around their tables: none is a row.
enum class LineKind : std::uint8_t { row, blank, noise, skipped, title, osrt_title };
[[nodiscard]] LineKind line_kind(const std::vector<std::string_view>& fields);

}  // namespace plumbline::profiles
