// Benchmarks of JavaScript: the JSON of `vitest bench --outputJson` (times in ms, as tinybench gives them) and the text that
// benchmark.js prints.
#include "core/citing.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// ---- vitest -------------------------------------------------------------------------------------------------------------

constexpr std::pair<std::string_view, Declared> kSpread[] = {
    {"sd", own_noise("ms")},          {"sem", own_noise("ms")},      {"moe", own_noise("ms")},    {"rme", own_noise("%")},
    {"variance", own_noise()},        {"min", for_context("ms")},    {"max", for_context("ms")},  {"p75", for_context("ms")},
    {"p99", for_context("ms")},       {"p995", for_context("ms")},   {"p999", for_context("ms")}, {"period", for_context("ms")},
    {"totalTime", for_context("ms")}, {"sampleCount", for_context()}};

// Whether its samples were kept.
bool vitest_benchmark(DeclaredRows& rows, const std::string& group, const Value& benchmark) {
  const std::string name(benchmark.find_string("name"));
  const std::string point = group.empty() ? name : group + " > " + name;
  const std::uint32_t dims = rows.dims({{"group", group}, {"benchmark", name}});
  std::vector<double> samples;
  for (const Value sample : benchmark.find("samples").elements()) {
    if (sample.is_number()) samples.push_back(sample.number());
  }
  const auto count = benchmark.find_number("sampleCount");
  const Value mean = benchmark.find("mean");
  if (samples.empty() && (!mean || mean.is_null() || (count && *count == 0))) {
    rows.add(point, "mean", dims, lower_is_better("ms"),
             Leaf{core::ValueState::failed, 0, false, "no sample: the benchmark did not run"});
    return false;
  }
  const bool kept = !samples.empty();
  rows.add(point, "time", dims, lower_is_better("ms"), samples);
  const std::pair<std::string_view, Declared> centers[] = {{"mean", kept ? for_context("ms") : lower_is_better("ms")},
                                                           {"median", kept ? for_context("ms") : lower_is_better("ms")},
                                                           {"hz", kept ? for_context("ops/s") : higher_is_better("ops/s")}};
  for (const auto& list : {std::span<const std::pair<std::string_view, Declared>>(centers),
                           std::span<const std::pair<std::string_view, Declared>>(kSpread)}) {
    for (const auto& [statistic, declared] : list) {
      if (const Value value = benchmark.find(statistic); value && !value.is_container()) {
        rows.add(point, statistic, dims, declared, leaf_of(value));
      }
    }
  }
  return kept;
}

Detection detect_vitest(const Input& input) {
  Detection detection;
  const std::string_view head = json_head(input);
  if (head.starts_with("{") && has_keys(input, {"files/groups/benchmarks"}, detection)) {
    detection.score = has_keys(input, {"files/groups/benchmarks/hz", "files/groups/benchmarks/rme"}, detection) ? 0.96 : 0.9;
  }
  return detection;
}

core::Expected<core::Measurement> read_vitest(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const Value files = document->root().find("files");
  if (!files.is_array()) {
    return core::fail(kOtherStructure, "no \"files\" array: this is not the JSON of vitest bench",
                      "vitest bench --outputJson=FILE writes it", input.name);
  }
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "vitest");
  bool kept = false;
  for (const Value file : files.elements()) {
    for (const Value group : file.find("groups").elements()) {
      const std::string name(group.find_string("fullName"));
      for (const Value benchmark : group.find("benchmarks").elements()) {
        if (writer.halted()) break;
        kept = vitest_benchmark(rows, name, benchmark) || kept;
      }
    }
  }
  // Beside samples the mean is context: a headline would have it judged.
  writer.out.declared.headlines = {kept ? "*.time" : "*.mean"};
  writer.out.replication = core::Replication::in_process;
  return writer.finish(input.name);
}

// ---- benchmark.js -------------------------------------------------------------------------------------------------------

struct Cycle {
  std::string_view name;
  double rate = 0;
  std::string_view spread, runs;
};

// "fib(10) x 1,431,759 ops/sec ±0.74% (93 runs sampled)"
std::optional<Cycle> cycle_of(std::string_view line) {
  const std::size_t unit = line.find(" ops/sec");
  if (unit == std::string_view::npos) return std::nullopt;
  const std::size_t times = line.substr(0, unit).rfind(" x ");
  if (times == std::string_view::npos || times == 0) return std::nullopt;
  std::string digits;
  for (const char c : core::trim(line.substr(times + 3, unit - times - 3))) {
    if (c != ',') digits.push_back(c);
  }
  const auto rate = core::parse_double(digits);
  if (!rate) return std::nullopt;
  Cycle out{core::trim(line.substr(0, times)), *rate, {}, {}};
  const std::string_view rest = line.substr(unit);
  constexpr std::string_view kPlusMinus = "\xC2\xB1";
  if (const std::size_t at = rest.find(kPlusMinus); at != std::string_view::npos) {
    out.spread = rest.substr(at + kPlusMinus.size());
    out.spread = out.spread.substr(0, out.spread.find('%'));
  }
  if (const std::size_t open = rest.find('('), close = rest.find(" run"); open < close && close != std::string_view::npos) {
    out.runs = rest.substr(open + 1, close - open - 1);
  }
  return out;
}

Detection detect_benchmark_js(const Input& input) {
  Detection detection;
  for (const std::string_view line : core::split(head_of(input), '\n')) {
    const auto cycle = cycle_of(line);
    if (!cycle || cycle->runs.empty()) continue;
    detection.score = 0.95;
    detection.evidence.push_back("has the line " + core::cited(core::trim(line).substr(0, 80)));
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_benchmark_js(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "benchmark.js");
  rows.repeats_are_sections();
  for (const std::string_view line : core::split(input.bytes, '\n')) {
    if (writer.halted()) break;
    const auto cycle = cycle_of(core::trim(line));
    if (!cycle) continue;
    const std::uint32_t dims = rows.dims({{"benchmark", std::string(cycle->name)}});
    rows.add(cycle->name, "ops_per_sec", dims, higher_is_better("ops/s"), cycle->rate);
    if (const auto spread = core::parse_double(cycle->spread)) rows.add(cycle->name, "rme", dims, own_noise("%"), *spread);
    if (const auto runs = core::parse_double(cycle->runs)) rows.add(cycle->name, "runs", dims, for_context(), *runs);
  }
  rows.warn_of_repeats();
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no line of the kind \"NAME x 1,234 ops/sec ±0.5% (90 runs sampled)\"",
                      "benchmark.js prints one a benchmark: console.log(String(event.target))", input.name);
  }
  writer.out.declared.headlines = {"*.ops_per_sec"};
  writer.out.replication = core::Replication::in_process;
  return writer.finish(input.name);
}

}  // namespace

extern const Format vitest_bench_format = {
    .name = "vitest-bench",
    .title = "vitest bench (JavaScript)",
    .replication = core::Replication::in_process,
    .detect = detect_vitest,
    .read = read_vitest,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "npx vitest bench --run --outputJson result.json",
              .judged = "`time` in ms (lower) where samples were kept, else `mean` and `median` (lower) and `hz` (higher)",
              .key = "the group's full name and the benchmark's",
              .trials = "`samples`",
              .context = "none in the file",
              .limits = "percentiles, minimum and maximum are context; `sd`, `sem`, `moe`, `rme` noise; paths are left out",
              .recognised = "`files`, `groups`, `benchmarks` with `hz` and `rme`"},
};

extern const Format benchmark_js_format = {
    .name = "benchmark-js",
    .title = "benchmark.js (JavaScript)",
    .replication = core::Replication::in_process,
    .detect = detect_benchmark_js,
    .read = read_benchmark_js,
    .about = {.group = Group::harness,
              .file = "text",
              .produce = "node bench.js | tee result.txt\n"
                         "# bench.js has suite.on('cycle', event => console.log(String(event.target)))",
              .judged = "`ops_per_sec` (higher)",
              .key = "the benchmark's name",
              .trials = "one value a key",
              .context = "none in the text",
              .limits = "the relative margin of error is noise, the number of runs context; other lines are passed over",
              .recognised = "`NAME x N ops/sec ±R% (N runs sampled)`"},
};

}  // namespace plumbline::formats
