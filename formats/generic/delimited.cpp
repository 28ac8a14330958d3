// CSV, TSV and semicolon tables with a header: text columns and size-like numbers are dimensions, the other numeric columns
// metrics, with the unit from "(ms)" in the header. Lines with the same dimensions are trials when all points have the same
// number of them, else duplicates.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

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
  bool is_empty = false;    // no cell says anything
  bool cell_units = false;  // units stand beside the numbers: they are converted to the column's
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
  void rows();
  void point(const std::vector<std::size_t>& lines, std::string_view label, std::uint32_t dims);
  [[nodiscard]] std::string_view cell(std::size_t line, std::size_t column) const {
    return cells_[line * columns_.size() + column];
  }
  [[nodiscard]] std::size_t line_count() const { return columns_.empty() ? 0 : cells_.size() / columns_.size(); }

  const Input& input_;
  RowWriter writer_;
  std::vector<Column> columns_;
  std::vector<std::string_view> cells_;
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
  const auto keep = [&](const std::vector<std::string_view>& line) {
    if (line.size() != columns_.size()) {
      writer_.find(Finding::ragged_lines, "line " + std::to_string(json::place_of(input_.bytes, lines_->start()).line));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) cells_.push_back(i < line.size() ? line[i] : std::string_view());
  };
  if (data_first) keep(first_data);
  while (lines_->next(fields)) keep(fields);
  if (lines_->broken()) return broken();
  if (lines_->comments() > 0) writer_.find(Finding::comment_lines, lines_->last_comment().substr(0, 80), lines_->comments());
  if (input_.bytes.starts_with("\xEF\xBB\xBF")) writer_.find(Finding::byte_order_mark, {});
  if (cells_.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "a table with a header but no rows",
                      "its writer stopped before the first result", input_.name);
  }
  return {};
}

void Table::classify() {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t numbers = 0, texts = 0;
    for (std::size_t line = 0; line < line_count(); ++line) {
      const Cell kind = cell_of(cell(line, c));
      if (kind == Cell::number || kind == Cell::grouped) ++numbers;
      const std::string_view content = cell(line, c);
      const bool ends_in_digit = !content.empty() && content.back() >= '0' && content.back() <= '9';  // the usual case
      if (kind == Cell::number && !ends_in_digit && !leaf_of_text(content).unit.empty()) columns_[c].cell_units = true;
      if (kind == Cell::text) ++texts;
    }
    Column& column = columns_[c];
    const bool mostly_numbers = numbers > texts;
    column.is_empty = numbers + texts == 0;
    if (writer_.names().is_dimension(column.name)) {
      column.is_dimension = numbers + texts > 0;
    } else if (mostly_numbers) {
      column.is_metric = true;
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
      if (columns_[c].is_dimension && cell_of(cell(0, c)) == Cell::number) {
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
      const std::string_view content = cell(line, c);
      if (cell_of(content) != Cell::number) continue;
      const Leaf leaf = leaf_of_text(content);
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

void Table::point(const std::vector<std::size_t>& lines, std::string_view label, std::uint32_t dims) {
  std::vector<double> values;
  std::string key;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const bool by_name = name_column_ != kNone;
    if (by_name ? c != value_column_ : column.is_dimension) continue;
    std::string_view name = column.name;
    Explicit said;
    said.unit = column.unit;
    if (by_name) {
      name = cell(lines.front(), name_column_);
      if (unit_column_ != kNone) said.unit = cell(lines.front(), unit_column_);
      key = name;
    } else {
      key.clear();
      if (!label.empty()) key.append("[").append(label).append("].");
      key.append(column.name);
    }
    if (!column.is_metric && !by_name) {
      // A text that changes from run to run is told once, where it is one.
      if (lines.size() == 1 && !cell(lines.front(), c).empty()) {
        writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::text, 0, false, cell(lines.front(), c)}, {});
      }
      continue;
    }
    values.clear();
    ValueState state = ValueState::number;
    std::string_view text;
    std::uint64_t nulls = 0;
    for (const std::size_t line : lines) {
      const std::string_view content = cell(line, c);
      const Leaf leaf = leaf_of_text(content);
      switch (cell_of(content)) {
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
        case Cell::number:
          if (leaf.state == ValueState::not_finite) {
            if (state == ValueState::number) state = ValueState::not_finite;
            text = content;
          } else {
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
            values.push_back(leaf.value * *factor);
          }
          break;
      }
    }
    if (values.empty() && state == ValueState::number) {
      writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::null, 0, false, {}}, said);
      continue;
    }
    if (state == ValueState::text || state == ValueState::failed) {
      // A word where numbers stand ("FAILED"): the row is there and invalid.
      writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::failed, 0, false, text}, said);
      continue;
    }
    if (nulls > 0) writer_.find(Finding::nulls_in_trials, key, nulls);
    writer_.add_trials(key, name, RowWriter::kRootShape, dims, values, state, text, said);
  }
}

void Table::rows() {
  struct Point {
    std::size_t first = 0, last = 0, count = 0;
  };
  core::StringPool labels;                      // a point's number is its label's, less one for the pool's empty text
  std::vector<Point> points(1);                 // the first: lines without a label
  std::vector<std::uint32_t> order;             // of points
  std::vector<std::size_t> next(line_count());  // line of the same point
  core::Id last_label = 0;
  std::string label;
  labels.reserve(line_count());
  for (std::size_t line = 0; line < line_count(); ++line) {
    label.clear();
    if (name_column_ != kNone) {
      label = cell(line, name_column_);
    } else {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (!columns_[c].is_dimension || cell(line, c).empty()) continue;
        if (!label.empty()) label.push_back(',');
        label += columns_[c].name;
        label.push_back('=');
        label += cell(line, c);
      }
    }
    last_label = labels.intern(label, last_label + 1);
    if (points.size() < labels.size()) points.resize(labels.size());
    Point& at = points[last_label];
    if (at.count++ == 0) {
      at.first = line;
      order.push_back(last_label);
    } else {
      next[at.last] = line;
    }
    at.last = line;
  }
  const std::size_t repeats = points[order.front()].count;
  const bool even = std::all_of(order.begin(), order.end(), [&](std::uint32_t one) { return points[one].count == repeats; });
  std::vector<std::pair<core::Id, core::Id>> dims;
  const auto metrics = static_cast<std::size_t>(
      std::count_if(columns_.begin(), columns_.end(), [](const Column& column) { return !column.is_dimension; }));
  writer_.reserve(order.size() * (metrics + 1));  // and texts of dimensions
  std::vector<std::size_t> lines, single(1);
  for (const std::uint32_t number : order) {
    if (writer_.halted()) return;
    const Point& one = points[number];
    const std::string_view its_label = labels.view(number);
    lines.clear();
    for (std::size_t line = one.first; lines.size() < one.count; line = next[line]) lines.push_back(line);
    dims.clear();
    if (name_column_ == kNone) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].is_dimension && !cell(one.first, c).empty()) {
          dims.emplace_back(writer_.pool().intern(columns_[c].name), writer_.pool().intern(cell(one.first, c)));
        }
      }
    }
    const std::uint32_t set = writer_.out.add_dims(dims);
    if (even) {
      point(lines, its_label, set);
      continue;
    }
    if (one.count > 1) writer_.find(Finding::unequal_repeats, its_label);
    for (const std::size_t line : lines) {  // the second of a kind marks the first as duplicate
      single[0] = line;
      point(single, its_label, set);
    }
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
