#include "profiles/analysis/timeline.hpp"

#include <map>

#include "profiles/analysis/device_sweep.hpp"

namespace plumbline::profiles {

Timeline sweep(const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle) {
  Timeline result;
  result.exclusive_kernels.assign(capture.names.size(), 0);
  result.exclusive_copies.assign(capture.names.size(), 0);
  std::map<std::int64_t, DeviceSweep> by_device;
  std::vector<DeviceSweep*> by_queue;
  for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
    const std::int64_t device = capture.queues[i].device;
    GapLog* const gaps = idle.known() ? &result.gaps[device] : nullptr;
    by_queue.push_back(&by_device.try_emplace(device, idle, result.exclusive_kernels.data(), result.exclusive_copies.data(), gaps)
                            .first->second);
  }
  const GpuOps& ops = capture.ops;
  const WorkClasses classes(capture, communication);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::int64_t start = ops.times.start(i);
    by_queue[ops.queue[i]]->begin(static_cast<std::uint32_t>(i), ops.name[i], classes[i], start, start + ops.times.length(i));
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
  return result;
}

}  // namespace plumbline::profiles
