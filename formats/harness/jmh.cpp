// JMH's JSON: the mode says which way is better (thrpt is work per time, every other mode time per work). With several forks
// each fork's mean is a trial, a process of its own; with one fork its iterations are.
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

struct Trials {
  std::vector<double> values;
  bool forks = false;
};

Trials trials_of(const Value& metric) {
  Trials out;
  const Value raw = metric.find("rawData");
  if (!raw.is_array()) return out;
  out.forks = raw.size() > 1;
  for (const Value& fork : raw.elements()) {
    if (!fork.is_array()) continue;
    double sum = 0;
    for (const Value& iteration : fork.elements()) {
      const double value = iteration.is_number() ? iteration.number() : std::nan("");
      sum += value;
      if (!out.forks) out.values.push_back(value);
    }
    if (out.forks && fork.size() > 0) out.values.push_back(sum / static_cast<double>(fork.size()));
  }
  return out;
}

}  // namespace

Detection detect_jmh(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (head.starts_with("[") && has_keys(input, {"benchmark", "mode", "primaryMetric"}, detection)) detection.score = 0.96;
  return detection;
}

core::Expected<core::Measurement> read_jmh(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "jmh");
  bool iterations = false;
  for (const Value& result : document->root().elements()) {
    if (writer.halted()) break;
    const Value primary = result.find("primaryMetric");
    const std::string_view benchmark = result.find_string("benchmark"), mode = result.find_string("mode");
    if (benchmark.empty() || !primary.is_object()) continue;
    std::vector<std::pair<std::string_view, std::string>> dims{{"benchmark", std::string(benchmark)},
                                                               {"mode", std::string(mode)}};
    if (const Value threads = result.find("threads"); threads.is_number())
      dims.emplace_back("threads", std::string(threads.text()));
    if (const Value params = result.find("params"); params.is_object()) {
      for (const auto [name, valid, value] : params.members()) {
        if (!value.is_container()) dims.emplace_back(name, std::string(value.text().substr(0, 100)));
      }
    }
    std::string point(benchmark);
    for (std::size_t i = 1; i < dims.size(); ++i) {
      point += (i == 1 ? "[" : ",") + std::string(dims[i].first) + "=" + dims[i].second;
    }
    point += "]";
    const std::uint32_t id = rows.dims(dims);
    for (const auto& [field, key] : {std::pair{"jdkVersion", "stack.jdk"}, {"vmName", "stack.vm"}, {"jmhVersion", "stack.jmh"}}) {
      rows.context(key, result.find_string(field));
    }
    const std::string_view unit = primary.find_string("scoreUnit");
    const Declared declared = mode == "thrpt" ? higher_is_better(unit) : lower_is_better(unit);
    const Trials trials = trials_of(primary);
    iterations = iterations || (!trials.forks && trials.values.size() > 1);
    const Value score = primary.find("score");
    if (!trials.values.empty()) {
      rows.add(point, "score", id, declared, trials.values);
    } else if (score && !score.is_container()) {
      rows.add(point, "score", id, declared, leaf_of(score));
    }
    // "NaN" in quotes where one iteration was all.
    if (const Value error = primary.find("scoreError"); error.is_number() && std::isfinite(error.number())) {
      rows.add(point, "scoreError", id, own_noise(unit), error.number());
    }
    if (const Value secondary = result.find("secondaryMetrics"); secondary.is_object()) {
      for (const auto [name, valid, metric] : secondary.members()) {
        const Value value = metric.find("score");
        if (!value || value.is_container()) continue;
        const std::string_view own = metric.find_string("scoreUnit");
        // Profilers' numbers: what one operation costs is a result, the rest depends on how long it ran.
        rows.add(point, name, id, own.ends_with("/op") ? lower_is_better(own) : for_context(own), leaf_of(value));
      }
    }
  }
  writer.out.declared.headlines = {"*.score"};
  writer.out.replication = iterations ? core::Replication::in_process : core::Replication::run;
  return writer.finish(input.name);
}

extern const Format jmh_format = {
    .name = "jmh",
    .title = "JMH JSON",
    .replication = core::Replication::unknown,
    .detect = detect_jmh,
    .read = read_jmh,
    .about = {.judged = "JMH JSON; the mode says the direction, forks or iterations are trials",
              .key = "benchmark, mode, threads, parameters",
              .trials = "forks, or the iterations of one fork",
              .context = "JDK, VM, JMH",
              .limits = "secondary metrics per operation are judged, the others are context",
              .recognised = "`benchmark`, `mode`, `primaryMetric`"},
};

}  // namespace plumbline::formats
