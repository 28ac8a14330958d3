// CSV, TSV and semicolon tables with a header: text columns and size-like numbers are dimensions, the other numeric columns
// metrics, with the unit from "(ms)" in the header. Lines with the same dimensions are trials when all points have the same
// number of them, else duplicates.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/large_block.hpp"
#include "core/string_pool.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/decimal.hpp"
#include "formats/generic/lines.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using core::ValueState;

constexpr std::array<char, 3> kSeparators = {'\t', ',', ';'};

// "1,234.5", "1 234", "3,14": a number to people, not to a program that cannot know the locale.
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

bool is_absent(std::string_view text) {
  if (text.empty() || text == "-") return true;
  if (text.size() > 5 || (text.front() | 0x20) != 'n') return false;
  const std::string lower = core::to_lower(text);
  return lower == "n/a" || lower == "na" || lower == "null" || lower == "none";
}

enum class Cell : std::uint8_t { absent, number, grouped, text };
Cell cell_of(std::string_view text) {
  if (double plain = 0; plain_decimal(text, plain)) return Cell::number;
  if (is_absent(text)) return Cell::absent;
  if (leaf_of_text(text).state != ValueState::text) return Cell::number;
  return is_grouped_number(text) ? Cell::grouped : Cell::text;
}

// The separator under which the first lines have the same number of fields. 0 = none.
struct Guess {
  char separator = 0;
  std::size_t columns = 0;
  std::size_t lines = 0;
  double agreement = 0;
};

// Where fewer lines agree with the header, some of them must show that they are lines of a table: a number stands in them.
constexpr double kAgrees = 0.8;

// One name and numbers under it. Words may stand among them ("FAILED") where the file is said to be a table.
Guess one_column(std::string_view head, bool whole, bool said_table) {
  constexpr std::size_t kLongestName = 100;
  Lines lines(head, '\t');
  std::vector<std::string_view> fields;
  if (!lines.next(fields) || fields.size() != 1 || fields[0].size() > kLongestName || cell_of(fields[0]) != Cell::text) return {};
  std::vector<Cell> cells;
  while (cells.size() < 40 && lines.next(fields)) {
    if (fields.size() != 1) return {};
    cells.push_back(cell_of(fields[0]));
  }
  if (!whole && cells.size() > 1 && cells.size() < 40) cells.pop_back();
  const auto numbers = std::count(cells.begin(), cells.end(), Cell::number);
  const auto texts = std::count(cells.begin(), cells.end(), Cell::text);
  if (numbers == 0 || (said_table ? texts >= numbers : texts > 0)) return {};
  return {'\t', 1, cells.size() + 1, 1};
}

Guess guess_separator(const Input& input, bool said_table) {
  const std::string_view head = head_of(input);
  const bool whole = input.bytes.size() <= kHead;
  Guess best;
  for (const char separator : kSeparators) {
    Lines lines(head, separator);
    std::vector<std::string_view> fields;
    std::vector<std::size_t> counts;
    std::vector<bool> numbers;
    while (counts.size() < 40 && lines.next(fields)) {
      counts.push_back(fields.size());
      numbers.push_back(
          std::any_of(fields.begin(), fields.end(), [](std::string_view text) { return cell_of(text) == Cell::number; }));
    }
    // A quote that never closes is told of when the line is read.
    if (lines.broken() && !fields.empty() && counts.size() == 1) counts.push_back(counts.front());
    if (!whole && counts.size() > 1 && counts.size() < 40) counts.pop_back();  // the head may end inside a line
    if (counts.size() < 2 || counts.front() < 2) continue;
    const auto same = std::count(counts.begin(), counts.end(), counts.front());
    const double agreement = static_cast<double>(same) / static_cast<double>(counts.size());
    if (agreement < kAgrees) {
      bool measured = false;
      for (std::size_t i = 1; i < counts.size(); ++i) measured = measured || (counts[i] == counts.front() && numbers[i]);
      if (!measured || (agreement < 0.5 && !said_table)) continue;
    }
    if (agreement > best.agreement + 1e-9) best = {separator, counts.front(), counts.size(), agreement};
  }
  if (best.agreement >= kAgrees) return best;
  const Guess single = one_column(head, whole, said_table);
  return single.separator != 0 ? single : best;
}

// One line of names and nothing else.
bool is_header_only(std::string_view head) {
  Lines lines(head, ',');
  std::vector<std::string_view> header, more;
  return lines.next(header) && !lines.next(more) && !lines.broken() &&
         std::any_of(header.begin(), header.end(), [](std::string_view text) { return cell_of(text) == Cell::text; });
}

bool named_table(const Input& input) { return has_extension(input.name, ".csv") || has_extension(input.name, ".tsv"); }

struct Column {
  std::string name;
  std::string unit;
  bool is_metric = false;
  bool is_dimension = false;
  bool is_empty = false;                 // no cell says anything
  bool cell_units = false;               // units stand beside the numbers: they are converted to the column's
  std::size_t numbers = 0, texts = 0;    // cells
  std::string as_dimension;              // "name="
  core::Id id = 0, last = 0;             // of its name, of its last cell, as a dimension
  std::optional<RowWriter::Metric> row;  // what all its plain numbers share
};

// What load() keeps of a cell.
struct Field {
  const char* at = nullptr;
  std::uint32_t length = 0;
  Cell kind = Cell::absent;

  [[nodiscard]] std::string_view text() const { return {at, length}; }
};

// "latency (ms)", "busbw [GB/s]": name and unit.
void split_header(std::string_view header, Column& column) {
  column.name = std::string(header);
  if (header.size() < 4 || (header.back() != ')' && header.back() != ']')) return;
  const std::size_t open = header.rfind(header.back() == ')' ? '(' : '[');
  if (open == std::string_view::npos || open == 0) return;
  const std::string_view unit = core::trim(header.substr(open + 1, header.size() - open - 2));
  const std::string_view name = core::trim(header.substr(0, open));
  if (unit.empty() || unit.size() > 20 || name.empty() || (unit.front() >= '0' && unit.front() <= '9')) return;
  column.name = std::string(name);
  column.unit = std::string(unit);
}

class Table {
 public:
  Table(const Input& input, const ReadOptions& options) : input_(input), writer_(options) {}
  core::Expected<core::Measurement> read();

 private:
  core::Status load();
  void classify();
  void settle_units();
  core::Status keep(const std::vector<std::string_view>& line);
  void rows();
  void single_points(const core::StringPool& labels);
  bool number_labels(core::StringPool& labels);
  void repeated_points(const core::StringPool& labels);
  void point(std::span<const std::uint32_t> lines, std::string_view label, std::uint32_t dims);
  void value(std::span<const std::uint32_t> lines, std::size_t column, std::string_view key, std::uint32_t dims);
  void spell_label(std::string& into, std::size_t line) const;
  void spell_key(std::string& into, std::string_view label, std::size_t column) const;
  void intern_dims(std::size_t line, std::vector<std::pair<core::Id, core::Id>>& into);
  [[nodiscard]] const Field& field(std::size_t line, std::size_t column) const { return cells_[line * columns_.size() + column]; }
  [[nodiscard]] std::string_view cell(std::size_t line, std::size_t column) const { return field(line, column).text(); }
  [[nodiscard]] std::size_t line_count() const { return columns_.empty() ? 0 : cells_.size() / columns_.size(); }

  const Input& input_;
  RowWriter writer_;
  std::vector<Column> columns_;
  std::vector<Field> cells_;
  std::vector<std::size_t> shown_;            // columns that become rows
  std::vector<std::uint32_t> label_of_line_;  // a number for each text that tells points apart
  std::vector<double> values_;
  std::unique_ptr<Lines> lines_;                                                  // owns unescaped cells
  std::size_t name_column_ = kNone, value_column_ = kNone, unit_column_ = kNone;  // of a name,value[,unit] table
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

core::Status Table::load() {
  const Guess guess = guess_separator(input_, true);
  if (guess.separator == 0 && is_header_only(input_.bytes)) {
    return core::fail(core::ErrorCode::invalid_input, "a table with a header but no rows",
                      "its writer stopped before the first result", input_.name);
  }
  if (guess.separator == 0) {
    return core::fail(core::ErrorCode::invalid_input,
                      "not a table: no comma, tab or semicolon gives the lines the same number of fields", {}, input_.name);
  }
  lines_ = std::make_unique<Lines>(input_.bytes, guess.separator);
  std::vector<std::string_view> fields;
  std::vector<std::string_view> header;
  const auto broken = [&] {
    const json::Place place = json::place_of(input_.bytes, lines_->start());
    return core::fail(core::ErrorCode::invalid_input, "a quote opened in this line never closes",
                      "a quote inside a quoted field is written twice", input_.name + ":" + std::to_string(place.line));
  };
  if (!lines_->next(header)) return broken();
  const bool data_first =
      std::none_of(header.begin(), header.end(), [](std::string_view text) { return cell_of(text) == Cell::text; });
  std::vector<std::string_view> first_data;
  std::unique_ptr<Lines> comment;
  if (data_first) {
    // "# size,time" is a header behind a comment mark.
    std::string_view text = lines_->last_comment();
    while (!text.empty() && (text.front() == '#' || text.front() == ' ')) text.remove_prefix(1);
    Lines named(text, guess.separator);
    std::vector<std::string_view> names;
    if (text.empty() || !named.next(names) || names.size() != header.size()) {
      return core::fail(core::ErrorCode::invalid_input, "a table without a header: its first line holds no names",
                        "put the columns' names in the first line", input_.name);
    }
    first_data = header;
    for (const std::string_view name : names) {
      Column column;
      split_header(name, column);
      columns_.push_back(std::move(column));
    }
  } else {
    for (const std::string_view name : header) {
      Column column;
      split_header(name, column);
      columns_.push_back(std::move(column));
    }
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name.empty()) {
      columns_[i].name = "column" + std::to_string(i + 1);
      writer_.find(Finding::unnamed_columns, columns_[i].name);
    }
  }
  // "time (ms)" and "time (us)" side by side keep their whole headers as names.
  for (std::size_t i = 0; i < columns_.size() && !data_first; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (columns_[i].name != columns_[j].name) continue;
      columns_[i].name = header[i].empty() ? columns_[i].name : std::string(header[i]);
      columns_[j].name = header[j].empty() ? columns_[j].name : std::string(header[j]);
    }
  }
  if (data_first) {
    if (auto kept = keep(first_data); !kept) return kept;
  }
  while (lines_->next(fields) && !writer_.halted()) {
    if (auto kept = keep(fields); !kept) return kept;
  }
  if (lines_->broken()) return broken();
  if (lines_->comments() > 0) writer_.find(Finding::comment_lines, lines_->last_comment().substr(0, 80), lines_->comments());
  if (input_.bytes.starts_with("\xEF\xBB\xBF")) writer_.find(Finding::byte_order_mark, {});
  if (cells_.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "a table with a header but no rows",
                      "its writer stopped before the first result", input_.name);
  }
  return {};
}

// A line's cells, and what they are.
core::Status Table::keep(const std::vector<std::string_view>& line) {
  constexpr std::size_t kMany = 1000;  // lines that tell how long a line is
  if (line.size() != columns_.size()) {
    writer_.find(Finding::ragged_lines, "line " + std::to_string(json::place_of(input_.bytes, lines_->start()).line));
  }
  if (cells_.size() + columns_.size() > cells_.capacity()) {
    const std::size_t before = line_count();
    const std::size_t lines =
        before < kMany ? 2 * kMany : (input_.bytes.size() / (lines_->start() / before + 1) + kMany) * 21 / 20;
    core::reserve_large(cells_, std::max(lines * columns_.size(), 2 * cells_.size()));
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view content = i < line.size() ? line[i] : std::string_view();
    if (content.size() > std::numeric_limits<std::uint32_t>::max()) {
      return core::fail(core::ErrorCode::limit_exceeded, "a cell of more than 4 GiB", "split the file", input_.name);
    }
    Column& column = columns_[i];
    const Cell kind = cell_of(content);
    cells_.push_back({content.data(), static_cast<std::uint32_t>(content.size()), kind});
    if (kind == Cell::number || kind == Cell::grouped) ++column.numbers;
    if (kind == Cell::text) ++column.texts;
    const bool ends_in_digit = !content.empty() && content.back() >= '0' && content.back() <= '9';  // the usual case
    if (kind == Cell::number && !ends_in_digit && !leaf_of_text(content).unit.empty()) column.cell_units = true;
  }
  if (cells_.size() / columns_.size() < std::numeric_limits<std::uint32_t>::max()) return {};
  return core::fail(core::ErrorCode::limit_exceeded, "a table of more than 4294967295 lines", "split the file", input_.name);
}

void Table::classify() {
  const auto is_result = [&](const Column& column) {
    const configs::MetricGuess guess = writer_.names().guess(column.name, column.unit);
    return guess.role == core::Role::judged && guess.direction != core::Direction::unknown;
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    const std::size_t numbers = column.numbers, texts = column.texts;
    const bool mostly_numbers = numbers > texts;
    column.is_empty = numbers + texts == 0;
    if (writer_.names().is_dimension(column.name)) {
      column.is_dimension = numbers + texts > 0;
    } else if (mostly_numbers) {
      column.is_metric = true;
    } else if (numbers > 0 && is_result(column)) {
      column.is_metric = true;  // most of its cells failed ("OOM"): those are invalid rows, no names
    } else if (texts > 0) {
      column.is_dimension = !writer_.names().is_volatile(column.name);
    }
  }
  const auto measures = [](const Column& column) { return column.is_metric; };
  // Where nothing was measured, the columns left empty are what should have been.
  if (std::none_of(columns_.begin(), columns_.end(), measures)) {
    for (Column& column : columns_) column.is_metric = column.is_empty && !writer_.names().is_volatile(column.name);
  }
  // A table of sizes alone measures them.
  if (std::none_of(columns_.begin(), columns_.end(), measures)) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].is_dimension && field(0, c).kind == Cell::number) {
        columns_[c].is_dimension = false;
        columns_[c].is_metric = true;
      }
    }
  }
  // name,value[,unit]
  if (columns_.size() > 3) return;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string name = core::to_lower(columns_[c].name);
    if (name == "value" || name == "result" || name == "measurement") value_column_ = c;
    if (name == "name" || name == "metric" || name == "key" || name == "benchmark" || name == "test") name_column_ = c;
    if (name == "unit" || name == "units") unit_column_ = c;
  }
  if (columns_.size() == 2 && name_column_ == kNone && value_column_ != kNone && columns_[1 - value_column_].is_dimension)
    name_column_ = 1 - value_column_;
  const bool whole = name_column_ != kNone && value_column_ != kNone && (columns_.size() == 2 || unit_column_ != kNone);
  if (!whole) name_column_ = value_column_ = unit_column_ = kNone;
}

// "10 ms" and "0.02 s" in one column are both milliseconds. Where units measure different things, or stand beside some
// numbers only, nobody can tell what the column measures: its cells stay text, and tell no rows apart.
void Table::settle_units() {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    if (!column.is_metric || !column.cell_units || (name_column_ != kNone && c == value_column_)) continue;
    const bool by_header = !column.unit.empty();
    bool mixed = false;
    for (std::size_t line = 0; line < line_count() && !mixed; ++line) {
      if (field(line, c).kind != Cell::number) continue;
      const Leaf leaf = leaf_of_text(cell(line, c));
      if (leaf.unit.empty()) {
        mixed = !by_header && leaf.value != 0;  // nothing is nothing in any unit
      } else if (column.unit.empty()) {
        column.unit = std::string(leaf.unit);
      } else {
        mixed = !core::conversion_factor(leaf.unit, column.unit);
      }
    }
    if (!mixed) continue;
    column.is_metric = column.is_dimension = false;
    writer_.find(Finding::mixed_units, column.name);
  }
}

// "size=8,dtype=float", or the name of a table of names.
void Table::spell_label(std::string& into, std::size_t line) const {
  if (name_column_ != kNone) {
    into.append(cell(line, name_column_));
    return;
  }
  const std::size_t start = into.size();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].is_dimension || field(line, c).length == 0) continue;
    if (into.size() > start) into.push_back(',');
    into.append(columns_[c].as_dimension).append(cell(line, c));
  }
}

void Table::spell_key(std::string& into, std::string_view label, std::size_t column) const {
  if (name_column_ != kNone) {
    into.append(label);
    return;
  }
  if (!label.empty()) into.append("[").append(label).append("].");
  into.append(columns_[column].name);
}

void Table::intern_dims(std::size_t line, std::vector<std::pair<core::Id, core::Id>>& into) {
  if (name_column_ != kNone) return;
  core::StringPool& pool = writer_.pool();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    if (!column.is_dimension || field(line, c).length == 0) continue;
    if (column.id == 0) column.id = pool.intern(column.name);
    // The value of the line before, or a new one as that was.
    if (pool.view(column.last) != cell(line, c)) column.last = pool.intern(cell(line, c), column.last + 1);
    into.emplace_back(column.id, column.last);
  }
}

// The rows of one column at one point: `lines` are its trials.
void Table::value(std::span<const std::uint32_t> lines, std::size_t c, std::string_view key, std::uint32_t dims) {
  Column& column = columns_[c];
  const bool by_name = name_column_ != kNone;
  const Field& first = field(lines.front(), c);
  double plain = 0;
  const bool usual = lines.size() == 1 && column.is_metric && !by_name && first.kind == Cell::number;
  if (usual && plain_decimal(first.text(), plain)) {
    if (!column.row) column.row = writer_.metric(column.name, RowWriter::kRootShape, {.unit = column.unit});
    writer_.add_known(key, *column.row, dims, {&plain, 1});
    return;
  }
  const std::string_view name = by_name ? cell(lines.front(), name_column_) : std::string_view(column.name);
  if (!column.is_metric && !by_name) {
    // A text that changes from run to run is told once, where it is one.
    if (lines.size() == 1 && first.length > 0) {
      writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::text, 0, false, first.text()}, {});
    }
    return;
  }
  Explicit said;
  said.unit = unit_column_ != kNone ? cell(lines.front(), unit_column_) : std::string_view(column.unit);
  values_.clear();
  ValueState state = ValueState::number;
  std::string_view text;
  std::uint64_t nulls = 0;
  for (const std::uint32_t line : lines) {
    const std::string_view content = cell(line, c);
    switch (field(line, c).kind) {
      case Cell::absent:
        ++nulls;
        break;
      case Cell::grouped:
        writer_.find(Finding::grouped_digits, content);
        state = ValueState::failed;
        text = content;
        break;
      case Cell::text:
        if (state != ValueState::failed) state = ValueState::text;
        text = content;
        break;
      case Cell::number: {
        const Leaf leaf = leaf_of_text(content);
        if (leaf.state == ValueState::not_finite) {
          if (state == ValueState::number) state = ValueState::not_finite;
          text = content;
          break;
        }
        if (leaf.state == ValueState::big_integer && lines.size() == 1) {
          state = ValueState::big_integer;
          text = content;
        }
        if (!leaf.unit.empty() && said.unit.empty()) said.unit = leaf.unit;  // the value of a name has its own unit
        const auto factor = leaf.unit.empty() ? 1.0 : core::conversion_factor(leaf.unit, said.unit);
        if (!factor) {
          state = ValueState::failed;
          text = content;
          writer_.find(Finding::mixed_units, key);
          break;
        }
        values_.push_back(leaf.value * *factor);
        break;
      }
    }
  }
  if (values_.empty() && state == ValueState::number) {
    writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::null, 0, false, {}}, said);
    return;
  }
  if (state == ValueState::text || state == ValueState::failed) {
    // A word where numbers stand ("FAILED"): the row is there and invalid.
    writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::failed, 0, false, text}, said);
    return;
  }
  if (nulls > 0) writer_.find(Finding::nulls_in_trials, key, nulls);
  writer_.add_trials(key, name, RowWriter::kRootShape, dims, values_, state, text, said);
}

void Table::point(std::span<const std::uint32_t> lines, std::string_view label, std::uint32_t dims) {
  std::string key;
  for (const std::size_t c : shown_) {
    key.clear();
    spell_key(key, label, c);
    value(lines, c, key, dims);
  }
}

// Gives every line the number of its label. Whether no two lines have the same.
bool Table::number_labels(core::StringPool& labels) {
  constexpr std::size_t kAtOnce = 16;  // their places in the pool are fetched while the next are spelled
  std::string block;
  std::array<std::size_t, kAtOnce + 1> ends{};
  labels.reserve(line_count() + 1);  // and the empty one
  core::reserve_large(label_of_line_, line_count());
  bool single = true, nameless = false;
  core::Id last = 0;
  for (std::size_t first = 0; first < line_count() && !writer_.halted(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, line_count() - first);
    block.clear();
    for (std::size_t i = 0; i < count; ++i) {
      spell_label(block, first + i);
      ends[i + 1] = block.size();
    }
    const auto label = [&](std::size_t i) { return std::string_view(block).substr(ends[i], ends[i + 1] - ends[i]); };
    for (std::size_t i = 0; i < count; ++i) labels.prefetch(label(i));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t known = labels.size();
      last = labels.intern(label(i), last + 1);
      single = single && (last >= known || (last == 0 && !nameless));
      nameless = nameless || last == 0;
      label_of_line_.push_back(last);
    }
  }
  return single;
}

// Every line a point of its own.
void Table::single_points(const core::StringPool& labels) {
  constexpr std::size_t kAtOnce = 16;  // as above, in the pool of the rows
  std::string keys;
  std::vector<std::size_t> ends, dims_ends;
  const std::size_t forget = (std::size_t{8} << 20U) / (columns_.size() * sizeof(Field)) + 1;
  std::size_t forgotten = 0;
  std::vector<std::pair<core::Id, core::Id>> dims;
  for (std::size_t first = 0; first < line_count(); first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, line_count());
    if (first - forgotten >= forget) {  // nobody looks back: rows can take the memory of what they were made from
      core::give_back_pages(&cells_[forgotten * columns_.size()], (first - forgotten) * columns_.size() * sizeof(Field));
      forgotten = first;
    }
    keys.clear();
    ends.assign(1, 0);
    for (std::size_t line = first; line < end; ++line) {
      for (const std::size_t c : shown_) {
        spell_key(keys, labels.view(label_of_line_[line]), c);
        ends.push_back(keys.size());
      }
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].is_dimension) writer_.expect(cell(line, c));
      }
    }
    const auto key = [&](std::size_t i) { return std::string_view(keys).substr(ends[i], ends[i + 1] - ends[i]); };
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) writer_.expect(key(i));
    dims.clear();
    dims_ends.assign(1, 0);
    for (std::size_t line = first; line < end; ++line) {
      intern_dims(line, dims);
      dims_ends.push_back(dims.size());
    }
    std::size_t next = 0;
    for (std::size_t line = first; line < end; ++line) {
      if (writer_.halted()) return;
      const std::size_t from = dims_ends[line - first];
      const std::uint32_t set = writer_.out.add_dims(std::span(dims).subspan(from, dims_ends[line - first + 1] - from));
      const auto number = static_cast<std::uint32_t>(line);
      for (const std::size_t c : shown_) value({&number, 1}, c, key(next++), set);
    }
  }
}

// Lines of one point are trials where every point has as many of them.
void Table::repeated_points(const core::StringPool& labels) {
  struct Point {
    std::uint32_t first = 0, last = 0, count = 0;
  };
  std::vector<Point> points(labels.size());
  std::vector<std::uint32_t> order;                        // of labels
  std::vector<std::uint32_t> next(label_of_line_.size());  // line of the same point
  for (std::uint32_t line = 0; line < label_of_line_.size(); ++line) {
    Point& at = points[label_of_line_[line]];
    if (at.count++ == 0) {
      at.first = line;
      order.push_back(label_of_line_[line]);
    } else {
      next[at.last] = line;
    }
    at.last = line;
  }
  const std::size_t repeats = points[order.front()].count;
  const bool even = std::all_of(order.begin(), order.end(), [&](std::uint32_t one) { return points[one].count == repeats; });
  std::vector<std::pair<core::Id, core::Id>> dims;
  std::vector<std::uint32_t> lines;
  for (const std::uint32_t number : order) {
    if (writer_.halted()) return;
    const Point& one = points[number];
    lines.clear();
    for (std::uint32_t line = one.first; lines.size() < one.count; line = next[line]) lines.push_back(line);
    dims.clear();
    intern_dims(one.first, dims);
    const std::uint32_t set = writer_.out.add_dims(dims);
    if (even) {
      point(lines, labels.view(number), set);
      continue;
    }
    if (one.count > 1) writer_.find(Finding::unequal_repeats, labels.view(number));
    // The second of a kind marks the first as duplicate.
    for (const std::uint32_t line : lines) point({&line, 1}, labels.view(number), set);
  }
}

void Table::rows() {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].as_dimension = columns_[c].name + "=";
    if (name_column_ != kNone ? c == value_column_ : !columns_[c].is_dimension) shown_.push_back(c);
  }
  core::StringPool labels;
  const bool single = number_labels(labels);
  writer_.reserve(labels.size() * (shown_.size() + 1));  // and texts of dimensions
  if (single) {
    single_points(labels);
  } else {
    repeated_points(labels);
  }
}

core::Expected<core::Measurement> Table::read() {
  if (auto loaded = load(); !loaded) return core::fail(loaded.error());
  classify();
  settle_units();
  rows();
  // A table of one number is still a table.
  writer_.out.replication = core::Replication::run;
  return writer_.finish(input_.name);
}

}  // namespace

Detection detect_delimited(const Input& input) {
  Detection detection;
  if (input.is_directory) return detection;
  const std::string_view head = json_head(input);
  if (head.empty() || head.front() == '{' || head.front() == '[') return detection;
  const Guess guess = guess_separator(input, named_table(input));
  if (guess.separator == 0) {
    if (named_table(input) && is_header_only(input.bytes.substr(0, kHead))) {
      detection.score = 0.3;  // read to be told what is wrong
      detection.evidence.emplace_back("named as a table, one line of names");
    }
    return detection;
  }
  const char* name = guess.separator == ',' ? "comma" : guess.separator == '\t' ? "tab" : "semicolon";
  detection.score = 0.5 + 0.2 * guess.agreement + (guess.lines > 3 ? 0.05 : 0.0);
  detection.evidence.push_back(core::counted(guess.lines, "line") + " looked at, " + core::counted(guess.columns, "column") +
                               (guess.columns == 1 ? std::string() : std::string(" separated by ") + name));
  if (named_table(input)) {
    detection.score += 0.15;
    detection.evidence.emplace_back("named as a table");
  }
  return detection;
}

core::Expected<core::Measurement> read_delimited(const Input& input, const ReadOptions& options) {
  return Table(input, options).read();
}

extern const Format csv_format = {
    .name = "csv",
    .title = "CSV or TSV with a header",
    .replication = core::Replication::run,
    .detect = detect_delimited,
    .read = read_delimited,
    .about = {.judged = "CSV, TSV and semicolon tables with a header, one column too; numbers may carry their unit (`10 ms`)",
              .key = "the columns of words and of sizes, or the name of a name,value table",
              .trials = "lines that repeat a point, where all are repeated equally often",
              .context = "none",
              .limits = "numbers with grouped digits or a decimal comma are not guessed at",
              .recognised = "the same number of separators in every line"},
};

}  // namespace plumbline::formats
