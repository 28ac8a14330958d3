// The text of `go test -bench`: "BenchmarkX-8  N  v unit  v unit …", settings as "goos: linux" lines, directions of own units
// as "Unit x better=higher" lines. Lines of one name (-count) are the trials of its rows; the suffix "-8" is GOMAXPROCS.
#include <map>

#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(" \t\r"); at != std::string_view::npos; at = line.find_first_not_of(" \t\r", at)) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// "BenchmarkX-8 100 325 ns/op": a name, how often it ran, and pairs of number and unit.
bool is_result(const std::vector<std::string_view>& words) {
  return words.size() >= 4 && words.size() % 2 == 0 && words[0].starts_with("Benchmark") && core::parse_int(words[1]) &&
         core::parse_double(words[2]);
}

struct Unit {
  std::string_view as_written, metric;
  Declared declared;
};
constexpr Unit kUnits[] = {{"ns/op", "time", lower_is_better("ns")},
                           {"sec/op", "time", lower_is_better("s")},
                           {"MB/s", "speed", higher_is_better("MB/s")},
                           {"B/s", "speed", higher_is_better("B/s")},
                           {"B/op", "B/op", {"B", Direction::lower, core::Role::judged, true}},
                           {"allocs/op", "allocs/op", {"", Direction::lower, core::Role::judged, true}}};

struct Series {
  std::string point;
  std::uint32_t dims;
  std::string unit;
  std::vector<double> values;
};

// The next line of the text; false at its end.
bool next_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const std::size_t end = std::min(text.find('\n'), text.size());
  line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return true;
}

}  // namespace

Detection detect_go_bench(const Input& input) {
  Detection detection;
  std::string_view text = head_of(input), line;
  if (text.find("Benchmark") == std::string_view::npos) return detection;
  std::size_t lines = 0;
  while (next_line(text, line)) {
    if (!line.starts_with("Benchmark") || !is_result(words_of(line))) continue;
    if (lines++ == 0) detection.evidence.push_back("has the line " + core::quoted(line.substr(0, 60)));
  }
  if (lines > 0) {
    detection.score = 0.94;
    detection.evidence.push_back(core::counted(lines, "line") + " of the kind \"BenchmarkName N value unit\"");
  }
  return detection;
}

core::Expected<core::Measurement> read_go_bench(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "go-bench");
  std::vector<Series> all;
  std::map<std::string, std::size_t, std::less<>> index;
  std::map<std::string, Direction, std::less<>> better;
  std::string package;
  std::string_view text = input.bytes, line;
  std::uint64_t failures = 0;
  bool seen = false;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (next_line(text, line)) {
    if (line.starts_with("--- FAIL") || line.starts_with("FAIL")) ++failures;
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() >= 2 && words[0] == "pkg:") package = std::string(words[1]);
    if (words.size() >= 2 && (words[0] == "goos:" || words[0] == "goarch:" || words[0] == "cpu:")) {
      const std::string_view value = core::trim(line.substr(line.find(':') + 1));
      rows.context(words[0] == "cpu:" ? "hardware.cpu" : words[0] == "goos:" ? "stack.goos" : "stack.goarch", value);
    }
    if (words.size() >= 3 && words[0] == "Unit") {
      for (const std::string_view word : words) {
        if (word == "better=higher") better[std::string(words[1])] = Direction::higher;
        if (word == "better=lower") better[std::string(words[1])] = Direction::lower;
      }
    }
    if (!is_result(words)) continue;
    seen = true;
    std::string_view name = words[0].substr(std::string_view("Benchmark").size());
    std::string procs;
    if (const std::size_t dash = name.rfind('-'); dash != std::string_view::npos && dash > 0 && dash + 1 < name.size() &&
                                                  name.find_first_not_of("0123456789", dash + 1) == std::string_view::npos) {
      procs = std::string(name.substr(dash + 1));
      name = name.substr(0, dash);
    }
    const std::string point = (package.empty() ? "" : package + ".") + std::string(name) + (procs.empty() ? "" : "-" + procs);
    const std::uint32_t dims = rows.dims({{"package", package}, {"benchmark", std::string(name)}, {"gomaxprocs", procs}});
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
      const auto value = core::parse_double(words[i]);
      if (!value) break;
      const auto [at, is_new] = index.try_emplace(point + " " + std::string(words[i + 1]), all.size());
      if (is_new) all.push_back({point, dims, std::string(words[i + 1]), {}});
      all[at->second].values.push_back(*value);
    }
    if (all.size() > options.max_rows || (options.stop && options.stop())) break;
  }
  if (!seen) {
    return core::fail(core::ErrorCode::invalid_input, "no line of the kind \"BenchmarkName N value unit\"",
                      "go test -bench=. writes them", input.name);
  }
  for (const Series& series : all) {
    if (writer.halted()) break;
    const auto* unit =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& one) { return one.as_written == series.unit; });
    if (unit != std::end(kUnits)) {
      rows.add(series.point, unit->metric, series.dims, unit->declared, series.values);
      continue;
    }
    // An own unit: the file may say which way is better; work per second says so itself.
    const auto said = better.find(series.unit);
    Declared declared;
    if (said != better.end()) {
      declared.direction = said->second;
    } else if (series.unit.ends_with("/s") || series.unit.ends_with("/sec")) {
      declared.direction = Direction::higher;
    }
    rows.add(series.point, series.unit, series.dims, declared, series.values);
  }
  if (failures > 0) rows.add({}, "failed_packages_or_tests", 0, gate(), static_cast<double>(failures));
  writer.out.declared.headlines = {"*.time"};
  writer.out.replication = core::Replication::in_process;
  return writer.finish(input.name);
}

extern const Format go_bench_format = {
    .name = "go-bench",
    .title = "go test -bench",
    .replication = core::Replication::in_process,
    .detect = detect_go_bench,
    .read = read_go_bench,
    .about = {.judged = "text of `go test -bench`; repeated lines are trials", .recognised = "`BenchmarkName N value unit`"},
};

}  // namespace plumbline::formats
