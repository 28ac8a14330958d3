// What pytest-benchmark writes beside its JSON: the table on the console (the unit in its header, every value with its ratio to
// the best one behind it, in parentheses) and the CSV (--benchmark-csv, in seconds). Metrics are named as in the JSON.
#include "core/citing.hpp"
#include "formats/csv_cells.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

Declared declared_of(std::string_view metric) {
  if (metric == "mean" || metric == "median") return lower_is_better("s");
  if (metric == "stddev" || metric == "iqr") return own_noise("s");
  if (metric == "ops") return higher_is_better("ops/s");
  return metric == "rounds" || metric == "iterations" ? for_context() : for_context("s");
}

// ---- the CSV ------------------------------------------------------------------------------------------------------------

constexpr std::string_view kStatistics[] = {"min",    "max",        "mean",     "stddev", "median", "iqr",  "ops",
                                            "rounds", "iterations", "outliers", "q1",     "q3",     "total"};
bool is_csv_header(const std::vector<std::string>& cells) {
  if (cells.size() < 5 || cells.front() != "name") return false;
  const auto has = [&](std::string_view name) { return std::find(cells.begin(), cells.end(), name) != cells.end(); };
  // Nothing but parameters and statistics: any table may have a name and a mean.
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i].starts_with("param:")) continue;
    if (std::find(std::begin(kStatistics), std::end(kStatistics), cells[i]) == std::end(kStatistics)) return false;
  }
  return has("mean") && has("stddev") && (has("rounds") || has("ops") || has("iqr"));
}

void csv_row(DeclaredRows& rows, const std::vector<std::string>& header, const std::vector<std::string>& cells) {
  if (cells.front().empty()) return;
  if (cells.size() != header.size()) {
    rows.writer().find(Finding::ragged_lines, cells.front());
    return;
  }
  std::string point = cells.front(), brackets;
  std::vector<std::pair<std::string_view, std::string>> pairs{{"benchmark", point}};
  const bool has_brackets = point.ends_with(']');  // "test_a[3]" has its parameters in the name already
  for (std::size_t i = 1; i < cells.size(); ++i) {
    constexpr std::string_view kParam = "param:";
    if (!header[i].starts_with(kParam) || cells[i].empty()) continue;
    const std::string name = header[i].substr(kParam.size()), value = cells[i].substr(0, 100);
    brackets += (brackets.empty() ? "" : ",") + name + "=" + value;
    pairs.emplace_back(std::string_view(header[i]).substr(kParam.size()), value);
  }
  if (!brackets.empty() && !has_brackets) point += "[" + brackets + "]";
  const std::uint32_t dims = rows.dims(pairs);
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (header[i].starts_with("param:") || header[i] == "outliers") continue;
    if (const auto value = core::parse_double(cells[i])) rows.add(point, header[i], dims, declared_of(header[i]), *value);
  }
}

// ---- the console --------------------------------------------------------------------------------------------------------

struct Column {
  std::string metric, exponent;  // exponent: of the unit that the header names
};

// "Name (time in us)   Min   Max   Mean   StdDev   Median   IQR   Outliers   OPS (Kops/s)   Rounds   Iterations"
std::vector<Column> columns_of(std::string_view line) {
  constexpr std::string_view kBegin = "Name (time in ";
  if (!line.starts_with(kBegin)) return {};
  const std::size_t end = line.find(')');
  if (end == std::string_view::npos) return {};
  const std::string_view unit = line.substr(kBegin.size(), end - kBegin.size());
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"s", ""},     {"ms", "e-3"},        {"us", "e-6"},
                                                                      {"ns", "e-9"}, {"\xCE\xBCs", "e-6"}, {"\xC2\xB5s", "e-6"}};
  const auto* known = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& one) { return one.first == unit; });
  if (known == std::end(kUnits)) return {};
  std::vector<std::string_view> words;
  split_blanks(line.substr(end + 1), words);
  std::vector<Column> columns;
  for (const std::string_view word : words) {
    if (word.starts_with('(') && !columns.empty()) {  // "(Kops/s)"
      constexpr std::pair<char, std::string_view> kFactors[] = {{'K', "e3"},  {'M', "e6"},  {'G', "e9"},
                                                                {'m', "e-3"}, {'u', "e-6"}, {'n', "e-9"}};
      for (const auto& [letter, exponent] : kFactors) {
        if (word.size() > 2 && word[1] == letter) columns.back().exponent = exponent;
      }
      continue;
    }
    std::string metric = core::to_lower(word);
    const bool time = metric != "outliers" && metric != "ops" && metric != "rounds" && metric != "iterations";
    columns.push_back({std::move(metric), time ? std::string(known->second) : std::string()});
  }
  return columns;
}

// "(1.0)", "(>1000.0)", "(inf)": how many times the best.
bool is_ratio(std::string_view word) {
  return word.size() > 2 && word.starts_with('(') && word.ends_with(')') &&
         (word == "(inf)" || word.find_first_not_of("0123456789.,>", 1) == word.size() - 1);
}

void console_row(DeclaredRows& rows, std::string_view line, const std::vector<Column>& columns) {
  std::vector<std::string_view> words;
  split_blanks(line, words);
  // From the right: a name may hold blanks.
  std::vector<std::string_view> values;
  std::size_t at = words.size();
  while (at > 0 && values.size() < columns.size()) {
    --at;
    if (!is_ratio(words[at])) values.push_back(words[at]);
  }
  if (values.size() != columns.size() || at == 0) return;
  std::reverse(values.begin(), values.end());
  const std::string_view first = words[at];
  const std::string name(core::trim(line.substr(0, static_cast<std::size_t>(first.data() - line.data()))));
  const std::uint32_t dims = rows.dims({{"benchmark", name}});
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].metric == "outliers") continue;
    std::string digits(values[i]);
    std::erase(digits, ',');
    const auto value = core::parse_double(digits + columns[i].exponent);
    if (value) rows.add(name, columns[i].metric, dims, declared_of(columns[i].metric), *value);
  }
}

// ---- both ---------------------------------------------------------------------------------------------------------------

Detection detect_pytest_benchmark_table(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  const std::string_view tail = input.bytes.substr(input.bytes.size() - std::min(input.bytes.size(), kHead));
  for (const std::string_view part : {head, tail}) {  // a run of tests prints it at its end
    for (const std::string_view whole : core::split(part, '\n')) {
      const std::string_view line = core::trim(whole);
      const bool csv = line.starts_with("name,") && is_csv_header(csv_cells(line));
      if (!csv && columns_of(line).size() < 3) continue;
      detection.score = 0.93;
      detection.evidence.push_back("has the header " + core::cited(line.substr(0, 80)));
      return detection;
    }
  }
  return detection;
}

core::Expected<core::Measurement> read_pytest_benchmark_table(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "pytest-benchmark");
  rows.repeats_are_sections();
  std::vector<std::string> header;
  std::vector<Column> columns;
  LogLines lines(input.bytes);
  std::string_view whole;
  while (lines.next(whole) && !writer.halted()) {
    const std::string_view line = core::trim(whole);
    if (line.starts_with("name,") && is_csv_header(csv_cells(line))) {
      header = csv_cells(line);
    } else if (std::vector<Column> found = columns_of(line); found.size() >= 3) {
      columns = std::move(found);
    } else if (line.empty()) {
      columns.clear();
    } else if (!columns.empty()) {
      console_row(rows, line, columns);
    } else if (!header.empty()) {
      csv_row(rows, header, csv_cells(line));
    }
  }
  rows.warn_of_repeats();
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no benchmark under the header of pytest-benchmark's table",
                      "pytest --benchmark-json=FILE writes all there is", input.name);
  }
  writer.out.declared.headlines = {"*.median", "*.mean"};
  return writer.finish(input.name);
}

}  // namespace

extern const Format pytest_benchmark_table_format = {
    .name = "pytest-benchmark-table",
    .title = "pytest-benchmark, Python: tables",
    .replication = core::Replication::in_process,
    .detect = detect_pytest_benchmark_table,
    .read = read_pytest_benchmark_table,
    .about = {.group = Group::harness,
              .file = "text, CSV",
              .produce = "pytest --benchmark-only | tee result.txt\n"
                         "pytest-benchmark compare --csv=result.csv",
              .judged = "`mean` and `median` in s (lower), `ops` in ops/s (higher)",
              .key = "the test's name, parameters (CSV)",
              .trials = "one value a key; `stddev` and `iqr` are noise. The JSON may have the rounds",
              .context = "none",
              .limits = "`min`, `max`, rounds and iterations are context; ratios in parentheses and outliers are left out",
              .recognised = "the header `Name (time in us) Min Max …`, or a CSV of `name`, parameters and these statistics"},
};

}  // namespace plumbline::formats
