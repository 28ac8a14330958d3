// What fio measures, whichever of its outputs it comes from (JSON, the text for people, the terse lines): one set of keys, units
// and roles. Bandwidth and IOPS are one figure for one block size: IOPS are judged below 64 KiB, bandwidth from there on, both
// where the block size varies; neither where the job's rate was limited. Private to formats/.
#pragma once

#include <string>
#include <string_view>

#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats::fio {

using core::Direction;
using core::Role;

inline constexpr ToolMetric kBandwidth[] = {{"bw", "B/s", Direction::higher, Role::judged},
                                            {"bw", "B/s", Direction::higher, Role::context}};
inline constexpr ToolMetric kIops[] = {{"iops", "1/s", Direction::higher, Role::judged},
                                       {"iops", "1/s", Direction::higher, Role::context}};
inline constexpr ToolMetric kError{"error", "", Direction::lower, Role::gate};
// Of --continue_on_error, where the job itself ends well.
inline constexpr ToolMetric kTotalErrors{"total_err", "", Direction::lower, Role::gate, true};
inline constexpr ToolMetric kSteady{"steadystate_attained", "", Direction::higher, Role::gate};
inline constexpr ToolMetric kTotal{"total_ios", "", Direction::unknown, Role::context, true};
inline constexpr ToolMetric kCpu[] = {{"usr_cpu", "%", Direction::lower, Role::context},
                                      {"sys_cpu", "%", Direction::lower, Role::context}};
inline constexpr ToolMetric kNoise[] = {{"bw_dev", "KiB/s", Direction::lower, Role::noise},
                                        {"iops_stddev", "1/s", Direction::lower, Role::noise}};

// What the application waits is lat, of which fio gives the mean always and percentiles on demand; of clat it is the other way
// round. A stage is where that time goes.
struct LatencyRows {
  ToolMetric mean, stddev, min, max, p50, p90, p95, p99, p999, p9999;
};
constexpr LatencyRows latency_rows(std::string_view unit, std::string_view mean, std::string_view stddev, std::string_view min,
                                   std::string_view max, std::string_view p50, std::string_view p90, std::string_view p95,
                                   std::string_view p99, std::string_view p999, std::string_view p9999, Role judged) {
  return {{mean, unit, Direction::lower, judged},        {stddev, unit, Direction::lower, Role::noise},
          {min, unit, Direction::lower, Role::context},  {max, unit, Direction::lower, Role::context},
          {p50, unit, Direction::lower, Role::context},  {p90, unit, Direction::lower, Role::context},
          {p95, unit, Direction::lower, Role::context},  {p99, unit, Direction::lower, Role::judged},
          {p999, unit, Direction::lower, Role::context}, {p9999, unit, Direction::lower, Role::context}};
}
struct Stage {
  std::string_view block;  // in JSON
  std::string_view name;   // in text
  LatencyRows rows;
};
#define PLUMBLINE_FIO_LATENCY(block, name, unit, judged)                                                                  \
  {                                                                                                                       \
    block, name,                                                                                                          \
        latency_rows(unit, name ".mean", name ".stddev", name ".min", name ".max", name ".p50", name ".p90", name ".p95", \
                     name ".p99", name ".p99.9", name ".p99.99", judged)                                                  \
  }
inline constexpr Stage kStages[] = {
    PLUMBLINE_FIO_LATENCY("lat_ns", "lat", "ns", Role::judged),    PLUMBLINE_FIO_LATENCY("clat_ns", "clat", "ns", Role::context),
    PLUMBLINE_FIO_LATENCY("slat_ns", "slat", "ns", Role::context), PLUMBLINE_FIO_LATENCY("lat", "lat", "us", Role::judged),
    PLUMBLINE_FIO_LATENCY("clat", "clat", "us", Role::context),    PLUMBLINE_FIO_LATENCY("slat", "slat", "us", Role::context),
};
#undef PLUMBLINE_FIO_LATENCY

// Percentiles that have a row, as JSON spells them.
struct Percentile {
  std::string_view name;
  double percent;
  ToolMetric LatencyRows::*metric;
};
inline constexpr Percentile kPercentiles[] = {
    {"50.000000", 50, &LatencyRows::p50}, {"90.000000", 90, &LatencyRows::p90},    {"95.000000", 95, &LatencyRows::p95},
    {"99.000000", 99, &LatencyRows::p99}, {"99.900000", 99.9, &LatencyRows::p999}, {"99.990000", 99.99, &LatencyRows::p9999},
};

// "4k" -> 4096; 0 where it is a range or unreadable.
[[nodiscard]] double block_size(std::string_view text);

// Which of the two is judged for a block size (0: it varies).
struct Judged {
  bool bandwidth, iops;
};
[[nodiscard]] constexpr Judged judged_for(double size, bool capped) {
  return {!capped && (size == 0 || size >= 65536), !capped && (size == 0 || size < 65536)};
}
// Makes the rate of the point at hand a headline. Clones of a job are one point.
void headline(ToolRows& rows, const Judged& judged);

}  // namespace plumbline::formats::fio
