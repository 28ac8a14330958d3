// Metrics in the text exposition formats of Prometheus and OpenMetrics: what one or more snapshots hold, before it is known
// whether they make a rate. Private to formats/; the text must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/measurement.hpp"
#include "formats/format.hpp"

namespace plumbline::formats::prometheus {

enum class Type : std::uint8_t { untyped, counter, gauge, histogram, summary, other };

// Where there are several instances of one series (pods, processes), their values are added.
struct Series {
  std::string labels;         // `method="get",code="200"`, without labels of place and without le and quantile
  double value = 0;           // counters, gauges
  double sum = 0, count = 0;  // of a histogram or a summary
  bool has_value = false, has_sum = false, has_count = false;
  bool finite = true;
  std::vector<double> values;        // gauges: one an instance
  std::map<double, double> buckets;  // upper bound -> cumulative count
  std::map<double, std::vector<double>> quantiles;
};

struct Family {
  std::string name;
  Type type = Type::untyped;
  std::map<std::string, Series> series;  // by labels
};

struct Snapshot {
  std::map<std::string, Family> families;
  std::optional<double> time;                                 // seconds
  std::map<std::string, double> starts;                       // process_start_time_seconds by all its labels
  std::uint64_t samples = 0, timestamps = 0, unreadable = 0;  // timestamps: `_created` and start times, left out
  std::size_t first_unreadable = 0;                           // line
  bool open_metrics = false;
};

// A snapshot ends at `# EOF`, and where a series comes again: nobody exposes one twice.
[[nodiscard]] core::Expected<std::vector<Snapshot>> snapshots(const Input& input, const ReadOptions& options);

// A sample with labels, `name{label="value"} 1.5`: what exporters that write no `# TYPE` are told by.
[[nodiscard]] bool is_labelled_sample(std::string_view line);

// Which way more of it a second is better: by the words of the counter's name (without `_total`) and by labels that say how it
// ended, in the form of Series::labels. Pure.
[[nodiscard]] core::Direction rate_direction(std::string_view noun, std::string_view labels);

}  // namespace plumbline::formats::prometheus
