// GuideLLM's JSON, both schemas: a benchmark is a strategy with its rate; each metric a distribution over requests. Percentiles
// of rates describe single requests and are not judged: their mean is. Request latency is in seconds, *_ms in milliseconds.
#include "formats/declared_rows.hpp"
#include "formats/read_document.hpp"
#include "formats/serving/impossible_times.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

enum class Kind { latency, rate, count };

Kind kind_of(std::string_view metric) {
  if (metric.ends_with("_per_second")) return Kind::rate;
  if (metric.find("round_trip") != std::string_view::npos) return Kind::count;  // of several turns; zero without them
  if (metric.ends_with("_ms") || metric == "request_latency") return Kind::latency;
  return Kind::count;
}

std::string_view unit_of(std::string_view metric, Kind kind) {
  if (kind == Kind::rate) return metric == "requests_per_second" ? "req/s" : "tok/s";
  if (metric.ends_with("_ms")) return "ms";
  return kind == Kind::latency ? "s" : "";
}

void distribution(DeclaredRows& rows, const std::string& point, std::string_view metric, std::uint32_t dims, const Value& values,
                  bool paced) {
  const Kind kind = kind_of(metric);
  const std::string_view unit = unit_of(metric, kind);
  const std::string path = point + "." + std::string(metric);
  const auto add = [&](std::string_view name, const Declared& declared, const Value& value) {
    if (value && !value.is_container()) rows.add(path, name, dims, declared, leaf_of(value));
  };
  // How much work a request was: neither way is better, and a change has to be seen.
  if (metric == "prompt_token_count" || metric == "output_token_count") return add("mean", Declared{"tok"}, values.find("mean"));
  if (kind == Kind::count) return add("mean", for_context(unit), values.find("mean"));
  if (kind == Kind::rate) return add("mean", paced ? for_context(unit) : higher_is_better(unit), values.find("mean"));
  add("mean", lower_is_better(unit), values.find("mean"));
  add("median", lower_is_better(unit), values.find("median"));
  add("std_dev", own_noise(unit), values.find("std_dev"));
  const Value percentiles = values.find("percentiles");
  for (const std::string_view name : {"p90", "p95", "p99"}) {
    if (percentiles.is_object()) add(name, lower_is_better(unit), percentiles.find(name));
  }
}

// The first of these paths that is there.
Value first_of(const Value& object, std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths) {
    if (const Value value = object.at_path(path); value && !value.is_null()) return value;
  }
  return {};
}

// Prompts count when they arrive. Where all arrive at once, their tokens over that moment are millions a second, whatever the
// server does: far more than the requests of the whole run bring.
bool is_rate_of_arrival(const Value& metrics) {
  const auto mean = [&](std::string_view name) {
    const Value of_requests = metrics.find(name);
    const Value successful = of_requests ? of_requests.find("successful") : Value();
    return successful ? successful.find_number("mean").value_or(0) : 0;
  };
  constexpr double kFar = 10;
  const double over_run = mean("requests_per_second") * mean("prompt_token_count");
  return over_run > 0 && mean("prompt_tokens_per_second") > kFar * over_run;
}

}  // namespace

core::Status read_guidellm(const json::Value& root, RowWriter& writer) {
  const Value benchmarks = root.find("benchmarks");
  if (!benchmarks.is_array()) {
    return core::fail(kOtherStructure, "no \"benchmarks\" array: this is not GuideLLM's JSON",
                      "guidellm benchmark --output-path FILE.json writes it");
  }
  DeclaredRows rows(writer, "guidellm");
  if (const Value version = first_of(root, {"metadata.guidellm_version"})) rows.context("stack.guidellm", version.text());
  std::size_t step = 0;
  for (const Value& benchmark : benchmarks.elements()) {
    if (writer.halted()) break;
    ++step;
    const Value strategy = first_of(benchmark, {"config.strategy", "args.strategy"});
    const Value profile = first_of(benchmark, {"config.profile.kind", "config.profile.type_", "args.profile.type_"});
    const std::string kind(strategy ? strategy.find_string("type_") : "unknown");
    const auto setting = [&](std::string_view name) {
      const Value value = strategy ? strategy.find(name) : Value();
      return value.is_number() ? core::number_text(value.number()) : std::string();
    };
    // At a rate, or at the times of a recorded trace.
    const bool paced = !setting("rate").empty() || kind == "constant" || kind == "poisson" || kind == "async" ||
                       kind.find("trace") != std::string::npos || kind.find("replay") != std::string::npos;
    const std::string rate = paced ? setting("rate") : std::string();
    std::string streams = paced ? std::string() : setting("streams");
    if (!paced && streams.empty()) streams = setting("max_concurrency");
    std::string point = "[strategy=" + kind;
    // A sweep finds its rates itself: they differ from run to run, their order does not.
    if (profile && profile.string() == "sweep") {
      point += ",step=" + std::to_string(step);
    } else {
      if (!rate.empty()) point += ",rate=" + rate;
      if (!streams.empty()) point += ",streams=" + streams;
    }
    point += "]";
    const std::uint32_t dims = rows.dims({{"strategy", kind}, {"rate", rate}, {"streams", streams}});
    if (const Value model = first_of(benchmark, {"config.backend.model", "worker.backend_model"})) {
      rows.context("identity.model", model.string());
    }
    const Value metrics = benchmark.find("metrics");
    if (!metrics.is_object()) continue;
    const std::size_t first = writer.out.rows().size();
    for (const auto [name, valid, groups] : metrics.members()) {
      if (name == "request_totals") continue;
      if (const Value successful = groups.find("successful"); successful.is_object()) {
        const bool no_result = name == "prompt_tokens_per_second" && is_rate_of_arrival(metrics);
        distribution(rows, point, name, dims, successful, paced || no_result);
      }
    }
    const Value totals = first_of(benchmark, {"metrics.request_totals", "run_stats.requests_made"});
    const auto total = [&](std::string_view name) { return totals ? totals.find_number(name) : std::nullopt; };
    if (const auto successful = total("successful")) {
      if (*successful == 0) rows.fail_from(first, "no request completed");
      rows.add(point, "successful", dims, for_context(), *successful);
    }
    reject_impossible_times(writer, first);
    if (const auto errored = total("errored")) rows.add(point, "errored", dims, gate(), *errored);
    if (const auto incomplete = total("incomplete")) rows.add(point, "incomplete", dims, for_context(), *incomplete);
  }
  writer.out.declared.headlines = {"*.time_to_first_token_ms.median", "*.inter_token_latency_ms.median"};
  return {};
}

extern const Format guidellm_format = {
    .name = "guidellm",
    .title = "GuideLLM, load test of language models",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::object, 0.96, {"benchmarks", "metadata/guidellm_version"}},
               {Sign::In::object, 0.96, {"benchmarks/type_", "benchmarks/run_stats"}},
               {Sign::In::object, 0.96, {"benchmarks/metrics/time_to_first_token_ms/successful"}}}},
    .read = read_document<read_guidellm>,
    .about =
        {.group = Group::serving,
         .file = "JSON",
         .produce = "guidellm benchmark run --target http://localhost:8000 --profile sweep \\\n"
                    "  --data 'prompt_tokens=256,output_tokens=128' --max-seconds 60 \\\n"
                    "  --outputs result.json  # older: --rate-type sweep --output-path result.json",
         .judged = "GuideLLM JSON, both schemas; keyed by strategy and rate, errors a gate; mean lengths of prompt and "
                   "answer, whose change is seen and called neither better nor worse",
         .key = "strategy, rate or streams; of a sweep its step",
         .trials = "one value a key",
         .context = "model, version",
         .limits =
             "percentiles of rates are per request and context; a fixed rate makes throughput context, and so does the rate of "
             "prompt tokens where all prompts arrived at once",
         .recognised = "`guidellm_version`, or `benchmarks` with `run_stats`"},
};

}  // namespace plumbline::formats
