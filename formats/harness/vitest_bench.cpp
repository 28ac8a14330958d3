// Benchmarks of JavaScript: the JSON of `vitest bench --outputJson` (times in ms, as tinybench gives them) and the text that
// benchmark.js prints.
#include "formats/declared_rows.hpp"
#include "formats/read_document.hpp"
#include "formats/stated/statement.hpp"

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

core::Status read_vitest(const json::Value& root, RowWriter& writer) {
  const Value files = root.find("files");
  if (!files.is_array()) {
    return core::fail(kOtherStructure, "no \"files\" array: this is not the JSON of vitest bench",
                      "vitest bench --outputJson=FILE writes it");
  }
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
  return {};
}

// ---- benchmark.js -------------------------------------------------------------------------------------------------------

using namespace stated;  // the words of a statement

constexpr Field kFields[] = {named("benchmark"), higher("ops_per_sec", "ops/s"), noise("rme", "%"), shown("runs")};
constexpr std::string_view kCycle = "{benchmark} x {ops_per_sec} ops/sec ±{rme}% ({runs} run{}";
constexpr Line kLines[] = {{.text = kCycle, .point = "{benchmark}"},
                           {.text = "{benchmark} x {ops_per_sec} ops/sec{}", .point = "{benchmark}"}};
constexpr std::string_view kOurs[] = {kCycle};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr std::string_view kHeadlines[] = {"*.ops_per_sec"};
constexpr Statement kBenchmarkJs = {.tool = "benchmark.js",
                                    .recognised = kRecognised,
                                    .fields = kFields,
                                    .lines = kLines,
                                    .headlines = kHeadlines,
                                    .again_is_another_run = true,
                                    .nothing = "no line of the kind \"NAME x 1,234 ops/sec ±0.5% (90 runs sampled)\"",
                                    .hint = "benchmark.js prints one a benchmark: console.log(String(event.target))"};

}  // namespace

extern const Format vitest_bench_format = {
    .name = "vitest-bench",
    .title = "vitest bench (JavaScript)",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::object, 0.96, {"files/groups/benchmarks", "files/groups/benchmarks/hz", "files/groups/benchmarks/rme"}},
               {Sign::In::object, 0.9, {"files/groups/benchmarks"}}}},
    .read = read_document<read_vitest>,
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
    .statement = &kBenchmarkJs,
};

}  // namespace plumbline::formats
