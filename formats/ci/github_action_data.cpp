// What github-action-benchmark keeps: data.js ("window.BENCHMARK_DATA = {…}") or the JSON of external-data-json-path. Each suite
// is a list of runs, the last of which is the measurement. Unlike the custom JSON it goes into, it says which tool wrote a run,
// and the action's own rule (src/write.ts) says of a tool which way is better; of JMH and Go one rule cannot hold for every unit.
#include "core/citing.hpp"
#include "formats/ci/benchmark_entry.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

constexpr std::string_view kScript = "window.BENCHMARK_DATA";

core::Direction direction_of(std::string_view tool) {
  for (const std::string_view one : {"customBiggerIsBetter", "benchmarkjs", "pytest"}) {
    if (tool == one) return core::Direction::higher;
  }
  for (const std::string_view one : {"customSmallerIsBetter", "cargo", "googlecpp", "catch2", "julia", "benchmarkdotnet"}) {
    if (tool == one) return core::Direction::lower;
  }
  return core::Direction::unknown;  // the unit has to say
}

// "ns/iter" and "ns/op" are nanoseconds.
std::string_view unit_of(std::string_view unit) {
  for (const std::string_view end : {"/iter", "/op"}) {
    if (unit.ends_with(end)) return unit.substr(0, unit.size() - end.size());
  }
  return unit == "iter/sec" || unit == "ops/sec" ? "ops/s" : unit;
}

Value last_of(const Value& runs) {
  Value last;
  for (const Value run : runs.elements()) last = run;
  return last;
}

Detection detect_github_action_data(const Input& input) {
  Detection detection;
  const std::string_view head = json_head(input);
  if (head.starts_with(kScript)) {
    detection.score = 0.96;
    detection.evidence.push_back("starts with " + core::cited(kScript));
  } else if (head.starts_with("{") && has_keys(input, {"lastUpdate", "repoUrl", "entries"}, detection)) {
    detection.score = 0.95;
  }
  return detection;
}

core::Expected<core::Measurement> read_github_action_data(const Input& input, const ReadOptions& options) {
  Input body = input;
  const std::size_t brace = std::min(body.bytes.find('{'), body.bytes.size());
  body.bytes.remove_prefix(brace);
  auto document = parse_json(body, options);
  if (!document) return core::fail(document.error());
  const Value entries = document->root().find("entries");
  if (!entries.is_object()) {
    return core::fail(kOtherStructure, "no \"entries\" object: this is not the data of github-action-benchmark",
                      "the action writes data.js, or the file of external-data-json-path", input.name);
  }
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "github-action-benchmark");
  std::uint64_t earlier = 0;
  for (const auto [suite, valid, runs] : entries.members()) {
    if (!runs.is_array() || runs.size() == 0) continue;
    earlier += runs.size() - 1;
    const Value run = last_of(runs);
    const std::string_view tool = run.find_string("tool");
    rows.context("environment.commit", run.find("commit").find_string("id"));
    const core::Direction direction = direction_of(tool);
    for (const Value bench : run.find("benches").elements()) {
      if (writer.halted()) break;
      const std::string_view name = bench.find_string("name");
      const Value value = bench.find("value");
      if (name.empty() || !value || value.is_container()) continue;
      const std::string_view unit = unit_of(bench.find_string("unit"));
      const std::string point = std::string(suite) + "/" + std::string(name);
      const std::uint32_t dims =
          rows.dims({{"suite", std::string(suite)}, {"benchmark", std::string(name)}, {"tool", std::string(tool)}});
      Explicit said;
      said.unit = unit;
      said.direction = direction;
      writer.add(point, metric_of(writer.names(), name, unit), RowWriter::kRootShape, dims, leaf_of(value), said);
      const Value range = bench.find("range");
      if (const auto spread = range && !range.is_container() ? range_of(range.text(), value.number()) : std::nullopt) {
        rows.add(point, "range", dims, own_noise(unit), *spread);
      }
    }
  }
  if (earlier > 0) {
    writer.out.warn("earlier_runs", core::counted(earlier, "earlier run is", "earlier runs are") +
                                        " in the file too: the last of each suite is the measurement");
  }
  // Whatever is in such a file was put there to be watched.
  writer.out.declared.headlines = {"*"};
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

}  // namespace

extern const Format github_action_data_format = {
    .name = "github-action-benchmark-data",
    .title = "stored results of github-action-benchmark",
    .replication = core::Replication::unknown,
    .detect = detect_github_action_data,
    .read = read_github_action_data,
    .about = {.group = Group::ci,
              .file = "JavaScript, JSON",
              .produce = "git show origin/gh-pages:dev/bench/data.js > data.js",
              .judged = "the last run of each suite; the tool that wrote it says the direction, of `go` and `jmh` the unit",
              .key = "suite and name",
              .trials = "one value a key",
              .context = "the commit",
              .limits = "earlier runs are not read, with a warning; `range` is noise",
              .recognised = "`window.BENCHMARK_DATA`; `lastUpdate`, `repoUrl` and `entries`"},
};

}  // namespace plumbline::formats
