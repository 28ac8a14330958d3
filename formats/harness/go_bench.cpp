// The text of `go test -bench`: "BenchmarkX-8  N  v unit  v unit …", settings as "goos: linux" lines, directions of own units
// as "Unit x better=higher" lines. Lines of one name (-count) are the trials of its rows; the suffix "-8" is GOMAXPROCS.
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "formats/decimal.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  const char* const end = line.data() + line.size();
  for (const char* at = line.data();;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    const char* const start = at;
    while (at != end && !is_blank(*at)) ++at;
    words.emplace_back(start, static_cast<std::size_t>(at - start));
  }
}

std::optional<double> number_of(std::string_view word) {
  double value = 0;
  return plain_decimal(word, value) ? value : core::parse_double(word);
}

// "BenchmarkX-8 100 325 ns/op": a name, how often it ran, and pairs of number and unit.
bool is_result(const std::vector<std::string_view>& words) {
  return words.size() >= 4 && words.size() % 2 == 0 && words[0].starts_with("Benchmark") && core::parse_int(words[1]) &&
         number_of(words[2]);
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

// What lines of one name share. Repetitions come name by name or round by round: the line after is known beforehand.
struct Point {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::string_view word;  // "BenchmarkX-8"
  std::string point;
  std::uint32_t dims = 0;
  std::size_t next = kNone;
  std::vector<std::pair<std::string_view, std::size_t>> series;  // by unit, in the order of the line
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
  std::vector<std::string_view> words;
  while (next_line(text, line)) {
    if (!line.starts_with("Benchmark")) continue;
    split_words(line, words);
    if (!is_result(words)) continue;
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
  std::set<std::string, std::less<>> exact;
  std::string package;
  std::vector<Point> points;
  std::unordered_map<std::string_view, std::size_t> point_of_word;  // of the package
  std::size_t last = Point::kNone;
  const auto point_of = [&](std::string_view word) -> Point& {
    const std::size_t before = last;
    if (before != Point::kNone && points[before].next != Point::kNone && points[points[before].next].word == word) {
      last = points[before].next;
      return points[last];
    }
    const auto [known, fresh] = point_of_word.try_emplace(word, points.size());
    last = known->second;
    if (before != Point::kNone) points[before].next = last;
    if (!fresh) return points[last];
    std::string_view name = word.substr(std::string_view("Benchmark").size());
    std::string procs;
    if (const std::size_t dash = name.rfind('-'); dash != std::string_view::npos && dash > 0 && dash + 1 < name.size() &&
                                                  name.find_first_not_of("0123456789", dash + 1) == std::string_view::npos) {
      procs = std::string(name.substr(dash + 1));
      name = name.substr(0, dash);
    }
    Point& made = points.emplace_back();
    made.word = word;
    made.point = (package.empty() ? "" : package + ".") + std::string(name) + (procs.empty() ? "" : "-" + procs);
    made.dims = rows.dims({{"package", package}, {"benchmark", std::string(name)}, {"gomaxprocs", procs}});
    return made;
  };
  std::vector<std::string_view> words;
  std::string_view text = input.bytes, line;
  std::uint64_t failures = 0;
  bool seen = false;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (next_line(text, line)) {
    if (line.starts_with("--- FAIL") || line.starts_with("FAIL")) ++failures;
    split_words(line, words);
    if (words.size() >= 2 && words[0] == "pkg:") {
      package = std::string(words[1]);
      point_of_word.clear();
      last = Point::kNone;
    }
    if (words.size() >= 2 && (words[0] == "goos:" || words[0] == "goarch:" || words[0] == "cpu:")) {
      const std::string_view value = core::trim(line.substr(line.find(':') + 1));
      rows.context(words[0] == "cpu:" ? "hardware.cpu" : words[0] == "goos:" ? "stack.goos" : "stack.goarch", value);
    }
    if (words.size() >= 3 && words[0] == "Unit") {
      for (const std::string_view word : words) {
        if (word == "better=higher") better[std::string(words[1])] = Direction::higher;
        if (word == "better=lower") better[std::string(words[1])] = Direction::lower;
        if (word == "assume=exact") exact.emplace(words[1]);
      }
    }
    if (!is_result(words)) continue;
    seen = true;
    Point& point = point_of(words[0]);
    for (std::size_t i = 2, at = 0; i + 1 < words.size(); i += 2, ++at) {
      const auto value = number_of(words[i]);
      if (!value) break;
      const std::string_view unit = words[i + 1];
      if (at >= point.series.size() || point.series[at].first != unit) {
        const auto known =
            std::find_if(point.series.begin(), point.series.end(), [&](const auto& one) { return one.first == unit; });
        at = static_cast<std::size_t>(known - point.series.begin());
        if (known == point.series.end()) {
          const auto [it, is_new] = index.try_emplace(point.point + " " + std::string(unit), all.size());
          if (is_new) all.push_back({point.point, point.dims, std::string(unit), {}});
          point.series.emplace_back(unit, it->second);
        }
      }
      all[point.series[at].second].values.push_back(*value);
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
    // What the file says of a unit goes before what is known of it; work per second says itself which way is better.
    const auto said = better.find(series.unit);
    const bool known = unit != std::end(kUnits);
    Declared declared = known ? unit->declared : Declared{};
    if (said != better.end()) {
      declared.direction = said->second;
    } else if (!known && (series.unit.ends_with("/s") || series.unit.ends_with("/sec"))) {
      declared.direction = Direction::higher;
    }
    declared.exact = declared.exact || exact.contains(series.unit);
    rows.add(series.point, known ? unit->metric : std::string_view(series.unit), series.dims, declared, series.values);
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
    .about = {.judged = "text of `go test -bench`; repeated lines are trials",
              .key = "package, benchmark, GOMAXPROCS",
              .trials = "lines that `-count` repeats",
              .context = "goos, goarch, cpu",
              .limits = "a unit of its own is judged by name, or as a `Unit` line says",
              .recognised = "`BenchmarkName N value unit`"},
};

}  // namespace plumbline::formats
