// The benchmark report of llm-d (YAML or JSON): a container for the results of several load generators, every metric with its
// units and its statistics. Version 0.2 has them under results.request_performance.aggregate, version 0.1 under metrics; keys
// here are the same for both. What components observed of themselves is context, their failures are gates.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kMaxNodes = 1'000'000;
constexpr int kMaxDepth = 64;

// Looks at the text before a tree is made of it: depth, size, and aliases, which let a few lines stand for billions of nodes.
class Guard : public YAML::EventHandler {
 public:
  struct Refused {
    std::string message;
    YAML::Mark mark;
  };
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Refused{"more than one report in the file", mark};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { node(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{"an alias (*name), which reports do not have", mark};
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override { node(mark); }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override { open(mark); }
  void OnMapEnd() override { --depth_; }

 private:
  void open(const YAML::Mark& mark) {
    node(mark);
    if (++depth_ > kMaxDepth) throw Refused{"nested more than " + std::to_string(kMaxDepth) + " levels deep", mark};
  }
  void node(const YAML::Mark& mark) const {
    if (++nodes_ > kMaxNodes) throw Refused{"more than " + std::to_string(kMaxNodes) + " values", mark};
  }
  int documents_ = 0, depth_ = 0;
  mutable std::size_t nodes_ = 0;
};

core::Error error_at(const Input& input, std::string message, std::string hint, const YAML::Mark& mark) {
  core::Error error;
  error.code = core::ErrorCode::invalid_input;
  error.message = std::move(message);
  error.hint = std::move(hint);
  error.where = input.name;
  if (mark.line >= 0) error.where += ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
  return error;
}

// yaml-cpp throws; nothing leaves this function that way.
core::Expected<YAML::Node> load(const Input& input) {
  if (input.bytes.size() > kMaxBytes) {
    return core::fail(core::ErrorCode::limit_exceeded, "the report has more than 16 MiB", "leave out its time series",
                      input.name);
  }
  try {
    std::istringstream text{std::string(input.bytes)};
    YAML::Parser parser(text);
    Guard guard;
    while (parser.HandleNextDocument(guard)) {
    }
    return YAML::Load(std::string(input.bytes));
  } catch (const Guard::Refused& refused) {
    return core::fail(error_at(input, refused.message, "a report is one document of plain mappings and lists", refused.mark));
  } catch (const YAML::Exception& problem) {
    return core::fail(
        error_at(input, "not valid YAML: " + problem.msg, "the file may have been cut off: copy it again", problem.mark));
  }
}

// A member, or a node that is not defined (but may be asked, unlike what yaml-cpp gives for a missing key).
YAML::Node member(const YAML::Node& node, const char* name) {
  if (node.IsDefined() && node.IsMap()) {
    if (const YAML::Node found = node[name]; found.IsDefined()) return found;
  }
  return YAML::Node(YAML::NodeType::Undefined);
}
YAML::Node walk(const YAML::Node& node, const char* const* from, const char* const* to) {
  return from == to ? node : walk(member(node, *from), from + 1, to);
}
YAML::Node at(const YAML::Node& node, std::initializer_list<const char*> path) { return walk(node, path.begin(), path.end()); }
std::string text_of(const YAML::Node& node) { return node.IsDefined() && node.IsScalar() ? node.Scalar() : std::string(); }
std::string text_at(const YAML::Node& node, std::initializer_list<const char*> path) { return text_of(at(node, path)); }

// ".inf", ".nan" and numbers as YAML writes them.
std::optional<Leaf> number_of(const YAML::Node& node) {
  if (!node.IsScalar()) return std::nullopt;
  const std::string& text = node.Scalar();
  if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan" || text == ".NaN" || text == ".Inf") {
    return Leaf{core::ValueState::not_finite, 0, false, text};
  }
  if (const auto leaf = cell(text); leaf && leaf->state != core::ValueState::null) {
    Leaf own = *leaf;
    if (own.state == core::ValueState::not_finite) own.text = text;
    return own;
  }
  return std::nullopt;
}

bool is_metric(const YAML::Node& node) { return node.IsMap() && !text_at(node, {"units"}).empty(); }

// What kind of figures stand below a part of the report.
enum class Kind : std::uint8_t { latency, throughput, lengths, context };

class Report {
 public:
  Report(const Input& input, const ReadOptions& options) : input_(input), writer_(options), rows_(writer_, "llm-d-report") {}

  core::Expected<core::Measurement> read(const YAML::Node& root) {
    const YAML::Node v02 = at(root, {"results", "request_performance", "aggregate"}), v01 = member(root, "metrics");
    const YAML::Node aggregate = v02.IsDefined() ? v02 : v01;
    if (!aggregate.IsDefined() || !aggregate.IsMap()) {
      return core::fail(core::ErrorCode::invalid_input,
                        "neither results.request_performance.aggregate nor metrics is there: the report holds no results",
                        "versions 0.1 and 0.2 of the report are read; the file may have been cut off", input_.name);
    }
    writer_.out.format.version = text_at(root, {"version"});
    context(member(root, "scenario"));
    const bool paced = is_paced(root);
    const std::size_t first = writer_.out.rows().size();
    requests(member(aggregate, "requests"));
    part(member(aggregate, "latency"), "latency", Kind::latency);
    part(member(aggregate, "throughput"), "throughput", paced ? Kind::context : Kind::throughput);
    if (!failed_.empty()) rows_.fail_from(first, failed_);
    if (v02.IsDefined()) {
      others(member(root, "results"));
    } else {
      for (const char* name : {"resources", "time"}) part(member(aggregate, name), name, Kind::context);
    }
    if (skipped_ > 0) {
      writer_.out.warn("series_left_out", core::counted(skipped_, "time series", "time series") +
                                              " left out: values over time of one run are no trials, their summary is read");
    }
    if (!input_.bytes.ends_with('\n') && !json_head(input_).starts_with("{")) {
      writer_.out.warn("run_incomplete",
                       "1 run has no end: the file does not end with a line feed, so its last value may be cut off");
    }
    headlines(paced);
    return writer_.finish(input_.name);
  }

 private:
  static bool is_rate(const std::string& text) {
    const auto rate = core::parse_double(text);
    return rate && std::isfinite(*rate) && *rate > 0;
  }

  // What the load generator was told, in its own words: vLLM's request_rate, AIPerf's loadgen, GuideLLM's profile, the stages of
  // inference-perf.
  static bool is_paced_by(const YAML::Node& arguments) {
    if (is_rate(text_at(arguments, {"request_rate"})) || is_rate(text_at(arguments, {"loadgen", "request_rate"}))) return true;
    for (const char* profile : {"constant", "poisson", "async"}) {
      if (text_at(arguments, {"profile"}) == profile || text_at(arguments, {"rate_type"}) == profile) return true;
    }
    const YAML::Node stages = at(arguments, {"load", "stages"});
    for (std::size_t i = 0; stages.IsDefined() && stages.IsSequence() && i < stages.size(); ++i) {
      if (is_rate(text_at(stages[i], {"rate"}))) return true;
    }
    return false;
  }

  // At a given rate of requests the throughput is the offered load.
  static bool is_paced(const YAML::Node& root) {
    const YAML::Node load = at(root, {"scenario", "load"});
    return is_rate(text_at(load, {"standardized", "rate_qps"})) || is_paced_by(at(load, {"args"})) ||
           is_paced_by(at(load, {"native", "args"}));
  }

  void context(const YAML::Node& scenario) {
    const auto note = [&](std::string_view key, const std::string& text) {
      if (text != "null" && text != "~") rows_.context(key, text == ".inf" ? "inf" : text);
    };
    // Version 0.2: the engine among the components; of several the first that is no prefill.
    YAML::Node engine(YAML::NodeType::Undefined);
    const YAML::Node stack = member(scenario, "stack");
    for (std::size_t i = 0; stack.IsDefined() && stack.IsSequence() && i < stack.size(); ++i) {
      const YAML::Node one = member(stack[i], "standardized");
      if (text_at(one, {"kind"}) != "inference_engine") continue;
      if (!engine.IsDefined() || text_at(engine, {"role"}) == "prefill") engine.reset(one);
    }
    YAML::Node accelerator = at(engine, {"accelerator"});
    if (engine.IsDefined()) {
      note("serving.engine", text_at(engine, {"tool"}));
      note("stack.engine_version", text_at(engine, {"tool_version"}));
      note("serving.replicas", text_at(engine, {"replicas"}));
      note("identity.model", text_at(engine, {"model", "name"}));
    }
    const YAML::Node load = at(scenario, {"load", "standardized"});
    note("workload.generator", text_at(load, {"tool"}));
    note("workload.stage", text_at(load, {"stage"}));
    note("workload.isl", text_at(load, {"input_seq_len", "value"}));
    note("workload.osl", text_at(load, {"output_seq_len", "value"}));
    note("workload.request_rate", text_at(load, {"rate_qps"}));
    note("workload.concurrency", text_at(load, {"concurrency"}));
    // Version 0.1.
    note("identity.model", text_at(scenario, {"model", "name"}));
    note("workload.generator", text_at(scenario, {"load", "name"}));
    const YAML::Node arguments = at(scenario, {"load", "args"});
    note("workload.request_rate", text_at(arguments, {"request_rate"}));
    note("workload.concurrency", text_at(arguments, {"max_concurrency"}));
    note("workload.num_prompts", text_at(arguments, {"num_prompts"}));
    const YAML::Node hosts = at(scenario, {"host", "accelerator"}), engines = at(scenario, {"platform", "engine"});
    if (hosts.IsDefined() && hosts.IsSequence() && hosts.size() > 0) accelerator.reset(hosts[0]);
    if (engines.IsDefined() && engines.IsSequence() && engines.size() > 0) note("serving.engine", text_at(engines[0], {"name"}));
    if (!accelerator.IsDefined()) return;
    note("hardware.gpu", text_at(accelerator, {"model"}));
    note("hardware.gpu_count", text_at(accelerator, {"count"}));
    for (const char* way : {"tp", "pp", "dp", "ep"}) {
      note("parallelism." + std::string(way), text_at(accelerator, {"parallelism", way}));
    }
  }

  void requests(const YAML::Node& requests) {
    if (!requests.IsDefined() || !requests.IsMap()) return;
    std::optional<double> total, failures;
    for (const auto& entry : requests) {
      const std::string name = text_of(entry.first);
      if (is_metric(entry.second)) {
        metric("requests." + name, entry.second, Kind::lengths);
      } else if (const auto leaf = number_of(entry.second)) {
        rows_.add("requests", name, 0, name == "failures" || name == "incomplete" ? gate() : for_context(), *leaf);
        if (name == "total" && leaf->has_value) total = leaf->value;
        if (name == "failures" && leaf->has_value) failures = leaf->value;
      } else {  // what the requests carried: images, video, audio
        part(entry.second, "requests." + name, Kind::lengths);
      }
    }
    if (total && *total == 0) failed_ = "no request was sent";
    if (total && failures && *failures > 0 && *failures >= *total) failed_ = "every request failed";
  }

  // Whatever stands below: metrics by their units, other numbers as context, lists by the name of their elements.
  void part(const YAML::Node& node, const std::string& path, Kind kind) {
    if (!node.IsDefined() || writer_.halted()) return;
    if (is_metric(node)) {
      metric(path, node, kind);
    } else if (node.IsMap()) {
      for (const auto& entry : node) {
        const std::string name = text_of(entry.first);
        if (name == "series" || name == "time_series") {
          skipped_ += entry.second.size();
        } else if (entry.second.IsScalar()) {
          scalar(path, name, entry.second, kind);
        } else {
          part(entry.second, path + "." + name, kind);
        }
      }
    } else if (node.IsSequence()) {
      for (std::size_t i = 0; i < node.size(); ++i) {
        std::string label;
        for (const char* name : {"component_label", "component_id", "replica_id", "name", "pod"}) {
          if (label.empty()) label = text_at(node[i], {name});
        }
        part(node[i], path + "." + (label.empty() ? std::to_string(i) : label), kind);
      }
    }
  }

  // Rates that version 0.1 has as plain numbers, under the names of version 0.2.
  bool rate(const std::string& path, const std::string& name, const Leaf& leaf, Kind kind) {
    constexpr std::pair<std::string_view, std::string_view> kRates[] = {{"input_tokens_per_sec", "input_token_rate"},
                                                                        {"output_tokens_per_sec", "output_token_rate"},
                                                                        {"total_tokens_per_sec", "total_token_rate"},
                                                                        {"requests_per_sec", "request_rate"}};
    for (const auto& [old_name, new_name] : kRates) {
      if (path != "throughput" || name != old_name) continue;
      const std::string_view unit = new_name == "request_rate" ? "queries/s" : "tokens/s";
      rows_.add(path + "." + std::string(new_name), "mean", 0,
                kind == Kind::throughput ? higher_is_better(unit) : for_context(unit), leaf);
      return true;
    }
    return false;
  }

  void scalar(const std::string& path, const std::string& name, const YAML::Node& node, Kind kind) {
    const auto leaf = number_of(node);
    if (!leaf || rate(path, name, *leaf, kind)) return;  // texts: names, places, times of day
    const bool failures = name == "failed" || name == "failed_replicas" || name == "total_restarts";
    rows_.add(path, name, 0, failures ? gate() : for_context(), *leaf);
  }

  void metric(const std::string& path, const YAML::Node& node, Kind kind) {
    const std::string unit = text_at(node, {"units"});
    for (const auto& entry : node) {
      const std::string statistic = core::to_lower(text_of(entry.first));
      if (statistic == "series" || statistic == "time_series") {
        skipped_ += 1;
        continue;
      }
      const auto leaf = entry.second.IsScalar() ? number_of(entry.second) : std::nullopt;
      if (statistic == "units" || !leaf) continue;
      const bool middle = statistic == "mean" || statistic == "p50" || statistic == "median";
      const bool tail = statistic == "p90" || statistic == "p95" || statistic == "p99" || statistic == "p99p9";
      Declared declared = for_context(unit);
      if (statistic == "stddev" || statistic == "std") declared = own_noise(unit);
      if (kind == Kind::latency && (middle || tail)) declared = lower_is_better(unit);
      if (kind == Kind::throughput && statistic == "mean") declared = higher_is_better(unit);
      rows_.add(path, statistic, 0, declared, *leaf);
    }
  }

  // Version 0.2: what else was observed.
  void others(const YAML::Node& results) {
    for (const auto& entry : results) {
      const std::string name = text_of(entry.first);
      if (name == "request_performance") {
        if (const YAML::Node series = member(entry.second, "time_series"); series.IsDefined()) ++skipped_;
      } else if (name == "session_performance") {
        sessions(entry.second);
      } else {
        part(entry.second, name, Kind::context);
      }
    }
  }

  void sessions(const YAML::Node& node) {
    const YAML::Node sessions = member(node, "sessions");
    if (!sessions.IsDefined() || !sessions.IsMap()) return part(node, "session_performance", Kind::context);
    for (const auto& entry : sessions) {
      const std::string name = text_of(entry.first);
      const Kind kind = name == "session_duration" ? Kind::latency : Kind::context;
      if (entry.second.IsScalar()) {
        scalar("sessions", name, entry.second, kind);
      } else {
        part(entry.second, "sessions." + name, kind);
      }
    }
  }

  void headlines(bool paced) {
    for (const std::string_view wanted : {"latency.time_to_first_token.p50", "latency.time_to_first_token.mean"}) {
      if (writer_.out.declared.headlines.empty() && has(wanted)) writer_.out.declared.headlines.emplace_back(wanted);
    }
    if (!paced && has("throughput.output_token_rate.mean")) {
      writer_.out.declared.headlines.emplace_back("throughput.output_token_rate.mean");
    }
  }
  [[nodiscard]] bool has(std::string_view key) const {
    return std::any_of(writer_.out.rows().begin(), writer_.out.rows().end(),
                       [&](const core::Row& row) { return writer_.out.key(row) == key; });
  }

  const Input& input_;
  RowWriter writer_;
  DeclaredRows rows_;
  std::string_view failed_;
  std::size_t skipped_ = 0;
};

}  // namespace

Detection detect_llmd_report(const Input& input) {
  Detection detection;
  if (input.is_directory) return detection;
  if (has_keys(input, {"version", "scenario", "results/request_performance"}, detection) ||
      has_keys(input, {"version", "scenario", "metrics/latency/time_to_first_token"}, detection)) {
    detection.score = 0.96;
    return detection;
  }
  if (json_head(input).starts_with("{")) return detection;
  // The scenario comes first and may hold whole configurations.
  const std::string_view head = input.bytes.substr(0, std::size_t{1024} * 1024);
  const auto has = [&](std::string_view word) {
    return head.find("\n" + std::string(word) + ":") != std::string_view::npos || head.starts_with(std::string(word) + ":");
  };
  if (!has("version") || !has("scenario")) return detection;
  const bool v02 = has("results") && head.find("request_performance") != std::string_view::npos;
  const bool v01 = has("metrics") && head.find("time_to_first_token") != std::string_view::npos &&
                   head.find("units") != std::string_view::npos;
  if (!v02 && !v01) return detection;
  detection.score = 0.96;
  detection.evidence.emplace_back(v02 ? "has version, scenario and results with request_performance"
                                      : "has version, scenario and metrics with units");
  return detection;
}

core::Expected<core::Measurement> read_llmd_report(const Input& input, const ReadOptions& options) {
  auto root = load(input);
  if (!root) return core::fail(root.error());
  try {
    return Report(input, options).read(*root);
  } catch (const YAML::Exception& problem) {
    return core::fail(error_at(input, "not a report: " + problem.msg, {}, problem.mark));
  }
}

extern const Format llmd_report_format = {
    .name = "llm-d-report",
    .title = "llm-d benchmark report",
    .replication = core::Replication::run,
    .detect = detect_llmd_report,
    .read = read_llmd_report,
    .about = {.group = Group::serving,
              .file = "YAML",
              .produce = "./run.sh --harness guidellm --workload PROFILE  # of llm-d-benchmark",
              .judged =
                  "mean, median and tails of latencies (the file's unit, lower), mean throughput (higher; context when paced by "
                  "a rate); failed requests, sessions and replicas are gates",
              .key = "part of the report, metric and statistic, the same in both versions",
              .trials = "one value a key",
              .context = "engine, version, replicas, model, accelerator, parallelism, load generator, lengths, rate, concurrency",
              .limits =
                  "what components observed is context; time series are left out and counted; arguments and environments are "
                  "never read; no aliases, 64 levels, 16 MiB",
              .recognised = "`version` and `scenario` with `results.request_performance` (0.2) or `metrics` (0.1)"},
};

}  // namespace plumbline::formats
