// AIPerf's profile_export.jsonl: one line a request, {"metadata": {…}, "metrics": {name: {"value", "unit"}}, "error": …}. The
// requests of a metric are the in-process trials of one row; requests that failed have no metrics and are a gate.
#include <map>
#include <unordered_map>

#include "core/statistics.hpp"
#include "core/units.hpp"
#include "formats/readers.hpp"
#include "formats/serving/genai_metrics.hpp"
#include "formats/serving/impossible_times.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

struct Series {
  std::string_view name, unit;
  std::vector<double> values;
  std::size_t last_record = 0;  // counted from 1
  std::string_view failure;     // why nothing can be said of it
};

class Records {
 public:
  explicit Records(RowWriter& writer) : writer_(writer) {}

  void add(const Value& record) {
    ++record_;
    const Value metadata = record.find("metadata");
    std::string_view phase = metadata.find_string("benchmark_phase");
    if (phase.empty()) phase = metadata.find_string("credit_phase");
    if (!phase.empty() && phase != "profiling") {
      ++other_phases_;
      return;
    }
    const Value error = record.find("error");
    if (metadata.find("was_cancelled").boolean()) {
      ++cancelled_;
    } else if (error && !error.is_null()) {
      ++failed_;
    } else {
      ++completed_;
    }
    if (error && !error.is_null()) {
      const std::string_view type = error.is_string() ? error.string() : error.find_string("type");
      ++errors_[std::string(type.empty() ? "unknown" : type.substr(0, 100))];
    }
    for (const auto [name, valid, metric] : record.find("metrics").members()) take(name, metric);
  }

  core::Expected<core::Measurement> finish(const Input& input) {
    if (record_ == other_phases_) {
      return core::fail(core::ErrorCode::invalid_input,
                        "no request of the profiling phase: " + core::counted(other_phases_, "record") + " of other phases",
                        "the run may have been stopped while it warmed up", input.name);
    }
    DeclaredRows rows(writer_, "aiperf-records");
    rows.add({}, "completed_requests", 0, for_context(), static_cast<double>(completed_));
    rows.add({}, "failed_requests", 0, gate(), static_cast<double>(failed_));
    if (cancelled_ > 0) rows.add({}, "cancelled_requests", 0, for_context(), static_cast<double>(cancelled_));
    for (const auto& [type, count] : errors_) rows.add("errors", type, 0, for_context(), static_cast<double>(count));
    for (Series& series : series_) {
      if (writer_.halted()) break;
      const Declared declared = genai::metric_of(series.name, series.unit, false);
      if (series.failure.empty()) {
        rows.add({}, series.name, 0, declared, series.values);
        tails(rows, series, declared);
      } else {
        rows.add({}, series.name, 0, declared, Leaf{core::ValueState::failed, 0, false, series.failure});
      }
    }
    reject_impossible_times(writer_, 0);
    genai::lengths_to_context(rows);
    if (other_phases_ > 0) {
      writer_.out.warn("warm_up", core::counted(other_phases_, "request was", "requests were") +
                                      " not sent in the profiling phase and left out: warm-up is no result");
    }
    writer_.out.declared.headlines = {"time_to_first_token", "inter_token_latency", "request_latency"};
    return writer_.finish(input.name);
  }

 private:
  // The median of the requests does not see the slow ones: the mean does, and the tails, under the names of the summary.
  static void tails(DeclaredRows& rows, const Series& series, const Declared& declared) {
    if (declared.role != core::Role::judged || declared.direction == core::Direction::unknown || series.values.empty()) return;
    std::vector<double> sorted = series.values;
    std::sort(sorted.begin(), sorted.end());
    if (!std::isfinite(sorted.front()) || !std::isfinite(sorted.back())) return;
    rows.add(series.name, "avg", 0, declared, core::mean(sorted));
    if (declared.direction != core::Direction::lower) return;  // the best requests of a rate say nothing
    for (const auto& [name, share] : {std::pair<std::string_view, double>{"p90", 0.90}, {"p95", 0.95}, {"p99", 0.99}}) {
      const double at = share * static_cast<double>(sorted.size() - 1);
      const auto below = static_cast<std::size_t>(at);
      const double above = sorted[std::min(below + 1, sorted.size() - 1)];
      rows.add(series.name, name, 0, declared, sorted[below] + (at - static_cast<double>(below)) * (above - sorted[below]));
    }
  }

  void take(std::string_view printed, const Value& metric) {
    const std::string_view name = genai::name_of(printed);
    const Value value = metric.is_object() ? metric.find("value") : metric;
    const std::string_view unit = metric.is_object() ? metric.find_string("unit") : std::string_view();
    const auto [at, fresh] = index_.try_emplace(name, series_.size());
    if (fresh) series_.push_back({name, unit, {}, 0, {}});
    Series& series = series_[at->second];
    if (series.last_record == record_) {
      if (series.failure.empty()) writer_.find(Finding::duplicate_key, name);
      series.failure = "a request says it twice";
    }
    series.last_record = record_;
    double factor = 1;
    if (unit != series.unit) {
      const auto known = core::conversion_factor(unit, series.unit);
      if (!known) {
        if (series.failure.empty()) writer_.find(Finding::mixed_units, name);
        series.failure = "its units do not measure one thing";
        return;
      }
      factor = *known;
    }
    if (value.is_array()) {  // a value for each chunk of the answer
      for (const Value& one : value.elements()) number(series, one, factor);
    } else if (value) {
      number(series, value, factor);
    }
  }

  void number(Series& series, const Value& value, double factor) {
    if (value.is_number()) {
      series.values.push_back(value.number() * factor);
    } else if (value.is_null()) {
      writer_.find(Finding::nulls_in_trials, series.name);
    } else if (series.failure.empty()) {
      series.failure = "a request's value is no number";
    }
  }

  RowWriter& writer_;
  std::vector<Series> series_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::map<std::string, std::uint64_t> errors_;
  std::size_t record_ = 0, other_phases_ = 0;
  std::uint64_t completed_ = 0, failed_ = 0, cancelled_ = 0;
};

}  // namespace

core::Expected<core::Measurement> read_aiperf_records(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  bool cut = false;
  if (!document && document.error().code == core::ErrorCode::invalid_input && !input.bytes.ends_with('\n')) {
    // Requests are written while they end: whoever was stopped leaves half a line, and the whole ones before it count.
    const std::size_t last = core::trim(input.bytes).rfind('\n');
    Input whole = input;
    whole.bytes = last == std::string_view::npos ? std::string_view() : input.bytes.substr(0, last + 1);
    auto before = whole.bytes.empty() ? parse_json(input, options) : parse_json(whole, options);
    if (!before) return core::fail(document.error());
    document = std::move(before);
    cut = true;
  }
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  Records records(writer);
  const Value root = document->root();
  const auto not_a_record = [&](const Value& value) {
    const json::Place at = value.place();
    return core::fail(core::ErrorCode::invalid_input, "a line is no request record",
                      "each line is an object with \"metadata\" and \"metrics\"",
                      input.name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column));
  };
  if (root.is_object()) {
    if (!root.find("metadata")) return not_a_record(root);
    records.add(root);
  }
  for (const Value& record : root.elements()) {
    if (!record.is_object() || !record.find("metadata")) return not_a_record(record);
    if (options.stop && options.stop()) return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input.name);
    records.add(record);
  }
  if (!root.is_object() && root.size() == 0) return not_a_record(root);
  if (cut) writer.out.warn("run_incomplete", "1 run has no end: the last line is cut off and was left out");
  return records.finish(input);
}

extern const Format aiperf_records_format = {
    .name = "aiperf-records",
    .title = "AIPerf load test: every request",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::object, 0.97, {"metadata/request_start_ns", "metrics"}}}},
    .read = read_aiperf_records,
    .about = {.group = Group::serving,
              .file = "JSON lines",
              .produce = "aiperf profile -m MODEL --url URL --endpoint-type chat --streaming \\\n"
                         "  --concurrency 16 --artifact-dir DIR  # writes profile_export.jsonl",
              .judged = "latencies (the file's unit, lower) and rates per user (higher) of every request, their mean, and p90, "
                        "p95 and p99 of latencies; "
                        "failed requests are a gate; lengths, whose change is seen and called neither better nor worse",
              .key = "metric",
              .trials = "the requests, or for latencies between chunks their chunks; in one process, so never more than a draft",
              .context = "lengths that are the same for every request; the file says nothing of model or server",
              .limits = "requests of other phases than profiling are left out and counted; no throughput of the whole run",
              .recognised = "lines with `metadata` (`request_start_ns`) and `metrics`"},
};

}  // namespace plumbline::formats
