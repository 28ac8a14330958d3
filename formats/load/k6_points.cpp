// The points of `k6 run --out json`: one object a line, {"type": "Metric"} before the first {"type": "Point"} of each metric.
// The points of a trend are trials inside one run; counters become a rate over the time from the first point to the last. The
// file says which thresholds were set but not how they ended: they are decided here, by k6's own statistics.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "formats/load/k6.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

struct Metric {
  K6Kind kind = K6Kind::gauge;
  bool time = false;
  std::vector<double> values;
  std::vector<std::string> thresholds;
};

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  if (at + count > text.size()) return std::nullopt;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// "2017-05-09T14:34:45.625742514+02:00" in seconds of the epoch.
std::optional<double> seconds_of(std::string_view text) {
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second || *month < 1 || *month > 12) return std::nullopt;
  // Days of the civil calendar, counted from March so that the leap day comes last (Hinnant).
  const int y = *year - (*month <= 2 ? 1 : 0);
  const int era = y / 400, of_era = y - era * 400;
  const int of_year = (153 * (*month + (*month > 2 ? -3 : 9)) + 2) / 5 + *day - 1;
  const int leap_days = of_era / 4 - of_era / 100;
  const double days = era * 146097.0 + of_era * 365.0 + leap_days + of_year - 719468.0;
  double seconds = days * 86400 + *hour * 3600 + *minute * 60 + *second;
  std::size_t at = 19;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
    seconds += core::parse_double("0" + std::string(text.substr(at, end - at))).value_or(0);
    at = end;
  }
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
    const auto hours = digits(text, at + 1, 2), minutes = digits(text, at + 4, 2);
    if (!hours || !minutes) return std::nullopt;
    seconds -= (text[at] == '-' ? -1 : 1) * (*hours * 3600.0 + *minutes * 60.0);
  }
  return seconds;
}

// k6's percentile: linear between the two neighbours.
double percentile(const std::vector<double>& sorted, double percent) {
  const double place = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(place));
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (place - std::floor(place));
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

// A statistic of a metric as thresholds name it; nothing where there is none of that name.
std::optional<double> statistic(const Metric& metric, std::string_view name, double span) {
  const auto count = static_cast<double>(metric.values.size());
  if (metric.values.empty()) return std::nullopt;
  if (metric.kind == K6Kind::trend) {
    std::vector<double> sorted = metric.values;
    std::sort(sorted.begin(), sorted.end());
    if (name == "avg") return sum(sorted) / count;
    if (name == "min") return sorted.front();
    if (name == "max") return sorted.back();
    if (name == "med") return percentile(sorted, 50);
    if (name == "count") return count;
    if (name.starts_with("p(") && name.ends_with(')')) {
      const auto percent = core::parse_double(name.substr(2, name.size() - 3));
      if (percent && *percent >= 0 && *percent <= 100) return percentile(sorted, *percent);
    }
    return std::nullopt;
  }
  if (metric.kind == K6Kind::rate && name == "rate") {
    return static_cast<double>(std::count_if(metric.values.begin(), metric.values.end(), [](double v) { return v != 0; })) /
           count;
  }
  if (metric.kind == K6Kind::counter && name == "count") return sum(metric.values);
  if (metric.kind == K6Kind::counter && name == "rate" && span > 0) return sum(metric.values) / span;
  if (metric.kind == K6Kind::gauge && name == "value") return metric.values.back();
  return std::nullopt;
}

// "p(95)<500" on the metric: whether it was crossed. Nothing where the expression cannot be decided from the points.
std::optional<bool> crossed(const Metric& metric, std::string_view expression, double span) {
  const std::size_t at = expression.find_first_of("<>=!");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t end = std::min(expression.find_first_not_of("<>=!", at), expression.size());
  const std::string_view sign = expression.substr(at, end - at);
  const auto value = statistic(metric, core::trim(expression.substr(0, at)), span);
  const auto limit = core::parse_double(expression.substr(end));
  if (!value || !limit) return std::nullopt;
  if (sign == "<") return !(*value < *limit);
  if (sign == "<=") return !(*value <= *limit);
  if (sign == ">") return !(*value > *limit);
  if (sign == ">=") return !(*value >= *limit);
  if (sign == "==" || sign == "===") return !(*value == *limit);
  if (sign == "!=") return !(*value != *limit);
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "k6") {}

  void line(const Value& line) {
    const std::string_view type = line.find_string("type");
    const Value data = line.find("data");
    std::string_view name = line.find_string("metric");
    if (name.empty()) name = data.find_string("name");
    if (type == "Metric" && data.is_object() && !name.empty()) {
      declare(name, data);
    } else if (type == "Point" && data.is_object() && !name.empty()) {
      point(name, data);
    } else {
      ++others_;
    }
  }
  void write() {
    const double span = last_ > first_ ? last_ - first_ : 0;
    for (auto& [name, metric] : metrics_) {
      if (writer_.halted()) return;
      write(name, metric, span);
      for (const std::string& expression : metric.thresholds) threshold(name, metric, expression, span);
    }
    for (const auto& [name, outcome] : checks_) {
      rows_.add("check[" + name + "]", "fails", rows_.dims({{"check", name}}), gate(), outcome.second);
    }
    if (scenarios_.size() == 1) rows_.context("workload.scenario", scenarios_.begin()->first);
    if (others_ > 0) {
      writer_.out.warn("unread_values",
                       core::counted(others_, "line is", "lines are") + " neither a metric nor a point, and left out");
    }
  }
  void finish() { k6_finish(rows_); }
  [[nodiscard]] bool empty() const { return metrics_.empty(); }

 private:
  void declare(std::string_view name, const Value& data) {
    Metric& metric = metrics_[std::string(name)];
    const std::string_view type = data.find_string("type");
    metric.kind = type == "trend"     ? K6Kind::trend
                  : type == "rate"    ? K6Kind::rate
                  : type == "counter" ? K6Kind::counter
                                      : K6Kind::gauge;
    metric.time = data.find_string("contains") == "time";
    for (const Value one : data.find("thresholds").elements()) {
      const std::string_view text = one.is_string() ? one.string() : one.find_string("threshold");
      if (!text.empty()) metric.thresholds.emplace_back(text);
    }
    // Submetrics have no points of their own: they are those of the metric that have all their tags.
    for (const Value one : data.find("submetrics").elements()) {
      const std::string_view of = one.find_string("name");
      const Value tags = one.find("tags");
      if (of.empty() || !tags.is_object() || tags.size() == 0) continue;
      Part part{std::string(of), {}};
      for (const auto [tag, valid, value] : tags.members()) part.tags.emplace_back(tag, value.text());
      Metric& own = metrics_[part.name];
      own.kind = metrics_[std::string(name)].kind;
      own.time = metrics_[std::string(name)].time;
      parts_[std::string(name)].push_back(std::move(part));
    }
  }
  void point(std::string_view name, const Value& data) {
    const Value value = data.find("value");
    if (!value.is_number()) {
      ++others_;
      return;
    }
    if (const auto time = seconds_of(data.find_string("time"))) {
      first_ = seen_time_ ? std::min(first_, *time) : *time;
      last_ = seen_time_ ? std::max(last_, *time) : *time;
      seen_time_ = true;
    }
    metrics_[std::string(name)].values.push_back(value.number());
    const Value tags = data.find("tags");
    if (const auto parts = parts_.find(name); parts != parts_.end()) {
      for (const Part& part : parts->second) {
        const bool all = std::all_of(part.tags.begin(), part.tags.end(),
                                     [&](const auto& tag) { return tags.find_string(tag.first) == tag.second; });
        if (all) metrics_[part.name].values.push_back(value.number());
      }
    }
    if (const std::string_view scenario = tags.find_string("scenario"); !scenario.empty()) {
      scenarios_[std::string(scenario)][std::string(name)].push_back(value.number());
    }
    if (name == "checks") {
      const std::string_view group = tags.find_string("group"), check = tags.find_string("check");
      auto& outcome = checks_[(group.empty() ? "" : std::string(group) + "::") + std::string(check)];
      (value.number() != 0 ? outcome.first : outcome.second) += 1;
    }
  }
  void write(const std::string& name, const Metric& metric, double span) {
    if (metric.values.empty()) return;
    statistics(name, metric, k6_dims(rows_, name), span);
    // Of several scenarios each is a point of its own, in k6's words for a part of a metric.
    if (scenarios_.size() < 2) return;
    for (const auto& [scenario, values] : scenarios_) {
      const auto own = values.find(name);
      if (own == values.end() || metrics_.contains(name + "{scenario:" + scenario + "}")) continue;
      Metric part = metric;
      part.values = own->second;
      statistics(name + "{scenario:" + scenario + "}", part, rows_.dims({{"scenario", scenario}}), span);
    }
  }
  void statistics(const std::string& name, const Metric& metric, std::uint32_t dims, double span) {
    if (metric.kind == K6Kind::trend) {
      const bool time = metric.time || k6_is_time(name);
      if (time) {
        rows_.add(name, "value", dims, lower_is_better("ms"), metric.values);
      } else {
        writer_.add_trials(name + ".value", "value", writer_.shape(RowWriter::kRootShape, k6_base(name)), dims, metric.values,
                           core::ValueState::number, {});
      }
      for (const std::string_view one : {"avg", "min", "med", "max", "p(90)", "p(95)", "count"})
        add(name, metric, one, dims, span);
    } else if (metric.kind == K6Kind::rate) {
      add(name, metric, "rate", dims, span);
    } else if (metric.kind == K6Kind::counter) {
      add(name, metric, "count", dims, span);
      add(name, metric, "rate", dims, span);
    } else {
      add(name, metric, "value", dims, span);
    }
  }
  void add(const std::string& name, const Metric& metric, std::string_view what, std::uint32_t dims, double span) {
    const auto value = statistic(metric, what, span);
    Leaf leaf{core::ValueState::null, 0, false, "all points have one time: there is no rate"};
    if (value)
      leaf = std::isfinite(*value) ? Leaf{core::ValueState::number, *value, true, {}}
                                   : Leaf{core::ValueState::not_finite, 0, false, "not finite"};
    // Mean and median are in the trials.
    const bool time = metric.time || k6_is_time(name);
    if (metric.kind == K6Kind::trend && (what == "avg" || what == "med")) {
      rows_.add(name, what, dims, for_context(time ? "ms" : ""), leaf);
    } else {
      k6_add(rows_, name, what, metric.kind, time, dims, leaf);
    }
  }
  void threshold(const std::string& name, const Metric& metric, const std::string& expression, double span) {
    const auto outcome = crossed(metric, expression, span);
    Leaf leaf{core::ValueState::null, 0, false, "not to be decided from the points"};
    if (outcome) leaf = {core::ValueState::number, *outcome ? 1.0 : 0.0, true, {}};
    rows_.add(k6_threshold_point(name, expression), "crossed", 0, gate(), leaf);
  }

  struct Part {
    std::string name;
    std::vector<std::pair<std::string, std::string>> tags;
  };

  RowWriter& writer_;
  DeclaredRows rows_;
  std::map<std::string, Metric> metrics_;
  std::map<std::string, std::vector<Part>, std::less<>> parts_;                  // submetrics by metric
  std::map<std::string, std::map<std::string, std::vector<double>>> scenarios_;  // scenario -> metric -> values
  std::map<std::string, std::pair<double, double>> checks_;                      // passed, failed
  double first_ = 0, last_ = 0;
  bool seen_time_ = false;
  std::uint64_t others_ = 0;
};

Detection detect_k6_points(const Input& input) {
  Detection detection;
  const std::string_view head = json_head(input);
  const std::string_view first = head.substr(0, head.find('\n'));
  constexpr std::string_view kMembers[] = {"type", "metric", "data"};
  if (!first.starts_with("{") || !has_keys(JsonOutline(first), kMembers, detection)) return detection;
  for (const std::string_view kind : {"\"Metric\"", "\"Point\""}) {
    if (first.find(kind) == std::string_view::npos) continue;
    detection.score = 0.96;
    detection.evidence.push_back("its first line is of the type " + std::string(kind));
  }
  return detection;
}

core::Expected<core::Measurement> read_k6_points(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  Reader reader(writer);
  const Value root = document->root();
  if (root.is_object()) {
    reader.line(root);
  } else {
    std::uint64_t lines = 0;
    for (const Value line : root.elements()) {
      if (++lines % 65536 == 0 && options.stop && options.stop()) break;
      reader.line(line);
    }
  }
  if (reader.empty()) {
    return core::fail(kOtherStructure, "no line {\"type\": \"Metric\" or \"Point\", \"metric\": …, \"data\": …}",
                      "k6 run --out json=FILE writes them", input.name);
  }
  reader.write();
  reader.finish();
  return writer.finish(input.name);
}

}  // namespace

extern const Format k6_points_format = {
    .name = "k6-points",
    .title = "k6 load test: every point as JSON",
    .replication = core::Replication::in_process,
    .detect = detect_k6_points,
    .read = read_k6_points,
    .about = {.group = Group::load,
              .file = "JSON lines",
              .produce = "k6 run --out json=points.json script.js",
              .judged = "the values of trends (times in ms, lower) and their p(90) and p(95), rates of counters (higher), "
                        "`http_req_failed` (lower), `checks` (higher); failed checks and crossed thresholds as gates",
              .key =
                  "metric, with the tags of a submetric, and statistic as in k6's summaries; with the scenario where there are "
                  "several",
              .trials = "the points of a trend",
              .context = "the scenario where there is one, users at most (`vus_max`)",
              .limits =
                  "the rate of a counter is over the time between the first and the last point; thresholds are decided from the "
                  "points, those of submetrics are not in the file; other tags are left out",
              .recognised = "a first line with `type` `Metric` or `Point`, `metric` and `data`"},
};

}  // namespace plumbline::formats
