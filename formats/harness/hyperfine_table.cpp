// What hyperfine writes beside its JSON: CSV (--export-csv, in seconds), Markdown (--export-markdown, the unit in the header) and
// what it prints. Rows are those of the JSON without the single times; a command is keyed without its secrets.
#include "core/citing.hpp"
#include "core/privacy.hpp"
#include "formats/csv_cells.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kPlusMinus = "\xC2\xB1";      // ±
constexpr std::string_view kIdentical = "\xE2\x89\xA1";  // ≡, one run
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";   // …
constexpr std::string_view kCsvHeader = "command,mean,stddev,median,user,system,min,max";

// "107.5" in "ms" as seconds: the number as if the unit were an exponent, rounded once.
std::optional<double> seconds(std::string_view number, std::string_view unit) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"s", ""}, {"ms", "e-3"}, {"\xC2\xB5s", "e-6"}, {"\xCE\xBCs", "e-6"}, {"us", "e-6"}};
  for (const auto& [name, exponent] : kUnits) {
    if (name == unit) return core::parse_double(std::string(number) + std::string(exponent));
  }
  return std::nullopt;
}

Declared declared_of(std::string_view metric) {
  if (metric == "stddev") return own_noise("s");
  return metric == "min" || metric == "max" ? for_context("s") : lower_is_better("s");
}

struct Result {
  std::string command;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<std::pair<std::string_view, double>> metrics;
};

class Rows {
 public:
  explicit Rows(RowWriter& writer) : rows_(writer, "hyperfine") { rows_.repeats_are_sections(); }
  void add(const Result& result) {
    if (result.metrics.empty()) return;
    // Without its secrets before it is cut, so that no half of one is left that nothing tells.
    const std::string command = core::without_secrets(result.command).substr(0, 400);
    std::vector<std::pair<std::string_view, std::string>> dims{{"command", command}};
    std::string label = command;
    for (const auto& [name, value] : result.parameters) {
      if (core::sounds_secret(name)) continue;
      dims.emplace_back(name, core::without_secrets(value).substr(0, 100));
      label += (dims.size() == 2 ? " [" : ",") + name + "=" + dims.back().second;
    }
    if (dims.size() > 1) label += "]";
    const std::uint32_t point = rows_.dims(dims);
    for (const auto& [metric, value] : result.metrics) rows_.add(label, metric, point, declared_of(metric), value);
  }
  void end() { rows_.warn_of_repeats(); }

 private:
  DeclaredRows rows_;
};

// ---- CSV and Markdown ---------------------------------------------------------------------------------------------------

// A bar in a command is written "\\|".
std::vector<std::string> markdown_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.substr(i, 2) == "\\|") {
      cells.back().push_back('|');
      ++i;
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back().push_back(line[i]);
    }
  }
  return cells;
}

Result csv_result(const std::vector<std::string>& cells, const std::vector<std::string>& header) {
  constexpr std::string_view kMetrics[] = {"mean", "stddev", "median", "user", "system", "min", "max"};
  constexpr std::string_view kParameter = "parameter_";
  Result out;
  out.command = cells.front();
  for (std::size_t i = 1; i < cells.size() && i < header.size(); ++i) {
    const auto* metric = std::find(std::begin(kMetrics), std::end(kMetrics), header[i]);
    if (metric != std::end(kMetrics)) {
      if (const auto value = core::parse_double(cells[i])) out.metrics.emplace_back(*metric, *value);
    } else if (header[i].starts_with(kParameter)) {
      out.parameters.emplace_back(header[i].substr(kParameter.size()), cells[i]);
    }
  }
  return out;
}

// "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |": the unit; "" where the line is no such header.
std::string_view markdown_unit(std::string_view line) {
  constexpr std::string_view kBegin = "| Command | Mean [";
  const std::size_t end = line.find(']');
  if (!line.starts_with(kBegin) || end == std::string_view::npos || line.find("| Min [") == std::string_view::npos) return {};
  return line.substr(kBegin.size(), end - kBegin.size());
}

std::optional<Result> markdown_result(std::string_view line, std::string_view unit) {
  if (!line.starts_with('|')) return std::nullopt;
  const std::vector<std::string> cells = markdown_cells(line.substr(1));
  if (cells.size() < 4) return std::nullopt;
  std::string_view command = core::trim(cells[0]);
  if (command.size() > 2 && command.starts_with('`') && command.ends_with('`')) command = command.substr(1, command.size() - 2);
  Result out;
  out.command = std::string(command);
  const std::string_view mean = core::trim(cells[1]);
  const std::size_t sign = mean.find(kPlusMinus);
  if (const auto value = seconds(core::trim(mean.substr(0, sign)), unit)) out.metrics.emplace_back("mean", *value);
  if (sign != std::string_view::npos) {
    if (const auto value = seconds(core::trim(mean.substr(sign + kPlusMinus.size())), unit))
      out.metrics.emplace_back("stddev", *value);
  }
  if (const auto value = seconds(core::trim(cells[2]), unit)) out.metrics.emplace_back("min", *value);
  if (const auto value = seconds(core::trim(cells[3]), unit)) out.metrics.emplace_back("max", *value);
  if (out.metrics.empty()) return std::nullopt;
  return out;
}

// ---- the text -----------------------------------------------------------------------------------------------------------

// "Benchmark 1: sleep 0.1", of before 1.12 "Benchmark #1: sleep 0.1"
std::optional<std::string_view> command_of(std::string_view line) {
  constexpr std::string_view kBegin = "Benchmark ";
  if (!line.starts_with(kBegin)) return std::nullopt;
  line.remove_prefix(kBegin.size());
  if (line.starts_with('#')) line.remove_prefix(1);
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || !core::parse_int(line.substr(0, colon))) return std::nullopt;
  return core::trim(line.substr(colon + 2));
}

// "  Time (mean ± σ):  107.5 ms ± 3.2 ms  [User: 0.6 ms, System: 0.9 ms]", "  Range (min … max):  102.5 ms … 115.3 ms  27 runs"
bool take_times(std::string_view line, Result& result) {
  const bool time = line.starts_with("Time (mean ") || line.starts_with("Time (abs ");
  if (!time && !line.starts_with("Range (min ")) return false;
  const std::size_t colon = line.find("):");
  if (colon == std::string_view::npos) return false;
  std::string text(line.substr(colon + 2));
  for (char& c : text) {
    if (c == '[' || c == ']' || c == ',') c = ' ';
  }
  std::vector<std::string_view> words;
  split_blanks(text, words);
  std::string_view metric = time ? "mean" : "min";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kPlusMinus) metric = "stddev";
    if (words[i] == kEllipsis) metric = "max";
    if (words[i] == "User:") metric = "user";
    if (words[i] == "System:") metric = "system";
    if (metric.empty() || i + 1 >= words.size()) continue;
    const auto value = seconds(words[i], words[i + 1]);
    if (!value) continue;
    result.metrics.emplace_back(metric, *value);
    metric = {};
  }
  return true;
}

Detection detect_hyperfine_table(const Input& input) {
  Detection detection;
  bool named = false;
  for (const std::string_view whole : core::split(head_of(input), '\n')) {
    std::string_view line = core::trim(whole);
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    named = named || command_of(line).has_value();
    const bool text = named && (line.starts_with("Time (mean " + std::string(kPlusMinus)) ||
                                line.starts_with("Time (abs " + std::string(kIdentical)));
    if (!line.starts_with(kCsvHeader) && markdown_unit(line).empty() && !text) continue;
    detection.score = 0.95;
    detection.evidence.push_back("has the line " + core::cited(line.substr(0, 80)));
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_hyperfine_table(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  Rows rows(writer);
  std::vector<std::string> header;
  std::string_view unit;
  Result result;       // of the text
  std::string record;  // of the CSV
  std::uint64_t ignored = 0, unread = 0;
  const auto take_record = [&] {
    const Result row = csv_result(csv_cells(record), header);
    if (row.metrics.empty()) ++unread;
    rows.add(row);
    record.clear();
  };
  LogLines lines(input.bytes);
  std::string_view whole;
  while (lines.next(whole) && !writer.halted()) {
    std::string_view line = core::trim(whole);
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (!record.empty()) {
      record.append("\n").append(line);
      if (ends_in_quotes(line)) take_record();
    } else if (line.starts_with(kCsvHeader)) {
      header = csv_cells(line);
    } else if (const std::string_view found = markdown_unit(line); !found.empty()) {
      unit = found;
    } else if (const auto command = command_of(line)) {
      rows.add(result);
      result = {};
      result.command = std::string(*command);
    } else if (!result.command.empty()) {
      if (!take_times(line, result) && line.find("Ignoring non-zero exit code") != std::string_view::npos) ++ignored;
    } else if (!unit.empty()) {
      if (!line.starts_with('|')) unit = {};  // the next table is somebody else's
      if (const auto row = markdown_result(line, unit)) rows.add(*row);
    } else if (!header.empty() && !line.empty()) {
      record = line;
      if (!ends_in_quotes(line)) take_record();  // else the command runs over several lines
    }
  }
  rows.add(result);
  if (!record.empty()) ++unread;  // a quote that never closes
  rows.end();
  if (unread > 0) {
    writer.out.warn("unread_lines",
                    core::counted(unread, "line", "lines") + " of the CSV without a time of a command, and left out");
  }
  if (ignored > 0) {
    writer.out.warn("failed_runs",
                    core::counted(ignored, "command") +
                        " ended with a status other than 0, which was to be ignored (-i): how often, only the JSON says");
  }
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no time of a command in it",
                      "hyperfine --export-json FILE writes the times of every run", input.name);
  }
  writer.out.declared.headlines = {"*.mean"};
  return writer.finish(input.name);
}

}  // namespace

extern const Format hyperfine_table_format = {
    .name = "hyperfine-table",
    .title = "hyperfine timings of commands: tables",
    .replication = core::Replication::run,
    .detect = detect_hyperfine_table,
    .read = read_hyperfine_table,
    .about = {.group = Group::harness,
              .file = "CSV, Markdown, text",
              .produce = "hyperfine --export-csv result.csv --export-markdown result.md 'COMMAND'\n"
                         "hyperfine 'COMMAND' | tee result.txt",
              .judged = "`mean`, `median`, `user`, `system` in s (lower)",
              .key = "command, parameters (CSV)",
              .trials = "one value a key; `stddev` is noise. The JSON has the times of every run",
              .context = "none: the file holds none",
              .limits =
                  "`min` and `max` are context; relative speeds are left out; runs that failed are warned of in the console text "
                  "only; secrets in a command are blanked in its key",
              .recognised =
                  "`command,mean,stddev,…`; `| Command | Mean [ms] | Min [ms]`; `Time (mean ± σ):` under `Benchmark 1: …`"},
};

}  // namespace plumbline::formats
