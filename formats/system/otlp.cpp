// OpenTelemetry metrics in JSON (OTLP), as the collector's file exporter and SDKs write them: one export a line or one in a file.
// A series comes once an export: of sums and histograms that are cumulative the last one holds all, those that are deltas are
// added, and of gauges the mean of the readings is taken.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

enum class Kind : std::uint8_t { gauge, counter, up_down, histogram };

struct Series {
  std::string name, unit;
  std::vector<std::pair<std::string, std::string>> attributes;
  Kind kind = Kind::gauge;
  std::vector<double> readings;
  double count = 0, sum = 0;
  bool has_sum = false;
  std::vector<double> bounds, buckets;
};

// UCUM as OpenTelemetry writes it: "By" are bytes, "1" and "{request}" are counts.
std::string unit_of(std::string_view text) {
  if (text == "1" || text.starts_with('{')) return {};
  if (text.starts_with("By")) return "B" + std::string(text.substr(2));
  for (const std::string_view binary : {"KiBy", "MiBy", "GiBy"}) {
    if (text.starts_with(binary)) return std::string(text.substr(0, 2)) + "B" + std::string(text.substr(binary.size()));
  }
  return std::string(text);
}

// Numbers of 64 bits are texts in protobuf's JSON.
std::optional<double> number_of(const Value& value) {
  if (!value || value.is_container() || value.is_null()) return std::nullopt;
  return value.is_number() ? std::optional(value.number()) : core::parse_double(value.text());
}
std::vector<double> numbers_of(const Value& array) {
  std::vector<double> out;
  for (const Value one : array.elements()) out.push_back(number_of(one).value_or(0));
  return out;
}

std::string attribute_text(const Value& value) {
  for (const std::string_view kind : {"stringValue", "intValue", "doubleValue", "boolValue"}) {
    if (const Value found = value.find(kind); found && !found.is_container()) return std::string(found.text());
  }
  return {};
}

// By linear interpolation within the bucket; beyond the last bound it is that bound.
std::optional<double> quantile(const Series& series, double share) {
  if (series.bounds.empty() || series.buckets.size() != series.bounds.size() + 1) return std::nullopt;
  double all = 0;
  for (const double one : series.buckets) all += one;
  if (all <= 0) return std::nullopt;
  double below = 0;
  for (std::size_t i = 0; i < series.bounds.size(); ++i) {
    const double in = series.buckets[i];
    if (in > 0 && below + in >= share * all) {
      const double from = i == 0 ? std::min(0.0, series.bounds[0]) : series.bounds[i - 1];
      return from + (series.bounds[i] - from) * (share * all - below) / in;
    }
    below += in;
  }
  return series.bounds.back();
}

class Export {
 public:
  Export(const Input& input, const ReadOptions& options)
      : input_(input), options_(options), writer_(options), rows_(writer_, "otlp") {}

  core::Expected<core::Measurement> read() {
    auto document = parse_json(input_, options_);
    if (!document) return core::fail(document.error());
    take_notes(*document, writer_);
    for (const Value& root : documents_of(*document)) {
      for (const Value resource : root.find("resourceMetrics").elements()) take_resource(resource);
    }
    for (const std::string& id : order_) write(series_.at(id));
    if (writer_.out.rows().empty()) {
      return core::fail(core::ErrorCode::invalid_input, "no data point in resourceMetrics",
                        "an export has gauges, sums or histograms with dataPoints", input_.name);
    }
    return writer_.finish(input_.name);
  }

 private:
  void take_resource(const Value& resource) {
    std::string service;
    for (const Value attribute : resource.at_path("resource.attributes").elements()) {
      const std::string_view key = attribute.find_string("key");
      if (key == "service.name") service = attribute_text(attribute.find("value"));
      if (key == "service.version") rows_.context("stack.service_version", attribute_text(attribute.find("value")));
    }
    for (const std::string_view scopes : {"scopeMetrics", "instrumentationLibraryMetrics"}) {
      for (const Value scope : resource.find(scopes).elements()) {
        for (const Value metric : scope.find("metrics").elements()) take_metric(service, metric);
      }
    }
  }
  void take_metric(const std::string& service, const Value& metric) {
    constexpr std::pair<std::string_view, Kind> kKinds[] = {
        {"gauge", Kind::gauge}, {"sum", Kind::up_down}, {"histogram", Kind::histogram}};
    bool known = false;
    for (const auto& [name, kind] : kKinds) {
      const Value data = metric.find(name);
      if (!data.is_object()) continue;
      known = true;
      // 1 or "AGGREGATION_TEMPORALITY_DELTA"
      const Value temporality = data.find("aggregationTemporality");
      const bool delta =
          temporality && !temporality.is_container() && (temporality.text() == "1" || temporality.text().ends_with("DELTA"));
      const Value monotonic = data.find("isMonotonic");
      const Kind of =
          kind == Kind::up_down && monotonic && !monotonic.is_container() && monotonic.text() == "true" ? Kind::counter : kind;
      for (const Value point : data.find("dataPoints").elements()) take_point(service, metric, of, delta, point);
    }
    if (!known) ++unread_;
    if (!known && unread_ == 1) {
      writer_.out.warn("unread_lines",
                       "summaries and exponential histograms are not read: " + core::cited(metric.find_string("name")));
    }
  }
  void take_point(const std::string& service, const Value& metric, Kind kind, bool delta, const Value& point) {
    Series made;
    made.name = std::string(metric.find_string("name"));
    made.unit = unit_of(metric.find_string("unit"));
    made.kind = kind;
    if (!service.empty()) made.attributes.emplace_back("service", service);
    for (const Value attribute : point.find("attributes").elements()) {
      made.attributes.emplace_back(std::string(attribute.find_string("key")), attribute_text(attribute.find("value")));
    }
    std::string id = made.name;
    for (const auto& [key, value] : made.attributes) id += '\n' + key + '=' + value;
    const auto [at, fresh] = series_.try_emplace(id, made);
    if (fresh) order_.push_back(id);
    Series& series = at->second;
    if (kind != Kind::histogram) {
      const auto value = number_of(point.find("asDouble")), whole = number_of(point.find("asInt"));
      if (!value && !whole) return;
      const double reading = value ? *value : *whole;
      if (kind == Kind::gauge) {
        series.readings.push_back(reading);
      } else if (delta && !series.readings.empty()) {
        series.readings.front() += reading;
      } else {
        series.readings = {reading};
      }
      return;
    }
    const std::vector<double> buckets = numbers_of(point.find("bucketCounts")), bounds = numbers_of(point.find("explicitBounds"));
    const bool adds = delta && !fresh && bounds == series.bounds && buckets.size() == series.buckets.size();
    const double count = number_of(point.find("count")).value_or(0);
    const auto sum = number_of(point.find("sum"));
    series.count = adds ? series.count + count : count;
    series.sum = adds ? series.sum + sum.value_or(0) : sum.value_or(0);
    series.has_sum = sum.has_value();
    if (adds) {
      for (std::size_t i = 0; i < buckets.size(); ++i) series.buckets[i] += buckets[i];
    } else {
      series.buckets = buckets;
      series.bounds = bounds;
    }
  }

  void write(const Series& series) {
    if (writer_.halted()) return;
    std::string point;
    for (const auto& [key, value] : series.attributes) {
      if (!value.empty()) point += (point.empty() ? "[" : ",") + key + "=" + value;
    }
    if (!point.empty()) point += "]";
    const std::vector<std::pair<std::string_view, std::string>> pairs(series.attributes.begin(), series.attributes.end());
    const std::uint32_t dims = rows_.dims(pairs);
    if (series.kind == Kind::histogram) {
      histogram(series, series.name + point, dims);
    } else if (series.kind == Kind::counter) {
      rows_.add(point, series.name, dims, for_context(series.unit), series.readings);
    } else if (!series.readings.empty()) {
      double mean = 0;
      for (const double one : series.readings) mean += one / static_cast<double>(series.readings.size());
      const bool finite = std::isfinite(mean);
      writer_.add((point.empty() ? "" : point + ".") + series.name, series.name, RowWriter::kRootShape, dims,
                  {finite ? core::ValueState::number : core::ValueState::not_finite, mean, finite, {}}, {.unit = series.unit});
    }
  }
  void histogram(const Series& series, const std::string& point, std::uint32_t dims) {
    rows_.add(point, "count", dims, for_context(), series.count);
    if (series.count <= 0) return;
    const bool time = core::parse_unit(series.unit).quantity == core::Quantity::time;
    const Declared declared = time ? lower_is_better(series.unit) : for_context(series.unit);
    if (series.has_sum) rows_.add(point, "mean", dims, declared, series.sum / series.count);
    for (const auto& [name, share] : {std::pair<std::string_view, double>{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}}) {
      if (const auto value = quantile(series, share)) rows_.add(point, name, dims, declared, *value);
    }
  }

  const Input& input_;
  const ReadOptions& options_;
  RowWriter writer_;
  DeclaredRows rows_;
  std::map<std::string, Series> series_;
  std::vector<std::string> order_;
  std::size_t unread_ = 0;
};

}  // namespace

extern const Format otlp_format = {
    .name = "otlp",
    .title = "OpenTelemetry metrics in JSON (OTLP)",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::body, 0.96, {"resourceMetrics/scopeMetrics/metrics/name"}},
               {Sign::In::body, 0.96, {"resourceMetrics/instrumentationLibraryMetrics/metrics/name"}}}},
    .read = read_with<Export>,
    .about = {.group = Group::system,
              .file = "JSON, JSON lines",
              .produce = "# the collector's file exporter writes it: exporters: {file: {path: metrics.jsonl}}",
              .judged = "mean, p50, p90 and p99 of histograms of a time (lower); gauges and up-down counters by unit and name",
              .key = "the metric with the service and its attributes: `http.server.request.duration[service=shop].p99`",
              .trials = "one value a key: of gauges the mean of the readings",
              .context = "service.version",
              .limits = "counters only grow and are context, as are histograms of other things than times; quantiles are "
                        "interpolated within their bucket; summaries and exponential histograms are left out with a warning",
              .recognised = "`resourceMetrics` with `scopeMetrics` and named `metrics`"},
};

}  // namespace plumbline::formats
