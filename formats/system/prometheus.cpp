// Prometheus and OpenMetrics. One snapshot says how much there was since the process started: its counters are context, and of
// its histograms and summaries the quantiles of all that time are judged. Two snapshots, in one text or in a folder of two
// files, make rates: counters by the time between them where timestamps tell it, else their differences; quantiles of what was
// observed between them. A counter that went backwards was restarted, and its rate means nothing.
#include "formats/system/prometheus.hpp"

#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using prometheus::Series;
using prometheus::Snapshot;
using prometheus::Type;

constexpr double kQuantiles[] = {0.5, 0.9, 0.99};

// Of the runtime around the program, and of the exporter itself.
bool is_runtime(std::string_view name) {
  for (const std::string_view prefix : {"process_", "python_", "go_", "jvm_", "promhttp_", "scrape_", "nodejs_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// OpenMetrics names the family without it.
std::string_view without_total(std::string_view name) {
  return name.ends_with("_total") ? name.substr(0, name.size() - 6) : name;
}

// The unit of what a histogram observes, where its name says a time.
std::optional<Declared> observed(std::string_view name) {
  name = without_total(name);
  for (const auto& [suffix, unit] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"_seconds", "s"}, {"_milliseconds", "ms"}, {"_ms", "ms"}, {"_microseconds", "us"}, {"_nanoseconds", "ns"}}) {
    if (name.ends_with(suffix)) return lower_is_better(unit);
  }
  return std::nullopt;
}

// By linear interpolation within the bucket, as histogram_quantile does; beyond the last finite bound it is that bound.
std::optional<double> quantile_of(const std::map<double, double>& buckets, double quantile) {
  if (buckets.empty() || !(buckets.rbegin()->second > 0)) return std::nullopt;
  const double rank = quantile * buckets.rbegin()->second;
  double lower = 0, below = 0;
  for (const auto& [bound, cumulative] : buckets) {
    if (cumulative >= rank && cumulative > below) {
      if (!std::isfinite(bound)) return lower > 0 ? std::optional(lower) : std::nullopt;
      if (bound <= 0) return bound;
      return lower + (bound - lower) * (rank - below) / (cumulative - below);
    }
    if (std::isfinite(bound)) lower = bound;
    below = cumulative;
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "prometheus") {}

  void one(const Snapshot& snapshot) {
    for (const auto& [name, family] : snapshot.families) {
      for (const auto& [labels, series] : family.series) {
        if (writer_.halted()) return;
        if (family.type == Type::histogram) {
          histogram(name, series, nullptr);
        } else if (family.type == Type::summary) {
          summary(name, series, nullptr);
        } else {
          plain(name, family.type, series);
        }
      }
    }
  }

  void two(const Snapshot& before, const Snapshot& after) {
    if (before.time && after.time && *after.time > *before.time) seconds_ = *after.time - *before.time;
    for (const auto& [labels, start] : after.starts) {
      const auto then = before.starts.find(labels);
      if (then != before.starts.end() && std::fabs(then->second - start) > 1) process_restarted_ = true;
    }
    for (const auto& [name, family] : after.families) {
      const auto known = before.families.find(name);
      for (const auto& [labels, series] : family.series) {
        if (writer_.halted()) return;
        static const Series kNothing;
        const Series* then = &kNothing;  // a series that was not there yet has counted from nothing
        if (known != before.families.end()) {
          if (const auto old = known->second.series.find(labels); old != known->second.series.end()) then = &old->second;
        }
        if (family.type == Type::histogram) {
          histogram(name, series, then);
        } else if (family.type == Type::summary) {
          summary(name, series, then);
        } else if (family.type == Type::counter) {
          counter(name, series, *then);
        } else {
          plain(name, family.type, series);
        }
      }
      if (known == before.families.end()) continue;
      for (const auto& [labels, series] : known->second.series) {
        if (!family.series.contains(labels)) ++vanished_;
      }
    }
    for (const auto& [name, family] : before.families) {
      if (!after.families.contains(name)) vanished_ += family.series.size();
    }
    if (seconds_ > 0) rows_.add({}, "seconds_between_snapshots", 0, for_context("s"), seconds_);
  }

  void end(std::uint64_t timestamps, std::uint64_t unreadable, const std::string& first_unreadable, bool pair) {
    if (pair && seconds_ <= 0) {
      writer_.out.warn("no_time_between",
                       "the snapshots carry no timestamps: counters are differences and no rates, and comparable only "
                       "over equal spans");
    }
    if (restarts_ > 0) {
      writer_.out.warn("counter_restart",
                       "no rate for " + core::counted(restarts_, "counter") +
                           ", which went backwards or whose process was started anew between the snapshots; the first is " +
                           core::cited(first_restart_));
    }
    if (vanished_ > 0) {
      writer_.out.warn("series_vanished",
                       core::counted(vanished_, "series", "series") + " of the first snapshot is not in the second");
    }
    if (timestamps > 0) {
      writer_.out.warn("timestamps_left_out", core::counted(timestamps, "sample is a time", "samples are times") +
                                                  " (`_created`, start times) and no measurement");
    }
    if (unreadable > 0) {
      writer_.out.warn("unread_values", core::counted(unreadable, "line is", "lines are") +
                                            " no sample, and left out; the first is " + first_unreadable);
    }
  }

 private:
  static std::string point_of(std::string_view name, const Series& series) {
    return series.labels.empty() ? std::string(name) : std::string(name) + "{" + series.labels + "}";
  }
  std::uint32_t dims_of(std::string_view name, const Series& series) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const std::string_view pair : core::split(series.labels, ',')) {
      const std::size_t sign = pair.find('=');
      if (sign != std::string_view::npos) texts.emplace_back(pair.substr(0, sign), pair.substr(sign + 1));
    }
    std::vector<std::pair<std::string_view, std::string>> pairs{{"metric", std::string(name)}};
    for (const auto& [label, value] : texts) pairs.emplace_back(label, value);
    return rows_.dims(pairs);
  }
  static Leaf number(double value) {
    if (!std::isfinite(value)) return {core::ValueState::not_finite, 0, false, "NaN or infinite"};
    return {core::ValueState::number, value, true, {}};
  }

  // Gauges, counters of one snapshot, and what has no type: a state, and no result.
  void plain(std::string_view name, Type type, const Series& series) {
    if (!series.has_value) return;
    const std::string point = point_of(type == Type::counter ? without_total(name) : name, series);
    if (type == Type::counter) {
      rows_.add(point, "total", dims_of(without_total(name), series), for_context(), number(series.value));
    } else {
      rows_.add(point, "value", dims_of(name, series), for_context(), series.values);
    }
  }

  void counter(std::string_view name, const Series& now, const Series& then) {
    const std::string point = point_of(without_total(name), now);
    const std::uint32_t dims = dims_of(without_total(name), now);
    const double increase = now.value - then.value;
    const bool rate = seconds_ > 0;
    const std::string metric = rate ? "per_second" : "increase";
    Declared declared = for_context(rate ? "1/s" : "");
    if (rate && !is_runtime(name)) declared.direction = direction_of(name, now);
    if (declared.direction != core::Direction::unknown) declared.role = core::Role::judged;
    if (restarted(point, increase)) {
      rows_.add(point, metric, dims, declared, failed());
      return;
    }
    rows_.add(point, metric, dims, declared, number(rate ? increase / seconds_ : increase));
  }

  // Failures a second are worse whatever fails; of the rest only work that was done is known to be better.
  [[nodiscard]] core::Direction direction_of(std::string_view name, const Series& series) const {
    const std::string_view noun = without_total(name);
    const configs::MetricGuess guess = writer_.names().guess(noun, {});
    if (guess.direction == core::Direction::lower && guess.role != core::Role::context && guess.unit.empty())
      return guess.direction;
    return prometheus::rate_direction(noun, series.labels);
  }

  void histogram(std::string_view name, const Series& now, const Series* then) {
    const std::string point = point_of(name, now);
    const std::uint32_t dims = dims_of(name, now);
    std::map<double, double> buckets = now.buckets;
    double count = now.count, sum = now.sum;
    if (!now.has_count && !buckets.empty()) count = buckets.rbegin()->second;
    if (then != nullptr) {
      for (auto& [bound, cumulative] : buckets) {
        if (const auto old = then->buckets.find(bound); old != then->buckets.end()) cumulative -= old->second;
      }
      count -= then->has_count || then->buckets.empty() ? then->count : then->buckets.rbegin()->second;
      sum -= then->sum;
    }
    const Declared declared = is_runtime(name) ? for_context() : observed(name).value_or(for_context());
    if (then != nullptr && restarted(point, count)) {
      rows_.add(point, "p50", dims, declared, failed());
      return;
    }
    rows_.add(point, "count", dims, for_context(), number(count));
    if (count <= 0) return;  // nothing was observed: there is no quantile and no mean
    if (now.has_sum) rows_.add(point, "mean", dims, declared, number(sum / count));
    // Every histogram ends in +Inf, which holds all observations: without it the slow ones are not there.
    const bool cut = !buckets.empty() && std::isfinite(buckets.rbegin()->first);
    for (const double quantile : kQuantiles) {
      const std::string metric = "p" + core::number_text(quantile * 100);
      if (cut) {
        rows_.add(point, metric, dims, declared,
                  Leaf{core::ValueState::failed, 0, false, "no +Inf bucket: the snapshot was cut"});
        continue;
      }
      const auto value = quantile_of(buckets, quantile);
      if (value) rows_.add(point, metric, dims, declared, number(*value));
    }
    if (then != nullptr && seconds_ > 0) rows_.add(point, "per_second", dims, load_of(declared), number(count / seconds_));
  }

  // Quantiles of a summary are the program's own, over a window of its own: they cannot be subtracted.
  void summary(std::string_view name, const Series& now, const Series* then) {
    const std::string point = point_of(name, now);
    const std::uint32_t dims = dims_of(name, now);
    const Declared declared = is_runtime(name) ? for_context() : observed(name).value_or(for_context());
    for (const auto& [quantile, values] : now.quantiles) {
      // NaN says that the window was empty; some programs print zero where nothing was ever observed.
      const bool never = now.has_count && now.count == 0;
      if (never || (values.size() == 1 && std::isnan(values.front()))) {
        rows_.add(point, "p" + core::number_text(quantile * 100), dims, for_context(),
                  Leaf{core::ValueState::null, 0, false, never ? "nothing was observed" : "NaN: nothing in its window"});
      } else {
        rows_.add(point, "p" + core::number_text(quantile * 100), dims, declared, values);
      }
    }
    const double count = now.count - (then != nullptr ? then->count : 0), sum = now.sum - (then != nullptr ? then->sum : 0);
    if (!now.has_count) return;
    if (then != nullptr && restarted(point, count)) {
      rows_.add(point, "mean", dims, declared, failed());
      return;
    }
    rows_.add(point, "count", dims, for_context(), number(count));
    if (now.has_sum && count > 0) rows_.add(point, "mean", dims, declared, number(sum / count));
    if (then != nullptr && seconds_ > 0) rows_.add(point, "per_second", dims, load_of(declared), number(count / seconds_));
  }

  // How often something that is timed was asked for: neither way is better, but times at half the load are no faster ones.
  static Declared load_of(const Declared& observed) {
    return observed.role == core::Role::judged ? Declared{"1/s"} : for_context("1/s");
  }

  bool restarted(const std::string& point, double increase) {
    if (increase >= 0 && !process_restarted_) return false;
    if (restarts_++ == 0) first_restart_ = point;
    return true;
  }
  [[nodiscard]] Leaf failed() const {
    return {core::ValueState::failed, 0, false,
            process_restarted_ ? "the process was started anew between the snapshots"
                               : "the counter went backwards: it was restarted"};
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  double seconds_ = 0;
  bool process_restarted_ = false;
  std::uint64_t restarts_ = 0, vanished_ = 0;
  std::string first_restart_;
};

bool looks_like(std::string_view head, Detection& detection) {
  std::size_t types = 0;
  for (const std::string_view line : core::split(head, '\n')) {
    if (!line.starts_with("# TYPE ")) continue;
    const std::size_t blank = core::trim(line).rfind(' ');
    const std::string_view type = core::trim(line).substr(blank + 1);
    for (const std::string_view known : {"counter", "gauge", "histogram", "summary", "untyped", "unknown", "info", "stateset"}) {
      if (type != known) continue;
      if (types++ == 0) detection.evidence.push_back("has the line " + core::cited(core::trim(line).substr(0, 80)));
    }
  }
  if (types > 0) return true;
  // Some write neither types nor help. A few lines of another tool may look like a sample, a whole page of them does not.
  std::size_t samples = 0;
  for (std::string_view line : core::split(head.substr(0, head.rfind('\n')), '\n')) {
    line = core::trim(line);
    if (line.empty() || line.front() == '#') continue;
    const bool bare = line.find('{') == std::string_view::npos && line.find(' ') != std::string_view::npos;
    if (!bare && !prometheus::is_labelled_sample(line)) return false;
    if (!bare && samples++ == 0) detection.evidence.push_back("has the sample " + core::cited(line.substr(0, 80)));
    if (bare && samples == 0) return false;
  }
  if (samples < 3) detection.evidence.clear();
  return samples >= 3;
}

Detection detect_prometheus(const Input& input) {
  Detection detection;
  if (!input.is_directory && input.files.empty() && looks_like(head_of(input), detection)) detection.score = 0.95;
  return detection;
}

core::Error nothing(const std::string& name) {
  core::Error error;
  error.code = core::ErrorCode::invalid_input;
  error.message = "no sample of the kind \"name{label=\"value\"} 1.5\"";
  error.hint = "save what the /metrics page answers, unchanged";
  error.where = name;
  return error;
}

core::Expected<core::Measurement> measure(const std::vector<Snapshot>& all, const Input& input, const ReadOptions& options) {
  if (all.empty()) return core::fail(nothing(input.name));
  RowWriter writer(options);
  Reader reader(writer);
  std::uint64_t timestamps = 0, unreadable = 0;
  std::string first_unreadable;
  for (const Snapshot& one : all) {
    timestamps += one.timestamps;
    if (unreadable == 0 && one.unreadable > 0) first_unreadable = "line " + std::to_string(one.first_unreadable);
    unreadable += one.unreadable;
  }
  if (all.size() == 1) {
    reader.one(all.front());
  } else {
    reader.two(all.front(), all.back());
    if (all.size() > 2) {
      writer.out.warn("snapshots_between",
                      core::counted(all.size(), "snapshot") + " in the file: rates are from the first to the last");
    }
  }
  reader.end(timestamps, unreadable, first_unreadable, all.size() > 1);
  return writer.finish(input.name);
}

core::Expected<core::Measurement> read_prometheus(const Input& input, const ReadOptions& options) {
  auto all = prometheus::snapshots(input, options);
  if (!all) return core::fail(all.error());
  return measure(*all, input, options);
}

// ---- a folder of two snapshots ------------------------------------------------------------------------------------------

Detection detect_pair(const Input& input) {
  Detection detection;
  if (input.files.size() != 2) return detection;
  for (const Input::File& file : input.files) {
    if (!looks_like(file.bytes.substr(0, kHead), detection)) return {};
  }
  detection.score = 1.04;  // more than any folder
  detection.evidence.insert(detection.evidence.begin(), "a folder of two files with metrics");
  return detection;
}

// Which of two names is the earlier one: by words of time, else in their order.
bool is_later(std::string_view name) {
  const std::string lower = core::to_lower(name);
  for (const std::string_view word : {"after", "end", "stop", "post", "final", "loaded", "last"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

core::Expected<core::Measurement> read_pair(const Input& input, const ReadOptions& options) {
  if (input.files.size() != 2) {
    return core::fail(core::ErrorCode::invalid_input,
                      "a pair of snapshots is a folder of two files; this holds " + std::to_string(input.files.size()),
                      "keep the metrics before and after the run in a folder of their own", input.name);
  }
  std::vector<Snapshot> both;
  for (const Input::File& file : input.files) {
    Input one;
    one.name = file.name;
    one.bytes = file.bytes;
    auto all = prometheus::snapshots(one, options);
    if (!all) return core::fail(all.error());
    if (all->empty()) return core::fail(nothing(file.name));
    both.push_back(std::move(all->back()));
  }
  const bool times = both[0].time && both[1].time && *both[0].time != *both[1].time;
  const bool first_is_later =
      times ? *both[0].time > *both[1].time : is_later(input.files[0].name) && !is_later(input.files[1].name);
  if (first_is_later) std::swap(both[0], both[1]);
  return measure(both, input, options);
}

}  // namespace

extern const Format prometheus_format = {
    .name = "prometheus",
    .title = "metrics of Prometheus and OpenMetrics",
    .replication = core::Replication::run,
    .detect = detect_prometheus,
    .read = read_prometheus,
    .about =
        {.group = Group::system,
         .file = "text",
         .produce = "curl -s http://HOST:PORT/metrics > metrics.prom",
         .judged =
             "p50, p90, p99 and mean of histograms, quantiles of summaries, where the name says a time (lower); of two snapshots "
             "counters a second where the name or a label of status says a direction",
         .key = "name and labels, without those of place (pod, instance, host, pid, the card's UUID and bus, its driver), whose "
                "values are added",
         .trials = "one value a key; of a gauge one an instance",
         .context = "none in the text",
         .limits =
             "gauges, and counters of one snapshot, are context; quantiles of histograms are interpolated within their bucket; "
             "`_created` and start times are left out, with a count; without timestamps two snapshots give differences and no "
             "rates; a counter that went backwards is invalid",
         .recognised = "`# TYPE name counter|gauge|histogram|summary|…`, or a page of lines `name{label=\"value\"} 1.5`"},
};

extern const Format prometheus_pair_format = {
    .name = "prometheus-pair",
    .title = "a folder of two snapshots of metrics",
    .replication = core::Replication::run,
    .detect = detect_pair,
    .read = read_pair,
    .about =
        {.group = Group::system,
         .file = "folder",
         .produce = "mkdir snapshots && curl -s http://HOST:PORT/metrics > snapshots/before.prom\n"
                    "# then the load, then:\n"
                    "curl -s http://HOST:PORT/metrics > snapshots/after.prom",
         .judged = "as of two snapshots in one text",
         .key = "name and labels, without those of place",
         .trials = "one value a key",
         .context = "none in the text",
         .limits =
             "the earlier file is told by timestamps, else by its name (after, end, post, loaded come second), else by the order "
             "of the names",
         .recognised = "a folder of two files that both have `# TYPE` lines"},
};

}  // namespace plumbline::formats
