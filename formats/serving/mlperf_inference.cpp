// MLPerf inference: mlperf_log_summary.txt of LoadGen. The scenario says which figure is the result: samples or tokens per second
// where the load is offered at once or by schedule, a percentile of latency where one query follows another. Latencies are
// nanoseconds. A run that LoadGen calls INVALID is no measurement, whatever it printed.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "formats/declared_rows.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr std::string_view kBanner = "MLPerf Results Summary";

constexpr ToolMetric kValid{"valid", "", Direction::higher, Role::gate, true};
constexpr ToolMetric kErrors{"errors", "", Direction::lower, Role::gate, true};
constexpr ToolMetric kWarnings{"warnings", "", Direction::unknown, Role::context, true};

// Figures with a name of their own. Scheduled rates are the offered load.
struct Figure {
  std::string_view label;
  ToolMetric metric;
};
constexpr Figure kFigures[] = {
    {"Samples per second", {"samples_per_second", "samples/s", Direction::higher}},
    {"Tokens per second", {"tokens_per_second", "tok/s", Direction::higher}},
    {"Completed samples per second", {"completed_samples_per_second", "samples/s", Direction::higher}},
    {"Completed tokens per second", {"completed_tokens_per_second", "tok/s", Direction::higher}},
    {"Scheduled samples per second", {"scheduled_samples_per_second", "samples/s", Direction::unknown, Role::context}},
    {"Scheduled tokens per second", {"scheduled_tokens_per_second", "tok/s", Direction::unknown, Role::context}},
    {"Tokens per second (inferred)", {"tokens_per_second_inferred", "tok/s", Direction::unknown, Role::context}},
    {"QPS w/ loadgen overhead", {"qps_with_overhead", "queries/s", Direction::higher}},
    {"QPS w/o loadgen overhead", {"qps_without_overhead", "queries/s", Direction::unknown, Role::context}},
    {"TPS w/ loadgen overhead", {"tps_with_overhead", "tok/s", Direction::higher}},
    {"TPS w/o loadgen overhead", {"tps_without_overhead", "tok/s", Direction::unknown, Role::context}},
    {"Samples per query", {"samples_per_query", "", Direction::unknown, Role::context, true}}};

// Checks that are printed as "Yes" or "NO"; one that LoadGen was told not to make is "Skipped".
constexpr std::pair<std::string_view, ToolMetric> kChecks[] = {
    {"Performance constraints satisfied", {"performance_constraints", "", Direction::higher, Role::gate, true}},
    {"Min duration satisfied", {"min_duration", "", Direction::higher, Role::gate, true}},
    {"Min queries satisfied", {"min_queries", "", Direction::higher, Role::gate, true}},
    {"Early stopping satisfied", {"early_stopping", "", Direction::higher, Role::gate, true}}};

constexpr ToolMetric kSkipped{"checks_skipped", "", Direction::unknown, Role::context, true};

// Checks that are printed as a paragraph of their own.
constexpr std::pair<std::string_view, ToolMetric> kEarlyStopping[] = {
    {"TTFT Early Stopping Result", {"ttft_early_stopping", "", Direction::higher, Role::gate, true}},
    {"TPOT Early Stopping Result", {"tpot_early_stopping", "", Direction::higher, Role::gate, true}},
    {"Early Stopping Result", {"early_stopping_result", "", Direction::higher, Role::gate, true}}};

// Settings that change what is measured. Seeds say nothing of speed, and runs that differ in them are trials of each other.
constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
    {"samples_per_query", "workload.samples_per_query"},   {"target_qps", "workload.target_qps"},
    {"target_latency (ns)", "workload.target_latency_ns"}, {"ttft_latency (ns)", "workload.ttft_limit_ns"},
    {"tpot_latency (ns)", "workload.tpot_limit_ns"},       {"max_async_queries", "workload.max_async_queries"},
    {"min_duration (ms)", "workload.min_duration_ms"},     {"max_duration (ms)", "workload.max_duration_ms"},
    {"min_query_count", "workload.min_query_count"},       {"max_query_count", "workload.max_query_count"},
    {"performance_sample_count", "workload.samples"}};

// The metrics of latencies are made from their labels, once each, and live as long as the rows need them.
class LatencyMetrics {
 public:
  // "90.00 percentile first token latency (ns)", "Mean latency (ns)", "90th percentile latency (ns)"; null for anything else.
  const ToolMetric* find(std::string_view label, bool judged) {
    constexpr std::string_view kNs = " (ns)";
    const std::string lower = core::to_lower(label);
    if (!lower.ends_with(kNs)) return nullptr;
    std::string_view what = std::string_view(lower).substr(0, lower.size() - kNs.size());
    const std::size_t blank = what.find(' ');
    if (blank == std::string_view::npos) return nullptr;
    std::string_view statistic = what.substr(0, blank);
    what.remove_prefix(blank + 1);
    std::string name;
    constexpr std::string_view kPercentile = "percentile ";
    // The result of a single stream of tokens: "90th first token percentile latency (ns)".
    if (what == "first token percentile latency") what = "percentile first token latency";
    if (what.starts_with(kPercentile)) {
      what.remove_prefix(kPercentile.size());
      while (!statistic.empty() && (statistic.back() < '0' || statistic.back() > '9')) statistic.remove_suffix(1);
      const auto value = core::parse_double(statistic);
      if (!value) return nullptr;
      name = "p" + core::number_text(*value);
    } else if (statistic == "mean" || statistic == "min" || statistic == "max") {
      name = statistic;
    } else {
      return nullptr;
    }
    const std::string_view subject = what == "latency" || what == "per-query latency" ? "latency"
                                     : what == "first token latency"                  ? "ttft"
                                     : what == "time to output token"                 ? "tpot"
                                                                                      : std::string_view();
    if (subject.empty()) return nullptr;
    const bool best_or_worst = name == "min" || name == "max";
    std::string key = std::string(subject) + "." + name;
    auto& metric = metrics_[key + (judged ? "" : " ")];
    if (metric.name.empty()) {
      const std::string& kept = names_.emplace_back(std::move(key));
      metric = judged && !best_or_worst ? ToolMetric{kept, "ns", Direction::lower}
                                        : ToolMetric{kept, "ns", Direction::unknown, Role::context};
    }
    return &metric;
  }

 private:
  std::map<std::string, ToolMetric> metrics_;  // addresses stay
  std::deque<std::string> names_;
};

struct Fact {
  const ToolMetric* metric;
  std::string_view text;
  bool figure;  // what an invalid run must not be believed
};

class Summary {
 public:
  Summary(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "mlperf-inference") {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (!rows_.halted() && lines.next(line)) {
      if (line.find(kBanner) != std::string_view::npos) {
        close();
        open_ = true;
        ++summaries_;
      } else if (open_) {
        take(core::trim(line));
      }
    }
    if (summaries_ == 0) {
      return core::fail(core::ErrorCode::invalid_input, "no results summary in it",
                        "LoadGen writes mlperf_log_summary.txt, which starts with " + std::string(kBanner), input_.name);
    }
    close();
    return rows_.finish();
  }

 private:
  static std::pair<std::string_view, std::string_view> halves(std::string_view line) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) return {line, {}};
    return {core::trim(line.substr(0, colon)), core::trim(line.substr(colon + 1))};
  }

  void take(std::string_view line) {
    if (line.starts_with('*')) {
      early_stopping(core::trim(line.substr(1)));
      return;
    }
    const auto [label, value] = halves(line);
    if (label == "Test Parameters Used") {
      parameters_ = true;
    } else if (label == "SUT name") {
      rows_.note("identity.sut", value);
    } else if (label == "Scenario") {
      scenario_ = value;
      rows_.note("workload.scenario", value);
    } else if (label == "Mode") {
      mode_ = value;
    } else if (label == "Result is") {
      result_ = value;
    } else if (const ToolMetric* count = counted_by(line); count != nullptr) {
      facts_.push_back({count, count_of(line), false});
    } else if (!value.empty() && parameters_) {
      for (const auto& [name, key] : kSettings) {
        if (label == name) rows_.note(key, value);
      }
    } else {
      paragraph_ = nullptr;
      for (const auto& [name, metric] : kEarlyStopping) {
        if (label == name && paragraph_ == nullptr) paragraph_ = &metric;
      }
      if (!value.empty()) figure(label, value);
    }
  }

  // "No errors encountered during test.", "1 ERROR encountered. See detailed log.", "2 warnings encountered. See detailed log."
  static const ToolMetric* counted_by(std::string_view line) {
    const std::string lower = core::to_lower(line);
    const std::string_view count = count_of(line);
    if (lower.find(" encountered") == std::string::npos || count.empty() || !core::parse_int(count)) return nullptr;
    const std::string_view rest = std::string_view(lower).substr(lower.find(' ') + 1);
    if (rest.starts_with("error")) return &kErrors;
    return rest.starts_with("warning") ? &kWarnings : nullptr;
  }
  static std::string_view count_of(std::string_view line) {
    return line.starts_with("No ") ? "0" : line.substr(0, line.find(' '));
  }

  void figure(std::string_view label, std::string_view value) {
    for (const auto& [name, metric] : kChecks) {
      if (label != name) continue;
      const bool skipped = core::to_lower(value) == "skipped";
      facts_.push_back({skipped ? &kSkipped : &metric, skipped || core::to_lower(value) == "yes" ? "1" : "0", false});
    }
    for (const Figure& one : kFigures) {
      // A summary repeats some figures among its statistics.
      if (label == one.label && said_.emplace(&one.metric, value).second) facts_.push_back({&one.metric, value, true});
    }
    // Offline, a query is the whole set: how long it took says the same as the rate.
    if (const ToolMetric* latency = latencies_.find(label, scenario_ != "Offline")) facts_.push_back({latency, value, true});
  }

  // " * Run successful.", " * Processed at least 64 queries (N).", " * Early stopping 90th percentile estimate: N"
  void early_stopping(std::string_view line) {
    if (paragraph_ == nullptr) return;
    if (line.starts_with("Run successful") || line.starts_with("Processed at least")) {
      facts_.push_back({paragraph_, "1", false});
    } else if (line.starts_with("Run unsuccessful") || line.starts_with("Only processed")) {
      facts_.push_back({paragraph_, "0", false});
    } else if (const auto [label, value] = halves(line); label.starts_with("Early stopping ") && label.ends_with(" estimate")) {
      static constexpr ToolMetric kP90{"early_stopping_estimate.p90", "ns", Direction::lower};
      static constexpr ToolMetric kP99{"early_stopping_estimate.p99", "ns", Direction::lower};
      if (label.find("90th") != std::string_view::npos) facts_.push_back({&kP90, value, true});
      if (label.find("99th") != std::string_view::npos) facts_.push_back({&kP99, value, true});
    }
  }

  // Rows of the summary that has ended.
  void close() {
    if (!open_) return;
    rows_.section();
    const bool performance = mode_.empty() || mode_ == "PerformanceOnly";
    rows_.point("", {{"scenario", scenario_}, {"mode", performance ? std::string_view() : mode_}});
    if (result_.empty()) {
      rows_.incomplete("the summary of " + std::string(scenario_.empty() ? "an unknown scenario" : scenario_) +
                       " has no line \"Result is\", so its figures are not known to be valid");
    }
    rows_.add(kValid, result_ == "VALID" ? 1.0 : 0.0);
    for (const Fact& fact : facts_) {
      const bool believed = !fact.figure || result_ == "VALID";
      const bool judged = fact.metric->role == Role::judged;
      if (believed || !judged) {
        if (!rows_.add(*fact.metric, fact.text)) rows_.add(*fact.metric, Leaf{core::ValueState::text, 0, false, fact.text});
      } else {
        rows_.add(*fact.metric, Leaf{core::ValueState::failed, 0, false,
                                     result_.empty() ? "the summary ends before its result" : "LoadGen calls the run INVALID"});
      }
    }
    headline();
    facts_.clear();
    said_.clear();
    scenario_ = mode_ = result_ = {};
    paragraph_ = nullptr;
    open_ = parameters_ = false;
  }

  // What the rules of the scenario look at; tokens where the benchmark counts them.
  void headline() {
    const auto first_of = [&](std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) {
        for (const Fact& fact : facts_) {
          if (fact.metric->name == name) return rows_.headline(rows_.key(name));
        }
      }
    };
    if (scenario_ == "Offline") first_of({"tokens_per_second", "samples_per_second"});
    if (scenario_ == "Server" || scenario_ == "Interactive") {
      first_of({"completed_tokens_per_second", "completed_samples_per_second"});
    }
    if (scenario_ == "SingleStream") first_of({"early_stopping_estimate.p90", "latency.p90"});
    if (scenario_ == "MultiStream") first_of({"early_stopping_estimate.p99", "latency.p99"});
  }

  const Input& input_;
  LatencyMetrics latencies_;
  ToolRows rows_;
  std::vector<Fact> facts_;
  std::set<std::pair<const ToolMetric*, std::string_view>> said_;  // figures among them
  std::string_view scenario_, mode_, result_;
  const ToolMetric* paragraph_ = nullptr;
  bool open_ = false, parameters_ = false;
  std::size_t summaries_ = 0;
};

}  // namespace

extern const Format mlperf_inference_format = {
    .name = "mlperf-inference",
    .title = "MLPerf inference: summary of LoadGen",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::head, 0.97, {kBanner, "Scenario"}}}},
    .read = read_with<Summary>,
    .about =
        {.group = Group::serving,
         .file = "text",
         .produce = "# every run with LoadGen writes mlperf_log_summary.txt",
         .judged =
             "samples/s and tok/s (higher), mean and percentiles of latency, TTFT and TPOT in ns (lower); `Result is : VALID`, "
             "constraints, early stopping and errors are gates",
         .key = "scenario, and mode where it is not performance; a later summary in the file is `section=2`",
         .trials = "one value a key",
         .context = "system under test, scenario, target rate, limits, durations, query and sample counts",
         .limits = "figures of a run that is INVALID or has no result are failed; scheduled rates are offered load; Offline "
                   "latencies say the same as the rate; seeds are left out",
         .recognised = "`MLPerf Results Summary` and `Scenario`"},
};

}  // namespace plumbline::formats
