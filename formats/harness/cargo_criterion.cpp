// cargo-criterion --message-format=json: a JSON object a line, of which those of the kind "benchmark-complete" hold a benchmark.
// Times are of so many iterations each; the estimates are drawn from them.
#include <string>
#include <string_view>
#include <vector>

#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

constexpr std::string_view kComplete = "benchmark-complete";

struct Estimate {
  std::string_view name;
  bool spread;
};
constexpr Estimate kEstimates[] = {
    {"typical", false}, {"mean", false}, {"median", false}, {"slope", false}, {"median_abs_dev", true}};

// The time of an iteration, for each sample.
std::vector<double> samples_of(const Value& message) {
  const Value iterations = message.find("iteration_count"), times = message.find("measured_values");
  std::vector<double> out;
  if (!iterations.is_array() || !times.is_array() || iterations.size() != times.size()) return out;
  auto iteration = iterations.elements().begin();
  for (const Value time : times.elements()) {
    const Value count = *iteration;
    ++iteration;
    if (!time.is_number() || !count.is_number() || count.number() <= 0) return {};
    out.push_back(time.number() / count.number());
  }
  return out;
}

void add_benchmark(DeclaredRows& rows, const Value& message) {
  const std::string name(message.find_string("id"));
  const std::string_view unit = message.find_string("unit");
  const std::uint32_t dims = rows.dims({{"benchmark", name}});
  const std::vector<double> samples = samples_of(message);
  rows.add(name, "time", dims, lower_is_better(unit.empty() ? "ns" : unit), samples);
  for (const Estimate& one : kEstimates) {
    const Value estimate = message.find(one.name), value = estimate.find("estimate");
    if (!value || value.is_container()) continue;
    const std::string_view of = estimate.find_string("unit");
    // Drawn from the samples: where these are there, nothing else is judged.
    const bool judged = samples.empty() && one.name == "typical";
    rows.add(name, one.name, dims, one.spread ? own_noise(of) : judged ? lower_is_better(of) : for_context(of), leaf_of(value));
  }
}

}  // namespace

core::Expected<core::Measurement> read_cargo_criterion(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "cargo-criterion");
  rows.repeats_are_sections();
  for (const Value& message : documents_of(*document)) {
    if (writer.halted()) break;
    if (message.find_string("reason") == kComplete) add_benchmark(rows, message);
  }
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no message of the kind \"benchmark-complete\" with numbers",
                      "`cargo criterion --message-format=json` prints one for each benchmark", input.name);
  }
  rows.warn_of_repeats();
  writer.out.declared.headlines = {"*.time", "*.typical"};
  return writer.finish(input.name);
}

extern const Format cargo_criterion_format = {
    .name = "cargo-criterion",
    .title = "cargo-criterion (Rust): its messages in JSON",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::body, 0.96, {"reason", "id", "measured_values", "iteration_count"}},
               {Sign::In::body, 0.95, {"reason", "id", "typical/estimate"}}}},
    .read = read_cargo_criterion,
    .about = {.group = Group::harness,
              .file = "JSON lines",
              .produce = "cargo criterion --message-format=json > result.jsonl",
              .judged = "time of an iteration in ns (lower); the typical time where a message has no samples",
              .key = "the benchmark's id: `group/name.time`",
              .trials = "the samples, each divided by its iterations",
              .context = "none",
              .limits = "mean, median and slope are drawn from the samples and context; the change to the run before is left out",
              .recognised = "`reason` and `id` with `measured_values` and `iteration_count`, or with `typical`"},
};

}  // namespace plumbline::formats
