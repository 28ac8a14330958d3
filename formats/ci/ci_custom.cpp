// Two exchange formats of continuous benchmarking: Bencher's BMF, {benchmark: {measure: {value, lower_value, upper_value}}}, and
// the custom JSON of github-action-benchmark, [{name, unit, value, range, extra}], whose direction stands in the workflow and not
// in the file: name and unit have to say.
#include <unordered_map>

#include "formats/ci/benchmark_entry.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// Bencher's own measures, by name or slug ("Total bytes" and "total-bytes" are one); every other one is judged by name.
struct Measure {
  std::string_view slug;
  Declared declared;
};
constexpr Declared counted_lower(std::string_view unit = {}) { return {unit, core::Direction::lower, core::Role::judged, true}; }
constexpr Measure kMeasures[] = {{"latency", lower_is_better("ns")},
                                 {"throughput", higher_is_better("ops/s")},
                                 {"build-time", lower_is_better("s")},
                                 {"file-size", lower_is_better("B")},
                                 {"allocated", lower_is_better("B")},
                                 {"gen0-collects", lower_is_better("")},
                                 {"gen1-collects", lower_is_better("")},
                                 {"gen2-collects", lower_is_better("")},
                                 {"total-operations", for_context()},
                                 {"instructions", lower_is_better("")},
                                 {"estimated-cycles", lower_is_better("")},
                                 {"l1-accesses", for_context()},
                                 {"l1-hits", for_context()},
                                 {"l2-accesses", lower_is_better("")},
                                 {"l2-hits", lower_is_better("")},
                                 {"ll-hits", lower_is_better("")},
                                 {"ram-accesses", lower_is_better("")},
                                 {"ram-hits", lower_is_better("")},
                                 {"total-read-write", lower_is_better("")},
                                 {"total-bytes", counted_lower("B")},
                                 {"total-blocks", counted_lower()},
                                 {"at-t-gmax-bytes", counted_lower("B")},
                                 {"at-t-gmax-blocks", counted_lower()},
                                 {"at-t-end-bytes", counted_lower("B")},
                                 {"at-t-end-blocks", counted_lower()},
                                 {"max-bytes", counted_lower("B")},
                                 {"max-blocks", counted_lower()},
                                 {"final-bytes", counted_lower("B")},
                                 {"final-blocks", counted_lower()},
                                 // What the machine did beside the benchmark.
                                 {"compute-jitter", for_context("%")},
                                 {"cache-jitter", for_context("%")},
                                 {"i-o-jitter", for_context("%")},
                                 {"io-jitter", for_context("%")},
                                 {"cpu-steal", for_context("%")},
                                 {"noise-score", for_context()}};

std::optional<Declared> measure_of(std::string_view measure) {
  std::string slug;
  for (const char c : core::to_lower(measure)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (kept || (!slug.empty() && slug.back() != '-')) slug.push_back(kept ? c : '-');
  }
  for (const Measure& one : kMeasures) {
    if (one.slug == slug) return one.declared;
  }
  return std::nullopt;
}

}  // namespace

Detection detect_bencher_bmf(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{")) return detection;
  // Three objects inside each other, each under one name, the innermost with nothing but the value and its bounds.
  const std::size_t value = std::min({head.find("\"value\""), head.find("\"lower_value\""), head.find("\"upper_value\"")});
  if (value == std::string_view::npos) return detection;
  const std::string_view before = head.substr(0, value);
  if (std::count(before.begin(), before.end(), '{') != 3 || before.find_first_of("[}") != std::string_view::npos ||
      std::count(before.begin(), before.end(), ',') != 0) {
    return detection;
  }
  std::string_view innermost = head.substr(value, std::min(head.find('}', value), head.size()) - value);
  const bool bounds = innermost.find("_value\"") != std::string_view::npos;
  for (const std::string_view member : core::split(innermost, ',')) {
    const std::string_view name = core::trim(member);
    if (name.starts_with("\"value\"") || name.starts_with("\"lower_value\"") || name.starts_with("\"upper_value\"")) continue;
    return detection;
  }
  // Without bounds it could be somebody's own JSON, though hardly.
  detection.score = bounds ? 0.92 : 0.86;
  detection.evidence.emplace_back(bounds ? "objects in objects that hold value, lower_value and upper_value"
                                         : "objects in objects that hold a value and nothing else");
  return detection;
}

core::Expected<core::Measurement> read_bencher_bmf(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "bencher-bmf");
  for (const auto [benchmark, valid, measures] : document->root().members()) {
    if (writer.halted()) break;
    const std::uint32_t dims = rows.dims({{"benchmark", std::string(benchmark)}});
    for (const auto [measure, measure_valid, metric] : measures.members()) {
      const Value value = metric.find("value");
      if (!value || value.is_container()) continue;
      const auto declared = measure_of(measure);
      const std::string key = std::string(benchmark) + "." + std::string(measure);
      if (declared) {
        rows.add(benchmark, measure, dims, *declared, leaf_of(value));
      } else {
        writer.add(key, measure, RowWriter::kRootShape, dims, leaf_of(value));
      }
      for (const std::string_view bound : {"lower_value", "upper_value"}) {
        const Value edge = metric.find(bound);
        if (edge.is_number()) rows.add(key, bound, dims, for_context(declared ? declared->unit : ""), leaf_of(edge));
      }
    }
  }
  // Whatever is in such a file was put there to be watched.
  writer.out.declared.headlines = {"*"};
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

Detection detect_custom_benchmark(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("[")) return detection;
  const std::string_view first = head.substr(0, std::min(head.find('}'), head.size()));
  if (std::count(first.begin(), first.end(), '{') == 1 && has_keys(input, {"name", "unit", "value"}, detection)) {
    detection.score = 0.9;
  }
  return detection;
}

core::Expected<core::Measurement> read_custom_benchmark(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "github-action-benchmark");
  std::unordered_map<std::string_view, std::size_t> times;
  for (const Value& entry : document->root().elements()) ++times[entry.find_string("name")];
  for (const Value& entry : document->root().elements()) {
    if (writer.halted()) break;
    const std::string_view name = entry.find_string("name"), unit = entry.find_string("unit");
    const Value value = entry.find("value");
    if (name.empty() || !value || value.is_container()) continue;
    std::vector<std::pair<std::string_view, std::string>> pairs{{"benchmark", std::string(name)}};
    std::string point(name);
    // Fields of the writer's own tell entries of one name apart: {"name": "sort", "size": 1024, …}.
    if (times[name] > 1) {
      for (const auto [field, valid, content] : entry.members()) {
        constexpr std::string_view kTheirs[] = {"name", "unit", "value", "range", "extra"};
        if (content.is_container() || std::find(std::begin(kTheirs), std::end(kTheirs), field) != std::end(kTheirs)) continue;
        point += (pairs.size() == 1 ? "[" : ",") + std::string(field) + "=" + std::string(content.text().substr(0, 100));
        pairs.emplace_back(field, std::string(content.text().substr(0, 100)));
      }
      if (pairs.size() > 1) point += "]";
    }
    const std::uint32_t dims = rows.dims(pairs);
    writer.add(point, metric_of(writer.names(), name, unit), RowWriter::kRootShape, dims, leaf_of(value), {.unit = unit});
    const Value range = entry.find("range");
    if (const auto spread = range && !range.is_container() ? range_of(range.text(), value.number()) : std::nullopt) {
      rows.add(point, "range", dims, own_noise(unit), *spread);
    }
  }
  // Whatever is in such a file was put there to be watched.
  writer.out.declared.headlines = {"*"};
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

extern const Format bencher_bmf_format = {
    .name = "bencher-bmf",
    .title = "Bencher Metric Format",
    .replication = core::Replication::unknown,
    .detect = detect_bencher_bmf,
    .read = read_bencher_bmf,
    .about = {.judged = "Bencher Metric Format; its own measures have unit and direction, others go by name",
              .key = "benchmark",
              .trials = "one value a key",
              .context = "none",
              .limits = "bounds without a sample are context",
              .recognised = "`value`, with or without `lower_value` and `upper_value`, two names deep"},
};

extern const Format github_action_benchmark_format = {
    .name = "github-action-benchmark",
    .title = "custom JSON of github-action-benchmark",
    .replication = core::Replication::unknown,
    .detect = detect_custom_benchmark,
    .read = read_custom_benchmark,
    .about = {.judged =
                  "custom JSON of github-action-benchmark by name and unit, by the unit of a time or a rate alone where the name "
                  "is a setting's",
              .key = "the name, and of entries of one name the fields of the writer's own (`size`)",
              .trials = "one value a key",
              .context = "none",
              .limits = "the direction stands in the workflow, not in the file; `range` is noise",
              .recognised = "an array of `name`, `unit`, `value`"},
};

}  // namespace plumbline::formats
