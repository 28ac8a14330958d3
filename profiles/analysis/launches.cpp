#include "profiles/analysis/launches.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kTiny = 5000;  // ns: about what launching a kernel costs

using Counts = std::map<std::string, std::uint64_t, std::less<>>;

// Most often first, then by name.
std::vector<std::pair<std::string, std::uint64_t>> ranked(const Counts& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> list(counts.begin(), counts.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

// Launches, waits and allocations of one thread each have an end before which another is nested.
class Nesting {
 public:
  explicit Nesting(std::size_t threads) : ends_(threads * kGroups, std::numeric_limits<std::int64_t>::min()) {}
  bool outer(std::uint16_t thread, CallKind kind, std::int64_t start, std::int64_t end) {
    const std::size_t group = kind == CallKind::wait ? 1 : kind == CallKind::allocate || kind == CallKind::free ? 2 : 0;
    std::int64_t& reach = ends_[thread * kGroups + group];
    if (start < reach && end <= reach) return false;
    reach = end;
    return true;
  }

 private:
  static constexpr std::size_t kGroups = 3;
  std::vector<std::int64_t> ends_;
};

void count_calls(const Capture& capture, const std::vector<CallKind>& kinds, core::ProfileLaunches& result) {
  const Calls& calls = capture.calls;
  Nesting nesting(capture.threads.size());
  std::vector<std::uint64_t> by_name(capture.names.size(), 0);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CallKind kind = kinds[calls.name[i]];
    if (kind == CallKind::other) continue;
    const std::int64_t length = calls.times.length(i);
    if (!nesting.outer(calls.thread[i], kind, calls.times.start(i), calls.times.start(i) + length)) continue;
    ++by_name[calls.name[i]];
    switch (kind) {
      case CallKind::launch:
        ++result.launches;
        result.launch_api_ns += length;
        break;
      case CallKind::graph_launch:
        ++result.graph_launches;
        result.launch_api_ns += length;
        break;
      case CallKind::wait:
        ++result.syncs;
        result.sync_ns += length;
        break;
      case CallKind::allocate:
      case CallKind::free:
        ++(kind == CallKind::free ? result.frees : result.allocations);
        result.allocation_ns += length;
        break;
      case CallKind::other:
        break;
    }
  }
  Counts waits, allocations;
  for (std::uint32_t id = 0; id < by_name.size(); ++id) {
    if (by_name[id] == 0) continue;
    const CallKind kind = kinds[id];
    Counts* counts = kind == CallKind::wait                                 ? &waits
                     : kind == CallKind::allocate || kind == CallKind::free ? &allocations
                                                                            : nullptr;
    if (counts != nullptr) (*counts)[std::string(call_name(capture.names.text(id)))] += by_name[id];
  }
  result.sync_calls = ranked(waits);
  result.allocation_calls = ranked(allocations);
}

void count_operations(const Capture& capture, core::ProfileLaunches& result) {
  const GpuOps& ops = capture.ops;
  std::vector<bool> seen(capture.calls.size(), false);
  Column<std::uint32_t> delays;  // 4.29 s and more count as 4.29 s: the median of no capture lies there
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OpKind kind = ops.kind[i];
    if (kind == OpKind::copy) {
      if (ops.detail[i] == kNone) continue;
      const CopyShape& shape = capture.copy_shapes[ops.detail[i]];
      if (shape.from != MemoryKind::pageable && shape.to != MemoryKind::pageable) continue;
      ++result.pageable_copies;
      result.pageable_bytes += shape.bytes;
      continue;
    }
    if (kind == OpKind::set) continue;
    if (kind == OpKind::kernel && ops.times.length(i) < kTiny) ++result.tiny_kernels;
    const std::uint32_t call = ops.launch[i];
    if (call == kNone || seen[call]) continue;
    seen[call] = true;
    delays.push_back(
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(ops.times.start(i) - capture.calls.times.end(call), 0, 0xFFFFFFFF)));
  }
  if (delays.empty()) return;
  std::uint32_t* const middle = delays.begin() + delays.size() / 2;
  std::nth_element(delays.begin(), middle, delays.end());
  double median = *middle;
  if (delays.size() % 2 == 0) median = (median + *std::max_element(delays.begin(), middle)) / 2;
  result.median_delay_ns = median;
}

}  // namespace

std::optional<core::ProfileLaunches> measure_launches(const Capture& capture, const std::vector<CallKind>& kinds) {
  if (capture.calls.size() == 0) return std::nullopt;
  core::ProfileLaunches result;
  count_calls(capture, kinds, result);
  count_operations(capture, result);
  return result;
}

}  // namespace plumbline::profiles
