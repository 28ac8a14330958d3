// A table of separated fields on its way to a measurement: its columns and what they are (delimited.cpp), then its lines as rows
// (delimited_rows.cpp). Private to formats/generic/delimited*. Cells are views into the input, which must outlive the table, or
// into texts that it owns. One use per object: read(). Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/string_pool.hpp"
#include "formats/generic/delimited_guess.hpp"
#include "formats/generic/lines.hpp"
#include "formats/row_writer.hpp"

namespace plumbline::formats {
class Repeats;
}

namespace plumbline::formats::delimited {

struct Column {
  std::string name;
  std::string unit;
  bool is_metric = false;
  bool is_dimension = false;
  bool is_empty = false;                                 // no cell says anything
  bool cell_units = false;                               // units stand beside the numbers: they are converted to the column's
  core::Direction direction = core::Direction::unknown;  // what the columns beside it say of it, where its name does not
  std::size_t numbers = 0, texts = 0;                    // cells
  std::string as_dimension;                              // "name="
  core::Id id = 0, last = 0;                             // of its name, of its last cell, as a dimension
  std::optional<RowWriter::Metric> row;                  // what all its plain numbers share
};

// What load() keeps of a cell. Its text is Table::cell()'s to tell.
struct Field {
  static constexpr std::uint32_t kLongest = (1U << 28U) - 1;
  static constexpr std::uint32_t kApart = 0xFFFFFFFFU;

  double value = 0;               // of a plain decimal
  std::uint32_t at = 0;           // where the text stands behind the line's start; kApart: `length` is its place in texts_apart_
  std::uint32_t length : 28 = 0;  // of the text
  Cell kind : 3 = Cell::absent;
  bool plain : 1 = false;  // a decimal that `value` holds
};
static_assert(sizeof(Field) == 16);  // a long table has more cells than anything else

class Table {
 public:
  Table(const Input& input, const ReadOptions& options) : input_(input), writer_(options) {}
  core::Expected<core::Measurement> read();

 private:
  core::Status load();
  void classify();
  void find_percentiles();
  void find_names();
  [[nodiscard]] bool header_is_data(const std::vector<std::string_view>& header) const;
  [[nodiscard]] bool tells_moments(std::size_t column) const;
  void settle_units();
  core::Status keep(const std::vector<std::string_view>& line);
  void make_room(std::size_t at);
  void plain_lines(char separator, const char* end);
  bool plain_line(const char*& at, char separator);
  bool word(const char*& at, const char* begin, char separator, std::size_t column);
  void doubt_end();
  void rows();
  class Points;  // delimited_rows.cpp: lines as rows, a handful at a time
  bool single_points(bool may_repeat);
  bool number_labels(core::StringPool& labels);
  struct Repeated;
  [[nodiscard]] Repeated repeated_of(const core::StringPool& labels) const;
  [[nodiscard]] bool is_parameter(std::size_t column) const;
  [[nodiscard]] bool names_input(std::size_t column) const;
  void tell_apart_by(std::size_t column);
  void repeated_points(const core::StringPool& labels, const Repeated& repeated);
  void tell(Repeats& repeats, std::size_t point, std::span<const std::uint32_t> lines, std::size_t column) const;
  void point(std::span<const std::uint32_t> lines, std::string_view label, std::uint32_t dims);
  void value(std::span<const std::uint32_t> lines, std::size_t column, std::string_view key, std::uint32_t dims);
  void spell_label(std::string& into, std::size_t line) const;
  void spell_dimensions(std::string& into, std::size_t line) const;
  void spell_key(std::string& into, std::string_view label, std::size_t column) const;
  void intern_dims(std::size_t line, std::vector<std::pair<core::Id, core::Id>>& into);
  [[nodiscard]] const Field& field(std::size_t line, std::size_t column) const { return cells_[line * columns_.size() + column]; }
  [[nodiscard]] std::string_view cell(std::size_t line, std::size_t column) const {
    const Field& kept = field(line, column);
    if (kept.at == Field::kApart) return texts_apart_[kept.length];
    return {line_starts_[line] + kept.at, kept.length};
  }
  [[nodiscard]] bool is_empty(std::size_t line, std::size_t column) const { return cell(line, column).empty(); }
  // A plain number of a metric: its row differs from the others of its column in nothing but point and value.
  [[nodiscard]] bool is_plain(const Field& field, const Column& column) const {
    return field.plain && column.is_metric && name_column_ == kNone;
  }
  const RowWriter::Metric& metric(Column& column);
  [[nodiscard]] std::size_t line_count() const { return columns_.empty() ? 0 : cells_.size() / columns_.size(); }

  const Input& input_;
  RowWriter writer_;
  std::vector<Column> columns_;
  std::vector<Field> cells_;
  std::vector<const char*> line_starts_;
  std::vector<std::string_view> texts_apart_;  // those that do not stand in their lines, or are very long
  std::size_t last_line_fields_ = 0;           // as written, of the line kept last
  std::vector<std::size_t> shown_;             // columns that become rows
  std::vector<std::uint32_t> label_of_line_;   // a number for each text that tells points apart
  std::vector<double> values_;
  std::string cut_;                                                               // what is said of a value at the text's end
  std::unique_ptr<Lines> lines_;                                                  // owns unescaped cells
  std::size_t name_column_ = kNone, value_column_ = kNone, unit_column_ = kNone;  // of a name,value[,unit] table
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

}  // namespace plumbline::formats::delimited
