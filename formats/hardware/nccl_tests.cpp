#include "formats/hardware/nccl_tests.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr double kBandwidthRules = 65536;  // bytes: below, latency decides

// Of names that mean one thing the first is the row's.
struct Column {
  std::string_view text_name, json_name;
  ToolMetric small, large;
};
constexpr ToolMetric of(std::string_view name, std::string_view unit, Direction direction, Role role) {
  return {name, unit, direction, role, false};
}
constexpr Column kColumns[] = {
    {"time", "time", of("time", "us", Direction::lower, Role::judged), of("time", "us", Direction::lower, Role::context)},
    {"cputime", "cpu_time", of("cpu_time", "us", Direction::lower, Role::judged),
     of("cpu_time", "us", Direction::lower, Role::context)},
    {"algbw", "alg_bw", of("algbw", "GB/s", Direction::higher, Role::context),
     of("algbw", "GB/s", Direction::higher, Role::context)},
    {"busbw", "bus_bw", of("busbw", "GB/s", Direction::higher, Role::context),
     of("busbw", "GB/s", Direction::higher, Role::judged)},
    {"#wrong", "nwrong", of("#wrong", "", Direction::lower, Role::gate), of("#wrong", "", Direction::lower, Role::gate)},
    // Before #wrong: the largest numeric difference found, which is never quite zero. The out-of-bounds count is the check.
    {"error", "", of("error", "", Direction::unknown, Role::context), of("error", "", Direction::unknown, Role::context)},
    {"i_min", "min_us", of("iteration_min", "us", Direction::lower, Role::context),
     of("iteration_min", "us", Direction::lower, Role::context)},
    {"i_max", "max_us", of("iteration_max", "us", Direction::lower, Role::context),
     of("iteration_max", "us", Direction::lower, Role::context)},
    {"i_avg", "avg_us", of("iteration_avg", "us", Direction::lower, Role::context),
     of("iteration_avg", "us", Direction::lower, Role::context)},
    {"i_p50", "p50_us", of("iteration_p50", "us", Direction::lower, Role::context),
     of("iteration_p50", "us", Direction::lower, Role::context)},
    {"i_p95", "p95_us", of("iteration_p95", "us", Direction::lower, Role::context),
     of("iteration_p95", "us", Direction::lower, Role::context)},
    {"i_p99", "p99_us", of("iteration_p99", "us", Direction::lower, Role::judged),
     of("iteration_p99", "us", Direction::lower, Role::judged)},
    {"i_stdev", "stdev_us", of("iteration_stdev", "us", Direction::lower, Role::noise),
     of("iteration_stdev", "us", Direction::lower, Role::noise)},
    {"i_cv%", "cv_pct", of("iteration_cv", "%", Direction::lower, Role::noise),
     of("iteration_cv", "%", Direction::lower, Role::noise)},
};
constexpr ToolMetric kTimes = of("iteration_time", "us", Direction::lower, Role::judged);
constexpr ToolMetric kOutOfBounds = of("out_of_bounds", "", Direction::lower, Role::gate);
// Over all sizes alike, so it moves when the range of sizes does.
constexpr ToolMetric kAverage = of("avg_bus_bandwidth", "GB/s", Direction::higher, Role::context);

const Column* column(std::string_view name) {
  const auto* found = std::find_if(std::begin(kColumns), std::end(kColumns),
                                   [&](const Column& one) { return one.text_name == name || one.json_name == name; });
  return name.empty() || found == std::end(kColumns) ? nullptr : found;
}

}  // namespace

NcclPoints::NcclPoints(ToolRows& rows, std::string collective, std::size_t ranks)
    : rows_(rows), collective_(std::move(collective)), ranks_(ranks == 0 ? std::string() : std::to_string(ranks)) {}

void NcclPoints::begin(std::string_view size, std::string_view dtype, std::string_view redop, std::string_view root,
                       bool in_place) {
  size_ = core::parse_double(size).value_or(0);
  large_ = size_ >= kBandwidthRules;
  in_place_ = in_place;
  wrong_ = false;
  rows_.note("workload.dtype", dtype);
  rows_.note("workload.redop", redop);
  rows_.point(collective_, {{"size", size},
                            {"dtype", dtype},
                            {"redop", redop == "none" ? std::string_view() : redop},
                            {"root", root == "-1" ? std::string_view() : root},
                            {"ranks", ranks_},
                            {"place", in_place ? "in" : "out"}});
}

void NcclPoints::add(std::span<const std::string_view> names, std::span<const std::string_view> printed) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "#wrong") wrong_ = core::parse_double(printed[i]).value_or(0) != 0;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const auto leaf = cell(printed[i])) add(names[i], wrong_ && names[i] != "#wrong" ? failed_value(printed[i]) : *leaf);
  }
}

void NcclPoints::add(std::string_view name, const Leaf& leaf) {
  const Column* known = column(name);
  if (known == nullptr) return;
  const ToolMetric& metric = large_ ? known->large : known->small;
  rows_.add(metric, leaf);
  // The headline: the largest size, out of place where there is such.
  const bool bandwidth = known->text_name == "busbw", time = known->text_name == "time";
  if (metric.role == Role::judged && (bandwidth || time) &&
      (size_ > headline_size_ || (size_ == headline_size_ && headline_in_place_ && !in_place_))) {
    headline_ = rows_.key(metric.name);
    headline_size_ = size_;
    headline_in_place_ = in_place_;
  }
}

void NcclPoints::add_times(std::vector<double> microseconds) { rows_.add_trials(kTimes, std::move(microseconds)); }

void NcclPoints::end(std::string_view out_of_bounds, std::string_view average) {
  rows_.point(collective_, {{"ranks", ranks_}});
  if (!out_of_bounds.empty()) rows_.add(kOutOfBounds, out_of_bounds);
  if (!average.empty()) rows_.add(kAverage, average);
  if (!headline_.empty()) rows_.headline(headline_);
}

}  // namespace plumbline::formats
