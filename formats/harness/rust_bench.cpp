// Rust's benchmarks: criterion's folder (target/criterion), its estimates.json and sample.json alone, its printed text, and the
// lines of libtest ("test x ... bench: 1,234 ns/iter (+/- 56)"). Files under change/ have the shape of estimates but hold
// relative differences: they are context.
#include <map>

#include "core/citing.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// Members of an estimates file: older releases wrote them in capitals.
struct Estimate {
  std::string_view name, old_name;
  bool spread;
};
constexpr Estimate kEstimates[] = {{"mean", "Mean", false},
                                   {"median", "Median", false},
                                   {"slope", "Slope", false},
                                   {"std_dev", "StdDev", true},
                                   {"median_abs_dev", "MedianAbsDev", true}};

Value either(const Value& object, std::string_view name, std::string_view old_name) {
  const Value value = object.find(name);
  return value ? value : object.find(old_name);
}

// Relative differences carry no spread of the times.
bool is_change(const Value& estimates) { return !either(estimates, "std_dev", "StdDev"); }

void add_estimates(DeclaredRows& rows, std::string_view point, std::uint32_t dims, const Value& estimates, bool has_sample) {
  const bool change = is_change(estimates);
  for (const Estimate& one : kEstimates) {
    const Value value = either(estimates, one.name, one.old_name).find("point_estimate");
    if (!value || value.is_container()) continue;
    Declared declared = has_sample ? for_context("ns") : lower_is_better("ns");
    if (one.spread) declared = own_noise("ns");
    if (change) declared = for_context();
    rows.add(point, one.name, dims, declared, leaf_of(value));
  }
}

// Time of one iteration, for each sample: {"iters": […], "times": […]}, or in older releases just the two arrays.
std::vector<double> samples_of(const Value& sample) {
  Value iterations = sample.find("iters"), times = sample.find("times");
  if (sample.is_array() && sample.size() == 2) {
    auto element = sample.elements().begin();
    iterations = *element;
    times = *++element;
  }
  std::vector<double> out;
  if (!iterations.is_array() || !times.is_array() || iterations.size() != times.size()) return out;
  auto iteration = iterations.elements().begin();
  for (const Value& time : times.elements()) {
    const Value count = *iteration;
    ++iteration;
    if (!time.is_number() || !count.is_number() || count.number() <= 0) return {};
    out.push_back(time.number() / count.number());
  }
  return out;
}

bool is_old_sample(const Input& input) { return json_head(input).starts_with("[[") && input.name.ends_with("sample.json"); }

// "[4.55 µs 4.59 µs 4.62 µs]" or "[1.2 MiB/s 1.3 MiB/s 1.4 MiB/s]": the middle one.
struct Middle {
  double value = 0;
  std::string_view unit;
};
std::optional<Middle> middle_of(std::string_view text) {
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  std::vector<std::string_view> words;
  for (const std::string_view word : core::split(text.substr(open + 1, close - open - 1), ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.size() != 6) return std::nullopt;
  const auto value = core::parse_double(words[2]);
  if (!value) return std::nullopt;
  return Middle{*value, words[3]};
}

// "1,234.5" of libtest.
std::optional<double> grouped_number(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != ',') digits.push_back(c);
  }
  return core::parse_double(digits);
}

// "test NAME ... bench:   3,161 ns/iter (+/- 975) = 12 MB/s"
struct BenchLine {
  std::string_view name, unit;
  double value = 0;
  std::optional<double> spread, speed;
};
std::optional<BenchLine> bench_line(std::string_view line) {
  constexpr std::string_view kBench = "... bench:";
  line = core::trim(line);
  const std::size_t at = line.find(kBench);
  if (!line.starts_with("test ") || at == std::string_view::npos) return std::nullopt;
  BenchLine out;
  out.name = core::trim(line.substr(5, at - 5));
  std::string_view rest = core::trim(line.substr(at + kBench.size()));
  const std::size_t blank = rest.find(' '), slash = rest.find("/iter");
  if (blank == std::string_view::npos || slash == std::string_view::npos || slash < blank) return std::nullopt;
  const auto value = grouped_number(rest.substr(0, blank));
  if (!value) return std::nullopt;
  out.value = *value;
  out.unit = core::trim(rest.substr(blank, slash - blank));
  rest.remove_prefix(slash);
  if (const std::size_t open = rest.find("(+/- "); open != std::string_view::npos) {
    out.spread = grouped_number(rest.substr(open + 5, rest.find(')', open) - open - 5));
  }
  if (const std::size_t equals = rest.find(" = "); equals != std::string_view::npos) {
    std::string_view speed = rest.substr(equals + 3);
    if (const std::size_t end = speed.find(" MB/s"); end != std::string_view::npos)
      out.speed = grouped_number(speed.substr(0, end));
  }
  return out;
}

constexpr std::string_view kNew = "/new/";

core::Expected<core::Measurement> finish(RowWriter& writer, const Input& input) {
  for (const std::string_view headline : {"time", "slope", "mean"}) {
    const bool judged = std::any_of(writer.out.rows().begin(), writer.out.rows().end(), [&](const core::Row& row) {
      return writer.out.metric(row) == headline && writer.out.metric_class(row).role == core::Role::judged;
    });
    if (!judged) continue;
    writer.out.declared.headlines = {"*" + std::string(headline)};
    break;
  }
  return writer.finish(input.name);
}

}  // namespace

Detection detect_criterion_json(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (input.is_directory) return detection;
  // benchmark.json, which lies beside the results: names alone, and the throughput of one iteration.
  if (head.starts_with("{") && has_keys(input, {"group_id", "full_id", "directory_name"}, detection)) {
    detection.score = 0.94;
    return detection;
  }
  if (head.starts_with("{") && (has_keys(input, {"*/point_estimate", "*/confidence_interval", "*/standard_error"}, detection) ||
                                has_keys(input, {"sampling_mode", "iters", "times"}, detection))) {
    detection.score = 0.94;
  } else if (is_old_sample(input)) {
    detection.score = 0.9;
    detection.evidence.emplace_back("two arrays in a file named sample.json");
  }
  return detection;
}

core::Expected<core::Measurement> read_criterion_json(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  if (document->root().find("full_id") && document->root().find("directory_name")) {
    return core::fail(core::ErrorCode::invalid_input,
                      "this is criterion's benchmark.json, which names a benchmark and measures none",
                      "give estimates.json or sample.json, which lie beside it, or the folder target/criterion", input.name);
  }
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "criterion");
  rows.add({}, "time", 0, lower_is_better("ns"), samples_of(document->root()));
  add_estimates(rows, {}, 0, document->root(), false);
  return finish(writer, input);
}

Detection detect_criterion_folder(const Input& input) {
  Detection detection;
  for (const Input::File& file : input.files) {
    if (!file.name.ends_with("new/estimates.json") || file.bytes.find("point_estimate") == std::string_view::npos) continue;
    detection.score = 1.05;  // more than any folder
    detection.evidence.push_back("a folder that holds " + file.name);
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_criterion_folder(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "criterion");
  std::map<std::string, std::map<std::string_view, std::string_view>> benchmarks;  // path -> file -> bytes
  for (const Input::File& file : input.files) {
    const std::string path = "/" + file.name;
    const std::size_t at = path.rfind(kNew);
    if (at == std::string::npos || path.find('/', at + kNew.size()) != std::string::npos) continue;
    benchmarks[at == 0 ? "" : path.substr(1, at - 1)][std::string_view(file.name).substr(at + kNew.size() - 1)] = file.bytes;
  }
  for (const auto& [path, files] : benchmarks) {
    if (writer.halted()) break;
    std::map<std::string_view, json::Document> documents;
    for (const auto& [name, bytes] : files) {
      if (name != "benchmark.json" && name != "sample.json" && name != "estimates.json") continue;
      Input one;
      one.name = path + std::string(kNew) + std::string(name);
      one.bytes = bytes;
      auto document = parse_json(one, options);
      if (!document) return core::fail(document.error());
      documents.emplace(name, std::move(*document));
    }
    const auto root = [&](std::string_view name) {
      const auto at = documents.find(name);
      return at == documents.end() ? Value() : at->second.root();
    };
    const Value benchmark = root("benchmark.json");
    std::string point(benchmark ? benchmark.find_string("full_id") : std::string_view());
    if (point.empty()) point = path;
    const std::uint32_t dims = rows.dims({{"group", std::string(benchmark ? benchmark.find_string("group_id") : "")},
                                          {"function", std::string(benchmark ? benchmark.find_string("function_id") : "")},
                                          {"value", std::string(benchmark ? benchmark.find_string("value_str") : "")}});
    const std::vector<double> samples = root("sample.json") ? samples_of(root("sample.json")) : std::vector<double>();
    rows.add(point, "time", dims, lower_is_better("ns"), samples);
    if (const Value estimates = root("estimates.json")) add_estimates(rows, point, dims, estimates, !samples.empty());
  }
  return finish(writer, input);
}

Detection detect_rust_bench(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  if (head.find("... bench:") == std::string_view::npos && head.find("time:") == std::string_view::npos) return detection;
  for (const std::string_view line : core::split(head, '\n')) {
    const std::size_t time = line.find("time:   [");
    if (!bench_line(line) && (time == std::string_view::npos || !middle_of(line.substr(time)))) continue;
    detection.score = 0.93;
    detection.evidence.push_back("has the line " + core::cited(core::trim(line).substr(0, 80)));
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_rust_bench(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "rust-bench");
  rows.repeats_are_sections();
  std::string_view name;  // criterion puts a long name on a line of its own
  std::uint64_t failures = 0;
  for (const std::string_view whole : core::split(input.bytes, '\n')) {
    if (writer.halted()) break;
    const std::string_view line = core::trim(whole);
    if (line.starts_with("test ") && line.ends_with("... FAILED")) ++failures;
    if (const auto bench = bench_line(line)) {
      const std::uint32_t dims = rows.dims({{"benchmark", std::string(bench->name)}});
      rows.add(bench->name, "time", dims, lower_is_better(bench->unit), bench->value);
      if (bench->spread) rows.add(bench->name, "range", dims, own_noise(bench->unit), *bench->spread);
      if (bench->speed) rows.add(bench->name, "speed", dims, higher_is_better("MB/s"), *bench->speed);
      continue;
    }
    const std::size_t time = line.find("time:   ["), speed = line.find("thrpt:  [");
    if (const auto at = time; at != std::string_view::npos) {
      if (const auto middle = middle_of(line.substr(at))) {  // "change:" blocks hold percents, which have no unit of their own
        if (at > 0) name = core::trim(line.substr(0, at));
        if (!name.empty()) {
          rows.add(name, "time", rows.dims({{"benchmark", std::string(name)}}), lower_is_better(middle->unit), middle->value);
        }
      }
    } else if (const auto middle = speed == 0 ? middle_of(line) : std::nullopt; middle && !name.empty()) {
      rows.add(name, "throughput", rows.dims({{"benchmark", std::string(name)}}), higher_is_better(middle->unit), middle->value);
    } else if (!line.empty() && (line.find(':') == std::string_view::npos ||
                                 (whole.front() != ' ' && line.find(": ") == std::string_view::npos))) {
      name = line;  // also a path like "codec::decode"
    }
  }
  if (failures > 0) rows.add({}, "failed_tests", 0, gate(), static_cast<double>(failures));
  rows.warn_of_repeats();
  return finish(writer, input);
}

extern const Format criterion_format = {
    .name = "criterion",
    .title = "criterion.rs (Rust): estimates or samples",
    .replication = core::Replication::in_process,
    .detect = detect_criterion_json,
    .read = read_criterion_json,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "cargo bench  # writes target/criterion/*/new/estimates.json and sample.json",
              .judged = "criterion.rs `estimates.json` or `sample.json` alone; change files are context",
              .key = "group, function, value, where `benchmark.json` lies beside it",
              .trials = "`sample.json`: times by iterations",
              .context = "none",
              .limits = "files of `change/` are relative and never judged; `benchmark.json` holds names and is refused",
              .recognised = "`point_estimate` with `confidence_interval`; `iters` with `times`"},
};

extern const Format criterion_folder_format = {
    .name = "criterion-folder",
    .title = "criterion.rs (Rust): the folder target/criterion",
    .replication = core::Replication::in_process,
    .detect = detect_criterion_folder,
    .read = read_criterion_folder,
    .about = {.group = Group::harness,
              .file = "folder",
              .produce = "cargo bench  # writes target/criterion",
              .judged = "`target/criterion`: the `new` results of every benchmark",
              .key = "the benchmark's full name",
              .trials = "the samples of `new`",
              .context = "none",
              .limits = "`base` and `change` are not read",
              .recognised = "a folder with `…/new/estimates.json`"},
};

extern const Format rust_bench_format = {
    .name = "rust-bench",
    .title = "cargo bench (Rust): text of criterion.rs and libtest",
    .replication = core::Replication::in_process,
    .detect = detect_rust_bench,
    .read = read_rust_bench,
    .about = {.group = Group::harness,
              .file = "text",
              .produce = "cargo bench | tee result.txt",
              .judged = "text of `cargo bench`: criterion.rs and libtest",
              .key = "benchmark",
              .trials = "one value a key; its bounds are noise",
              .context = "none",
              .limits = "the printed change to the run before is not read",
              .recognised = "`time:   [low middle high]`; `... bench:`"},
};

}  // namespace plumbline::formats
