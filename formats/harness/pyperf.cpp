// pyperf's JSON: each benchmark is a point. Its values come from worker processes, several of each, and values of one process are
// more alike than those of two: the mean of a process is a trial.
#include <numeric>

#include "formats/declared_rows.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// A field of a benchmark's metadata; what all benchmarks share stands in the file's.
std::string_view said(const Value& root, const Value& benchmark, std::string_view field) {
  const std::string_view own = benchmark.find("metadata").find_string(field);
  return own.empty() ? root.find("metadata").find_string(field) : own;
}

struct Metric {
  std::string_view name;
  Declared declared;
};
Metric metric_of(std::string_view unit) {
  if (unit == "byte") return {"memory", lower_is_better("B")};
  if (unit == "integer") return {"value", {}};  // a count of its author's
  return {"time", lower_is_better("s")};
}

std::vector<double> trials_of(const Value& runs) {
  std::vector<double> trials;
  for (const Value& run : runs.elements()) {
    std::vector<double> values;
    for (const Value& value : run.find("values").elements()) {
      values.push_back(value.is_number() ? value.number() : std::nan(""));
    }
    // A run without values calibrated the number of loops.
    if (!values.empty())
      trials.push_back(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()));
  }
  return trials;
}

void take_context(const Value& metadata, DeclaredRows& rows) {
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {{"hostname", "environment.hostname"},
                                                                       {"cpu_model_name", "hardware.cpu"},
                                                                       {"platform", "stack.os"},
                                                                       {"python_version", "stack.python"},
                                                                       {"python_implementation", "stack.python_implementation"},
                                                                       {"perf_version", "stack.pyperf"}};
  for (const auto& [field, key] : kFields) rows.context(key, metadata.find_string(field));
  if (const auto cpus = metadata.find_number("cpu_count")) rows.context("hardware.num_cpus", core::number_text(*cpus));
}

}  // namespace

core::Status read_pyperf(const json::Value& root, RowWriter& writer) {
  const Value benchmarks = root.find("benchmarks");
  if (!benchmarks.is_array()) {
    return core::fail(kOtherStructure, "no \"benchmarks\" array: this is not pyperf's JSON", "pyperf writes it with -o FILE");
  }
  DeclaredRows rows(writer, "pyperf");
  for (const Value& benchmark : benchmarks.elements()) {
    if (writer.halted()) break;
    const std::string name(said(root, benchmark, "name").substr(0, 400));
    const std::uint32_t point = rows.dims({{"benchmark", name}});
    const Metric metric = metric_of(said(root, benchmark, "unit"));
    const std::vector<double> trials = trials_of(benchmark.find("runs"));
    if (trials.empty()) {
      rows.add(name, metric.name, point, metric.declared,
               Leaf{core::ValueState::failed, 0, false, "no value: no process finished"});
    } else {
      rows.add(name, metric.name, point, metric.declared, trials);
    }
  }
  take_context(root.find("metadata"), rows);
  writer.out.declared.headlines = {"*.time"};
  return {};
}

extern const Format pyperf_format = {
    .name = "pyperf",
    .title = "pyperf, Python benchmarks",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::object, 0.9, {"benchmarks/runs", "benchmarks/runs/warmups"}},
               {Sign::In::object, 0.9, {"benchmarks/runs", "benchmarks/runs/values"}}}},
    .read = read_document<read_pyperf>,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "python bench.py -o result.json  # a script with a pyperf.Runner\n"
                         "python -m pyperf timeit -o result.json 'STATEMENT'",
              .judged = "`time` in s or `memory` in bytes (lower); what counts something else has no direction",
              .key = "the benchmark's name",
              .trials = "worker processes: the mean of each one's `values`",
              .context = "host, CPU and how many, platform, Python and its implementation, pyperf",
              .limits = "warmups, calibration and the loops of a value are left out",
              .recognised = "`benchmarks` with `runs` of `values` or `warmups`"},
};

}  // namespace plumbline::formats
