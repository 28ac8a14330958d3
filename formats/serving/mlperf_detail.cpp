// MLPerf inference: mlperf_log_detail.txt of LoadGen, a JSON object a line behind ":::MLLOG". Its results have the names that the
// summary's have here, so either file of a run may be compared with the other of the next. A run that LoadGen calls INVALID is no
// measurement, whatever it printed.
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr std::string_view kMark = ":::MLLOG ";

struct Known {
  std::string_view key;
  ToolMetric metric;
};
constexpr Known kKnown[] = {
    {"result_samples_per_second", tool_metric("samples_per_second", "samples/s", Direction::higher)},
    {"result_tokens_per_second", tool_metric("tokens_per_second", "tok/s", Direction::higher)},
    {"result_completed_samples_per_sec", tool_metric("completed_samples_per_second", "samples/s", Direction::higher)},
    {"result_completed_tokens_per_second", tool_metric("completed_tokens_per_second", "tok/s", Direction::higher)},
    {"result_scheduled_samples_per_sec",
     tool_metric("scheduled_samples_per_second", "samples/s", Direction::unknown, Role::context)},
    {"result_scheduled_tokens_per_second",
     tool_metric("scheduled_tokens_per_second", "tok/s", Direction::unknown, Role::context)},
    {"result_qps_with_loadgen_overhead", tool_metric("qps_with_overhead", "queries/s", Direction::higher)},
    {"result_qps_without_loadgen_overhead", tool_metric("qps_without_overhead", "queries/s", Direction::unknown, Role::context)},
    {"result_query_count", tool_metric("query_count", "", Direction::unknown, Role::context)},
    {"result_overlatency_query_count", tool_metric("overlatency_query_count", "", Direction::unknown, Role::context)},
};
constexpr ToolMetric check(std::string_view name) { return {{name}, {"", Direction::higher, Role::gate, true}}; }
constexpr ToolMetric kValid = check("valid");
constexpr Known kChecks[] = {{"result_perf_constraints_met", check("performance_constraints")},
                             {"result_min_duration_met", check("min_duration")},
                             {"result_min_queries_met", check("min_queries")},
                             {"early_stopping_met", check("early_stopping")}};
constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
    {"loadgen_version", "stack.loadgen"},
    {"sut_name", "identity.sut"},
    {"effective_samples_per_query", "workload.samples_per_query"},
    {"effective_server_target_qps", "workload.target_qps"},
    {"effective_target_qps", "workload.target_qps"},
    {"effective_min_duration_ms", "workload.min_duration_ms"},
    {"effective_min_query_count", "workload.min_query_count"}};

// "result_99.00_percentile_latency_ns" is "latency.p99", "result_mean_latency_ns" "latency.mean"; "" for all else.
std::string latency_name(std::string_view key) {
  constexpr std::string_view kResult = "result_", kNs = "_latency_ns";
  if (!key.starts_with(kResult) || !key.ends_with(kNs)) return {};
  std::string_view what = key.substr(kResult.size(), key.size() - kResult.size() - kNs.size());
  constexpr std::string_view kFirst = "first_token_", kPerQuery = "_per_query", kPercentile = "_percentile";
  std::string name = "latency.";
  if (what.starts_with(kFirst)) {
    what.remove_prefix(kFirst.size());
    name = "ttft.";
  }
  if (what.ends_with(kPerQuery)) what.remove_suffix(kPerQuery.size());
  if (what == "mean" || what == "min" || what == "max") return name.append(what);
  if (!what.ends_with(kPercentile)) return {};
  const auto percent = core::parse_double(what.substr(0, what.size() - kPercentile.size()));
  return percent ? name + "p" + core::number_text(*percent) : std::string();
}

class Detail {
 public:
  Detail(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "LoadGen") {}

  core::Expected<core::Measurement> read() {
    for (const std::string_view line : core::split(input_.bytes, '\n')) {
      if (rows_.halted()) break;
      const std::size_t at = line.find(kMark);
      // Lists of samples are most of the file.
      if (at != std::string_view::npos && is_wanted(line.substr(at, 100))) event(line.substr(at + kMark.size()));
    }
    if (validity_.empty()) {
      return core::fail(rows_.error("the detailed log of LoadGen ends before its results: it has no result_validity",
                                    "the run was stopped, or the copy is incomplete"));
    }
    rows_.point("",
                {{"scenario", scenario_}, {"mode", mode_ == "PerformanceOnly" ? std::string_view() : std::string_view(mode_)}});
    const bool valid = validity_ == "VALID";
    rows_.add(kValid, valid ? 1.0 : 0.0);
    for (const Fact& fact : facts_) {
      const bool judged = fact.metric->role == Role::judged;
      if (valid || !judged) {
        rows_.add(*fact.metric, fact.value);
      } else {
        rows_.add(*fact.metric, failed_value("LoadGen calls the run INVALID"));
      }
    }
    headline();
    return rows_.finish();
  }

 private:
  struct Fact {
    const ToolMetric* metric;
    double value;
  };
  static bool is_wanted(std::string_view head) {
    for (const std::string_view part :
         {"\"result_", "\"early_stopping_met", "scenario\"", "test_mode\"", "\"loadgen_version", "\"sut_name", "\"effective_"}) {
      if (head.find(part) != std::string_view::npos) return true;
    }
    return false;
  }
  void event(std::string_view text) {
    const auto document = json::parse(core::trim(text), input_.name);
    if (!document) return;
    const std::string_view key = document->root().find_string("key");
    const json::Value value = document->root().find("value");
    if (!value || value.is_container()) return;
    if (key == "result_validity") validity_ = value.text();
    if (key == "effective_scenario" || (key == "requested_scenario" && scenario_.empty())) scenario_ = value.text();
    if (key == "effective_test_mode" || (key == "requested_test_mode" && mode_.empty())) mode_ = value.text();
    for (const auto& [setting, context] : kSettings) {
      if (key == setting) rows_.note(context, value.text());
    }
    for (const Known& one : kChecks) {
      if (key == one.key) facts_.push_back({&one.metric, value.text() == "true" ? 1.0 : 0.0});
    }
    if (!value.is_number()) return;
    for (const Known& one : kKnown) {
      if (key == one.key) facts_.push_back({&one.metric, value.number()});
    }
    if (std::string name = latency_name(key); !name.empty()) {
      // Offline, all queries come at once: how long they took says the same as the rate.
      const bool judged = scenario_ != "Offline" && !name.ends_with("min") && !name.ends_with("max");
      const std::string& kept = names_.emplace_back(std::move(name));
      facts_.push_back({&latencies_.emplace_back(judged ? tool_metric(kept, "ns", Direction::lower)
                                                        : tool_metric(kept, "ns", Direction::unknown, Role::context)),
                        value.number()});
    }
  }
  void headline() {
    const std::string_view wanted = scenario_ == "SingleStream"  ? "latency.p90"
                                    : scenario_ == "MultiStream" ? "latency.p99"
                                    : scenario_ == "Offline"     ? "samples_per_second"
                                                                 : "completed_samples_per_second";
    for (const Fact& fact : facts_) {
      if (fact.metric->name == wanted) rows_.headline(rows_.key(wanted));
    }
  }

  const Input& input_;
  ToolRows rows_;
  std::deque<std::string> names_;
  std::deque<ToolMetric> latencies_;  // stay where they are, as the rows need
  std::vector<Fact> facts_;
  std::string scenario_, mode_, validity_;
};

}  // namespace

extern const Format mlperf_detail_format = {
    .name = "mlperf-detail",
    .title = "MLPerf inference: detailed log of LoadGen",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::head, 0.97, {kMark, "\"loadgen_version\""}}}},
    .read = read_with<Detail>,
    .about = {.group = Group::serving,
              .file = "text",
              .produce = "# every run with LoadGen writes mlperf_log_detail.txt",
              .judged = "samples/s and tok/s (higher), mean and percentiles of latency in ns (lower); `result_validity` and the "
                        "constraints are gates",
              .key = "as in the summary: scenario, and mode where it is not performance: `[scenario=Server].latency.p99`",
              .trials = "one value a key",
              .context = "version of LoadGen, system under test, target rate, durations and counts",
              .limits = "figures of a run that is INVALID are failed; scheduled rates are offered load; Offline latencies say "
                        "the same as the rate; what is logged of single samples is left out",
              .recognised = "`:::MLLOG` lines with `loadgen_version`"},
};

}  // namespace plumbline::formats
