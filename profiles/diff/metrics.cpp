#include "profiles/diff/metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "profiles/names/canonical.hpp"

namespace plumbline::profiles {
namespace {

// In order of what a reader asks first. `name` ending in '*': all that begin so. `label` and `unit` as on the details page.
struct KnownMetric {
  std::string_view name, label, unit;
  bool speed_of_light = false;
};
constexpr std::array<KnownMetric, 24> kKnown = {
    {{kDurationMetric, "Duration", "ns"},
     {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput", "%", true},
     {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory Throughput", "%", true},
     {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput", "%", true},
     {"sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy", "%"},
     {"sm__maximum_warps_per_active_cycle_pct", "Theoretical Occupancy", "%"},
     {"launch__registers_per_thread", "Registers Per Thread", "register/thread"},
     {"launch__occupancy_limit_blocks", "Block Limit SM", "block"},
     {"launch__occupancy_limit_registers", "Block Limit Registers", "block"},
     {"launch__occupancy_limit_shared_mem", "Block Limit Shared Mem", "block"},
     {"launch__occupancy_limit_warps", "Block Limit Warps", "block"},
     {"smsp__average_warps_issue_stalled_*", "", ""},
     {"smsp__average_warp_latency_per_inst_issued.ratio", "Warp Cycles Per Issued Instruction", "cycle"},
     {"dram__bytes_read.sum", "", "byte"},
     {"dram__bytes_write.sum", "", "byte"},
     {"dram__bytes.sum.per_second", "Memory Throughput", "byte/s"},
     {"sm__inst_executed_pipe_tensor*", "", ""},
     {"sm__inst_executed.avg.per_cycle_active", "Executed Ipc Active", "inst/cycle"},
     {"l1tex__t_sector_hit_rate.pct", "L1/TEX Hit Rate", "%"},
     {"lts__t_sector_hit_rate.pct", "L2 Hit Rate", "%"},
     {"launch__waves_per_multiprocessor", "Waves Per SM", ""},
     {"gpc__cycles_elapsed.max", "Elapsed Cycles", "cycle"},
     {"gpc__cycles_elapsed.avg.per_second", "SM Frequency", "hz"},
     {"dram__cycles_elapsed.avg.per_second", "DRAM Frequency", "hz"}}};

const KnownMetric* known(std::string_view metric, std::string_view unit) {
  for (const KnownMetric& each : kKnown) {
    if (each.name.ends_with('*') ? metric.starts_with(each.name.substr(0, each.name.size() - 1)) : metric == each.name)
      return &each;
    if (!each.label.empty() && metric == each.label && unit == each.unit) return &each;
  }
  return nullptr;
}

// Place in the table above; behind it for the rest.
std::size_t importance(const core::ProfileMetric& row) {
  const KnownMetric* metric = known(row.metric, row.unit);
  return metric == nullptr ? kKnown.size() : static_cast<std::size_t>(metric - kKnown.data());
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

using MetricKey = std::pair<std::string, std::string>;   // metric_key(), unit
using Shape = std::map<MetricKey, const KernelMetric*>;  // of one launch shape
using Kernel = std::map<std::string, Shape>;             // by launch shape
using Side = std::map<std::string, Kernel>;              // by kernel

Side side_of(const std::vector<KernelMetric>& metrics) {
  Side side;
  for (const KernelMetric& each : metrics) {
    if (each.values.empty()) continue;
    side[each.kernel][each.shape].try_emplace({std::string(metric_key(each.metric, each.unit)), each.unit}, &each);
  }
  return side;
}

// Names that stand on one side only and are the only ones there that become one and the same: compilers' hashes and clones.
std::map<std::string, std::string> renamed(const Side& baseline, const Side& candidate) {
  std::map<std::string, std::array<std::vector<std::string>, 2>> canonical;
  for (const auto& [name, kernel] : baseline) {
    if (!candidate.contains(name)) canonical[canonical_kernel(name)][0].push_back(name);
  }
  for (const auto& [name, kernel] : candidate) {
    if (!baseline.contains(name)) canonical[canonical_kernel(name)][1].push_back(name);
  }
  std::map<std::string, std::string> pairs;
  for (const auto& [name, sides] : canonical) {
    if (sides[0].size() == 1 && sides[1].size() == 1) pairs.emplace(sides[0][0], sides[1][0]);
  }
  return pairs;
}

class Differ {
 public:
  void kernels(const std::string& name, const Kernel* before, const Kernel* after) {
    std::set<std::string> left;
    for (const Kernel* kernel : {before, after}) {
      if (kernel == nullptr) continue;
      for (const auto& [shape, metrics] : *kernel) left.insert(shape);
    }
    // Launched once in another shape each: still the thing to compare, and the shape is part of what changed.
    if (before != nullptr && after != nullptr && before->size() == 1 && after->size() == 1 && left.size() == 2) {
      const auto& [old_shape, old_metrics] = *before->begin();
      const auto& [new_shape, new_metrics] = *after->begin();
      shapes(name, old_shape + " -> " + new_shape, &old_metrics, &new_metrics);
      return;
    }
    for (const std::string& shape : left) shapes(name, shape, find(before, shape), find(after, shape));
  }
  std::vector<core::ProfileMetric> take() { return std::move(rows_); }

 private:
  static const Shape* find(const Kernel* kernel, const std::string& shape) {
    if (kernel == nullptr) return nullptr;
    const auto found = kernel->find(shape);
    return found == kernel->end() ? nullptr : &found->second;
  }

  void shapes(const std::string& name, const std::string& shape, const Shape* before, const Shape* after) {
    std::set<MetricKey> keys;
    for (const Shape* metrics : {before, after}) {
      if (metrics == nullptr) continue;
      for (const auto& [key, metric] : *metrics) keys.insert(key);
    }
    for (const MetricKey& key : keys) {
      core::ProfileMetric row;
      row.kernel = name;
      row.shape = shape;
      row.unit = key.second;
      const KernelMetric* old_metric = of(before, key);
      const KernelMetric* new_metric = of(after, key);
      const KernelMetric* either = new_metric != nullptr ? new_metric : old_metric;
      if (either == nullptr) continue;
      const bool one_name = old_metric == nullptr || new_metric == nullptr || old_metric->metric == new_metric->metric;
      row.metric = one_name ? either->metric : key.first;
      row.state = old_metric == nullptr ? "new" : new_metric == nullptr ? "vanished" : "matched";
      if (old_metric != nullptr) {
        row.baseline_count = old_metric->values.size();
        row.baseline = median(old_metric->values);
      }
      if (new_metric != nullptr) {
        row.candidate_count = new_metric->values.size();
        row.candidate = median(new_metric->values);
      }
      if (row.baseline && row.candidate) {
        row.delta = *row.candidate - *row.baseline;
        if (*row.baseline != 0) row.pct = 100 * *row.delta / std::abs(*row.baseline);
      }
      rows_.push_back(std::move(row));
    }
  }
  static const KernelMetric* of(const Shape* metrics, const MetricKey& key) {
    if (metrics == nullptr) return nullptr;
    const auto found = metrics->find(key);
    return found == metrics->end() ? nullptr : found->second;
  }

  std::vector<core::ProfileMetric> rows_;
};

}  // namespace

std::string_view metric_key(std::string_view metric, std::string_view unit) {
  const KnownMetric* found = known(metric, unit);
  return found == nullptr || found->name.ends_with('*') ? metric : found->name;
}

bool is_speed_of_light(std::string_view metric, std::string_view unit) {
  const KnownMetric* found = known(metric, unit);
  return found != nullptr && found->speed_of_light;
}

std::vector<core::ProfileMetric> diff_metrics(const std::vector<KernelMetric>& baseline,
                                              const std::vector<KernelMetric>& candidate) {
  const Side before = side_of(baseline);
  const Side after = side_of(candidate);
  const auto pairs = renamed(before, after);
  std::set<std::string> paired;
  Differ differ;
  for (const auto& [name, kernel] : before) {
    const auto pair = pairs.find(name);
    const auto same = after.find(pair == pairs.end() ? name : pair->second);
    if (pair != pairs.end()) paired.insert(pair->second);
    differ.kernels(pair == pairs.end() ? name : canonical_kernel(name), &kernel, same == after.end() ? nullptr : &same->second);
  }
  for (const auto& [name, kernel] : after) {
    if (!before.contains(name) && !paired.contains(name)) differ.kernels(name, nullptr, &kernel);
  }
  std::vector<core::ProfileMetric> rows = differ.take();
  std::vector<std::pair<std::size_t, core::ProfileMetric>> ranked;
  ranked.reserve(rows.size());
  for (core::ProfileMetric& row : rows) {
    const std::size_t rank = importance(row);
    ranked.emplace_back(rank, std::move(row));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    // Compared as changes relative to the larger side, so that swapped sides keep their order.
    const auto weight = [](const core::ProfileMetric& row) {
      const double most = std::max(std::abs(row.baseline.value_or(0)), std::abs(row.candidate.value_or(0)));
      return row.delta && most > 0 ? std::abs(*row.delta) / most : 0;
    };
    const double left = weight(a.second);
    const double right = weight(b.second);
    if (left != right) return left > right;
    return std::tie(a.second.kernel, a.second.metric) < std::tie(b.second.kernel, b.second.metric);
  });
  rows.clear();
  for (auto& [rank, row] : ranked) rows.push_back(std::move(row));
  return rows;
}

std::optional<double> duration_change_pct(const std::vector<core::ProfileMetric>& rows) {
  double before = 0;
  double after = 0;
  for (const core::ProfileMetric& row : rows) {
    if (!row.baseline || !row.candidate || metric_key(row.metric, row.unit) != kDurationMetric) continue;
    const double launches = (static_cast<double>(row.baseline_count) + static_cast<double>(row.candidate_count)) / 2;
    before += *row.baseline * launches;
    after += *row.candidate * launches;
  }
  if (!(before > 0) || !std::isfinite(before) || !std::isfinite(after)) return std::nullopt;
  return 100 * (after - before) / before;
}

}  // namespace plumbline::profiles
