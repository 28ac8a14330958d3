// JMH's JSON. With several forks each fork's mean is a trial, a process of its own; with one fork its iterations are. In mode
// sample every call was timed: an iteration is a histogram, [[time, how often], …], and its mean the trial.
#include "formats/harness/jmh.hpp"

#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

struct Trials {
  std::vector<double> values;
  bool forks = false;
};

struct Sum {
  double sum = 0, count = 0;
};
// An iteration: a number, or a histogram.
Sum iteration_of(const Value& iteration) {
  if (!iteration.is_array()) return {iteration.is_number() ? iteration.number() : std::nan(""), 1};
  Sum out;
  for (const Value& bucket : iteration.elements()) {
    if (!bucket.is_array() || bucket.size() != 2) return {std::nan(""), 1};
    auto element = bucket.elements().begin();
    const Value time = *element, count = *++element;
    if (!time.is_number() || !count.is_number() || !(count.number() >= 0)) return {std::nan(""), 1};
    out.sum += time.number() * count.number();
    out.count += count.number();
  }
  return out;
}

Trials trials_of(const Value& metric) {
  Trials out;
  const Value plain = metric.find("rawData");
  const Value raw = plain ? plain : metric.find("rawDataHistogram");
  if (!raw.is_array()) return out;
  out.forks = raw.size() > 1;
  for (const Value& fork : raw.elements()) {
    if (!fork.is_array()) continue;
    Sum all;
    for (const Value& iteration : fork.elements()) {
      const Sum one = iteration_of(iteration);
      if (!(one.count > 0) && !std::isnan(one.sum)) continue;  // no call ended in it
      all.sum += one.sum;
      all.count += one.count;
      if (!out.forks) out.values.push_back(one.sum / one.count);
    }
    if (out.forks && all.count > 0) out.values.push_back(all.sum / all.count);
  }
  return out;
}

// Of single calls in mode sample; elsewhere they are those of the iterations, which are trials already.
void percentiles(DeclaredRows& rows, const std::string& point, std::uint32_t dims, const Value& metric, std::string_view unit) {
  for (const auto [name, valid, value] : metric.find("scorePercentiles").members()) {
    const auto percent = core::parse_double(name);
    if (!percent || value.is_container()) continue;
    rows.add(point, "p" + std::string(name), dims, jmh_percentile(*percent / 100, unit), leaf_of(value));
  }
}

}  // namespace

core::Status read_jmh(const json::Value& root, RowWriter& writer) {
  DeclaredRows rows(writer, "jmh");
  bool iterations = false;
  for (const Value& result : root.elements()) {
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
    const Declared declared = jmh_score(unit, mode);
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
    if (mode == "sample") percentiles(rows, point, id, primary, unit);
    if (const Value secondary = result.find("secondaryMetrics"); secondary.is_object()) {
      for (const auto [name, valid, metric] : secondary.members()) {
        const Value value = metric.find("score");
        if (!value || value.is_container()) continue;
        const std::string_view own = metric.find_string("scoreUnit");
        const Trials repeated = trials_of(metric);
        const Declared as = jmh_secondary(own);
        if (as.role == core::Role::judged && !repeated.values.empty()) {
          rows.add(point, name, id, as, repeated.values);
        } else {
          rows.add(point, name, id, as, leaf_of(value));
        }
      }
    }
  }
  writer.out.declared.headlines = {"*.score"};
  writer.out.replication = iterations ? core::Replication::in_process : core::Replication::run;
  return {};
}

extern const Format jmh_format = {
    .name = "jmh",
    .title = "JMH (Java)",
    .replication = core::Replication::unknown,
    .signs = {{{Sign::In::array, 0.96, {"benchmark", "mode", "primaryMetric"}}}},
    .read = read_document<read_jmh>,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "java -jar benchmarks.jar -rf json -rff result.json",
              .judged =
                  "`score`; the unit says the direction (`ops/ms` higher, `us/op` lower), else the mode; in mode sample p50 to "
                  "p99.9 too",
              .key = "benchmark, mode, threads, parameters",
              .trials = "forks, or the iterations of one fork",
              .context = "JDK, VM, JMH",
              .limits = "secondary metrics in `ops/…` or `…/op` are judged, the others are context",
              .recognised = "`benchmark`, `mode`, `primaryMetric`"},
};

}  // namespace plumbline::formats
