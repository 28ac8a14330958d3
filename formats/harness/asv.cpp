// airspeed velocity: the results of one commit in one environment (.asv/results/MACHINE/COMMIT-ENV.json), of both versions of
// that file. What a benchmark measures is said by how its name begins; names of parameters are in benchmarks.json, so they are
// counted.
#include <string>
#include <string_view>
#include <vector>

#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

struct Kind {
  std::string_view begins;
  ToolMetric metric;
};
constexpr Kind kKinds[] = {{"timeraw_", tool_metric("time", "s", core::Direction::lower)},
                           {"time_", tool_metric("time", "s", core::Direction::lower)},
                           {"peakmem_", tool_metric("memory", "B", core::Direction::lower)},
                           {"mem_", tool_metric("memory", "B", core::Direction::lower)},
                           {"", tool_metric("value", "", core::Direction::unknown)}};

const ToolMetric& metric_of(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  std::size_t kind = 0;
  while (!last.starts_with(kKinds[kind].begins)) ++kind;  // the last one begins every name
  return kKinds[kind].metric;
}

std::vector<Value> elements_of(const Value& array) {
  std::vector<Value> all;
  for (const Value one : array.elements()) all.push_back(one);
  return all;
}

// A member of an entry: by its name (version 1), or by its place among the columns (version 2).
Value member_of(const Value& entry, const std::vector<Value>& columns, std::string_view name) {
  if (entry.is_object()) return entry.find(name);
  const std::vector<Value> cells = elements_of(entry);
  for (std::size_t i = 0; i < std::min(cells.size(), columns.size()); ++i) {
    if (columns[i].string() == name) return cells[i];
  }
  return {};
}

class Reader {
 public:
  explicit Reader(ToolRows& rows) : rows_(rows) {}

  void benchmark(std::string_view name, const Value& entry, const std::vector<Value>& columns) {
    const ToolMetric& metric = metric_of(name);
    if (!entry.is_container()) {  // version 1 without statistics
      rows_.point(name);
      value(metric, entry, {});
      return;
    }
    const Value result = member_of(entry, columns, "result");
    if (!result.is_array()) {
      rows_.point(name);
      value(metric, result, member_of(entry, columns, "samples"));
      return;
    }
    std::vector<std::vector<Value>> parameters;
    for (const Value one : member_of(entry, columns, "params").elements()) parameters.push_back(elements_of(one));
    const std::vector<Value> results = elements_of(result), samples = elements_of(member_of(entry, columns, "samples"));
    for (std::size_t i = 0; i < results.size() && !rows_.halted(); ++i) {
      combination(name, parameters, i);
      value(metric, results[i], i < samples.size() ? samples[i] : Value());
    }
  }

 private:
  // The parameters of the result at that place: of their product the last one changes fastest.
  void combination(std::string_view name, const std::vector<std::vector<Value>>& parameters, std::size_t place) {
    std::vector<std::string> names;
    std::vector<Dim> dims(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) names.push_back("param" + std::to_string(i));
    for (std::size_t i = parameters.size(); i-- > 0;) {
      if (parameters[i].empty()) continue;
      dims[i] = {names[i], parameters[i][place % parameters[i].size()].text()};
      place /= parameters[i].size();
    }
    rows_.point(name, dims);
  }
  void value(const ToolMetric& metric, const Value& result, const Value& samples) {
    if (!result || result.is_container()) return;
    if (result.is_null()) {
      rows_.add(metric, failed_value("the benchmark failed"));
      return;
    }
    std::vector<double> trials;
    for (const Value one : samples.elements()) {
      if (one.is_number()) trials.push_back(one.number());
    }
    if (!trials.empty()) {
      rows_.add_trials(metric, trials);
    } else if (const Leaf leaf = leaf_of(result); leaf.has_value) {  // else NaN: not run with these parameters
      rows_.add(metric, leaf);
    }
  }

  ToolRows& rows_;
};

}  // namespace

core::Expected<core::Measurement> read_asv(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const Value root = document->root();
  ToolRows rows(input, options, "asv");
  take_notes(*document, rows.writer);
  Reader reader(rows);
  const std::vector<Value> columns = elements_of(root.find("result_columns"));
  for (const auto& member : root.find("results").members()) reader.benchmark(member.key, member.value, columns);
  if (rows.empty()) {
    core::Error error = rows.error("no benchmark in the results of asv", "`asv run` writes them into .asv/results/MACHINE/");
    error.code = kOtherStructure;
    return core::fail(std::move(error));
  }
  rows.note("stack.python", root.find_string("python"));
  const Value machine = root.find("params");
  rows.note("hardware.cpu", machine.find_string("cpu"));
  rows.note("hardware.cpus", machine.find_string("num_cpu"));
  rows.note("stack.os", machine.find_string("os"));
  return rows.finish();
}

extern const Format asv_format = {
    .name = "asv",
    .title = "airspeed velocity (asv), results of a commit",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::json, 0.96, {"commit_hash", "env_name", "requirements", "results"}}}},
    .read = read_asv,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "asv run --record-samples HEAD^!  # .asv/results/MACHINE/COMMIT-ENV.json",
              .judged =
                  "`time_` in s, `mem_` and `peakmem_` in bytes (lower); which way is better for `track_` the file does not say",
              .key = "the benchmark and its parameters, counted: `suite.time_sort[param0=1000].time`",
              .trials = "the samples where they were recorded (--record-samples), else one value a key",
              .context = "Python, CPU, CPUs, operating system",
              .limits = "names of parameters and units of `track_` are in benchmarks.json, which holds no results; quartiles and "
                        "intervals are left out",
              .recognised = "keys `commit_hash`, `env_name`, `requirements` and `results`"},
};

}  // namespace plumbline::formats
