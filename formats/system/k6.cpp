// k6's summaries: --summary-export ({metrics: {name: {avg, "p(95)"}}}) and handleSummary's data ({metrics: {name: {type,
// contains, values}}}). Which way a rate is better is said by its name; a crossed threshold is a gate. A threshold is `true` in
// the export when it was crossed, and {"ok": true} in the data when it was not.
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

bool is_time(std::string_view metric, const Value& object) {
  if (const std::string_view contains = object.find_string("contains"); !contains.empty()) return contains == "time";
  for (const std::string_view prefix : {"http_req_", "iteration_duration", "group_duration", "ws_connecting", "ws_ping",
                                        "ws_session_duration", "grpc_req_duration", "browser_web_vital"}) {
    if (metric.starts_with(prefix)) return true;
  }
  return false;
}

// "http_req_duration{expected_response:true}" -> "http_req_duration"
std::string_view base_of(std::string_view metric) { return metric.substr(0, metric.find('{')); }

std::optional<Declared> declared(std::string_view metric, std::string_view statistic, const Value& object, bool trend,
                                 bool rate) {
  const std::string_view base = base_of(metric);
  if (trend) {
    const bool time = is_time(base, object);
    if (statistic == "min" || statistic == "max" || statistic == "count") return for_context(time ? "ms" : "");
    if (time) return lower_is_better("ms");
    return std::nullopt;
  }
  if (rate) {
    if (statistic == "passes" || statistic == "fails") return for_context();
    if (base == "http_req_failed") return lower_is_better("");
    if (base == "checks") return higher_is_better("");
    return std::nullopt;
  }
  if (statistic == "rate") {  // of a counter, per second
    if (base == "http_reqs" || base == "iterations") return higher_is_better(base == "http_reqs" ? "req/s" : "it/s");
    if (base == "data_received" || base == "data_sent") return for_context("B/s");
    if (base == "dropped_iterations") return lower_is_better("it/s");
    return std::nullopt;
  }
  return for_context();  // counts and gauges
}

}  // namespace

Detection detect_k6(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (head.starts_with("{") && has_keys(head, {"metrics", "iterations"}, detection) &&
      (has_keys(head, {"vus"}, detection) || has_keys(head, {"iteration_duration"}, detection)) &&
      (has_keys(head, {"root_group"}, detection) || has_keys(head, {"p(95)"}, detection))) {
    detection.score = 0.94;
  }
  return detection;
}

core::Expected<core::Measurement> read_k6(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const Value metrics = document->root().find("metrics");
  if (!metrics.is_object()) {
    return core::fail(core::ErrorCode::invalid_input, "no \"metrics\" object: this is not a k6 summary",
                      "k6 run --summary-export=FILE writes it", input.name);
  }
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "k6");
  for (const auto [metric, valid, object] : metrics.members()) {
    if (!object.is_object()) continue;
    if (writer.halted()) break;
    const Value nested = object.find("values");
    const Value values = nested.is_object() ? nested : object;
    const bool trend = static_cast<bool>(values.find("avg"));
    const bool rate = static_cast<bool>(values.find("passes"));
    for (const auto [statistic, statistic_valid, value] : values.members()) {
      if (!value.is_number()) continue;
      if (const auto known = declared(metric, statistic, object, trend, rate)) {
        rows.add(metric, statistic, 0, *known, leaf_of(value));
      } else {
        writer.add(std::string(metric) + "." + std::string(statistic), statistic,
                   writer.shape(RowWriter::kRootShape, base_of(metric)), 0, leaf_of(value));
      }
    }
    const Value thresholds = object.find("thresholds");
    if (!thresholds.is_object()) continue;
    for (const auto [expression, expression_valid, outcome] : thresholds.members()) {
      const bool crossed = outcome.is_object() ? !outcome.find("ok").boolean() : outcome.boolean();
      rows.add(std::string(metric) + "[" + std::string(expression) + "]", "crossed", 0, gate(), crossed ? 1.0 : 0.0);
    }
  }
  writer.out.declared.headlines = {"http_req_duration.p(95)", "http_reqs.rate"};
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

extern const Format k6_format = {
    .name = "k6",
    .title = "k6 summary JSON",
    .replication = core::Replication::run,
    .detect = detect_k6,
    .read = read_k6,
    .about = {.judged = "k6 summary export and `handleSummary` data; crossed thresholds as gates",
              .recognised = "`metrics` with `iterations` and `p(95)`"},
};

}  // namespace plumbline::formats
