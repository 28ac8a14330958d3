// Markdown tables: what benchmark scripts print for people, pull requests and job summaries. Text columns and size-like
// numbers tell the lines apart, the other columns with numbers are metrics, with the unit of "(ms)" in the header or beside the
// number; "132.19 ± 0.55" is a value and its spread. Lines that repeat a point equally often are its trials.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/declared_rows.hpp"
#include "formats/generic/measured_text.hpp"
#include "formats/generic/repeats.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using core::ValueState;

// Emphasis and code marks around a cell are for the eye.
std::string_view bare(std::string_view text) {
  text = core::trim(text);
  for (const std::string_view mark : {"**", "__", "`", "*", "_"}) {
    if (text.size() > 2 * mark.size() && text.starts_with(mark) && text.ends_with(mark))
      text = core::trim(text.substr(mark.size(), text.size() - 2 * mark.size()));
  }
  return text;
}

// The cells of "| a | b |" or "a | b". A pipe behind a backslash or inside code is part of its cell.
bool cells_of(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  line = core::trim(line);
  if (line.find('|') == std::string_view::npos) return false;
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|') && !line.ends_with("\\|")) line.remove_suffix(1);
  std::size_t start = 0;
  bool code = false;
  const bool closed = std::count(line.begin(), line.end(), '`') % 2 == 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '`' && closed) code = !code;
    if (i < line.size() && (line[i] != '|' || code || (i > 0 && line[i - 1] == '\\'))) continue;
    cells.push_back(bare(line.substr(start, i - start)));
    start = i + 1;
  }
  return true;
}

// "|---|:---:|"
bool is_rule(const std::vector<std::string_view>& cells) {
  return !cells.empty() && std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
    return cell.find('-') != std::string_view::npos && cell.find_first_not_of("-:") == std::string_view::npos;
  });
}

struct MarkdownTable {
  std::string heading;
  std::vector<std::string_view> header;
  std::vector<std::vector<std::string_view>> lines;
};

class Tables {
 public:
  explicit Tables(std::string_view text) : text_(text) {}
  // The next table with at least one line.
  bool next(MarkdownTable& table) {
    std::vector<std::string_view> above, cells;
    bool had_above = false;
    for (std::string_view line; line_of(line);) {
      if (line.starts_with('#')) {
        heading_ = std::string(bare(core::trim(line.substr(std::min(line.find_first_not_of('#'), line.size())))).substr(0, 80));
        had_above = false;
        continue;
      }
      const bool row = cells_of(line, cells);
      if (row && had_above && is_rule(cells) && cells.size() == above.size()) {
        table = {heading_, above, {}};
        while (line_of(line)) {
          if (!cells_of(line, cells)) break;
          if (cells.size() != table.header.size()) ++ragged_;
          cells.resize(table.header.size());
          table.lines.push_back(cells);
        }
        if (!table.lines.empty()) return true;
        had_above = false;
        continue;
      }
      if (had_above || (!row && !core::trim(line).empty())) ++other_;
      had_above = row;
      above = cells;
    }
    return false;
  }
  [[nodiscard]] std::uint64_t ragged() const { return ragged_; }

 private:
  bool line_of(std::string_view& line) {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line = text_.substr(at_, end - at_);
    at_ = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }
  std::string_view text_;
  std::size_t at_ = 0;
  std::string heading_;
  std::uint64_t ragged_ = 0, other_ = 0;
};

struct Column {
  std::string name, unit;
  bool is_metric = false, is_dimension = false;
};

class TableRows {
 public:
  TableRows(RowWriter& writer, const MarkdownTable& table, std::string label, DifferentRecords& different)
      : writer_(writer), rows_(writer, "markdown-table"), table_(table), label_(std::move(label)), different_(different) {}

  void write() {
    classify();
    struct Point {
      std::string label;
      std::vector<std::size_t> lines;
    };
    std::vector<Point> points;
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t line = 0; line < table_.lines.size(); ++line) {
      std::string label = label_.empty() ? std::string() : "table=" + label_;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (!columns_[c].is_dimension || is_absent(table_.lines[line][c])) continue;
        if (!label.empty()) label.push_back(',');
        label += columns_[c].name + "=" + std::string(table_.lines[line][c]);
      }
      const auto [it, fresh] = index.emplace(label, points.size());
      if (fresh) points.push_back({label, {}});
      points[it->second].lines.push_back(line);
    }
    const bool even = std::all_of(points.begin(), points.end(),
                                  [&](const Point& one) { return one.lines.size() == points.front().lines.size(); });
    bool trials = even;
    if (even && points.size() < table_.lines.size()) {
      Repeats repeats(writer_.names());
      for (std::size_t i = 0; i < points.size(); ++i) tell(repeats, i, points[i].lines);
      if (const std::string field = repeats.different(); !field.empty()) {
        different_.add(field, points.front().label);
        trials = false;
      }
    }
    for (const Point& one : points) {
      if (writer_.halted()) return;
      if (trials) {
        point(one.label, one.lines);
        continue;
      }
      if (!even && one.lines.size() > 1) writer_.find(Finding::unequal_repeats, one.label);
      for (const std::size_t line : one.lines) point(one.label, {line});  // the second of a kind marks the first as duplicate
    }
  }

 private:
  void classify() {
    for (std::size_t c = 0; c < table_.header.size(); ++c) {
      Column column;
      split_unit(table_.header[c], column.name, column.unit);
      std::size_t numbers = 0, texts = 0, like_numbers = 0;
      for (const auto& line : table_.lines) {
        if (is_absent(line[c])) continue;
        const bool number = measured_text(line[c], false).has_value();
        ++(number ? numbers : texts);
        if (number || (line[c].front() >= '0' && line[c].front() <= '9')) ++like_numbers;
      }
      if (column.name.empty()) column.name = "column" + std::to_string(c + 1);
      const bool numbered = column.name == "#" || table_.header[c].empty();
      // A column that is called a result stays one where most of its cells failed ("OOM") or group their digits.
      const configs::MetricGuess guess = writer_.names().guess(column.name, column.unit);
      const bool is_result = like_numbers > 0 && guess.role == core::Role::judged && guess.direction != core::Direction::unknown;
      if ((numbers > texts || is_result) && !numbered && !writer_.names().is_dimension(column.name)) {
        column.is_metric = true;
      } else {
        column.is_dimension = numbers + texts > 0 && !writer_.names().is_volatile(column.name);
      }
      // Two columns of one name keep their headers whole: "time (ms)" and "time (us)".
      for (Column& other : columns_) {
        if (other.name != column.name) continue;
        column.name = std::string(table_.header[c]) + " " + std::to_string(c + 1);
      }
      columns_.push_back(std::move(column));
    }
  }

  // What the lines of a point hold beside its dimensions.
  void tell(Repeats& repeats, std::size_t number, const std::vector<std::size_t>& lines) const {
    std::vector<Leaf> held;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].is_dimension) continue;
      held.clear();
      for (const std::size_t line : lines) {
        const std::string_view cell = table_.lines[line][c];
        if (is_absent(cell)) continue;
        const auto measured = measured_text(cell, false);  // "12.5 ± 0.3 ms"
        held.push_back(measured ? measured->leaf : leaf_of_text(cell));
      }
      repeats.field(columns_[c].name, number, held, held.size() < lines.size());
    }
  }

  void point(const std::string& label, const std::vector<std::size_t>& lines) {
    std::vector<std::pair<core::Id, core::Id>> ids;
    const auto put = [&](std::string_view name, std::string_view value) {
      ids.emplace_back(writer_.pool().intern(name), writer_.pool().intern(value));
    };
    if (!label_.empty()) put("table", label_);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string_view cell = table_.lines[lines.front()][c];
      if (columns_[c].is_dimension && !is_absent(cell)) put(columns_[c].name, cell);
    }
    const std::uint32_t dims = writer_.out.add_dims(ids);
    const std::string prefix = label.empty() ? std::string() : "[" + label + "]";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].is_metric) {
        metric(columns_[c], c, prefix, dims, lines);
      } else if (!columns_[c].is_dimension && lines.size() == 1 && !is_absent(table_.lines[lines.front()][c])) {
        // A text that changes from run to run is told once, where it is one.
        writer_.add(key_of(prefix, columns_[c].name), columns_[c].name, RowWriter::kRootShape, dims,
                    {ValueState::text, 0, false, table_.lines[lines.front()][c]}, {});
      }
    }
  }

  static std::string key_of(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + "." + name;
  }

  void metric(const Column& column, std::size_t c, const std::string& prefix, std::uint32_t dims,
              const std::vector<std::size_t>& lines) {
    const std::string key = key_of(prefix, column.name);
    std::vector<double> values, spreads;
    std::string unit = column.unit;
    Leaf odd{ValueState::number, 0, true, {}};
    std::uint64_t absent = 0;
    for (const std::size_t line : lines) {
      const std::string_view cell = table_.lines[line][c];
      if (is_absent(cell)) {
        ++absent;
        continue;
      }
      const auto measured = measured_text(cell, false);
      if (!measured) {  // a word where numbers stand ("OOM"): the row is there and invalid
        if (is_grouped_number(cell)) writer_.find(Finding::grouped_digits, cell);
        odd = {ValueState::failed, 0, false, cell};
        break;
      }
      if (unit.empty()) unit = std::string(measured->unit);
      const auto factor = measured->unit.empty() || measured->unit == unit ? 1.0 : core::conversion_factor(measured->unit, unit);
      if (!factor || !measured->leaf.has_value) {
        if (!factor) writer_.find(Finding::mixed_units, key);
        odd = {factor ? ValueState::not_finite : ValueState::failed, 0, false, cell};
        break;
      }
      values.push_back(measured->leaf.value * *factor);
      if (measured->spread) spreads.push_back(*measured->spread * *factor);
    }
    Explicit said;
    said.unit = unit;
    if (odd.state != ValueState::number) {
      writer_.add(key, column.name, RowWriter::kRootShape, dims, odd, said);
    } else if (values.empty()) {
      writer_.add(key, column.name, RowWriter::kRootShape, dims, {ValueState::null, 0, false, {}}, said);
    } else {
      if (absent > 0) writer_.find(Finding::nulls_in_trials, key, absent);
      writer_.add_trials(key, column.name, RowWriter::kRootShape, dims, values, ValueState::number, {}, said);
      if (!spreads.empty()) rows_.add(prefix, column.name + ".spread", dims, own_noise(unit), spreads);
    }
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  const MarkdownTable& table_;
  std::string label_;
  DifferentRecords& different_;
  std::vector<Column> columns_;
};

}  // namespace

Detection detect_markdown_table(const Input& input) {
  Detection detection;
  if (input.is_directory || head_of(input).find('|') == std::string_view::npos) return detection;
  Tables tables(head_of(input));
  MarkdownTable table;
  if (!tables.next(table)) return detection;
  detection.score = 0.8;
  detection.evidence.push_back("a Markdown table of " + core::counted(table.header.size(), "column"));
  return detection;
}

core::Expected<core::Measurement> read_markdown_table(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  std::vector<MarkdownTable> found;
  Tables tables(input.bytes);
  for (MarkdownTable table; tables.next(table);) found.push_back(std::move(table));
  if (found.empty()) {
    return core::fail(core::ErrorCode::invalid_input,
                      "no Markdown table: a line of names, a line of dashes, then lines of values", {}, input.name);
  }
  // One table needs no name. Several are told apart by the headings before them, and by their number where that says the same.
  std::unordered_map<std::string, std::size_t> seen;
  DifferentRecords different;
  for (const MarkdownTable& table : found) {
    std::string label;
    if (found.size() > 1) {
      const std::size_t times = ++seen[table.heading];
      label = table.heading;
      if (label.empty() || times > 1) label += (label.empty() ? "" : " ") + std::to_string(times);
    }
    TableRows(writer, table, label, different).write();
  }
  different.warn(writer);
  if (tables.ragged() > 0) writer.find(Finding::ragged_lines, {}, tables.ragged());
  return writer.finish(input.name);
}

extern const Format markdown_table_format = {
    .name = "markdown-table",
    .title = "Markdown tables",
    .replication = core::Replication::run,
    .detect = detect_markdown_table,
    .read = read_markdown_table,
    .about = {.group = Group::generic,
              .file = "Markdown",
              .produce = "# a table out of a README, an issue or the summary of a CI job",
              .judged = "every column of numbers, unit and direction by its name, or the unit beside the number; `± x` is noise",
              .key = "the columns of words and of sizes; of several tables the heading before each",
              .trials = "lines that repeat a point, where all are repeated equally often and only what was measured differs",
              .context = "none",
              .limits = "text around the tables is not read",
              .recognised = "a line of names between `|`, a line of dashes under it"},
};

}  // namespace plumbline::formats
