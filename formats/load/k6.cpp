// k6's summaries: --summary-export ({metrics: {name: {avg, "p(95)"}}}) and handleSummary's data ({metrics: {name: {type,
// contains, values}}}). Which way a rate is better is said by its name; a crossed threshold is a gate. A threshold is `true` in
// the export when it was crossed, and {"ok": true} in the data when it was not.
#include "formats/load/k6.hpp"

#include "core/text.hpp"
#include "formats/read_document.hpp"

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
    // Requests that failed and checks that did not hold fail the run, whatever the times say.
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

std::uint32_t k6_dims(DeclaredRows& rows, std::string_view metric) {
  const std::size_t open = metric.find('{');
  if (open == std::string_view::npos || !metric.ends_with('}')) return 0;
  std::vector<std::pair<std::string_view, std::string>> tags;
  for (const std::string_view one : core::split(metric.substr(open + 1, metric.size() - open - 2), ',')) {
    const std::size_t colon = one.find(':');
    if (colon != std::string_view::npos) tags.emplace_back(core::trim(one.substr(0, colon)), core::trim(one.substr(colon + 1)));
  }
  return rows.dims(tags);
}

std::string k6_threshold_point(std::string_view metric, std::string_view expression) {
  return std::string(metric) + "[" + std::string(expression) + "]";
}

// How many users at most asked at once: fewer of them wait less.
static void take_load(DeclaredRows& rows, std::size_t first) {
  core::Measurement& out = rows.writer().out;
  for (const std::string_view statistic : {"value", "max"}) {
    const std::string key(rows.key("vus_max", statistic));
    for (std::size_t i = first; i < out.rows().size(); ++i) {
      const core::Row& row = out.rows()[i];
      if (out.key(row) == key && row.value_count == 1 && row.state == core::ValueState::number)
        out.context.emplace("workload.vus", core::number_text(out.values(row).front()));
    }
  }
}

void k6_finish(DeclaredRows& rows, std::size_t first) {
  core::Measurement& out = rows.writer().out;
  out.declared.headlines.emplace_back(rows.key("http_req_duration", "p(95)"));
  out.declared.headlines.emplace_back(rows.key("http_reqs", "rate"));
  take_load(rows, first);
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
  } else if (head.starts_with("{") && has_keys(input, {"metadata/k6Version", "results/metrics"}, detection)) {
    detection.score = 0.97;
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

// Checks by themselves: one that fails now and then moves the rate of all of them by less than anyone would see. Groups are a
// list or, in the export, members by name.
void add_checks(DeclaredRows& rows, const Value& group, const std::string& path, int depth) {
  constexpr int kDeepest = 50;
  if (!group.is_object() || depth > kDeepest) return;
  const auto check = [&](const Value& one) {
    const auto fails = one.find_number("fails");
    if (!fails) return;
    const std::string name = (path.empty() ? "" : path + "::") + std::string(one.find_string("name").substr(0, 300));
    rows.add("check[" + name + "]", "fails", rows.dims({{"check", name}}), gate(), *fails);
  };
  const auto inner = [&](const Value& one) {
    add_checks(rows, one, path + "::" + std::string(one.find_string("name").substr(0, 200)), depth + 1);
  };
  const Value checks = group.find("checks"), groups = group.find("groups");
  for (const Value one : checks.elements()) check(one);
  for (const auto [name, valid, one] : checks.members()) check(one);
  for (const Value one : groups.elements()) inner(one);
  for (const auto [name, valid, one] : groups.members()) inner(one);
}

void add_summary(DeclaredRows& rows, const Value& metrics) {
  for (const auto [metric, valid, object] : metrics.members()) {
    if (!object.is_object()) continue;
    if (rows.writer().halted()) return;
    const Value nested = object.find("values");
    const Value values = nested.is_object() ? nested : object;
    const K6Kind kind = kind_of(object, values);
    const std::string_view contains = object.find_string("contains");
    const bool time = contains.empty() ? k6_is_time(metric) : contains == "time";
    const std::uint32_t dims = k6_dims(rows, metric);
    for (const auto [statistic, statistic_valid, value] : values.members()) {
      if (value.is_number()) k6_add(rows, metric, statistic, kind, time, dims, leaf_of(value));
    }
    const Value thresholds = object.find("thresholds");
    if (!thresholds.is_object()) continue;
    for (const auto [expression, expression_valid, outcome] : thresholds.members()) {
      const bool crossed = outcome.is_object() ? !outcome.find("ok").boolean() : outcome.boolean();
      rows.add(k6_threshold_point(metric, expression), "crossed", dims, gate(), crossed ? 1.0 : 0.0);
    }
  }
}

// --new-machine-readable-summary: metrics are a list, rates have the names of k6's text, and counters no rate.
void add_results(DeclaredRows& rows, const Value& root) {
  const double seconds = root.find("config").find_number("duration").value_or(0);
  const auto add = [&](const Value& metric) {
    const std::string_view type = metric.find_string("type");
    std::string_view name = metric.find_string("name");
    const Value values = metric.find("values");
    if (name.empty() || !values.is_object() || rows.writer().halted()) return;
    const std::uint32_t dims = k6_dims(rows, name);
    const bool time = metric.find_string("contains") == "time";
    if (type == "trend" || type == "gauge") {
      const K6Kind kind = type == "trend" ? K6Kind::trend : K6Kind::gauge;
      for (const auto [statistic, valid, value] : values.members()) {
        if (value.is_number()) k6_add(rows, name, statistic, kind, time, dims, leaf_of(value));
      }
    } else if (type == "rate") {
      if (name == "checks_failed") return;  // the same once more
      if (name == "checks_succeeded") name = "checks";
      const auto matches = values.find_number("matches"), total = values.find_number("total");
      if (const Value rate = values.find("rate"); rate.is_number())
        k6_add(rows, name, "rate", K6Kind::rate, false, dims, leaf_of(rate));
      if (matches) rows.add(name, "passes", dims, for_context(), *matches);
      if (matches && total) rows.add(name, "fails", dims, for_context(), *total - *matches);
    } else if (const auto count = values.find_number("count")) {
      rows.add(name, "count", dims, for_context(), *count);
      if (seconds > 0 && name != "checks_total") {
        k6_add(rows, name, "rate", K6Kind::counter, false, dims, {core::ValueState::number, *count / seconds, true, {}});
      }
    }
  };
  const Value results = root.find("results");
  for (const Value metric : results.find("metrics").elements()) add(metric);
  for (const Value metric : results.find("checks").find("metrics").elements()) add(metric);
  for (const Value one : results.find("checks").find("results").elements()) {
    const std::string name(one.find_string("name").substr(0, 300));
    if (const auto fails = one.find_number("fails")) {
      rows.add("check[" + name + "]", "fails", rows.dims({{"check", name}}), gate(), *fails);
    }
  }
  rows.context("stack.k6", root.find("metadata").find_string("k6Version"));
  const std::string_view script = root.find("config").find_string("script");
  rows.context("workload.script", script.substr(script.rfind('/') == std::string_view::npos ? 0 : script.rfind('/') + 1));
}

core::Status read_k6(const json::Value& root, RowWriter& writer) {
  const Value metrics = root.find("metrics");
  const bool newer = root.find("results").find("metrics").is_array();
  if (!metrics.is_object() && !newer) {
    return core::fail(kOtherStructure, "no \"metrics\" object: this is not a k6 summary",
                      "k6 run --summary-export=FILE writes it");
  }
  DeclaredRows rows(writer, "k6");
  if (metrics.is_object()) {
    add_summary(rows, metrics);
    add_checks(rows, root.find("root_group"), "", 0);
  } else {
    add_results(rows, root);
  }
  k6_finish(rows);
  return {};
}

}  // namespace

extern const Format k6_format = {
    .name = "k6",
    .title = "k6 load test: summary",
    .replication = core::Replication::run,
    .detect = detect_k6,
    .read = read_document<read_k6>,
    .about = {.group = Group::load,
              .file = "JSON",
              .produce = "k6 run --summary-export=result.json script.js",
              .judged =
                  "times in ms (lower), `http_reqs.rate` and `iterations.rate` (higher), `http_req_failed` (lower), `checks` "
                  "(higher); failed checks and crossed thresholds, also of submetrics, as gates",
              .key = "metric, with the tags of a submetric, and statistic",
              .trials = "one value a key",
              .context = "version and script, where --new-machine-readable-summary wrote it, users at most (`vus_max`)",
              .limits =
                  "counts, gauges, minimum and maximum are context; own rates are judged by their name; the newer form has no "
                  "thresholds, and rates of counters are over its duration",
              .recognised = "`metrics` with `iterations` and `p(95)`; `metadata` with `k6Version`"},
};

}  // namespace plumbline::formats
