// What msmodeling's simulator prints: a table of operators and "Total time for analytic: 53.244ms". Columns are told by the
// table's own rule of dashes, so that tables with bounds, input shapes or several performance models are read as well; rows of
// one operator with several shapes add up to that operator. Beside the rows stands the same text as that tool's own regression
// test reads it, which takes the second and the fourth word of a line.
#include <cmath>
#include <map>
#include <optional>

#include "base/characters.hpp"
#include "core/native.hpp"
#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "systems/msmodeling/model.hpp"
#include "systems/msmodeling/system.hpp"

namespace plumbline::systems::msmodeling {
namespace {

using namespace formats;  // the readers' kit

constexpr std::string_view kBlanks = " \t\r\f\v";

using base::is_digit;

struct Lines {
  std::string_view rest;
  std::size_t number = 0;
  bool next(std::string_view& line) {
    if (rest.empty()) return false;
    const std::size_t end = rest.find('\n');
    line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    return true;
  }
};

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos; at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

// --- a time as it is printed: digits and dots, then a unit

struct PrintedTime {
  std::string_view digits, unit;
  std::size_t end = 0;  // behind the unit
};
std::optional<PrintedTime> printed_time(std::string_view text, std::size_t at) {
  PrintedTime out;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
  if (end == at) return std::nullopt;
  out.digits = text.substr(at, end - at);
  const std::size_t unit = text.find_first_not_of(" \t\r\n\f\v", end);
  if (unit == std::string_view::npos) return std::nullopt;
  for (const std::string_view one : {"ns", "us", "ms", "s"}) {
    if (!text.substr(unit).starts_with(one)) continue;
    out.unit = one;
    out.end = unit + one.size();
    return out;
  }
  return std::nullopt;
}

// The nearest number of seconds, from the decimal digits themselves.
std::optional<double> seconds(const PrintedTime& time) {
  std::string text(time.digits);
  if (text.find_first_of("0123456789") == std::string::npos) return std::nullopt;
  text += time.unit == "ns" ? "e-9" : time.unit == "us" ? "e-6" : time.unit == "ms" ? "e-3" : "";
  const auto value = core::parse_double(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// --- as its own regression test reads it

// Multiplied, not shifted: the last bit may differ from seconds().
std::optional<double> their_seconds(const PrintedTime& time, std::string& error) {
  const auto value = core::parse_double(time.digits);
  if (!value || time.digits.find_first_of("0123456789") == std::string_view::npos ||
      std::count(time.digits.begin(), time.digits.end(), '.') > 1) {
    error = "could not convert string to float: '" + std::string(time.digits.substr(0, 60)) + "'";
    return std::nullopt;
  }
  return *value * (time.unit == "ns" ? 1e-9 : time.unit == "us" ? 1e-6 : time.unit == "ms" ? 1e-3 : 1.0);
}

// int() of Python: digits with single underscores between them, a sign.
std::optional<std::int64_t> python_int(std::string_view text) {
  std::string plain;
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (text.starts_with('-')) plain = "-";
  bool digit = false;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      plain.push_back(text[at]);
      digit = true;
    } else if (text[at] == '_' && digit && at + 1 < text.size() && is_digit(text[at + 1])) {
      digit = false;
    } else {
      return std::nullopt;
    }
  }
  return digit ? core::parse_int(plain) : std::nullopt;
}

Run their_run(std::string_view text) {
  Run run;
  constexpr std::string_view kTotal = "Total time for analytic:";
  run.total_error = "Could not find 'Total time for analytic' in output";
  for (std::size_t at = text.find(kTotal); at != std::string_view::npos; at = text.find(kTotal, at + 1)) {
    const std::size_t digits = text.find_first_not_of(" \t\r\n\f\v", at + kTotal.size());
    if (digits == std::string_view::npos) break;
    const auto time = printed_time(text, digits);
    if (!time) continue;
    run.total_error.clear();
    run.total_time_s = their_seconds(*time, run.total_error);
    break;
  }
  Lines lines{text};
  std::string_view line;
  std::vector<std::string_view> words;
  bool started = false;
  while (lines.next(line)) {
    if (line.find("analytic total") != std::string_view::npos && line.find("analytic avg") != std::string_view::npos) {
      started = true;
      continue;
    }
    if (!started) continue;
    if (line.starts_with('-') && !run.operators.empty()) break;
    split_words(line, words);
    if (words.size() < 4) continue;
    const auto time = printed_time(words[1], 0);
    if (!time) {
      const bool other = words[1].find_first_not_of('-') == std::string_view::npos || line.starts_with("Total time for ");
      if (!other) ++run.rows_passed_over;
      continue;
    }
    const auto total = their_seconds(*time, run.operators_error);
    if (!total) break;
    const auto calls = python_int(words[3]);
    if (!calls) {
      run.operators_error = "invalid literal for int() with base 10: '" + std::string(words[3].substr(0, 60)) + "'";
      break;
    }
    run.operators.push_back({std::string(words[0]), *total, *calls});
  }
  return run;
}

// --- as we read it

// Columns of a table, by the groups of its line of dashes; counted in characters, not bytes.
struct Columns {
  std::vector<std::pair<std::size_t, std::size_t>> extents;
  [[nodiscard]] bool empty() const { return extents.empty(); }
};

Columns rule_of_dashes(std::string_view line) {
  Columns out;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t begin = line.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_not_of('-', begin), line.size());
    if (end == begin || (end < line.size() && line[end] != ' ')) return {};
    out.extents.emplace_back(begin, end);
    at = end;
  }
  return out.extents.size() >= 4 ? out : Columns();
}

// Cells of a line; empty ones stay. Nothing when text stands between the columns.
bool cells_of(std::string_view line, const Columns& columns, std::vector<std::string_view>& cells) {
  cells.clear();
  std::size_t character = 0, byte = 0;
  const auto advance = [&](std::size_t to) {
    while (character < to && byte < line.size()) {
      ++byte;
      while (byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xC0U) == 0x80U) ++byte;
      ++character;
    }
    return byte;
  };
  for (std::size_t i = 0; i < columns.extents.size(); ++i) {
    const std::size_t gap = byte;
    const std::size_t begin = advance(columns.extents[i].first);
    if (line.substr(gap, begin - gap).find_first_not_of(' ') != std::string_view::npos) return false;
    const std::size_t end = i + 1 == columns.extents.size() ? line.size() : advance(columns.extents[i].second);
    cells.push_back(core::trim(line.substr(begin, end - begin)));
  }
  return true;
}

// Without a rule: two blanks or more part the columns, as they are joined by two.
void cells_by_blanks(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  line = core::trim(line);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find("  "), line.size());
    cells.push_back(core::trim(line.substr(0, end)));
    line = core::trim(line.substr(end));
  }
}

struct Header {
  std::vector<std::string> names;
  std::vector<std::string> models;  // "analytic" of "analytic total"
  [[nodiscard]] std::size_t find(std::string_view name) const {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
};

Header header_of(const std::vector<std::string_view>& cells) {
  Header header;
  for (const std::string_view cell : cells) {
    header.names.emplace_back(cell);
    if (cell.ends_with(" total")) header.models.emplace_back(cell.substr(0, cell.size() - 6));
  }
  return header;
}

bool is_header(std::string_view line) {
  return line.find("# of Calls") != std::string_view::npos && line.find(" total") != std::string_view::npos &&
         line.find(" avg") != std::string_view::npos;
}

// One operator, all its shapes and bounds together.
struct Sum {
  std::string name;
  std::vector<double> seconds;  // by model
  double calls = 0;
};
// One printed line of a table that tells an operator's calls apart.
struct Part {
  std::string name, shapes, bound;
  std::vector<double> seconds;
  double calls = 0;
};

struct Table {
  Header header;
  std::vector<Sum> sums;
  std::vector<Part> parts;
  std::map<std::string, double, std::less<>> totals;  // by model
  std::size_t line = 0;
};

class TableReader {
 public:
  TableReader(const Input& input, RowWriter& writer) : input_(input), writer_(writer) {}

  core::Expected<std::vector<Table>> read() {
    Lines lines{input_.bytes};
    std::string_view line;
    while (lines.next(line)) {
      if (writer_.halted()) break;
      take(line, lines.number);
    }
    if (tables_.empty() || (tables_.size() == 1 && tables_[0].sums.empty() && tables_[0].totals.empty())) {
      return core::fail(
          core::ErrorCode::invalid_input, "no operators and no total time of the simulator in this text",
          "it prints a table \"Name … analytic total  analytic avg  # of Calls\" and \"Total time for analytic: …\"",
          input_.name);
    }
    return std::move(tables_);
  }

 private:
  void take(std::string_view line, std::size_t number) {
    if (const Columns rule = rule_of_dashes(line); !rule.empty()) {
      if (open_ && !tables_.back().sums.empty()) open_ = false;
      rule_ = rule;
      return;
    }
    if (is_header(line)) return begin(line, number);
    if (line.find("Total time for ") != std::string_view::npos) return take_total(line, number);
    if (open_ && !core::trim(line).empty()) take_row(line, number);
  }

  void begin(std::string_view line, std::size_t number) {
    tables_.emplace_back();
    tables_.back().line = number;
    by_rule_ = !rule_.empty() && cells_of(line, rule_, cells_) && cells_.size() == rule_.extents.size();
    if (!by_rule_) cells_by_blanks(line, cells_);
    tables_.back().header = header_of(cells_);
    places_.clear();
    open_ = true;
  }

  void take_total(std::string_view line, std::size_t number) {
    open_ = false;
    constexpr std::string_view kStart = "Total time for ";
    const std::string_view rest = line.substr(line.find(kStart) + kStart.size());
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon > 60) return;
    const std::string_view model = rest.substr(0, colon);
    const std::size_t digits = rest.find_first_not_of(kBlanks, colon + 1);
    const auto time = digits == std::string_view::npos ? std::nullopt : printed_time(rest, digits);
    const auto value = time ? seconds(*time) : std::nullopt;
    if (!value) {
      writer_.find(Finding::ragged_lines, "line " + std::to_string(number));
      return;
    }
    if (tables_.empty() || !tables_.back().totals.try_emplace(std::string(model), *value).second) {
      tables_.emplace_back();
      tables_.back().line = number;
      tables_.back().totals.emplace(model, *value);
    }
  }

  void take_row(std::string_view line, std::size_t number) {
    Table& table = tables_.back();
    const Header& header = table.header;
    if (by_rule_) {
      if (!cells_of(line, rule_, cells_)) return ragged(number);
    } else {
      cells_by_blanks(line, cells_);
    }
    const std::size_t calls = header.find("# of Calls");
    if (cells_.size() != header.names.size() || calls >= cells_.size() || cells_[0].empty()) return ragged(number);
    Part part;
    part.name = cells_[0].substr(0, 300);
    for (const std::string& model : header.models) {
      const std::string_view cell = cells_[header.find(model + " total")];
      const auto time = printed_time(cell, 0);
      const auto value = time && time->end == cell.size() ? seconds(*time) : std::nullopt;
      if (!value) return ragged(number);
      part.seconds.push_back(*value);
    }
    const auto count = core::parse_int(cells_[calls]);
    if (!count) return ragged(number);
    part.calls = static_cast<double>(*count);
    for (std::size_t i = 1; i < header.names.size(); ++i) {
      if (header.names[i] == "Input Shapes") part.shapes = cells_[i].substr(0, 300);
      if (header.names[i].starts_with("Bound")) part.bound = cells_[i].substr(0, 60);
    }
    add(table, std::move(part));
  }

  void add(Table& table, Part part) {
    const auto [it, fresh] = places_.emplace(part.name, table.sums.size());
    if (fresh) {
      table.sums.push_back({part.name, part.seconds, part.calls});
    } else {
      Sum& sum = table.sums[it->second];
      for (std::size_t i = 0; i < part.seconds.size(); ++i) sum.seconds[i] += part.seconds[i];
      sum.calls += part.calls;
    }
    if (!part.shapes.empty() || !part.bound.empty() || !fresh) table.parts.push_back(std::move(part));
  }

  void ragged(std::size_t number) { writer_.find(Finding::ragged_lines, "line " + std::to_string(number)); }

  const Input& input_;
  RowWriter& writer_;
  std::vector<Table> tables_;
  Columns rule_;
  bool by_rule_ = false, open_ = false;
  std::vector<std::string_view> cells_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

// The model whose times are the operators' and the whole's; others stand behind its name.
std::string leading_model(const Table& table) {
  std::vector<std::string> models = table.header.models;
  for (const auto& [model, total] : table.totals) models.push_back(model);
  if (models.empty()) return "analytic";
  const auto it = std::find(models.begin(), models.end(), "analytic");
  return it == models.end() ? models.front() : *it;
}

void put(const Table& table, const std::string& section, DeclaredRows& rows) {
  const std::string leading = leading_model(table);
  const auto prefix = [&](const std::string& model) { return section + (model == leading ? "" : "model[" + model + "]"); };
  const auto joined = [](const std::string& before, const std::string& name) {
    return before.empty() ? name : before + "." + name;
  };
  for (const auto& [model, total] : table.totals) {
    rows.add(prefix(model), "total_time_s", rows.dims({{"performance_model", model}}), lower_is_better("s"), total);
  }
  const Declared calls{{}, core::Direction::two_sided, core::Role::judged, true};
  for (const Sum& sum : table.sums) {
    const std::uint32_t point = rows.dims({{"operator", sum.name}});
    for (std::size_t i = 0; i < sum.seconds.size(); ++i) {
      const std::string& model = table.header.models[i];
      rows.add(joined(prefix(model), sum.name), "total_time_s", point, lower_is_better("s"), sum.seconds[i]);
      if (model != leading) continue;
      rows.add(joined(section, sum.name), "num_calls", point, calls, sum.calls);
      if (sum.calls > 0) rows.add(joined(section, sum.name), "avg_time_s", point, for_context("s"), sum.seconds[i] / sum.calls);
    }
  }
  std::map<std::string, std::size_t> seen;
  for (const Part& part : table.parts) {
    std::string name = joined(section, part.name) + "[";
    if (!part.shapes.empty()) name += "shapes=" + part.shapes;
    if (!part.bound.empty()) name += (part.shapes.empty() ? "bound=" : ",bound=") + part.bound;
    const std::size_t times = ++seen[name];
    if (times > 1) name += "#" + std::to_string(times);
    name += "]";
    const std::uint32_t point = rows.dims({{"operator", part.name}, {"shapes", part.shapes}, {"bound", part.bound}});
    for (std::size_t i = 0; i < part.seconds.size(); ++i) {
      if (table.header.models[i] == leading) rows.add(name, "total_time_s", point, for_context("s"), part.seconds[i]);
    }
    rows.add(name, "num_calls", point, for_context(), part.calls);
  }
}

}  // namespace

Detection detect_msmodeling_table(const Input& input) {
  Detection detection;
  const std::string_view text = input.bytes;
  // The table stands at the end of the simulator's log.
  for (const std::string_view part : {text.substr(0, kHead), text.substr(text.size() - std::min(text.size(), kHead))}) {
    if (part.find("analytic total") != std::string_view::npos && part.find("analytic avg") != std::string_view::npos &&
        part.find("# of Calls") != std::string_view::npos) {
      detection.score = 0.97;
      detection.evidence = {"a table with \"analytic total\", \"analytic avg\" and \"# of Calls\""};
      return detection;
    }
    const std::size_t total = part.find("Total time for analytic:");
    if (total != std::string_view::npos ||
        (part.find("Total time for empirical:") != std::string_view::npos && part.find("# of Calls") != std::string_view::npos)) {
      detection.score = 0.95;
      detection.evidence = {"a line \"Total time for …\" of the simulator"};
    }
  }
  return detection;
}

core::Expected<core::Measurement> read_msmodeling_table(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "msmodeling");
  auto tables = TableReader(input, writer).read();
  if (!tables) return core::fail(tables.error());
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const Table& table = (*tables)[i];
    put(table, i == 0 ? "" : "section[" + std::to_string(i + 1) + "]", rows);
    if (table.totals.empty()) {
      writer.out.warn("run_incomplete",
                      "the table at line " + std::to_string(table.line) + " has no \"Total time for …\" below it");
    }
  }
  if (tables->size() > 1) {
    writer.out.warn("repeated_sections",
                    core::counted(tables->size(), "table") + " in one text: the later ones are keyed by section");
  }
  const std::string model = leading_model(tables->front());
  if (model != "analytic") rows.context("workload.performance_model", model);
  writer.out.declared.headlines = {"total_time_s"};
  writer.out.declared.tolerances = {{"*.num_calls", "0%"}};
  core::NativeFile native;
  native.system = "msmodeling";
  native.path = input.name;
  native.content = File{std::nullopt, their_run(input.bytes)};
  writer.out.native = std::make_shared<const core::NativeFile>(std::move(native));
  return writer.finish(input.name);
}

const Format kTableFormat = {
    .name = "msmodeling-table",
    .title = "msmodeling simulator table",
    .detect = detect_msmodeling_table,
    .read = read_msmodeling_table,
    .about = {.group = formats::Group::other_systems,
              .file = "text",
              .produce = "# the table of operators that msmodeling's simulator prints into its log",
              .judged = "total time and time of each operator in s, lower is better; number of calls, exact",
              .key = "operator; further performance models and later tables by name",
              .trials = "one value a key: the simulator is deterministic",
              .context = "the performance model, where it is not the analytic one",
              .limits = "input shapes and bounds of one operator are added up; their parts are context",
              .recognised = "`analytic total`, `analytic avg`, `# of Calls`; `Total time for analytic:`"},
};

}  // namespace plumbline::systems::msmodeling
