#include "profiles/analysis/timeline.hpp"

#include <map>

#include "profiles/analysis/device_sweep.hpp"

namespace plumbline::profiles {
namespace {

// Where several processes share a device: each by itself, as if it were alone there.
void add_processes(const Capture& capture, const WorkClasses& classes, const IdleSplitter& idle, Timeline& result) {
  std::map<std::int64_t, std::map<std::int64_t, DeviceSweep>> sweeps;  // by device, process
  for (std::uint32_t i = 0; i < capture.queues.size(); ++i)
    sweeps[capture.queues[i].device].try_emplace(capture.queues[i].process, idle);
  std::vector<DeviceSweep*> by_queue;
  bool any = false;
  for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
    auto& on_device = sweeps[capture.queues[i].device];
    by_queue.push_back(on_device.size() > 1 ? &on_device.at(capture.queues[i].process) : nullptr);
    any = any || on_device.size() > 1;
  }
  if (!any) return;
  const GpuOps& ops = capture.ops;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    DeviceSweep* const sweep = by_queue[ops.queue[i]];
    if (sweep != nullptr) sweep->begin({i, ops.name[i], classes[i], ops.times.start(i), ops.times.end(i)});
  }
  for (DeviceWall& device : result.devices) {
    auto& on_device = sweeps[device.device];
    if (on_device.size() < 2) continue;
    for (auto& [process, sweep] : on_device) {
      if (!sweep.any()) continue;
      sweep.finish();
      device.processes.push_back({process, sweep.take(), {}});
    }
    if (device.processes.size() < 2) device.processes.clear();
  }
}

}  // namespace

Timeline sweep(const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle, const RangeTree& tree) {
  Timeline result;
  result.exclusive_kernels.assign(capture.names.size(), 0);
  result.exclusive_copies.assign(capture.names.size(), 0);
  SweepSums sums{result.exclusive_kernels.data(), result.exclusive_copies.data()};
  if (!tree.empty()) {
    result.nodes.busy.assign(tree.sums(), 0);
    result.nodes.idle.assign(tree.sums(), 0);
    sums.node_busy = result.nodes.busy.data();
    sums.node_idle = result.nodes.idle.data();
  }
  std::map<std::int64_t, DeviceSweep> by_device;
  std::vector<DeviceSweep*> by_queue;
  for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
    const std::int64_t device = capture.queues[i].device;
    sums.gaps = idle.known() ? &result.gaps[device] : nullptr;
    by_queue.push_back(&by_device.try_emplace(device, idle, sums).first->second);
  }
  const GpuOps& ops = capture.ops;
  const WorkClasses classes(capture, communication);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::int64_t start = ops.times.start(i);
    by_queue[ops.queue[i]]->begin({static_cast<std::uint32_t>(i), ops.name[i], classes[i], start, start + ops.times.length(i),
                                   tree.empty() ? 0 : tree.node_of(i)});
  }
  std::int64_t first = 0, last = 0;
  for (auto& [device, sweep] : by_device) {
    if (!sweep.any()) continue;
    sweep.finish();
    const auto gpu = capture.gpus.find(device);
    first = result.devices.empty() ? sweep.first() : std::min(first, sweep.first());
    last = result.devices.empty() ? sweep.now() : std::max(last, sweep.now());
    result.devices.push_back({device, gpu == capture.gpus.end() ? std::string() : gpu->second.name, sweep.take()});
  }
  if (!result.devices.empty()) result.span_ns = last - first;
  add_processes(capture, classes, idle, result);
  return result;
}

}  // namespace plumbline::profiles
