#include "formats/hardware/nccl_tests.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::formats {

// Of names that mean one thing the first is the row's.
struct NcclColumn {
  std::string_view text_name, json_name;
  ToolMetric small, large;
};

namespace {

using core::Direction;
using core::Role;

constexpr double kBandwidthRules = 65536;  // bytes: below, latency decides
// A hypercube moves (n-1)/n of what its size says; anything further from the size is another unit.
constexpr double kNear = 2.2;
constexpr double kHalfDigit = 0.005;  // times and bandwidths are printed with two decimals
constexpr std::string_view kRefuted = "size / time is not algbw";

constexpr NcclColumn kColumns[] = {
    {"time", "time", tool_metric("time", "us", Direction::lower, Role::judged),
     tool_metric("time", "us", Direction::lower, Role::context)},
    {"cputime", "cpu_time", tool_metric("cpu_time", "us", Direction::lower, Role::judged),
     tool_metric("cpu_time", "us", Direction::lower, Role::context)},
    {"algbw", "alg_bw", tool_metric("algbw", "GB/s", Direction::higher, Role::context),
     tool_metric("algbw", "GB/s", Direction::higher, Role::context)},
    {"busbw", "bus_bw", tool_metric("busbw", "GB/s", Direction::higher, Role::context),
     tool_metric("busbw", "GB/s", Direction::higher, Role::judged)},
    {"#wrong", "nwrong", tool_metric("#wrong", "", Direction::lower, Role::gate),
     tool_metric("#wrong", "", Direction::lower, Role::gate)},
    // Before #wrong: the largest numeric difference found, which is never quite zero. The out-of-bounds count is the check.
    {"error", "", tool_metric("error", "", Direction::unknown, Role::context),
     tool_metric("error", "", Direction::unknown, Role::context)},
    {"i_min", "min_us", tool_metric("iteration_min", "us", Direction::lower, Role::context),
     tool_metric("iteration_min", "us", Direction::lower, Role::context)},
    {"i_max", "max_us", tool_metric("iteration_max", "us", Direction::lower, Role::context),
     tool_metric("iteration_max", "us", Direction::lower, Role::context)},
    {"i_avg", "avg_us", tool_metric("iteration_avg", "us", Direction::lower, Role::context),
     tool_metric("iteration_avg", "us", Direction::lower, Role::context)},
    {"i_p50", "p50_us", tool_metric("iteration_p50", "us", Direction::lower, Role::context),
     tool_metric("iteration_p50", "us", Direction::lower, Role::context)},
    {"i_p95", "p95_us", tool_metric("iteration_p95", "us", Direction::lower, Role::context),
     tool_metric("iteration_p95", "us", Direction::lower, Role::context)},
    {"i_p99", "p99_us", tool_metric("iteration_p99", "us", Direction::lower, Role::judged),
     tool_metric("iteration_p99", "us", Direction::lower, Role::judged)},
    {"i_stdev", "stdev_us", tool_metric("iteration_stdev", "us", Direction::lower, Role::noise),
     tool_metric("iteration_stdev", "us", Direction::lower, Role::noise)},
    {"i_cv%", "cv_pct", tool_metric("iteration_cv", "%", Direction::lower, Role::noise),
     tool_metric("iteration_cv", "%", Direction::lower, Role::noise)},
};
constexpr std::size_t kTimeColumn = 0, kBandwidthColumn = 2;
static_assert(kColumns[kTimeColumn].text_name == "time" && kColumns[kBandwidthColumn].text_name == "algbw");
constexpr ToolMetric kTimes = tool_metric("iteration_time", "us", Direction::lower, Role::judged);
constexpr ToolMetric kOutOfBounds = tool_metric("out_of_bounds", "", Direction::lower, Role::gate);
// Over all sizes alike, so it moves when the range of sizes does.
constexpr ToolMetric kAverage = tool_metric("avg_bus_bandwidth", "GB/s", Direction::higher, Role::context);
// The tool's own verdict on that mean, where NCCL_TESTS_MIN_BW asked for one.
constexpr ToolMetric kFloor = tool_metric("min_bandwidth_met", "", Direction::higher, Role::gate);

const NcclColumn* column(std::string_view name) {
  const auto* found = std::find_if(std::begin(kColumns), std::end(kColumns),
                                   [&](const NcclColumn& one) { return one.text_name == name || one.json_name == name; });
  return name.empty() || found == std::end(kColumns) ? nullptr : found;
}

}  // namespace

std::string rccl_collective(std::string_view name) {
  for (const auto& [theirs, ours] : std::initializer_list<Dim>{{"AllReduce", "all_reduce"},
                                                               {"AllGather", "all_gather"},
                                                               {"ReduceScatter", "reduce_scatter"},
                                                               {"AlltoAll", "alltoall"},
                                                               {"AllToAll", "alltoall"}}) {
    if (name == theirs) return std::string(ours);
  }
  return core::to_lower(name);
}

std::string nccl_version(std::string_view said) {
  const auto code = core::parse_int(said);
  if (!code || *code < 2000 || *code > 999999) return std::string(said.substr(0, said.find_first_of("+-")));
  // NCCL_VERSION(2,8,4) is 2804, from 2.9 on there are two digits for the minor number.
  const std::int64_t major = *code < 10000 ? *code / 1000 : *code / 10000;
  const std::int64_t minor = *code < 10000 ? *code % 1000 / 100 : *code % 10000 / 100;
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(*code % 100);
}

bool is_marked(std::string_view printed) { return printed.ends_with('*') && cell(printed.substr(0, printed.size() - 1)); }

NcclPoints::NcclPoints(ToolRows& rows, std::string collective, std::size_t ranks)
    : rows_(rows), collective_(std::move(collective)), ranks_(ranks == 0 ? std::string() : std::to_string(ranks)) {}

void NcclPoints::again(std::uint32_t point, double size, bool in_place) {
  size_ = size;
  large_ = size_ >= kBandwidthRules;
  in_place_ = in_place;
  wrong_ = refuted_ = false;
  rows_.at(point);
}

void NcclPoints::check(double microseconds, double gigabytes_per_second) {
  if (!(size_ > 0) || !(microseconds > 0) || !(gigabytes_per_second > 0)) return;
  const double high = size_ / std::max(microseconds - kHalfDigit, kHalfDigit) / 1e3;
  const double low = size_ / (microseconds + kHalfDigit) / 1e3;
  refuted_ = low > kNear * (gigabytes_per_second + kHalfDigit) || kNear * high < gigabytes_per_second - kHalfDigit;
  if (refuted_ && refuted_points_++ == 0) {
    refutation_ = core::cited(rows_.key("algbw")) + " of " + core::short_number(gigabytes_per_second) + " GB/s, where " +
                  core::short_number(size_, 15) + " bytes in " + core::short_number(microseconds) + " us are " +
                  core::short_number(size_ / microseconds / 1e3) + " GB/s";
  }
}

std::uint32_t NcclPoints::begin(std::string_view size, std::string_view dtype, std::string_view redop, std::string_view root,
                                bool in_place) {
  rows_.note("workload.dtype", dtype);
  rows_.note("workload.redop", redop);
  const std::uint32_t point = rows_.point(collective_, {{"size", size},
                                                        {"dtype", dtype},
                                                        {"redop", redop == "none" ? std::string_view() : redop},
                                                        {"root", root == "-1" ? std::string_view() : root},
                                                        {"ranks", ranks_},
                                                        {"place", in_place ? "in" : "out"}});
  again(point, core::parse_double(size).value_or(0), in_place);
  return point;
}

void NcclPoints::add(std::span<const std::string_view> names, std::span<const std::string_view> printed) {
  double time = 0, bandwidth = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double value = core::parse_double(printed[i]).value_or(0);
    if (names[i] == "#wrong") wrong_ = value != 0;
    if (is_marked(printed[i])) wrong_ = true;
    if (names[i] == "time") time = value;
    if (names[i] == "algbw") bandwidth = value;
  }
  check(time, bandwidth);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto leaf = cell(printed[i]);
    if (!leaf && !is_marked(printed[i])) continue;
    add(names[i], leaf && (!wrong_ || names[i] == "#wrong") ? *leaf : failed_value(printed[i]));
  }
}

void NcclPoints::add(std::string_view name, const Leaf& leaf) {
  if (const NcclColumn* known = column(name)) add(*known, leaf);
}

void NcclPoints::add(const NcclColumn& column, const Leaf& leaf) {
  const ToolMetric& metric = large_ ? column.large : column.small;
  rows_.add(metric, refuted_ && metric.role != Role::gate ? failed_value(kRefuted) : leaf);
  take_headline(column, metric);
}

NcclPoints::Columns NcclPoints::columns(std::span<const std::string_view> names) {
  Columns out;
  for (const std::string_view name : names) out.push_back(column(name));
  return out;
}

void NcclPoints::add(const Columns& columns, std::span<const double> numbers) {
  double time = 0, bandwidth = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == &kColumns[kTimeColumn]) time = numbers[i];
    if (columns[i] == &kColumns[kBandwidthColumn]) bandwidth = numbers[i];
  }
  check(time, bandwidth);
  if (refuted_) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] != nullptr) add(*columns[i], {core::ValueState::number, numbers[i], true, {}});
    }
    return;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == nullptr) continue;
    const ToolMetric& metric = large_ ? columns[i]->large : columns[i]->small;
    rows_.add(metric, numbers[i]);
    take_headline(*columns[i], metric);
  }
}

// The headline: the largest size, out of place where there is such.
void NcclPoints::take_headline(const NcclColumn& column, const ToolMetric& metric) {
  if (metric.role != Role::judged || size_ < headline_size_ || (size_ == headline_size_ && (in_place_ || !headline_in_place_))) {
    return;
  }
  if (column.text_name != "busbw" && column.text_name != "time") return;
  headline_ = rows_.key(metric.name);
  headline_size_ = size_;
  headline_in_place_ = in_place_;
}

void NcclPoints::add_times(const std::vector<double>& microseconds) {
  if (refuted_) {
    rows_.add(kTimes, failed_value(kRefuted));
  } else {
    rows_.add_trials(kTimes, microseconds);
  }
}

void NcclPoints::interrupted(std::string_view why) {
  rows_.point(collective_, {{"ranks", ranks_}});
  rows_.add(kOutOfBounds, failed_value(why));
}

void NcclPoints::end(std::string_view out_of_bounds, std::string_view average, std::string_view floor) {
  rows_.point(collective_, {{"ranks", ranks_}});
  if (!out_of_bounds.empty()) rows_.add(kOutOfBounds, out_of_bounds);
  if (!average.empty()) rows_.add(kAverage, average);
  if (!floor.empty()) rows_.add(kFloor, floor);
  if (!headline_.empty()) rows_.headline(headline_);
  if (refuted_points_ > 0) {
    rows_.writer.out.warn("unit_mismatch",
                          core::counted(refuted_points_, "point contradicts itself", "points contradict themselves") +
                              " and is not compared, so one of the units is false: first " + refutation_);
  }
}

}  // namespace plumbline::formats
