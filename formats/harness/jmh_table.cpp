// What JMH prints at the end of a run, and its CSV (-rf csv, its default; -rf scsv with semicolons and maybe decimal commas).
// One line a metric: "bench:gc.alloc.rate.norm" belongs to "bench". Keys are those of the JSON, where the columns allow.
#include <map>

#include "core/citing.hpp"
#include "formats/csv_cells.hpp"
#include "formats/harness/jmh.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kModes[] = {"thrpt", "avgt", "sample", "ss"};
constexpr std::string_view kPlusMinus = "\xC2\xB1";          // ±
constexpr std::string_view kApproximately = "\xE2\x89\x88";  // ≈
constexpr std::string_view kMiddleDot = "\xC2\xB7";          // ·
constexpr std::pair<std::string_view, char> kRaised[] = {{"\xE2\x81\xBB", '-'}, {"\xE2\x81\xB0", '0'}, {"\xC2\xB9", '1'},
                                                         {"\xC2\xB2", '2'},     {"\xC2\xB3", '3'},     {"\xE2\x81\xB4", '4'},
                                                         {"\xE2\x81\xB5", '5'}, {"\xE2\x81\xB6", '6'}, {"\xE2\x81\xB7", '7'},
                                                         {"\xE2\x81\xB8", '8'}, {"\xE2\x81\xB9", '9'}};

bool is_mode(std::string_view word) { return std::find(std::begin(kModes), std::end(kModes), word) != std::end(kModes); }

// One line, however it was written.
struct Line {
  std::string benchmark, mode, threads, unit;
  std::vector<std::pair<std::string, std::string>> params;
  std::optional<double> score, error;
  bool approximate = false;  // "≈ 10⁻⁴": its size, no value
};

class Rows {
 public:
  explicit Rows(RowWriter& writer) : writer_(writer), rows_(writer, "jmh") { rows_.repeats_are_sections(); }

  void add(const Line& line) {
    const std::size_t colon = line.benchmark.find(':');
    const std::string benchmark = line.benchmark.substr(0, colon);
    std::string metric = colon == std::string::npos ? "" : line.benchmark.substr(colon + 1);
    // "bench:bench·p0.99", "bench:p0.99"; "bench:·gc.alloc.rate" has the dot in the JSON's names too.
    std::string_view percentile = metric;
    if (const std::size_t dot = metric.find(kMiddleDot); dot != std::string::npos && dot > 0) {
      percentile = std::string_view(metric).substr(dot + kMiddleDot.size());
    }
    std::optional<double> fraction;
    if (line.mode == "sample" && percentile.starts_with('p')) fraction = core::parse_double(percentile.substr(1));

    std::vector<std::pair<std::string_view, std::string>> dims{{"benchmark", benchmark}, {"mode", line.mode}};
    if (!line.threads.empty()) dims.emplace_back("threads", line.threads);
    for (const auto& [name, value] : line.params) dims.emplace_back(name, value);
    std::string point = benchmark;
    for (std::size_t i = 1; i < dims.size(); ++i) {
      point += (i == 1 ? "[" : ",") + std::string(dims[i].first) + "=" + dims[i].second;
    }
    point += "]";
    const std::uint32_t id = rows_.dims(dims);

    Declared declared = metric.empty() ? jmh_score(line.unit, line.mode) : jmh_secondary(line.unit);
    if (fraction) {
      declared = jmh_percentile(*fraction, line.unit);
      metric = percentile;
    }
    if (metric.empty()) metric = "score";
    if (line.approximate) {
      // As good as zero: nothing to compare, and no measurement that is missing.
      ++approximate_;
      declared = for_context(line.unit);
    }
    if (!line.score) return;
    rows_.add(point, metric, id, declared, *line.score);
    if (line.error && std::isfinite(*line.error)) rows_.add(point, metric + "Error", id, own_noise(line.unit), *line.error);
  }
  core::Expected<core::Measurement> finish(const Input& input) {
    rows_.warn_of_repeats();
    if (approximate_ > 0) {
      writer_.out.warn("approximate_values",
                       core::counted(approximate_, "score is", "scores are") +
                           " printed as a power of ten only, and not judged: choose a smaller time unit (-tu)");
    }
    if (writer_.out.rows().empty()) {
      return core::fail(core::ErrorCode::invalid_input, "no score under the header of JMH's table",
                        "JMH prints \"Benchmark  Mode  Cnt  Score  Error  Units\" and a line a benchmark", input.name);
    }
    writer_.out.declared.headlines = {"*.score"};
    return writer_.finish(input.name);
  }

 private:
  RowWriter& writer_;
  DeclaredRows rows_;
  std::uint64_t approximate_ = 0;
};

// ---- the text -----------------------------------------------------------------------------------------------------------

// sbt puts "[info] " before everything.
std::string_view without_prefix(std::string_view line) {
  if (line.starts_with("[info] ")) line.remove_prefix(7);
  return line;
}

// "Benchmark   (size)  Mode  Cnt  Score   Error  Units": the names of its parameters; nothing where it is no such line.
std::optional<std::vector<std::string>> header_of(std::string_view line) {
  std::vector<std::string_view> words;
  split_blanks(line, words);
  if (words.size() < 5 || words[0] != "Benchmark" || words.back() != "Units") return std::nullopt;
  std::vector<std::string> params;
  std::size_t i = 1;
  for (; i < words.size() && words[i].starts_with('(') && words[i].ends_with(')') && words[i].size() > 2; ++i) {
    params.emplace_back(words[i].substr(1, words[i].size() - 2));
  }
  if (i >= words.size() || words[i] != "Mode") return std::nullopt;
  const bool score = std::find(words.begin(), words.end(), "Score") != words.end() ||
                     std::find(words.begin(), words.end(), "Mean") != words.end();  // of before 1.0
  return score ? std::optional(params) : std::nullopt;
}

std::optional<double> score_of(std::string_view word) {
  if (const auto value = core::parse_double(word)) return value;
  std::string point(word);  // "528,857" of a machine that writes decimal commas
  if (std::count(point.begin(), point.end(), ',') != 1 || point.find('.') != std::string::npos) return std::nullopt;
  point[point.find(',')] = '.';
  return core::parse_double(point);
}

// "10⁻⁴"
std::optional<double> power_of(std::string_view word) {
  if (word == "0") return 0.0;
  if (!word.starts_with("10")) return std::nullopt;
  std::string exponent = "1e";
  for (std::string_view rest = word.substr(2); !rest.empty();) {
    const auto* found =
        std::find_if(std::begin(kRaised), std::end(kRaised), [&](const auto& one) { return rest.starts_with(one.first); });
    if (found == std::end(kRaised)) return std::nullopt;
    exponent.push_back(found->second);
    rest.remove_prefix(found->first.size());
  }
  return exponent == "1e" ? std::optional(10.0) : core::parse_double(exponent);
}

std::optional<Line> line_of(std::string_view line, const std::vector<std::string>& params) {
  std::vector<std::string_view> words;
  split_blanks(line, words);
  if (words.size() < 4) return std::nullopt;
  // From the right: a parameter's value may be anything.
  std::size_t mode = words.size() - 1;
  while (mode > 0 && !is_mode(words[mode])) --mode;
  if (mode == 0 || mode + 2 >= words.size()) return std::nullopt;
  Line out;
  out.benchmark = std::string(words[0]);
  out.mode = std::string(words[mode]);
  out.unit = std::string(words.back());
  std::vector<std::string_view> numbers(words.begin() + static_cast<std::ptrdiff_t>(mode) + 1, words.end() - 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == kPlusMinus || numbers[i] == "?") {  // "?" where the terminal had no ±
      if (i + 1 < numbers.size()) out.error = score_of(numbers[i + 1]);
      numbers.resize(i);
    } else if (numbers[i] == kApproximately && i + 1 < numbers.size()) {
      out.approximate = true;
      out.score = power_of(numbers[i + 1]);
      numbers.resize(i);
    }
  }
  if (!out.approximate) {
    if (numbers.size() == 3 && !out.error) {  // releases before 1.12 had no sign between score and error
      out.error = score_of(numbers[2]);
      numbers.resize(2);
    }
    if (numbers.empty() || numbers.size() > 2) return std::nullopt;
    out.score = score_of(numbers.back());
  }
  if (!out.score) return std::nullopt;
  if (mode - 1 == params.size()) {
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (words[i + 1] != "N/A") out.params.emplace_back(params[i], std::string(words[i + 1].substr(0, 100)));
    }
  } else if (mode > 1) {  // blanks in a value: which word is whose cannot be told
    std::string all;
    for (std::size_t i = 1; i < mode; ++i) all += (all.empty() ? "" : " ") + std::string(words[i].substr(0, 100));
    out.params.emplace_back("params", std::move(all));
  }
  return out;
}

// ---- the CSV ------------------------------------------------------------------------------------------------------------

// ',' or ';' where the line is the CSV's header.
char separator_of(std::string_view line) {
  for (const char separator : {',', ';'}) {
    const std::vector<std::string> cells = csv_cells(core::trim(line), separator);
    if (cells.size() >= 7 && cells[0] == "Benchmark" && cells[1] == "Mode" && cells[2] == "Threads" && cells[4] == "Score") {
      return separator;
    }
  }
  return 0;
}

std::optional<Line> csv_line(const std::vector<std::string>& cells, const std::vector<std::string>& header) {
  if (cells.size() < 7 || cells.size() > header.size()) return std::nullopt;
  Line out;
  out.benchmark = cells[0];
  out.mode = cells[1];
  out.threads = cells[2];
  out.score = score_of(cells[4]);
  out.error = score_of(cells[5]);
  out.unit = cells[6];
  for (std::size_t i = 7; i < cells.size(); ++i) {
    constexpr std::string_view kParam = "Param: ";
    if (cells[i].empty()) continue;
    std::string name = header[i].starts_with(kParam) ? header[i].substr(kParam.size()) : header[i];
    out.params.emplace_back(std::move(name), cells[i].substr(0, 100));
  }
  if (!out.score || out.benchmark.empty()) return std::nullopt;
  return out;
}

// ---- both ---------------------------------------------------------------------------------------------------------------

Detection detect_jmh_table(const Input& input) {
  Detection detection;
  // The table stands at the end of what may be a long log.
  const std::string_view head = head_of(input);
  const std::string_view tail = input.bytes.substr(input.bytes.size() - std::min(input.bytes.size(), kHead));
  for (const std::string_view part : {head, tail}) {
    for (const std::string_view line : core::split(part, '\n')) {
      const std::string_view plain = without_prefix(core::trim(line));
      if (!plain.starts_with("Benchmark") && !plain.starts_with("\"Benchmark\"")) continue;
      if (!header_of(plain) && separator_of(plain) == 0) continue;
      detection.score = 0.95;
      detection.evidence.push_back("has the header " + core::cited(plain.substr(0, 100)));
      return detection;
    }
  }
  return detection;
}

core::Expected<core::Measurement> read_jmh_table(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  Rows rows(writer);
  std::optional<std::vector<std::string>> params;
  std::vector<std::string> header;
  char separator = 0;
  std::string_view text = input.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  LogLines lines(text);
  std::string_view whole;
  while (lines.next(whole) && !writer.halted()) {
    const std::string_view line = core::trim(without_prefix(whole));
    if (const char found = separator_of(line); found != 0) {
      separator = found;
      header = csv_cells(line, separator);
      params.reset();
    } else if (auto found_params = header_of(line)) {
      params = std::move(found_params);
      separator = 0;
    } else if (separator != 0) {
      if (const auto row = csv_line(csv_cells(line, separator), header)) rows.add(*row);
    } else if (params) {  // people put blank lines between groups of rows
      if (const auto row = line_of(line, *params)) rows.add(*row);
    }
  }
  return rows.finish(input);
}

}  // namespace

extern const Format jmh_table_format = {
    .name = "jmh-table",
    .title = "JMH (Java): tables",
    .replication = core::Replication::unknown,
    .detect = detect_jmh_table,
    .read = read_jmh_table,
    .about = {.group = Group::harness,
              .file = "text, CSV",
              .produce = "java -jar benchmarks.jar | tee result.txt\n"
                         "java -jar benchmarks.jar -rf csv -rff result.csv",
              .judged =
                  "`score`; the unit says the direction (`ops/ms` higher, `us/op` lower), else the mode; in mode sample p0.50 "
                  "to p0.999 too",
              .key = "benchmark, mode, threads (CSV), parameters; what follows the colon of a name is the metric",
              .trials = "one value a key; its error is noise. The JSON (`-rf json`) has the trials",
              .context = "none",
              .limits = "a score printed as `≈ 10⁻⁴` is context, with a warning; other lines of the log are passed over",
              .recognised = "the header `Benchmark … Mode Cnt Score Error Units`, or `\"Benchmark\",\"Mode\",\"Threads\",…`"},
};

}  // namespace plumbline::formats
