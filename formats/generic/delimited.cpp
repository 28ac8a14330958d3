// CSV, TSV and semicolon tables with a header: text columns and size-like numbers are dimensions, the other numeric columns
// metrics, with the unit from "(ms)" in the header. Lines with the same dimensions are trials when all points have the same
// number of them, else duplicates.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/generic/delimited_table.hpp"
#include "formats/moments.hpp"
#include "formats/readers.hpp"
#include "formats/tail.hpp"

namespace plumbline::formats {
namespace delimited {
namespace {

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

}  // namespace

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
  const char* const last_feed = input_.bytes.data() + (input_.bytes.rfind('\n') + 1);  // npos: the beginning
  for (;;) {
    plain_lines(guess.separator, last_feed);
    if (!lines_->next(fields) || writer_.halted()) break;
    if (auto kept = keep(fields); !kept) return kept;
  }
  if (lines_->broken()) return broken();
  if (lines_->comments() > 0) writer_.find(Finding::comment_lines, lines_->last_comment().substr(0, 80), lines_->comments());
  if (input_.bytes.starts_with("\xEF\xBB\xBF")) writer_.find(Finding::byte_order_mark, {});
  if (cells_.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "a table with a header but no rows",
                      "its writer stopped before the first result", input_.name);
  }
  if (!data_first && header_is_data(header)) {
    return core::fail(core::ErrorCode::invalid_input, "a table without a header: its first line is one of values",
                      "put the columns' names in the first line", input_.name);
  }
  doubt_end();
  return {};
}

// Names of columns do not come again below themselves, and say no time of day. (A header that is repeated whole, as where tables
// were put behind each other, is another matter.)
bool Table::header_is_data(const std::vector<std::string_view>& header) const {
  constexpr std::size_t kLookedAt = 40;
  const auto sets = [](std::string_view text) { return text.find(" = ") != std::string_view::npos; };  // "tcp_rmem = 4096"
  if (std::any_of(header.begin(), header.end(), is_moment) || std::any_of(header.begin(), header.end(), sets)) return true;
  for (std::size_t line = 0; line < std::min(line_count(), kLookedAt); ++line) {
    std::size_t same = 0;
    for (std::size_t c = 0; c < header.size(); ++c)
      same += cell_of(header[c]) == Cell::text && cell(line, c) == header[c] ? 1 : 0;
    const auto texts =
        std::count_if(header.begin(), header.end(), [](std::string_view one) { return cell_of(one) == Cell::text; });
    if (same > 0 && same < header.size() && (same < static_cast<std::size_t>(texts) || header.size() > same + 1)) return true;
  }
  return false;
}

// A column of points in time: they differ from run to run, and would keep all points of two runs apart.
bool Table::tells_moments(std::size_t column) const {
  for (std::size_t line = 0; line < line_count(); ++line) {
    if (!is_empty(line, column)) return is_moment(cell(line, column));
  }
  return false;
}

// The last cell of a text without a final line feed, where it is a number. People and programs write whole tables so: a number in
// a line with as many fields as the header is believed, and warned of. Half a unit never is, nor a number that stops at its point
// or in a line with fewer fields. A table may be long: it is not read again to find out what depends on the cell, as other texts
// are, but the cell is marked, and all of its line where it tells points apart.
void Table::doubt_end() {
  const auto tail = open_tail(input_.bytes);
  if (!tail || line_count() == 0) return;
  const auto cut = [](Field& field) {
    field.kind = Cell::cut;
    field.plain = false;
  };
  const char* const end = input_.bytes.data() + input_.bytes.size();
  const std::size_t first = cells_.size() - columns_.size();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Field& last = cells_[first + c];
    const std::string_view text = cell(line_count() - 1, c);
    if (text.empty() || text.data() + text.size() != end || last.kind != Cell::number) continue;
    const char closing = text.back();
    if (last_line_fields_ == columns_.size() && closing >= '0' && closing <= '9') {
      writer_.out.warnings.push_back(
          truncated_tail(tail->token, "the last line has as many fields as the header, so it is read as it is"));
      return;
    }
    if (writer_.names().is_dimension(columns_[c].name)) {
      for (std::size_t other = 0; other < columns_.size(); ++other) {
        if (other != c && cells_[first + other].kind == Cell::number) cut(cells_[first + other]);
      }
    } else {
      cut(last);
    }
    writer_.out.warnings.push_back(truncated_tail(tail->token, "what the last line says of it is invalid"));
    return;
  }
}

void Table::classify() {
  const auto is_result = [&](const Column& column) {
    const configs::MetricGuess guess = writer_.names().guess(column.name, column.unit);
    return guess.role == core::Role::judged && guess.direction != core::Direction::unknown;
  };
  // nvidia-smi's table: elsewhere an index counts lines.
  constexpr std::string_view kOfGpus[] = {"power.draw",      "utilization.gpu", "memory.used",
                                          "temperature.gpu", "clocks.sm",       "pci.bus_id"};
  const bool of_gpus = std::any_of(columns_.begin(), columns_.end(), [&](const Column& column) {
    return std::find(std::begin(kOfGpus), std::end(kOfGpus), column.name) != std::end(kOfGpus);
  });
  const auto is_index = [](const Column& column) { return column.name == "index"; };
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    const std::size_t numbers = column.numbers, texts = column.texts;
    const bool mostly_numbers = numbers > texts;
    column.is_empty = numbers + texts == 0;
    if (writer_.names().is_dimension(column.name) || (is_index(column) && of_gpus)) {
      column.is_dimension = numbers + texts > 0;
    } else if (mostly_numbers || (numbers > 0 && is_result(column))) {
      column.is_metric = true;  // also where most of its cells failed ("OOM"): those are invalid rows, no names
    } else if (texts > 0) {
      column.is_dimension = !writer_.names().is_volatile(column.name) && !tells_moments(c);
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
  find_names();
}

// name,value[,unit], and what tells such lines apart beside them: Metric,Task,Value,Unit.
void Table::find_names() {
  const auto is = [](std::string_view name, std::initializer_list<std::string_view> any) {
    return std::find(any.begin(), any.end(), name) != any.end();
  };
  bool says_metric = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string name = core::to_lower(columns_[c].name);
    if (is(name, {"value", "result", "measurement", "metric_value", "metricvalue"})) value_column_ = c;
    if (is(name, {"unit", "units", "metric_unit", "metricunit"})) unit_column_ = c;
    const bool metric = is(name, {"metric", "metric_name", "metricname"});
    if (metric || (!says_metric && is(name, {"name", "key", "benchmark", "test"}))) name_column_ = c;
    says_metric = says_metric || metric;
  }
  if (columns_.size() == 2 && name_column_ == kNone && value_column_ != kNone && columns_[1 - value_column_].is_dimension)
    name_column_ = 1 - value_column_;
  bool whole = name_column_ != kNone && value_column_ != kNone && (columns_.size() == 2 || unit_column_ != kNone);
  for (std::size_t c = 0; c < columns_.size() && whole && columns_.size() > 3; ++c) {
    whole = says_metric && (c == value_column_ || !columns_[c].is_metric);  // a table that measures more is none of names
  }
  if (!whole) {
    name_column_ = value_column_ = unit_column_ = kNone;
    return;
  }
  columns_[name_column_].is_dimension = false;
  if (unit_column_ != kNone) columns_[unit_column_].is_dimension = false;
}

// "50%", "99.9%" of Locust beside a response time: percentiles of that time.
void Table::find_percentiles() {
  const auto is_tag = [](const Column& column) {
    if (!column.name.ends_with('%')) return false;
    const auto percent = core::parse_double(column.name.substr(0, column.name.size() - 1));
    return column.is_metric && percent && *percent >= 0 && *percent <= 100;
  };
  const auto is_time = [](const Column& column) {
    const std::string name = core::to_lower(column.name);
    return column.is_metric && (name.find("time") != std::string::npos || name.find("latency") != std::string::npos ||
                                core::parse_unit(column.unit).quantity == core::Quantity::time);
  };
  if (std::count_if(columns_.begin(), columns_.end(), is_tag) < 2 || std::none_of(columns_.begin(), columns_.end(), is_time))
    return;
  for (Column& column : columns_) {
    if (is_tag(column)) column.direction = core::Direction::lower;
  }
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

core::Expected<core::Measurement> Table::read() {
  if (auto loaded = load(); !loaded) return core::fail(loaded.error());
  classify();
  find_percentiles();
  settle_units();
  rows();
  // A table of one number is still a table.
  return writer_.finish(input_.name);
}

}  // namespace delimited

namespace {

bool named_table(const Input& input) { return has_extension(input.name, ".csv") || has_extension(input.name, ".tsv"); }

}  // namespace

Detection detect_delimited(const Input& input) {
  Detection detection;
  if (input.is_directory) return detection;
  const std::string_view head = json_head(input);
  if (head.empty() || head.front() == '{' || head.front() == '[') return detection;
  const delimited::Guess guess = delimited::guess_separator(input, named_table(input));
  if (guess.separator == 0) {
    if (named_table(input) && delimited::is_header_only(input.bytes.substr(0, kHead))) {
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
  return delimited::Table(input, options).read();
}

extern const Format csv_format = {
    .name = "csv",
    .title = "CSV or TSV with a header",
    .replication = core::Replication::run,
    .detect = detect_delimited,
    .read = read_delimited,
    .about =
        {.group = Group::generic,
         .file = "CSV, TSV",
         .produce = "# any program or spreadsheet that writes a table with names in its first line",
         .judged = "CSV, TSV and semicolon tables with a header, one column too; numbers may carry their unit (`10 ms`)",
         .key =
             "the columns of words and of sizes, or the name of a name,value table; a column of unknown numbers that alone tells "
             "lines of one point apart",
         .trials = "lines that repeat a point, where all are repeated equally often",
         .context = "none",
         .limits = "numbers with grouped digits or a decimal comma are not guessed at",
         .recognised = "the same number of separators in every line"},
    .doubts_tail = true,
};

}  // namespace plumbline::formats
