// k6's summaries: --summary-export ({metrics: {name: {avg, "p(95)"}}}) and handleSummary's data ({metrics: {name: {type,
// contains, values}}}). Which way a rate is better is said by its name; a crossed threshold is a gate. A threshold is `true` in
// the export when it was crossed, and {"ok": true} in the data when it was not.
#include "formats/system/k6.hpp"

#include "formats/readers.hpp"

namespace plumbline::formats {

using json::Value;

bool k6_is_time(std::string_view metric) {
  for (const std::string_view prefix :
       {"http_req_duration", "http_req_waiting", "http_req_connecting", "http_req_blocked", "http_req_sending",
        "http_req_receiving", "http_req_tls_handshaking", "iteration_duration", "group_duration", "ws_connecting", "ws_ping",
        "ws_session_duration", "grpc_req_duration", "browser_web_vital"}) {
    if (metric.starts_with(prefix)) return !metric.starts_with("browser_web_vital_cls");
  }
  return false;
}

std::optional<Declared> k6_declared(std::string_view metric, std::string_view statistic, K6Kind kind, bool time) {
  const std::string_view base = k6_base(metric);
  if (kind == K6Kind::trend) {
    if (statistic == "count") return for_context();
    if (statistic == "min" || statistic == "max") return for_context(time ? "ms" : "");
    if (time) return lower_is_better("ms");
    return std::nullopt;
  }
  if (kind == K6Kind::rate) {
    if (statistic == "passes" || statistic == "fails") return for_context();
    // Requests that failed and checks that did not hold fail the run, whatever the times say; a point more or less is load.
    if (base == "http_req_failed") return Declared{"ratio", core::Direction::lower, core::Role::gate};
    if (base == "checks") return Declared{"ratio", core::Direction::higher, core::Role::gate};
    return std::nullopt;
  }
  if (kind == K6Kind::counter && statistic == "rate") {  // per second
    if (base == "http_reqs" || base == "iterations") return higher_is_better(base == "http_reqs" ? "req/s" : "it/s");
    if (base == "data_received" || base == "data_sent") return for_context("B/s");
    if (base == "dropped_iterations") return lower_is_better("it/s");
    return std::nullopt;
  }
  return for_context();  // counts and gauges
}

std::string k6_threshold_point(std::string_view metric, std::string_view expression) {
  return std::string(metric) + "[" + std::string(expression) + "]";
}

void k6_finish(DeclaredRows& rows, std::size_t first) {
  core::Measurement& out = rows.writer().out;
  out.declared.headlines.emplace_back(rows.key("http_req_duration", "p(95)"));
  out.declared.headlines.emplace_back(rows.key("http_reqs", "rate"));
  out.declared.tolerances = {{"http_req_failed.*", "1pp"}, {"checks.*", "1pp"}};
  bool all_failed = false;
  const std::string rate(rows.key("http_req_failed", "rate")), value(rows.key("http_req_failed", "value"));
  for (std::size_t i = first; i < out.rows().size(); ++i) {
    const core::Row& row = out.rows()[i];
    const std::string_view key = out.key(row);
    const bool failures = key == rate || key == value;
    all_failed = all_failed || (failures && row.value_count == 1 && out.values(row).front() >= 1);
  }
  if (!all_failed) return;
  const core::Id why = out.pool().intern("every request failed");
  for (std::size_t i = first; i < out.rows().size(); ++i) {
    core::Row& row = out.rows()[i];
    const std::string_view key = out.key(row);
    if (!key.starts_with("http_req") || key.starts_with("http_req_failed")) continue;
    if (row.state != core::ValueState::number || out.metric_class(row).role != core::Role::judged) continue;
    row.state = core::ValueState::failed;
    row.text = why;
  }
}

void k6_add(DeclaredRows& rows, std::string_view metric, std::string_view statistic, K6Kind kind, bool time, std::uint32_t dims,
            const Leaf& leaf) {
  if (const auto known = k6_declared(metric, statistic, kind, time)) {
    rows.add(metric, statistic, dims, *known, leaf);
    return;
  }
  RowWriter& writer = rows.writer();
  writer.add(rows.key(metric, statistic), statistic, writer.shape(RowWriter::kRootShape, k6_base(metric)), rows.run_dims(dims),
             leaf);
}

namespace {

Detection detect_k6(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (head.starts_with("{") && has_keys(input, {"metrics/iterations"}, detection) &&
      (has_keys(input, {"metrics/vus"}, detection) || has_keys(input, {"metrics/iteration_duration"}, detection)) &&
      (has_keys(input, {"root_group"}, detection) || has_keys(input, {"metrics/*/p(95)"}, detection) ||
       has_keys(input, {"metrics/*/values/p(95)"}, detection))) {
    detection.score = 0.94;
  }
  return detection;
}

K6Kind kind_of(const Value& object, const Value& values) {
  if (values.find("avg")) return K6Kind::trend;
  if (values.find("passes")) return K6Kind::rate;
  const std::string_view type = object.find_string("type");
  if (type == "trend") return K6Kind::trend;
  if (type == "rate") return K6Kind::rate;
  return type == "gauge" || !values.find("rate") ? K6Kind::gauge : K6Kind::counter;
}

core::Expected<core::Measurement> read_k6(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const Value metrics = document->root().find("metrics");
  if (!metrics.is_object()) {
    return core::fail(kOtherStructure, "no \"metrics\" object: this is not a k6 summary",
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
    const K6Kind kind = kind_of(object, values);
    const std::string_view contains = object.find_string("contains");
    const bool time = contains.empty() ? k6_is_time(metric) : contains == "time";
    for (const auto [statistic, statistic_valid, value] : values.members()) {
      if (value.is_number()) k6_add(rows, metric, statistic, kind, time, 0, leaf_of(value));
    }
    const Value thresholds = object.find("thresholds");
    if (!thresholds.is_object()) continue;
    for (const auto [expression, expression_valid, outcome] : thresholds.members()) {
      const bool crossed = outcome.is_object() ? !outcome.find("ok").boolean() : outcome.boolean();
      rows.add(k6_threshold_point(metric, expression), "crossed", 0, gate(), crossed ? 1.0 : 0.0);
    }
  }
  k6_finish(rows);
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

}  // namespace

extern const Format k6_format = {
    .name = "k6",
    .title = "k6 summary JSON",
    .replication = core::Replication::run,
    .detect = detect_k6,
    .read = read_k6,
    .about = {.judged =
                  "times in ms (lower), `http_reqs.rate` and `iterations.rate` (higher), `http_req_failed` (lower), `checks` "
                  "(higher); crossed thresholds as gates",
              .key = "metric, with the tags of a submetric, and statistic",
              .trials = "one value a key",
              .context = "none in the file",
              .limits = "counts, gauges, minimum and maximum are context; own rates are judged by their name",
              .recognised = "`metrics` with `iterations` and `p(95)`"},
};

}  // namespace plumbline::formats
