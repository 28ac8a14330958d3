#include "profiles/diff/buckets.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace plumbline::profiles {
namespace {

using List = std::span<const Interval>;

// Length of the union of up to three lists, each sorted by start.
std::int64_t covered(List a, List b, List c) {
  std::int64_t total = 0;
  std::int64_t reach = std::numeric_limits<std::int64_t>::min();
  for (;;) {
    List* next = nullptr;
    for (List* list : {&a, &b, &c}) {
      if (!list->empty() && (next == nullptr || list->front().start < next->front().start)) next = list;
    }
    if (next == nullptr) return total;
    const Interval each = next->front();
    *next = next->subspan(1);
    const std::int64_t from = std::max(each.start, reach);
    if (each.end > from) {
      total += each.end - from;
      reach = each.end;
    }
  }
}

}  // namespace

core::ProfileBuckets buckets(const DeviceTimeline& device) {
  core::ProfileBuckets result;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const auto* list : {&device.compute, &device.communication, &device.copy}) {
    for (const Interval& each : *list) {
      first = std::min(first, each.start);
      last = std::max(last, each.end);
    }
  }
  if (last < first) return result;
  result.span_ns = last - first;
  result.compute_ns = covered(device.compute, {}, {});
  const std::int64_t with_communication = covered(device.compute, device.communication, {});
  const std::int64_t all = covered(device.compute, device.communication, device.copy);
  result.exposed_comm_ns = with_communication - result.compute_ns;
  result.exposed_copy_ns = all - with_communication;
  result.idle_ns = result.span_ns - all;
  return result;
}

}  // namespace plumbline::profiles
