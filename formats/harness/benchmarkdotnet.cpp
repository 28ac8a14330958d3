// BenchmarkDotNet's JSON, full and brief. The values kept after its own overhead subtraction are trials: OriginalValues, or of
// the Measurements those of the last stage. With several launches each launch's mean is a trial, a process of its own.
#include <map>

#include "formats/declared_rows.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

constexpr Declared kExactLower = {{}, core::Direction::lower, core::Role::judged, true};

std::string name_of(const Value& benchmark) {
  if (const std::string_view full = benchmark.find_string("FullName"); !full.empty()) return std::string(full);
  std::string name;
  for (const std::string_view part : {"Namespace", "Type", "Method"}) {
    const std::string_view text = benchmark.find_string(part);
    if (!text.empty()) name += (name.empty() ? "" : ".") + std::string(text);
  }
  if (const std::string_view parameters = benchmark.find_string("Parameters"); !parameters.empty()) {
    name += "(" + std::string(parameters) + ")";
  }
  return name.empty() ? std::string(benchmark.find_string("ShortInfo")) : name;
}

// "Codec.Encode: Job-XYZ(Runtime=.NET 8.0) [Size=64]" -> "Job-XYZ(Runtime=.NET 8.0)"
std::string_view job_of(const Value& benchmark) {
  std::string_view text = benchmark.find_string("DisplayInfo");
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return {};
  text.remove_prefix(colon + 2);
  return core::trim(text.substr(0, text.find(" [")));
}

struct Samples {
  std::vector<double> values;
  bool launches = false;
};

// What was measured at last: "Workload" in stage "Result" (0.11 on), mode "Result" (before), else the raw stage "Actual".
Samples measurements_of(const Value& benchmark) {
  std::map<double, std::vector<double>> results, actual;
  for (const Value one : benchmark.find("Measurements").elements()) {
    const std::string_view mode = one.find_string("IterationMode"), stage = one.find_string("IterationStage");
    if (mode == "Overhead" || mode.starts_with("Idle")) continue;
    const auto nanoseconds = one.find_number("Nanoseconds"), operations = one.find_number("Operations");
    if (!nanoseconds || !operations || !(*operations > 0)) continue;
    const double launch = one.find_number("LaunchIndex").value_or(1), value = *nanoseconds / *operations;
    if (stage == "Result" || mode == "Result") results[launch].push_back(value);
    if (stage == "Actual" || mode == "MainTarget") actual[launch].push_back(value);
  }
  const auto& chosen = results.empty() ? actual : results;
  Samples out;
  out.launches = chosen.size() > 1;
  for (const auto& [launch, values] : chosen) {
    double sum = 0;
    for (const double value : values) sum += value;
    if (out.launches) {
      out.values.push_back(sum / static_cast<double>(values.size()));
    } else {
      out.values = values;
    }
  }
  return out;
}

Samples samples_of(const Value& benchmark) {
  Samples measured = measurements_of(benchmark);
  if (measured.launches) return measured;
  std::vector<double> kept;
  for (const Value value : benchmark.find("Statistics").find("OriginalValues").elements()) {
    if (value.is_number()) kept.push_back(value.number());
  }
  if (!kept.empty()) return {std::move(kept), false};
  return measured;
}

void statistics(DeclaredRows& rows, const std::string& point, std::uint32_t dims, const Value& statistics, bool has_trials) {
  const Declared center = has_trials ? for_context("ns") : lower_is_better("ns");
  const std::pair<std::string_view, Declared> taken[] = {{"Mean", center},
                                                         {"Median", center},
                                                         {"StandardDeviation", own_noise("ns")},
                                                         {"StandardError", own_noise("ns")},
                                                         {"Min", for_context("ns")},
                                                         {"Max", for_context("ns")},
                                                         {"N", for_context()}};
  for (const auto& [name, declared] : taken) {
    if (const Value value = statistics.find(name); value && !value.is_container()) {
      rows.add(point, name, dims, declared, leaf_of(value));
    }
  }
  for (const auto [name, valid, value] : statistics.find("Percentiles").members()) {
    if (value.is_number()) rows.add(point, name, dims, for_context("ns"), leaf_of(value));
  }
}

void memory(DeclaredRows& rows, const std::string& point, std::uint32_t dims, const Value& benchmark) {
  for (const auto [name, valid, value] : benchmark.find("Memory").members()) {
    if (!value.is_number()) continue;
    Declared declared = for_context();
    if (name == "BytesAllocatedPerOperation") declared = {"B", core::Direction::lower, core::Role::judged, true};
    rows.add(point, name, dims, declared, leaf_of(value));
  }
  // Diagnosers say themselves which way is better. Garbage collections and allocation stand under Memory already.
  for (const Value metric : benchmark.find("Metrics").elements()) {
    const Value descriptor = metric.find("Descriptor"), value = metric.find("Value");
    const std::string_view id = descriptor.find_string("Id");
    if (id.empty() || !value.is_number()) continue;
    const bool known = id.starts_with("Gen") || id == "Allocated Memory" || id == "AllocatedMemory";
    if (known && benchmark.find("Memory")) continue;
    Declared declared = kExactLower;
    declared.exact = false;
    if (descriptor.find("TheGreaterTheBetter").boolean()) declared.direction = core::Direction::higher;
    const std::string_view unit = descriptor.find_string("Unit");
    if (unit != "Count" && unit != "count") declared.unit = unit;
    rows.add(point, id, dims, declared, leaf_of(value));
  }
}

void take_host(DeclaredRows& rows, RowWriter& writer, const Value& host) {
  constexpr std::pair<std::string_view, std::string_view> kTaken[] = {
      {"ProcessorName", "hardware.cpu"},        {"LogicalCoreCount", "hardware.num_cpus"},
      {"ProcessorCount", "hardware.num_cpus"},  {"OsVersion", "stack.os"},
      {"RuntimeVersion", "stack.runtime"},      {"ClrVersion", "stack.runtime"},
      {"DotNetCliVersion", "stack.dotnet"},     {"Architecture", "stack.architecture"},
      {"Configuration", "stack.configuration"}, {"BenchmarkDotNetVersion", "stack.benchmarkdotnet"}};
  for (const auto& [field, key] : kTaken) {
    Value value = host.find(field);
    if (value.is_object()) value = value.find("Value");
    if (value && !value.is_container()) rows.context(key, value.text());
  }
  const bool debug = core::to_lower(host.find_string("Configuration")) == "debug";
  if (debug || host.find("HasAttachedDebugger").boolean()) {
    writer.out.warn("debug_build", debug ? "Configuration is DEBUG: times of a build without optimisation are no results"
                                         : "a debugger was attached while this was measured: the times are no results");
  }
}

core::Status read_benchmarkdotnet(const json::Value& root, RowWriter& writer) {
  const Value benchmarks = root.find("Benchmarks");
  if (!benchmarks.is_array()) {
    return core::fail(kOtherStructure, "no \"Benchmarks\" array: this is not BenchmarkDotNet's JSON",
                      "the exporters JsonExporter.Full and JsonExporter.Brief write it");
  }
  if (benchmarks.size() == 0) {
    return core::fail(core::ErrorCode::invalid_input, "\"Benchmarks\" is empty: no benchmark was run",
                      "see the filter of the run and its log");
  }
  DeclaredRows rows(writer, "benchmarkdotnet");
  take_host(rows, writer, root.find("HostEnvironmentInfo"));
  std::map<std::string, std::size_t> names;
  for (const Value benchmark : benchmarks.elements()) ++names[name_of(benchmark)];
  bool iterations = false, launches = false, trials = false;
  for (const Value benchmark : benchmarks.elements()) {
    if (writer.halted()) break;
    std::string point = name_of(benchmark);
    const std::string_view job = job_of(benchmark);
    // The job is part of the name only where one benchmark ran as several jobs.
    if (names[point] > 1 && !job.empty()) point += "[job=" + std::string(job) + "]";
    const std::uint32_t dims = rows.dims({{"benchmark", name_of(benchmark)},
                                          {"parameters", std::string(benchmark.find_string("Parameters"))},
                                          {"job", std::string(job)}});
    const Value numbers = benchmark.find("Statistics");
    if (!numbers.is_object()) {
      rows.add(point, "time", dims, lower_is_better("ns"),
               Leaf{core::ValueState::failed, 0, false, "no statistics: the benchmark did not run to its end"});
      continue;
    }
    const Samples samples = samples_of(benchmark);
    trials = trials || !samples.values.empty();
    launches = launches || samples.launches;
    iterations = iterations || (!samples.launches && samples.values.size() > 1);
    rows.add(point, "time", dims, lower_is_better("ns"), samples.values);
    statistics(rows, point, dims, numbers, !samples.values.empty());
    memory(rows, point, dims, benchmark);
  }
  // Beside trials the mean is context: a headline would have it judged.
  writer.out.declared.headlines = {trials ? "*.time" : "*.Mean"};
  writer.out.replication = launches && !iterations ? core::Replication::run : core::Replication::in_process;
  return {};
}

}  // namespace

extern const Format benchmarkdotnet_format = {
    .name = "benchmarkdotnet",
    .title = "BenchmarkDotNet (C#)",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::object, 0.96, {"HostEnvironmentInfo", "Benchmarks"}}}},
    .read = read_document<read_benchmarkdotnet>,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "dotnet run -c Release -- --filter '*' --exporters json\n"
                         "# writes BenchmarkDotNet.Artifacts/results/*.json",
              .judged = "`time` in ns (lower), or `Mean` and `Median` of the brief export; `BytesAllocatedPerOperation` (lower, "
                        "exact); diagnosers' metrics as their descriptor says",
              .key = "`FullName`; with the job where one benchmark ran as several",
              .trials =
                  "`OriginalValues` or the measurements of the last stage; the means of the launches where there are several",
              .context = "CPU, OS, runtime, .NET and BenchmarkDotNet version, configuration",
              .limits = "pilot, warm-up and overhead iterations are left out; a DEBUG build or an attached debugger is warned of",
              .recognised = "`HostEnvironmentInfo` with `Benchmarks`"},
};

}  // namespace plumbline::formats
