#include <algorithm>
#include <map>

#include "core/context.hpp"
#include "profiles/diff/rows.hpp"
#include "profiles/diff/verdict.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {
namespace {

double magnitude(std::int64_t value) { return value < 0 ? -static_cast<double>(value) : static_cast<double>(value); }

std::vector<core::DeviceBuckets> compare_buckets(const Profile& baseline, const Profile& candidate) {
  std::map<std::int64_t, core::DeviceBuckets> by_device;
  for (const DeviceWall& device : baseline.devices) {
    core::DeviceBuckets& row = by_device[device.device];
    row.baseline_name = device.name;
    row.baseline = device.buckets;
  }
  for (const DeviceWall& device : candidate.devices) {
    core::DeviceBuckets& row = by_device[device.device];
    row.candidate_name = device.name;
    row.candidate = device.buckets;
  }
  std::vector<core::DeviceBuckets> rows;
  for (auto& [device, row] : by_device) {
    row.device = device;
    rows.push_back(std::move(row));
  }
  return rows;
}

// Kernels and memory operations by |delta|, with the share of all moves that each and all before it explain.
std::vector<core::ProfileContributor> contributors(const core::ProfileDiff& diff) {
  std::vector<core::ProfileContributor> list;
  double sum = 0;
  for (const auto& [kind, rows] :
       {std::pair<const char*, const std::vector<core::ProfileRow>*>{"kernel", &diff.kernels}, {"memory", &diff.memory}}) {
    for (const core::ProfileRow& row : *rows) {
      if (row.delta_ns == 0) continue;
      sum += magnitude(row.delta_ns);
      list.push_back({kind, row.name, row.delta_ns, 0, 0});
    }
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return magnitude(a.delta_ns) > magnitude(b.delta_ns); });
  double running = 0;
  for (core::ProfileContributor& each : list) {
    running += magnitude(each.delta_ns);
    each.share_pct = 100 * magnitude(each.delta_ns) / sum;
    each.cumulative_pct = 100 * running / sum;
  }
  if (list.size() > diff.limit) list.resize(diff.limit);
  return list;
}

}  // namespace

core::ProfileDiff diff(const Profile& baseline, const Profile& candidate, const DiffOptions& options) {
  core::ProfileDiff result;
  result.baseline = baseline.info;
  result.candidate = candidate.info;
  result.limit = options.limit;
  result.gate_pct = options.gate_pct;
  result.kernels = compare_rows(baseline.kernels, candidate.kernels);
  result.nvtx = compare_rows(baseline.nvtx, candidate.nvtx);
  result.cuda_api = compare_rows(baseline.api, candidate.api);
  result.nccl = compare_rows(baseline.nccl, candidate.nccl);
  result.memory = compare_rows(baseline.memory, candidate.memory);
  result.buckets = compare_buckets(baseline, candidate);
  result.contributors = contributors(result);
  result.environment_differences = core::context_differences(baseline.info.context, candidate.info.context, options.varying);
  for (const auto& [side, warnings] : {std::pair<const char*, const std::vector<core::Warning>*>{"baseline", &baseline.warnings},
                                       {"candidate", &candidate.warnings}}) {
    for (const core::Warning& warning : *warnings)
      result.warnings.push_back({warning.code, std::string(side) + ": " + warning.message});
  }
  judge(baseline, candidate, options, result);
  return result;
}

}  // namespace plumbline::profiles
