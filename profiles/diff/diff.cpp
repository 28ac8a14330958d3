#include "profiles/diff/diff.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "configs/configs.hpp"
#include "configs/kernel_categories.hpp"
#include "core/context.hpp"
#include "core/statistics.hpp"
#include "profiles/diff/categories.hpp"
#include "profiles/diff/collectives.hpp"
#include "profiles/diff/contributors.hpp"
#include "profiles/diff/findings.hpp"
#include "profiles/diff/gaps.hpp"
#include "profiles/diff/matching.hpp"
#include "profiles/diff/metrics.hpp"
#include "profiles/diff/ranges.hpp"
#include "profiles/diff/rooflines.hpp"
#include "profiles/diff/rows.hpp"
#include "profiles/diff/steps.hpp"
#include "profiles/diff/timeline.hpp"

namespace plumbline::profiles {
namespace {

// Devices of one number belong together. Where the two captures have as many devices but none of one number (a run on GPU 3
// beside a run on GPU 1), they are paired in their order.
std::vector<core::DeviceBuckets> compare_buckets(const Profile& baseline, const Profile& candidate) {
  std::map<std::int64_t, core::DeviceBuckets> by_device;
  for (const DeviceWall& device : baseline.devices) {
    core::DeviceBuckets& row = by_device[device.device];
    row.baseline_name = device.name;
    row.baseline = device.buckets;
  }
  const bool moved = !baseline.devices.empty() && baseline.devices.size() == candidate.devices.size() &&
                     std::none_of(candidate.devices.begin(), candidate.devices.end(),
                                  [&by_device](const DeviceWall& device) { return by_device.contains(device.device); });
  for (std::size_t i = 0; i < candidate.devices.size(); ++i) {
    const DeviceWall& device = candidate.devices[i];
    core::DeviceBuckets& row = by_device[moved ? baseline.devices[i].device : device.device];
    if (moved) row.candidate_device = device.device;
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

// Processes have other numbers in every run: those of one device are paired in the order of theirs.
std::vector<core::ProfileProcess> compare_processes(const Profile& baseline, const Profile& candidate) {
  std::map<std::pair<std::int64_t, std::uint32_t>, core::ProfileProcess> rows;
  const auto add = [&rows](const Profile& profile, std::optional<std::int64_t> core::ProfileProcess::*pid,
                           std::optional<core::ProfileBuckets> core::ProfileProcess::*buckets,
                           std::optional<double> core::ProfileProcess::*step) {
    for (const DeviceWall& device : profile.devices) {
      std::uint32_t place = 0;
      for (const ProcessWall& process : device.processes) {
        core::ProfileProcess& row = rows[{device.device, ++place}];
        row.device = device.device;
        row.place = place;
        row.*pid = process.process;
        row.*buckets = process.buckets;
        const std::vector<double> walls(process.steps_ns.begin(), process.steps_ns.end());
        if (!walls.empty()) row.*step = core::median(walls);
      }
    }
  };
  add(baseline, &core::ProfileProcess::baseline_pid, &core::ProfileProcess::baseline, &core::ProfileProcess::baseline_step_ns);
  add(candidate, &core::ProfileProcess::candidate_pid, &core::ProfileProcess::candidate,
      &core::ProfileProcess::candidate_step_ns);
  std::vector<core::ProfileProcess> list;
  list.reserve(rows.size());
  for (auto& [key, row] : rows) list.push_back(row);
  return list;
}

}  // namespace

CaptureEvidence diff(const Profile& baseline, const Profile& candidate, const DiffOptions& options) {
  CaptureEvidence evidence;
  core::ProfileDiff& result = evidence.diff;
  result.baseline = baseline.info;
  result.candidate = candidate.info;
  result.limit = options.limit;
  result.gate_pct = options.gate_pct;
  const auto categories = options.categories != nullptr ? options.categories : configs::KernelCategories::builtin();
  const auto ceilings = options.ceilings != nullptr ? options.ceilings : configs::Ceilings::builtin();
  result.kernels = match_kernels(baseline.kernels, candidate.kernels, *categories);
  result.matched_pct = matched_share(result.kernels);
  result.categories = compare_categories(baseline, candidate, *categories, *ceilings);
  Rooflines rooflines = compare_rooflines(baseline, candidate, *categories, *ceilings);
  result.rooflines = std::move(rooflines.rows);
  result.rooflines_left_out = rooflines.left_out;
  result.nvtx = compare_ranges(baseline.nvtx, candidate.nvtx);
  result.cuda_api = compare_rows(baseline.api, candidate.api);
  result.nccl = match_kernels(baseline.nccl, candidate.nccl, *categories);
  result.memory = compare_rows(baseline.memory, candidate.memory);
  result.buckets = compare_buckets(baseline, candidate);
  result.processes = compare_processes(baseline, candidate);
  result.collectives = compare_collectives(baseline.collectives, candidate.collectives);
  Work work = tell_work(baseline, candidate, result.kernels);
  result.steps = compare_steps(baseline, candidate, calls_per_device(work, baseline, candidate), options.gate_pct);
  result.baseline_launches = baseline.launches;
  result.candidate_launches = candidate.launches;
  evidence.frames = compare_host_profiles(baseline, candidate);
  result.frames = evidence.frames.rows;
  result.frames_unit = evidence.frames.unit;
  result.metrics = diff_metrics(baseline.metrics, candidate.metrics);
  evidence.wall = wall_change(baseline, candidate, std::move(work), result.steps ? &*result.steps : nullptr);
  if (result.steps) {
    result.steps->baseline_in_window = evidence.wall.baseline_steps;
    result.steps->candidate_in_window = evidence.wall.candidate_steps;
  }
  result.ranges = compare_range_trees(baseline.ranges, candidate.ranges, evidence.wall.scale);
  result.subtree = most_changed_subtree(result.ranges);
  explain_wall(result.ranges, evidence.wall.scale);
  result.timeline = compare_timelines(baseline, candidate, result);
  result.gaps = compare_gaps(baseline, candidate, evidence.wall.scale);
  for (core::ProfileCategory& each : result.categories) {
    each.work_delta_ns = std::llround(static_cast<double>(each.candidate_ns) / evidence.wall.scale) - each.baseline_ns;
  }
  find_contributors(evidence.wall, result);
  result.environment_differences = core::context_differences(baseline.info.context, candidate.info.context, options.varying);
  for (const auto& [side, warnings] : {std::pair<const char*, const std::vector<core::Warning>*>{"baseline", &baseline.warnings},
                                       {"candidate", &candidate.warnings}}) {
    for (const core::Warning& warning : *warnings)
      result.warnings.push_back({warning.code, std::string(side) + ": " + warning.message});
  }
  if (auto warning = compare_ranks(baseline.info, candidate.info)) result.warnings.push_back(std::move(*warning));
  if (!options.same_content) find_findings(evidence.wall, result);
  return evidence;
}

}  // namespace plumbline::profiles
