// Captures whose typical steps are known, and the worst ones that a report may get.
#pragma once

#include "core/citing.hpp"
#include "fixture.hpp"

namespace plumbline::reports::fixture {

// One typical step: a stream of kernels, one of collectives, what the host did, and a gap in which data was loaded.
inline core::ProfileTimelineSide timeline_side(std::int64_t loading) {
  core::ProfileTimelineSide side;
  side.basis = "step";
  side.step = 2;
  side.of = 3;
  side.wall_ns = 60000000 + loading;
  side.idle_ns = loading;
  side.operations = 40;
  side.names = {"void gemm_kernel_a<float, 128>(float*)", "ncclDevKernel_AllReduce", "enumerate(DataLoader)#__next__"};
  core::TimelineLane kernels;
  kernels.number = 7;
  kernels.operations = 38;
  kernels.busy_ns[0] = 55000000;
  kernels.blocks = {{0, 30000000, 30000000, 0, 1, core::TimelineWork::compute},
                    {30000000, 26000000, 25000000, 0, 37, core::TimelineWork::compute}};
  core::TimelineLane collectives;
  collectives.number = 20;
  collectives.operations = 2;
  collectives.busy_ns[1] = 20000000;
  collectives.blocks = {{40000000, 10000000, 10000000, 1, 1, core::TimelineWork::communication},
                        {50000000, 10000000, 10000000, 1, 1, core::TimelineWork::communication}};
  core::TimelineLane host;
  host.host = true;
  host.number = 4242;
  host.operations = 1;
  host.blocks = {{60000000, loading, loading, 2, 1, core::TimelineWork::host}};
  side.lanes = {kernels, collectives, host};
  side.gaps = {{60000000, loading, "data_loading", "enumerate(DataLoader)#__next__"}};
  side.typical_ns = side.wall_ns;
  return side;
}

// Two captures whose steps differ by how long the GPU waits for data.
inline core::ProfileDiff stepping() {
  core::ProfileDiff diff = profile();
  diff.wall_basis = "step_wall";
  diff.timeline = core::ProfileTimeline{timeline_side(40000000), timeline_side(50000000), {}, 0};
  diff.timeline->parts = {{"idle", "data_loading: enumerate(DataLoader)#__next__", 40000000, 50000000},
                          {"kernel", "gemm_kernel_a", 50000000, 50500000},
                          {"collective", "ncclDevKernel_AllReduce", 10000000, 9500000}};
  return diff;
}

// Long names, many devices, many findings, characters that grow when they are escaped.
inline core::DiffResult worst_captures() {
  core::ProfileDiff diff = stepping();
  const std::string name = std::string(500, '*') + "<b>|\"`" + std::string(3000, '_') + "\u00e9\u4e2d\x1b[31m\n# heading";
  for (int i = 0; i < 300; ++i) {
    diff.buckets.push_back(diff.buckets[0]);
    diff.buckets.back().device = 1000 + i;
    diff.findings.push_back({"code_" + std::to_string(i), "found " + core::cited(name), {name}, {}});
    diff.reasons.push_back({"wall_regressed", "since " + core::cited(name), {name}, 1});
    diff.promote.push_back("ask for " + core::cited(name));
    diff.warnings.push_back({"graph_replays", "say " + core::cited(name)});
    core::ProfileGaps gaps;
    gaps.cause = "host";
    gaps.what = name + std::to_string(i);
    gaps.delta_ns = i * 1000000;
    diff.gaps.push_back(gaps);
    core::ProfileRow row = profile_row(name + std::to_string(i), 1000 + i, 5000, 3, 4);
    diff.kernels.push_back(row);
    diff.timeline->parts.push_back({"kernel", row.name, 1000, 1000 + i});
    diff.ranges.push_back({name, name + std::to_string(i), 0, core::ProfileRangeSide{1, 1, 1, 1000000, 0}, std::nullopt, -1, 0});
  }
  diff.timeline->baseline->names[0] = name;
  diff.recommendation.message = "look at " + core::cited(name);
  diff.next_lever = core::NextLever{name, name, name, {}};
  diff.baseline.path = diff.candidate.path = "/" + name;
  core::DiffResult result = capture(diff);
  result.family = std::string(128, '_');
  result.measurement = std::string(128, '*');
  result.baseline.path = result.current.path = "/" + name;
  result.baseline.sha256 = result.current.sha256 = std::string(64, 'a');
  result.promote = diff.promote;
  result.recommendation = diff.recommendation;
  result.next_lever = diff.next_lever;
  result.warnings = diff.warnings;
  result.compared_at_utc = "2026-11-20T15:03:59Z";
  return result;
}

}  // namespace plumbline::reports::fixture
