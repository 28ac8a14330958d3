#include "profiles/analysis/analyse.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <set>

#include "base/beside.hpp"
#include "core/text.hpp"
#include "profiles/analysis/aggregates.hpp"
#include "profiles/analysis/collectives.hpp"
#include "profiles/analysis/copy_bytes.hpp"
#include "profiles/analysis/launches.hpp"
#include "profiles/analysis/op_work.hpp"
#include "profiles/analysis/order.hpp"
#include "profiles/analysis/ranges.hpp"
#include "profiles/analysis/steps/steps.hpp"
#include "profiles/analysis/timeline.hpp"
#include "profiles/analysis/typical_step.hpp"
#include "profiles/analysis/work_marks.hpp"
#include "profiles/int128.hpp"
#include "profiles/names/names.hpp"
#include "profiles/screen.hpp"

namespace plumbline::profiles {
namespace {

// What the passes over single events find, by name.
struct Tables {
  Aggregates kernels, memory, api, ranges;
};

// False: implausible times.
bool aggregate_all(const Capture& capture, bool digest, Tables& tables) {
  const GpuOps& ops = capture.ops;
  const Calls& calls = capture.calls;
  const Ranges& ranges = capture.ranges;
  return aggregate(ops.times, ops.name, capture.names, {ops.kind, {OpKind::kernel, OpKind::graph}}, tables.kernels, digest) &&
         aggregate(ops.times, ops.name, capture.names, {ops.kind, {OpKind::copy, OpKind::set}}, tables.memory, digest) &&
         aggregate(calls.times, calls.name, capture.names, {}, tables.api, digest) &&
         aggregate(ranges.times, ranges.name, capture.names,
                   {ranges.kind, {RangeKind::nvtx, RangeKind::annotation, RangeKind::gpu}}, tables.ranges, digest);
}

// Whether the times of GPU operations can be added up at all.
bool plausible(const Times& times) {
  Int128 sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) sum += times.length(i);
  return sum <= kTimeBound;
}

void add_tables(const Capture& capture, const std::vector<bool>& communication, const Timeline& timeline, Tables&& tables,
                Profile& profile) {
  add_places(capture, tables.kernels);
  add_places(capture, tables.memory);
  add_bytes(capture, tables.memory);
  add_shapes(capture, tables.kernels);
  profile.info.kernel_ns = tables.kernels.total;
  for (std::size_t i = 0; i < tables.kernels.rows.size(); ++i) {
    NamedAggregate& kernel = tables.kernels.rows[i];
    kernel.exclusive = timeline.exclusive_kernels[tables.kernels.ids[i]];
    profile.info.kernels += kernel.aggregate.count;
    if (communication[tables.kernels.ids[i]]) profile.nccl.push_back(kernel);
  }
  for (std::size_t i = 0; i < tables.memory.rows.size(); ++i)
    tables.memory.rows[i].exclusive = timeline.exclusive_copies[tables.memory.ids[i]];
  profile.kernels = std::move(tables.kernels.rows);
  profile.memory = std::move(tables.memory.rows);
  profile.api = std::move(tables.api.rows);
  profile.nvtx = std::move(tables.ranges.rows);
}

void add_gpu_context(Profile& profile) {
  std::map<std::string, int> names;
  for (const DeviceWall& device : profile.devices) {
    if (!device.name.empty()) ++names[device.name];
  }
  std::string text;
  for (const auto& [name, count] : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  if (!text.empty()) profile.info.context["hardware.gpu"] = text;
  if (!profile.devices.empty()) profile.info.context["hardware.gpu_count"] = std::to_string(profile.devices.size());
}

}  // namespace

std::vector<bool> communication_names(const Capture& capture) {
  std::vector<bool> asked(capture.names.size(), false);
  std::vector<bool> result(capture.names.size(), false);
  for (std::size_t i = 0; i < capture.ops.size(); ++i) {
    const std::uint32_t id = capture.ops.name[i];
    if (asked[id] || capture.ops.kind[i] != OpKind::kernel) continue;
    asked[id] = true;
    result[id] = is_collective(capture.names.text(id));
  }
  return result;
}

core::Expected<Profile> analyse(Capture&& capture, const ReadOptions& options) {
  const auto stopped = [&options] { return options.stop && options.stop(); };
  const auto cancelled = [&capture] { return core::fail(core::ErrorCode::cancelled, "cancelled", {}, capture.info.path); };
  if (stopped()) return cancelled();
  screen(capture);
  sort_by_start(capture);
  leave_out_strays(capture);
  join_launches(capture);
  const std::vector<bool> communication = communication_names(capture);
  if (stopped()) return cancelled();
  const auto implausible = [&capture] {
    return core::fail(core::ErrorCode::invalid_input,
                      "the times in the capture add up to more than 73 years: the capture is damaged",
                      "export or record it again", capture.info.path);
  };
  if (!plausible(capture.ops.times)) return implausible();
  // Statistics by name take as long as everything else together, and read only.
  Tables tables;
  std::future<bool> aggregated = base::beside([&] { return aggregate_all(capture, options.digest, tables); });
  const std::vector<CallKind> kinds = call_kinds(capture);
  const IdleSplitter idle(capture, kinds);
  RangeTree tree(capture);
  Timeline timeline = sweep(capture, communication, idle, tree);
  if (stopped()) return cancelled();
  Profile profile;
  profile.warnings = std::move(capture.warnings);
  profile.steps = find_steps(capture, communication, idle, options, profile.warnings);
  tree.place_gaps(timeline.gaps, timeline.nodes);
  if (!aggregated.get()) return implausible();
  if (stopped()) return cancelled();

  profile.info = capture.info;
  add_tables(capture, communication, timeline, std::move(tables), profile);
  profile.launches = measure_launches(capture, kinds, profile.steps, options.digest ? &profile.launch_delays : nullptr,
                                      options.digest ? &profile.launch_costs : nullptr);
  profile.op_work = sum_op_work(capture);
  profile.devices = std::move(timeline.devices);
  for (DeviceWall& device : profile.devices) {
    for (ProcessWall& process : device.processes) {
      const std::vector<SharedSteps>& shared = profile.steps.shared;
      const auto steps = std::find_if(shared.begin(), shared.end(), [&](const SharedSteps& each) {
        return each.device == device.device && each.process == process.process;
      });
      if (steps != shared.end()) process.steps_ns = steps->walls_ns;
    }
  }
  TypicalStep typical(capture, profile.steps);
  profile.gaps = explain_gaps(capture, kinds, timeline.gaps, profile.steps, typical.windows());
  profile.timeline = typical.draw(communication);
  for (const Step& step : profile.steps.steps) profile.gap_steps_ns += step.wall_ns;
  profile.info.span_ns = timeline.span_ns;
  std::set<std::pair<std::int64_t, std::int64_t>> streams;
  for (std::uint32_t i = 0; i < capture.queues.size(); ++i) streams.emplace(capture.queues[i].device, capture.queues[i].stream);
  profile.streams = streams.size();
  add_gpu_context(profile);
  profile.rank = capture.rank;
  if (capture.world_size && *capture.world_size > 0)
    profile.info.context["environment.world_size"] = std::to_string(*capture.world_size);
  profile.graph_mode = capture.graph_mode;
  profile.graph_mode_known = !capture.graph_mode.empty();
  profile.environment_rows = capture.environment_rows;
  profile.private_rows = capture.private_rows;
  if (stopped()) return cancelled();
  add_ranges(capture, tree.take(timeline.nodes), profile);
  profile.marked_work = marked_work(capture);
  add_collectives(capture, communication, options.collective_instances || options.digest, profile);
  return profile;
}

}  // namespace plumbline::profiles
