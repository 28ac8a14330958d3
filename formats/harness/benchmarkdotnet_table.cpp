// What BenchmarkDotNet writes beside its JSON: the Markdown table (*-report-github.md, also on the console) and the CSV
// (*-report.csv). A cell is a number with its unit ("29.71 μs", "1,234.5 ns", "32 B"); units change from table to table, so times
// are kept in ns and memory in bytes (KB is 1024 of them). What stands left of the first statistic says which benchmark it is.
#include <set>

#include "core/citing.hpp"
#include "formats/csv_cells.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

// The columns of results. Any other is a benchmark's name, its job or a parameter, where it stands left of these.
struct Column {
  std::string_view name, metric;
  Declared declared;
};
constexpr Declared kAllocated = {"B", core::Direction::lower, core::Role::judged, true};
constexpr Column kColumns[] = {{"Mean", "Mean", lower_is_better("ns")},
                               {"Median", "Median", lower_is_better("ns")},
                               {"Error", "Error", own_noise("ns")},
                               {"StdErr", "StandardError", own_noise("ns")},
                               {"StdError", "StandardError", own_noise("ns")},
                               {"StdDev", "StandardDeviation", own_noise("ns")},
                               {"Min", "Min", for_context("ns")},
                               {"Max", "Max", for_context("ns")},
                               {"Q1", "Q1", for_context("ns")},
                               {"Q3", "Q3", for_context("ns")},
                               {"P95", "P95", for_context("ns")},
                               {"Op/s", "Op/s", for_context("ops/s")},
                               {"Iterations", "Iterations", for_context()},
                               {"Allocated", "BytesAllocatedPerOperation", kAllocated},
                               {"Gen0", "Gen0Collections", for_context()},
                               {"Gen 0", "Gen0Collections", for_context()},
                               {"Gen 0/1k Op", "Gen0Collections", for_context()},
                               {"Gen1", "Gen1Collections", for_context()},
                               {"Gen 1", "Gen1Collections", for_context()},
                               {"Gen 1/1k Op", "Gen1Collections", for_context()},
                               {"Gen2", "Gen2Collections", for_context()},
                               {"Gen 2", "Gen2Collections", for_context()},
                               {"Gen 2/1k Op", "Gen2Collections", for_context()},
                               {"Allocated Memory/Op", "BytesAllocatedPerOperation", kAllocated},
                               {"Allocated native memory", "Allocated native memory", lower_is_better("B")},
                               {"Native memory leak", "Native memory leak", lower_is_better("B")},
                               {"Code Size", "Code Size", lower_is_better("B")},
                               {"Exceptions", "Exceptions", lower_is_better({})},
                               {"Lock Contentions", "Lock Contentions", lower_is_better({})},
                               {"Completed Work Items", "Completed Work Items", for_context()},
                               // Relative to another line, or computed from those above.
                               {"Ratio", "", {}},
                               {"RatioSD", "", {}},
                               {"Alloc Ratio", "", {}},
                               {"Scaled", "", {}},
                               {"ScaledSD", "", {}},
                               {"Scaled-StdDev", "", {}},
                               {"Rank", "", {}},
                               {"Baseline", "", {}},
                               {"Skewness", "", {}},
                               {"Kurtosis", "", {}},
                               {"MValue", "", {}}};
const Column* column_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kColumns), std::end(kColumns), [&](const Column& one) { return one.name == name; });
  return found == std::end(kColumns) ? nullptr : found;
}

// Settings of a job, of which the CSV has all and the Markdown those that differ: part of a name where they do.
constexpr std::string_view kJob[] = {"Job",
                                     "AnalyzeLaunchVariance",
                                     "EvaluateOverhead",
                                     "MaxAbsoluteError",
                                     "MaxRelativeError",
                                     "MinInvokeCount",
                                     "MinIterationTime",
                                     "OutlierMode",
                                     "RemoveOutliers",
                                     "Affinity",
                                     "EnvironmentVariables",
                                     "Jit",
                                     "LargeAddressAware",
                                     "Platform",
                                     "PowerPlanMode",
                                     "Runtime",
                                     "AllowVeryLargeObjects",
                                     "Concurrent",
                                     "CpuGroups",
                                     "Force",
                                     "HeapAffinitizeMask",
                                     "HeapCount",
                                     "NoAffinitize",
                                     "RetainVm",
                                     "Server",
                                     "Arguments",
                                     "BuildConfiguration",
                                     "Clock",
                                     "EngineFactory",
                                     "NuGetReferences",
                                     "Toolchain",
                                     "IsMutator",
                                     "IsBaseline",
                                     "InvocationCount",
                                     "IterationCount",
                                     "IterationTime",
                                     "LaunchCount",
                                     "MaxIterationCount",
                                     "MaxWarmupIterationCount",
                                     "MemoryRandomization",
                                     "MinIterationCount",
                                     "MinWarmupIterationCount",
                                     "RunStrategy",
                                     "TargetCount",
                                     "UnrollFactor",
                                     "WarmupCount",
                                     "Categories"};

// "1,234.5" or, of machines that write them so, "29,71".
std::optional<double> number_of(std::string_view text, std::string_view exponent) {
  std::string digits(text);
  const std::size_t comma = digits.rfind(',');
  if (comma != std::string::npos) {
    const bool decimal = digits.find('.') == std::string::npos && digits.size() - comma != 4 && digits.find(',') == comma;
    if (decimal) digits[comma] = '.';
    std::erase(digits, ',');
  }
  return core::parse_double(digits + std::string(exponent));
}

// A cell as a value of its column: in ns, in bytes, or as it stands.
std::optional<Leaf> value_of(std::string_view cell, const Column& column) {
  if (cell == "NA" || cell == "N/A") {
    if (column.declared.role != core::Role::judged) return std::nullopt;
    return Leaf{core::ValueState::failed, 0, false, "no result: the benchmark did not run to its end"};
  }
  if (cell == "-" && (column.declared.unit == "B" || column.metric.starts_with("Gen")))
    return Leaf{core::ValueState::number, 0, true, {}};
  const std::size_t blank = cell.find(' ');
  const std::string_view unit = blank == std::string_view::npos ? std::string_view() : core::trim(cell.substr(blank));
  const std::string_view digits = cell.substr(0, blank);
  struct Scale {
    std::string_view unit, of, exponent;
    double factor;
  };
  constexpr Scale kScales[] = {
      {"ns", "ns", "", 1},   {"us", "ns", "e3", 1}, {"\xC2\xB5s", "ns", "e3", 1}, {"\xCE\xBCs", "ns", "e3", 1},
      {"ms", "ns", "e6", 1}, {"s", "ns", "e9", 1},  {"m", "ns", "", 6e10},        {"B", "B", "", 1},
      {"KB", "B", "", 1024}, {"kB", "B", "", 1024}, {"MB", "B", "", 1048576},     {"GB", "B", "", 1073741824},
      {"b", "B", "", 1},     {"", "", "", 1}};
  for (const Scale& scale : kScales) {
    if (scale.unit != unit) continue;
    // A bare number of a column of times or sizes may be in any unit.
    if (scale.of != column.declared.unit && (!scale.of.empty() || column.declared.unit == "ns" || column.declared.unit == "B"))
      return std::nullopt;
    const auto value = number_of(digits, scale.exponent);
    if (!value) return std::nullopt;
    return Leaf{std::isfinite(*value) ? core::ValueState::number : core::ValueState::not_finite, *value * scale.factor, true, {}};
  }
  return std::nullopt;
}

std::string without_entities(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&amp;", '&'}};
  std::string out;
  while (!text.empty()) {
    const auto* entity =
        std::find_if(std::begin(kEntities), std::end(kEntities), [&](const auto& one) { return text.starts_with(one.first); });
    const bool known = entity != std::end(kEntities);
    out.push_back(known ? entity->second : text.front());
    text.remove_prefix(known ? entity->first.size() : 1);
  }
  return out;
}

// "| **Encode** | 500 | 29.71 μs |": the first line of a group is bold, angle brackets are written as entities.
std::vector<std::string> markdown_cells(std::string_view line) {
  line = core::trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  std::vector<std::string> cells;
  for (const std::string_view part : core::split(line, '|')) {
    std::string_view cell = core::trim(part);
    if (cell.size() > 4 && cell.starts_with("**") && cell.ends_with("**")) cell = core::trim(cell.substr(2, cell.size() - 4));
    cells.push_back(without_entities(cell));
  }
  return cells;
}

// "29.71 μs", "NA"
bool is_time(const std::string& cell) { return cell == "NA" || value_of(cell, *column_of("Mean")).has_value(); }

bool is_header(const std::vector<std::string>& cells) {
  const auto has = [&](std::string_view name) { return std::find(cells.begin(), cells.end(), name) != cells.end(); };
  return has("Method") && (has("Mean") || has("Median")) && (has("Error") || has("StdDev") || has("StdErr"));
}

// A table, of one report.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "benchmarkdotnet") { rows_.repeats_are_sections(); }

  void table(const Table& table) {
    std::size_t results = 0;
    while (results < table.header.size() && column_of(table.header[results]) == nullptr) ++results;
    std::vector<bool> named(results, true);  // what a benchmark's name is made of
    for (std::size_t i = 0; i < results; ++i) {
      if (std::find(std::begin(kJob), std::end(kJob), table.header[i]) == std::end(kJob)) continue;
      std::set<std::string_view> values;
      for (const auto& row : table.rows) {
        if (i < row.size()) values.insert(row[i]);
      }
      named[i] = values.size() > 1;
    }
    for (const auto& row : table.rows) {
      if (writer_.halted()) return;
      if (row.size() == table.header.size()) {
        line(table, row, results, named);
      } else if (std::any_of(row.begin(), row.end(), is_time)) {
        writer_.find(Finding::ragged_lines, row.front());
      }
    }
  }
  void context(std::string_view line) {
    if (line.starts_with("BenchmarkDotNet")) {
      std::string_view rest = line.substr(std::string_view("BenchmarkDotNet").size());
      while (!rest.empty() && (rest.front() == ' ' || rest.front() == '=' || rest.front() == 'v')) rest.remove_prefix(1);
      const std::size_t comma = rest.find(',');
      rows_.context("stack.benchmarkdotnet", core::trim(rest.substr(0, comma)));
      if (comma == std::string_view::npos) return;
      rest = core::trim(rest.substr(comma + 1));
      if (rest.starts_with("OS=")) rest.remove_prefix(3);
      rows_.context("stack.os", rest);
      cpu_next_ = true;
    } else if (cpu_next_) {
      cpu_next_ = false;
      rows_.context("hardware.cpu", core::trim(line.substr(0, line.find(", 1 CPU"))));
    } else if (line.starts_with(".NET SDK") || line.starts_with(".NET Core SDK")) {
      const std::size_t at = line.find_first_of("0123456789");
      if (at != std::string_view::npos) rows_.context("stack.dotnet", line.substr(at));
    }
  }
  void end() { rows_.warn_of_repeats(); }

 private:
  void line(const Table& table, const std::vector<std::string>& row, std::size_t results, const std::vector<bool>& named) {
    std::string point, brackets;
    std::vector<std::pair<std::string_view, std::string>> pairs;
    for (std::size_t i = 0; i < results; ++i) {
      const std::string& name = table.header[i];
      if (row[i].empty() || !named[i]) continue;
      const std::string value = row[i].substr(0, 200);
      if (name == "Namespace" || name == "Type" || name == "Method") {
        point += (point.empty() ? "" : ".") + value;
      } else {
        brackets += (brackets.empty() ? "" : ",") + name + "=" + value;
        pairs.emplace_back(name, value);
      }
    }
    if (point.empty()) return;  // the blank line between groups
    pairs.emplace_back("benchmark", point);
    if (!brackets.empty()) point += "[" + brackets + "]";
    const std::uint32_t dims = rows_.dims(pairs);
    for (std::size_t i = results; i < row.size(); ++i) {
      const Column* column = column_of(table.header[i]);
      if (column == nullptr || column->metric.empty()) continue;
      if (const auto leaf = value_of(row[i], *column)) rows_.add(point, column->metric, dims, column->declared, *leaf);
    }
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  bool cpu_next_ = false;
};

// The separator of the CSV whose header this is; '|' of Markdown; 0 of neither.
char header_kind(std::string_view line) {
  if (line.find("Mean") == std::string_view::npos && line.find("Median") == std::string_view::npos) return 0;
  if (line.find('|') != std::string_view::npos) return is_header(markdown_cells(line)) ? '|' : '\0';
  for (const char separator : {',', ';', '\t'}) {
    if (is_header(csv_cells(line, separator))) return separator;
  }
  return 0;
}

Detection detect_benchmarkdotnet_table(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  const bool sure = head.find("BenchmarkDotNet") != std::string_view::npos;
  std::string_view header;
  char kind = 0;
  for (const std::string_view line : core::split(head, '\n')) {
    std::string_view plain = core::trim(line);
    if (plain.starts_with("\xEF\xBB\xBF")) plain.remove_prefix(3);
    if (const char found = header_kind(plain); found != 0) {
      header = plain;
      kind = found;
    }
    if (kind == 0) continue;
    // Any paper has a table of methods with a mean and an error: only times make it one of this tool.
    const std::vector<std::string> cells = kind == '|' ? markdown_cells(plain) : csv_cells(plain, kind);
    if (!std::any_of(cells.begin(), cells.end(), is_time) || plain == header) continue;
    detection.score = sure || header.find("AnalyzeLaunchVariance") != std::string_view::npos ? 0.95 : 0.88;
    detection.evidence.push_back("has the header " + core::cited(header.substr(0, 80)));
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_benchmarkdotnet_table(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  Reader reader(writer);
  std::string_view text = input.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Table table;
  char kind = 0;
  const auto close = [&] {
    reader.table(table);
    table = {};
    kind = 0;
  };
  for (const std::string_view whole : core::split(text, '\n')) {
    const std::string_view line = core::trim(whole);
    if (const char found = header_kind(line); found != 0) {
      close();
      kind = found;
      table.header = kind == '|' ? markdown_cells(line) : csv_cells(line, kind);
    } else if (kind != 0 && line.empty()) {
      close();
    } else if (kind != 0) {
      if (table.rows.size() <= options.max_rows) table.rows.push_back(kind == '|' ? markdown_cells(line) : csv_cells(line, kind));
    } else {
      reader.context(line);
    }
  }
  close();
  reader.end();
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no benchmark under the header with Method and Mean",
                      "BenchmarkDotNet writes *-report-github.md and *-report.csv into BenchmarkDotNet.Artifacts/results",
                      input.name);
  }
  writer.out.declared.headlines = {"*.Mean"};
  return writer.finish(input.name);
}

}  // namespace

extern const Format benchmarkdotnet_table_format = {
    .name = "benchmarkdotnet-table",
    .title = "BenchmarkDotNet (C#): tables",
    .replication = core::Replication::in_process,
    .detect = detect_benchmarkdotnet_table,
    .read = read_benchmarkdotnet_table,
    .about = {.group = Group::harness,
              .file = "Markdown, CSV",
              .produce = "dotnet run -c Release -- --filter '*'\n"
                         "# writes BenchmarkDotNet.Artifacts/results/*-report-github.md and *-report.csv",
              .judged = "`Mean`, `Median` in ns, `BytesAllocatedPerOperation` in bytes (lower, the last exact), `Code Size`, "
                        "`Exceptions`, `Lock Contentions` (lower)",
              .key = "the method, with its type where that is a column, parameters, and settings of the job that differ",
              .trials = "one value a key; `Error`, `StdErr`, `StdDev` are noise. The JSON has the trials",
              .context = "version, OS, CPU, .NET SDK, where the lines above the table are there",
              .limits = "`NA` is a failed benchmark; cells without a unit, ratios, ranks and columns of one's own right of the "
                        "first result are left out",
              .recognised = "a header with `Method`, `Mean` or `Median`, and `Error`, `StdDev` or `StdErr`, with times under it"},
};

}  // namespace plumbline::formats
