// pytest-benchmark's JSON: each test is a point; stats.data, where it was kept, are the rounds of one process.
#include "formats/declared_rows.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

void take_context(const Value& root, DeclaredRows& rows) {
  constexpr std::pair<std::string_view, std::string_view> kTaken[] = {
      {"machine_info.node", "environment.hostname"},
      {"machine_info.machine", "hardware.cpu_architecture"},
      {"machine_info.cpu.brand", "hardware.cpu"},
      {"machine_info.cpu.brand_raw", "hardware.cpu"},
      {"machine_info.system", "stack.os"},
      {"machine_info.release", "stack.kernel"},
      {"machine_info.python_version", "stack.python"},
      {"machine_info.python_implementation", "stack.python_implementation"},
      {"commit_info.id", "environment.commit"},
      {"commit_info.dirty", "environment.commit_dirty"},
      {"version", "stack.pytest_benchmark"}};
  for (const auto& [path, key] : kTaken) {
    if (const Value value = root.at_path(path); value && !value.is_container() && !value.is_null())
      rows.context(key, value.text());
  }
}

}  // namespace

core::Status read_pytest_benchmark(const json::Value& root, RowWriter& writer) {
  const Value benchmarks = root.find("benchmarks");
  if (!benchmarks.is_array()) {
    return core::fail(kOtherStructure, "no \"benchmarks\" array: this is not pytest-benchmark's JSON",
                      "pytest --benchmark-json=FILE writes it");
  }
  DeclaredRows rows(writer, "pytest-benchmark");
  take_context(root, rows);
  for (const Value& benchmark : benchmarks.elements()) {
    if (writer.halted()) break;
    std::string_view name = benchmark.find_string("fullname");
    if (name.empty()) name = benchmark.find_string("name");
    const Value stats = benchmark.find("stats");
    if (name.empty() || !stats.is_object()) continue;
    std::vector<std::pair<std::string_view, std::string>> dims{{"benchmark", std::string(name)}};
    if (const Value params = benchmark.find("params"); params.is_object()) {
      for (const auto [param, valid, value] : params.members()) {
        if (!value.is_container()) dims.emplace_back(param, std::string(value.text().substr(0, 100)));
      }
    }
    const std::uint32_t point = rows.dims(dims);
    std::vector<double> data;
    if (const Value rounds = stats.find("data"); rounds.is_array()) {
      for (const Value& one : rounds.elements()) {
        if (one.is_number()) data.push_back(one.number());
      }
      if (data.size() != rounds.size()) data.clear();  // cut short by hand: the summary speaks
    }
    rows.add(name, "time", point, lower_is_better("s"), data);
    // The rounds say it all where they are there; ops is 1/mean either way.
    const bool summary = data.empty();
    for (const auto [stat, valid, value] : stats.members()) {
      if (value.is_container()) continue;
      Declared declared = for_context("s");
      if (stat == "mean" || stat == "median") {
        if (summary) declared = lower_is_better("s");
      } else if (stat == "stddev" || stat == "iqr") {
        declared = own_noise("s");
      } else if (stat == "ops") {
        declared = summary ? higher_is_better("ops/s") : for_context("ops/s");
      } else if (stat == "rounds" || stat == "iterations" || stat == "iqr_outliers" || stat == "stddev_outliers") {
        declared = for_context();
      }
      rows.add(name, stat, point, declared, leaf_of(value));
    }
    // What the test itself added to its result: the name has to say.
    for (const auto [extra, valid, value] : benchmark.find("extra_info").members()) {
      if (value.is_number()) {
        writer.add(std::string(name) + ".extra_info." + std::string(extra), extra, RowWriter::kRootShape, point, leaf_of(value));
      }
    }
  }
  writer.out.declared.headlines = {"*.time", "*.median"};
  return {};
}

extern const Format pytest_benchmark_format = {
    .name = "pytest-benchmark",
    .title = "pytest-benchmark, Python",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::object, 0.95, {"machine_info", "benchmarks"}}}},
    .read = read_document<read_pytest_benchmark>,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "pytest --benchmark-json=result.json",
              .judged = "pytest-benchmark JSON; kept rounds are trials; numbers of `extra_info` by name",
              .key = "full name, parameters",
              .trials = "`data`, where the rounds were kept",
              .context = "host, CPU, OS, kernel, Python, commit, version",
              .limits = "the summary is judged where the rounds were not kept",
              .recognised = "`machine_info` and `benchmarks`"},
};

}  // namespace plumbline::formats
