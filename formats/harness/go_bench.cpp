// The text of `go test -bench`: "BenchmarkX-8  N  v unit  v unit …", settings as "goos: linux" lines, directions of own units
// as "Unit x better=higher" lines. Lines of one name (-count) are the trials of its rows; the suffix "-8" is GOMAXPROCS. With
// -json the same text comes in pieces, a JSON object each, those of packages that ran at once in between each other.
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/citing.hpp"
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

// "BenchmarkX-8 100 325 ns/op": a name, how often it ran, and pairs of number and unit. A row of benchcmp, "BenchmarkX 100 50
// -50.00%", has two times and what lies between them.
bool is_result(const std::vector<std::string_view>& words) {
  constexpr std::string_view kNoUnit = "+-0123456789";
  return words.size() >= 4 && words.size() % 2 == 0 && words[0].starts_with("Benchmark") && core::parse_int(words[1]) &&
         number_of(words[2]) && kNoUnit.find(words[3].front()) == std::string_view::npos;
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

// Settings that files which were put together tell their parts apart by (golang.org/design/14313-benchmark-format). Only these:
// a program's log has lines of that kind too.
constexpr std::string_view kSettings[] = {"branch", "cl",      "commit",    "config",  "experiment", "go",   "goversion", "note",
                                          "suite",  "variant", "toolchain", "version", "go-version", "goos", "goarch",    "cpu"};
// "note: before" as its name and value; nothing where the line is no such setting.
std::optional<std::pair<std::string_view, std::string_view>> setting_of(std::string_view line) {
  if (line.empty() || line.front() < 'a' || line.front() > 'z') return std::nullopt;  // nearly every line: results
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  if (std::find(std::begin(kSettings), std::end(kSettings), name) == std::end(kSettings)) return std::nullopt;
  return std::pair{name, core::trim(line.substr(colon + 1)).substr(0, 100)};
}

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

// The settings of which the file has more than one value.
std::set<std::string_view> disputed_settings(std::string_view text) {
  std::map<std::string_view, std::string_view> first;
  std::set<std::string_view> out;
  std::string_view line;
  while (next_line(text, line)) {
    const auto setting = setting_of(line);
    if (setting && first.try_emplace(setting->first, setting->second).first->second != setting->second) {
      out.insert(setting->first);
    }
  }
  return out;
}

bool is_test_json(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') return false;
  const std::string_view first = text.substr(start, text.find('\n', start) - start);
  return first.find("\"Action\":") != std::string_view::npos;
}

// The text of `go test -json` as it would have been without -json, package by package.
core::Expected<std::string> text_of_json(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  std::vector<std::pair<std::string_view, std::string>> packages;
  std::unordered_map<std::string_view, std::size_t> index;
  const auto take = [&](const json::Value& event) {
    const std::string_view output = event.find_string("Output"), package = event.find_string("Package");
    if (output.empty()) return;
    const auto [at, fresh] = index.try_emplace(package, packages.size());
    if (fresh) packages.emplace_back(package, std::string());
    packages[at->second].second += output;
  };
  for (const json::Value& root : documents_of(*document)) {
    if (root.is_array()) {
      for (const json::Value event : root.elements()) take(event);
    } else {
      take(root);
    }
  }
  std::string out;
  for (const auto& [package, text] : packages) {
    if (!package.empty()) out += "pkg: " + std::string(package) + "\n";
    out += text;
    if (!out.ends_with('\n')) out.push_back('\n');
  }
  return out;
}

}  // namespace

Detection detect_go_bench(const Input& input) {
  Detection detection;
  std::string_view text = head_of(input), line;
  if (text.find("Benchmark") == std::string_view::npos) return detection;
  if (is_test_json(text)) {
    if (text.find("\"Output\":") != std::string_view::npos && text.find(" ns/op") != std::string_view::npos) {
      detection.score = 0.94;
      detection.evidence.emplace_back("events of go test -json with \"ns/op\" in their output");
    }
    return detection;
  }
  std::size_t lines = 0;
  std::vector<std::string_view> words;
  while (next_line(text, line)) {
    if (!line.starts_with("Benchmark")) continue;
    split_words(line, words);
    if (!is_result(words)) continue;
    if (lines++ == 0) detection.evidence.push_back("has the line " + core::cited(line.substr(0, 60)));
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
  std::string package, part;
  std::map<std::string_view, std::string_view> settings;  // those the file has more than one value of
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
    if (!part.empty()) made.point += "[" + part + "]";
    std::vector<std::pair<std::string_view, std::string>> dims{
        {"package", package}, {"benchmark", std::string(name)}, {"gomaxprocs", procs}};
    for (const auto& [key, value] : settings) dims.emplace_back(key, std::string(value));
    made.dims = rows.dims(dims);
    return made;
  };
  std::vector<std::string_view> words;
  std::string_view text = input.bytes, line;
  std::string joined;
  if (is_test_json(text)) {
    auto from_json = text_of_json(input, options);
    if (!from_json) return core::fail(from_json.error());
    joined = std::move(*from_json);
    text = joined;
  }
  std::uint64_t failures = 0;
  bool seen = false;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::set<std::string_view> disputed = disputed_settings(text);
  while (next_line(text, line)) {
    if (line.starts_with("--- FAIL") || line.starts_with("FAIL")) ++failures;
    split_words(line, words);
    if (words.size() >= 2 && words[0] == "pkg:") {
      package = std::string(words[1]);
      point_of_word.clear();
      last = Point::kNone;
    }
    if (const auto setting = disputed.empty() ? std::nullopt : setting_of(line); setting && disputed.contains(setting->first)) {
      settings[setting->first] = setting->second;
      part.clear();
      for (const auto& [key, value] : settings) {
        part += (part.empty() ? "" : ",") + std::string(key) + "=" + std::string(value);
      }
      point_of_word.clear();
      last = Point::kNone;
    } else if (words.size() >= 2 && (words[0] == "goos:" || words[0] == "goarch:" || words[0] == "cpu:")) {
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
    // What the file says of a unit goes before what is known of it; work per second says itself which way is better. Any other
    // is judged by its name ("p99-ns", "evictions/op").
    const auto said = better.find(series.unit);
    const bool known = unit != std::end(kUnits);
    const bool rate = series.unit.ends_with("/s") || series.unit.ends_with("/sec");
    const std::string_view metric = known ? unit->metric : std::string_view(series.unit);
    Declared declared = known ? unit->declared : Declared{};
    if (said != better.end()) {
      declared.direction = said->second;
    } else if (!known && rate) {
      declared.direction = Direction::higher;
    }
    declared.exact = declared.exact || exact.contains(series.unit);
    const bool finite = std::all_of(series.values.begin(), series.values.end(), [](double one) { return std::isfinite(one); });
    if (known || said != better.end() || rate || declared.exact || !finite) {
      rows.add(series.point, metric, series.dims, declared, series.values);
    } else {
      writer.add_trials(series.point + "." + std::string(metric), metric, RowWriter::kRootShape, series.dims, series.values,
                        core::ValueState::number, "");
    }
  }
  if (failures > 0) rows.add({}, "failed_packages_or_tests", 0, gate(), static_cast<double>(failures));
  // Sizes of binaries and the like come without a time: then everything is what the file is about.
  const bool timed =
      std::any_of(all.begin(), all.end(), [](const Series& one) { return one.unit == "ns/op" || one.unit == "sec/op"; });
  writer.out.declared.headlines = {timed ? "*.time" : "*"};
  return writer.finish(input.name);
}

extern const Format go_bench_format = {
    .name = "go-bench",
    .title = "go test -bench",
    .replication = core::Replication::in_process,
    .detect = detect_go_bench,
    .read = read_go_bench,
    .about = {.group = Group::harness,
              .file = "text, JSON lines",
              .produce = "go test -run='^$' -bench=. -benchmem -count=10 ./... | tee result.txt",
              .judged = "text of `go test -bench`, also with `-json`; repeated lines are trials",
              .key = "package, benchmark, GOMAXPROCS, and settings (`note: …`, `commit: …`) that the file has several values of",
              .trials = "lines that `-count` repeats",
              .context = "goos, goarch, cpu",
              .limits = "a unit of its own is judged by name, or as a `Unit` line says",
              .recognised = "`BenchmarkName N value unit`; events of `go test -json` that hold such lines"},
};

}  // namespace plumbline::formats
