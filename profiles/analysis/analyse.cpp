#include "profiles/analysis/analyse.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"
#include "profiles/analysis/aggregates.hpp"
#include "profiles/analysis/order.hpp"
#include "profiles/analysis/timeline.hpp"
#include "profiles/names/names.hpp"

namespace plumbline::profiles {
namespace {

bool is_kernel(OpKind kind) { return kind == OpKind::kernel || kind == OpKind::graph; }

// Rows by name for every table. False: implausible times.
bool aggregate_all(const Capture& capture, const std::vector<bool>& communication, const Timeline& timeline, Profile& profile) {
  std::vector<std::uint32_t> ids;
  const GpuOps& ops = capture.ops;
  if (!aggregate(
          ops.times, ops.name, capture.names, [&ops](std::size_t i) { return is_kernel(ops.kind[i]); }, profile.kernels, ids,
          profile.info.kernel_ns))
    return false;
  // A name that is both a kernel's and a copy's would count its exclusive time twice: readers name copies "[CUDA memcpy …]".
  for (std::size_t i = 0; i < ids.size(); ++i) {
    NamedAggregate& kernel = profile.kernels[i];
    kernel.exclusive = timeline.exclusive[ids[i]];
    profile.info.kernels += kernel.aggregate.count;
    if (communication[ids[i]]) profile.nccl.push_back(kernel);
  }
  std::int64_t total = 0;
  ids.clear();
  if (!aggregate(
          ops.times, ops.name, capture.names, [&ops](std::size_t i) { return !is_kernel(ops.kind[i]); }, profile.memory, ids,
          total))
    return false;
  for (std::size_t i = 0; i < ids.size(); ++i) profile.memory[i].exclusive = timeline.exclusive[ids[i]];
  ids.clear();
  if (!aggregate(capture.calls.times, capture.calls.name, capture.names, {}, profile.api, ids, total)) return false;
  ids.clear();
  const Ranges& ranges = capture.ranges;
  return aggregate(
      ranges.times, ranges.name, capture.names, [&ranges](std::size_t i) { return ranges.kind[i] != RangeKind::op; },
      profile.nvtx, ids, total);
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
  sort_by_start(capture);
  join_launches(capture);
  const std::vector<bool> communication = communication_names(capture);
  if (stopped()) return cancelled();
  Timeline timeline = sweep(capture, communication);
  if (stopped()) return cancelled();

  Profile profile;
  profile.info = capture.info;
  if (!aggregate_all(capture, communication, timeline, profile)) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the times in the capture add up to more than 73 years: the capture is damaged",
                      "export or record it again", capture.info.path);
  }
  profile.devices = std::move(timeline.devices);
  profile.info.span_ns = timeline.span_ns;
  std::set<std::pair<std::int64_t, std::int64_t>> streams;
  for (std::uint32_t i = 0; i < capture.queues.size(); ++i) streams.emplace(capture.queues[i].device, capture.queues[i].stream);
  profile.streams = streams.size();
  add_gpu_context(profile);
  profile.rank = capture.rank;
  profile.graph_mode = capture.graph_mode;
  profile.graph_mode_known = !capture.graph_mode.empty();
  profile.environment_rows = capture.environment_rows;
  profile.warnings = std::move(capture.warnings);
  return profile;
}

}  // namespace plumbline::profiles
