// A registry's values as other tools take them: CSV (quoted as in RFC 4180, lines ending in one line feed) for tables and
// notebooks, OpenMetrics 1.0 with timestamps for Prometheus (promtool tsdb create-blocks-from openmetrics) and what reads from
// it. The same values give the same bytes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::reports {

// Of an entry, under one key; a scalar's key is "".
struct SeriesPoint {
  std::string family, measurement, key, slug;
  std::chrono::system_clock::time_point at;  // when it was measured
  std::string unit;
  core::Direction direction = core::Direction::unknown;
  double value = 0;  // the median of its trials
  bool accepted = false;
};
// Of a diff: its verdict and tier as they are written.
struct VerdictPoint {
  std::string family, measurement, slug;
  std::chrono::system_clock::time_point at;
  std::string verdict, tier;
};

// "family,measurement,key,time,entry,value,unit,direction,accepted", one line an entry and key, in the order of the first four.
[[nodiscard]] std::string series_csv(std::vector<SeriesPoint> points);

// plumbline_value{family,measurement,key,unit,direction} and plumbline_verdict{family,measurement} (0 GREEN, 1 YELLOW, 2 RED),
// metric by metric in the order of time. A metric has one value at a time: of those in the same millisecond the last entry's is
// taken.
struct OpenMetrics {
  std::string text;
  std::uint64_t values = 0;                                  // that were written
  std::uint64_t values_left_out = 0, verdicts_left_out = 0;  // for another one of the same metric and millisecond
};
[[nodiscard]] OpenMetrics series_openmetrics(std::vector<SeriesPoint> points, std::vector<VerdictPoint> verdicts);

}  // namespace plumbline::reports
