// What Google Benchmark prints and its CSV (--benchmark_format=csv). Rows are those of its JSON: lines of one name are the
// repetitions of it, aggregates beside them are context, or noise. Rates of bytes are printed in steps of 1024
// (console_reporter.cc and string_util.cc; until 1.8 "G" stood for 2^30 there), other counters in steps of 1000.
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/citing.hpp"
#include "formats/csv_cells.hpp"
#include "formats/declared_rows.hpp"
#include "formats/harness/google_benchmark.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kTimes[] = {"ns", "us", "ms", "s"};
bool is_time(std::string_view word) { return std::find(std::begin(kTimes), std::end(kTimes), word) != std::end(kTimes); }

// A line of either output.
struct Entry {
  std::string name, unit, failure;
  std::optional<double> real, cpu;
  std::vector<std::pair<std::string, double>> counters;
  std::uint32_t header = 0;  // under which of them it stands
};

// ---- the console --------------------------------------------------------------------------------------------------------

// Of a time, of a cv, or what a fit says it grows with (BigO): a log has other lines with two numbers.
bool is_unit(std::string_view word) {
  constexpr std::string_view kOthers[] = {"%", "(1)", "N", "N^2", "N^3", "lgN", "NlgN", "f(N)"};
  return is_time(word) || std::find(std::begin(kOthers), std::end(kOthers), word) != std::end(kOthers);
}

// "1.2G", "3.4Mi", "12m": a counter as printed.
std::optional<double> counter_value(std::string_view text, bool bytes) {
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789e"), text.size());
  const auto number = core::parse_double(text.substr(0, end));
  if (!number) return std::nullopt;
  std::string_view prefix = text.substr(end);
  if (prefix.empty()) return number;
  constexpr std::string_view kLarge = "kMGTPEZY", kSmall = "munpfazy";
  const bool binary = prefix.ends_with('i');
  if (binary) prefix.remove_suffix(1);
  if (prefix.size() != 1) return std::nullopt;
  const char letter = prefix.front() == 'K' ? 'k' : prefix.front();
  const double step = binary || bytes ? 1024 : 1000;
  if (const std::size_t power = kLarge.find(letter); power != std::string_view::npos) {
    return *number * std::pow(step, static_cast<double>(power + 1));
  }
  if (const std::size_t power = kSmall.find(letter); power != std::string_view::npos) {
    return *number / std::pow(step, static_cast<double>(power + 1));
  }
  return std::nullopt;
}

// "bytes_per_second=1.2Gi/s", "misses=12k", of before 1.4.1 "1.2GB/s" and "3M items/s".
void take_counters(const std::vector<std::string_view>& words, std::size_t at, const std::vector<std::string>& columns,
                   Entry& entry) {
  const auto plain = [](std::string_view text) {
    for (const std::string_view unit : {"/s", "s"}) {
      if (text.ends_with(unit)) return text.substr(0, text.size() - unit.size());
    }
    return text;
  };
  if (!columns.empty() && words.size() - at >= columns.size()) {  // --benchmark_counters_tabular
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string_view word = words[at + i];
      if (const auto value = counter_value(plain(word), columns[i] == "bytes_per_second")) {
        entry.counters.emplace_back(columns[i], *value);
      }
    }
    return;
  }
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (const std::size_t equals = word.find('='); equals != std::string_view::npos && equals > 0) {
      const std::string_view name = word.substr(0, equals);
      const bool bytes = name == "bytes_per_second";
      if (word.ends_with('%')) continue;  // of a cv: noise of a counter
      if (const auto value = counter_value(plain(word.substr(equals + 1)), bytes)) entry.counters.emplace_back(name, *value);
    } else if (word.ends_with("B/s") && entry.counters.empty()) {
      if (const auto value = counter_value(word.substr(0, word.size() - 3), true)) {
        entry.counters.emplace_back("bytes_per_second", *value);
      }
    } else if (at + 1 < words.size() && words[at + 1] == "items/s") {
      if (const auto value = counter_value(word, false)) entry.counters.emplace_back("items_per_second", *value);
      ++at;
    }
  }
}

// "BM_Sort/8      1234 ns      1230 ns     567000 items_per_second=1.2M/s label"; nothing where it is no such line.
std::optional<Entry> console_line(std::string_view line, const std::vector<std::string>& columns) {
  Entry out;
  for (const std::string_view mark : {"ERROR OCCURRED: '", "SKIPPED: '"}) {
    if (const std::size_t at = line.find(mark); at != std::string_view::npos && at > 0) {
      out.name = std::string(core::trim(line.substr(0, at)));
      out.failure = std::string(line.substr(at + mark.size()));
      out.failure = out.failure.substr(0, out.failure.rfind('\''));
      return out.name.empty() ? std::nullopt : std::optional(std::move(out));
    }
  }
  std::vector<std::string_view> words;
  split_blanks(line, words);
  for (std::size_t i = 1; i + 3 < words.size(); ++i) {  // names may hold blanks
    out.real = core::parse_double(words[i]);
    out.cpu = core::parse_double(words[i + 2]);
    if (!out.real || !out.cpu || words[i + 1] != words[i + 3] || !is_unit(words[i + 1])) continue;
    out.name = std::string(core::trim(line.substr(0, static_cast<std::size_t>(words[i].data() - line.data()))));
    out.unit = std::string(words[i + 1]);
    if (out.unit == "%") {
      out.real = core::parse_double(std::string(words[i]) + "e-2");
      out.cpu = core::parse_double(std::string(words[i + 2]) + "e-2");
    }
    const bool iterations = i + 4 < words.size() && core::parse_int(words[i + 4]);
    take_counters(words, std::min(i + 4 + (iterations ? 1 : 0), words.size()), columns, out);
    return out;
  }
  return std::nullopt;
}

// "Benchmark   Time   CPU   Iterations [counters]": the columns behind; nothing where it is no such line.
std::optional<std::vector<std::string>> console_header(std::string_view line) {
  std::vector<std::string_view> words;
  split_blanks(line, words);
  if (words.size() < 4 || words[0] != "Benchmark" || words[1] != "Time" || words[2] != "CPU" || words[3] != "Iterations") {
    return std::nullopt;
  }
  if (words.size() > 4 && words[4] == "UserCounters...") return std::vector<std::string>();
  return std::vector<std::string>(words.begin() + 4, words.end());
}

// ---- the CSV ------------------------------------------------------------------------------------------------------------

constexpr std::string_view kCsvHeader = "name,iterations,real_time,cpu_time,time_unit";

std::optional<Entry> csv_line(const std::vector<std::string>& cells, const std::vector<std::string>& header) {
  Entry out;
  bool iterations = false;
  std::string error, message;
  for (std::size_t i = 0; i < cells.size() && i < header.size(); ++i) {
    const std::string& name = header[i];
    if (name == "name") {
      out.name = cells[i];
    } else if (name == "iterations") {
      iterations = !cells[i].empty();
    } else if (name == "time_unit") {
      out.unit = cells[i];
    } else if (name == "error_occurred") {
      error = cells[i];
    } else if (name == "error_message") {
      message = cells[i];
    } else if (name == "real_time") {
      out.real = core::parse_double(cells[i]);
    } else if (name == "cpu_time") {
      out.cpu = core::parse_double(cells[i]);
    } else if (name != "label") {
      if (const auto value = core::parse_double(cells[i])) out.counters.emplace_back(name, *value);
    }
  }
  if (out.name.empty()) return std::nullopt;
  if (!error.empty()) {  // "false" is said of what was skipped on purpose
    out.failure = message.empty() ? "the benchmark reported an error" : message;
    return out;
  }
  if (!iterations || !out.real) return std::nullopt;  // BigO and RMS
  return out;
}

// ---- both ---------------------------------------------------------------------------------------------------------------

struct Series {
  std::string point, benchmark, aggregate, unit, failure;
  std::vector<std::pair<std::string, std::vector<double>>> metrics;
  std::unordered_map<std::string, std::size_t> places;  // of metrics, where they are many
  void take(std::string_view name, double value) {
    constexpr std::size_t kFew = 16;
    std::size_t at = 0;
    if (metrics.size() < kFew) {
      while (at < metrics.size() && metrics[at].first != name) ++at;
    } else {
      for (std::size_t i = places.size(); i < metrics.size(); ++i) places.emplace(metrics[i].first, i);
      const auto known = places.find(std::string(name));
      at = known == places.end() ? metrics.size() : known->second;
    }
    if (at == metrics.size()) metrics.emplace_back(std::string(name), std::vector<double>());
    metrics[at].second.push_back(value);
  }
};

void write(const Series& series, bool has_repetitions, DeclaredRows& rows) {
  const std::uint32_t dims = rows.dims({{"benchmark", series.benchmark}, {"aggregate", series.aggregate}});
  const bool judged =
      series.aggregate.empty() || (!has_repetitions && (series.aggregate == "mean" || series.aggregate == "median"));
  const bool noise = series.aggregate == "stddev" || series.aggregate == "cv";
  const auto as_said = [&](Declared declared) {
    if (series.aggregate == "cv") declared.unit = {};  // a fraction
    if (!judged) declared = noise ? own_noise(declared.unit) : for_context(declared.unit);
    return declared;
  };
  const std::string unit = is_time(series.unit) ? series.unit : std::string("ns");
  if (!series.failure.empty()) {
    const std::size_t before = rows.writer().out.rows().size();
    rows.add(series.point, "real_time", dims, as_said(lower_is_better(unit)), 0.0);
    rows.fail_from(before, series.failure);
    return;
  }
  for (const auto& [name, values] : series.metrics) {
    if (name == "real_time" || name == "cpu_time") {
      rows.add(series.point, name, dims, as_said(lower_is_better(unit)), values);
    } else if (name == "bytes_per_second") {
      rows.add(series.point, name, dims, as_said(higher_is_better("B/s")), values);
    } else if (name == "items_per_second") {
      rows.add(series.point, name, dims, as_said(higher_is_better("items/s")), values);
    } else if (!judged) {
      rows.add(series.point, name, dims, as_said({}), values);
    } else {
      rows.add_by_name(series.point, name, dims, values);
    }
  }
}

// "Run on (8 X 3000 MHz CPU s)" and the warnings, which stand on the error stream and so not in every file.
void take_context(std::string_view line, DeclaredRows& rows) {
  constexpr std::string_view kRun = "Run on (";
  if (line.starts_with(kRun)) {
    std::vector<std::string_view> words;
    split_blanks(line.substr(kRun.size()), words);
    if (words.size() >= 4 && words[1] == "X" && words[3] == "MHz") {
      rows.context("hardware.num_cpus", words[0]);
      rows.context("hardware.cpu_mhz", words[2]);
    }
  } else if (line.find("CPU scaling is enabled") != std::string_view::npos) {
    rows.context("regime.cpu_scaling", "true");
    rows.writer().out.warn("cpu_scaling_enabled",
                           "the CPU's frequency was free to change while this was measured: times are noisy");
  } else if (line.find("Library was built as DEBUG") != std::string_view::npos) {
    rows.context("stack.library_build_type", "debug");
    rows.writer().out.warn("debug_build",
                           "library_build_type is debug: the benchmark library was built without optimisation, which adds to "
                           "every time");
  }
}

Detection detect_google_benchmark_text(const Input& input) {
  Detection detection;
  std::optional<std::vector<std::string>> columns;
  for (const std::string_view line : core::split(head_of(input), '\n')) {
    const std::string_view plain = core::trim(line);
    if (plain.starts_with(kCsvHeader)) {
      detection.score = 0.95;
      detection.evidence.push_back("has the header " + core::cited(plain.substr(0, 80)));
      break;
    }
    if (const auto header = console_header(plain)) {
      columns = header;
      continue;
    }
    if (!columns || !console_line(plain, *columns)) continue;
    detection.score = 0.95;
    detection.evidence.push_back("has the line " + core::cited(plain.substr(0, 100)) +
                                 " under \"Benchmark Time CPU Iterations\"");
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_google_benchmark_text(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "google-benchmark");
  rows.repeats_are_sections();
  std::vector<Entry> entries;
  std::vector<std::string> header;
  std::optional<std::vector<std::string>> columns;
  std::uint32_t headers = 0;
  LogLines lines(input.bytes);
  std::string_view whole;
  while (lines.next(whole) && entries.size() <= options.max_rows) {
    std::string_view line = core::trim(whole);
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    std::optional<Entry> entry;
    if (line.starts_with(kCsvHeader)) {
      header = csv_cells(line);
      ++headers;
    } else if (auto found = console_header(line)) {
      columns = std::move(found);
      header.clear();
      ++headers;
    } else if (!header.empty()) {
      if (const std::vector<std::string> cells = csv_cells(line); cells.size() >= 5) entry = csv_line(cells, header);
    } else if (columns) {
      entry = console_line(line, *columns);
    }
    if (entry) {
      entry->header = headers;
      entries.push_back(std::move(*entry));
    } else {
      take_context(line, rows);
    }
  }
  GoogleBenchmarkNames names;
  for (const Entry& entry : entries) names.add(entry.name);
  std::vector<Series> all;
  std::unordered_map<std::string, std::size_t> index;
  std::unordered_set<std::string_view> repeated;
  for (const Entry& entry : entries) {
    const auto [benchmark, aggregate] = names.split(entry.name);
    if (aggregate == "BigO" || aggregate == "RMS") continue;  // fits over the family
    std::string point(benchmark);
    if (!aggregate.empty()) point.append(".").append(aggregate);
    // Under a header of its own a name is that of another run, in whatever unit, and no repetition.
    const auto [at, fresh] = index.try_emplace(point + "\n" + std::to_string(entry.header) + entry.unit, all.size());
    if (fresh && aggregate.empty()) repeated.emplace(benchmark);
    if (fresh) all.push_back({std::move(point), std::string(benchmark), std::string(aggregate), entry.unit, {}, {}, {}});
    Series& series = all[at->second];
    if (!entry.failure.empty()) series.failure = entry.failure;
    if (entry.real) series.take("real_time", *entry.real);
    if (entry.cpu) series.take("cpu_time", *entry.cpu);
    for (const auto& [name, value] : entry.counters) series.take(name, value);
  }
  for (const Series& series : all) {
    if (writer.halted()) break;
    write(series, !series.aggregate.empty() && repeated.contains(series.benchmark), rows);
  }
  rows.warn_of_repeats();
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no benchmark under the header of Google Benchmark",
                      "it prints \"Benchmark  Time  CPU  Iterations\" and a line a benchmark", input.name);
  }
  writer.out.declared.headlines = {"*.real_time"};
  return writer.finish(input.name);
}

}  // namespace

extern const Format google_benchmark_text_format = {
    .name = "google-benchmark-text",
    .title = "Google Benchmark (C++): console and CSV",
    .replication = core::Replication::in_process,
    .detect = detect_google_benchmark_text,
    .read = read_google_benchmark_text,
    .about = {.group = Group::harness,
              .file = "text, CSV",
              .produce = "./my_benchmark --benchmark_repetitions=5 2>&1 | tee result.txt\n"
                         "./my_benchmark --benchmark_repetitions=5 --benchmark_format=csv > result.csv",
              .judged = "`real_time`, `cpu_time` (lower), `bytes_per_second`, `items_per_second` (higher); counters by name",
              .key = "benchmark, aggregate, as in the JSON; of a later run in the log its section",
              .trials = "lines of one name (repetitions)",
              .context = "CPUs, clock, scaling and a debug build, where the lines of the error stream are there",
              .limits = "the console rounds; means and medians are judged only without repetitions; `stddev` and `cv` are noise; "
                        "BigO, RMS and labels are passed over",
              .recognised = "the header `Benchmark Time CPU Iterations`, or `name,iterations,real_time,cpu_time,time_unit`"},
};

}  // namespace plumbline::formats
