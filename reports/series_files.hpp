// A registry's values as other tools take them: CSV (RFC 4180) for tables and notebooks, OpenMetrics 1.0 with timestamps for
// Prometheus (promtool tsdb create-blocks-from openmetrics) and what reads from it. The same values give the same bytes.
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

// Both in the order of family, measurement, key, time.
void sort_points(std::vector<SeriesPoint>& points);

// "family,measurement,key,time,entry,value,unit,direction,accepted", one line an entry and key.
[[nodiscard]] std::string series_csv(const std::vector<SeriesPoint>& points);
// plumbline_value{family,measurement,key,unit,direction} and plumbline_verdict{family,measurement} (0 GREEN, 1 YELLOW, 2 RED).
[[nodiscard]] std::string series_openmetrics(const std::vector<SeriesPoint>& points, const std::vector<VerdictPoint>& verdicts);

}  // namespace plumbline::reports
