#include <algorithm>
#include <map>

#include "core/context.hpp"
#include "profiles/diff/contributors.hpp"
#include "profiles/diff/rows.hpp"
#include "profiles/diff/verdict.hpp"
#include "profiles/diff/wall.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {
namespace {

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
  const Wall wall = wall_change(baseline, candidate, result.kernels, result.steps ? &*result.steps : nullptr);
  find_contributors(wall, result);
  result.environment_differences = core::context_differences(baseline.info.context, candidate.info.context, options.varying);
  for (const auto& [side, warnings] : {std::pair<const char*, const std::vector<core::Warning>*>{"baseline", &baseline.warnings},
                                       {"candidate", &candidate.warnings}}) {
    for (const core::Warning& warning : *warnings)
      result.warnings.push_back({warning.code, std::string(side) + ": " + warning.message});
  }
  judge(baseline, candidate, wall, options, result);
  return result;
}

}  // namespace plumbline::profiles
