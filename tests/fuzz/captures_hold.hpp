// What must hold of every capture that a reader gives, whatever the bytes were. Stops the fuzzer otherwise.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "profiles/diff/diff.hpp"
#include "profiles/diff/frames.hpp"
#include "profiles/diff/metrics.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles::fuzz {

inline void check(bool holds) {
  if (!holds) std::abort();
}

// The kernels' times add up, and so do the parts of each device's wall.
inline void sums_hold(const Profile& profile) {
  std::int64_t sum = 0;
  for (const NamedAggregate& kernel : profile.kernels) sum += kernel.aggregate.total;
  check(sum == profile.info.kernel_ns);
  for (const DeviceWall& device : profile.devices) {
    const core::ProfileBuckets& parts = device.buckets;
    check(parts.compute_ns + parts.exposed_comm_ns + parts.exposed_copy_ns + parts.idle_ns == parts.span_ns);
  }
}

// Each function has a name, its total holds its own cost, and none costs more than all together.
inline void frames_hold(const Profile& profile) {
  std::int64_t sum = 0;
  for (const Frame& frame : profile.frames) sum += frame.self;
  for (const Frame& frame : profile.frames) {
    check(!frame.name.empty() && frame.self >= 0 && frame.total >= frame.self && frame.total <= sum);
  }
  check(profile.frames.empty() || profile.info.kernels == 0);
}

// Against itself nothing differs, against nothing the effects of count and duration are all of the difference.
inline void differences_hold(const Profile& profile) {
  for (const core::ProfileRow& row : diff(profile, profile, {}).diff.kernels) check(row.delta_ns == 0);
  for (const core::ProfileRow& row : diff(profile, Profile{}, {}).diff.kernels) {
    check(row.delta_ns == row.count_effect_ns + row.duration_effect_ns);
  }
  for (const auto& row : compare_frames(profile.frames, profile.frames)) {
    check(row.delta_self == 0 && row.delta_total == 0 && row.state == "matched");
  }
}

// Of those that a double adds exactly.
inline double sum_of_deltas(const std::vector<KernelMetric>& from, const std::vector<KernelMetric>& to) {
  double sum = 0;
  for (const auto& row : diff_metrics(from, to)) {
    if (row.delta && std::isfinite(*row.delta) && std::abs(*row.delta) < 1e12) sum += std::round(*row.delta);
  }
  return sum;
}

// The metrics of a half and of the whole differ by the same amounts whichever comes first.
inline void metrics_hold(const Profile& profile) {
  const auto half = profile.metrics.begin() + static_cast<std::ptrdiff_t>(profile.metrics.size() / 2);
  const std::vector<KernelMetric> first(profile.metrics.begin(), half);
  check(diff_metrics(first, profile.metrics).size() == diff_metrics(profile.metrics, first).size());
  check(sum_of_deltas(first, profile.metrics) == -sum_of_deltas(profile.metrics, first));
}

inline void answer_holds(const core::Expected<Profile>& profile) {
  if (!profile) {
    check(!profile.error().message.empty());
    return;
  }
  sums_hold(*profile);
  frames_hold(*profile);
  differences_hold(*profile);
  metrics_hold(*profile);
}

}  // namespace plumbline::profiles::fuzz
