// Profiles made by hand, without a capture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles::test {

inline NamedAggregate aggregate(std::string name, std::uint64_t count, std::int64_t total) {
  NamedAggregate one;
  one.name = std::move(name);
  one.aggregate = {count, total, 0, 0, 0, 0, false};
  return one;
}

inline Profile totals(std::vector<NamedAggregate> kernels) {
  Profile profile;
  profile.kernels = std::move(kernels);
  for (const NamedAggregate& each : profile.kernels) {
    profile.info.kernel_ns += each.aggregate.total;
    profile.info.kernels += each.aggregate.count;
  }
  return profile;
}

inline Profile with_span(Profile profile, std::int64_t span) {
  DeviceWall device;
  device.buckets.span_ns = device.buckets.compute_ns = span;
  profile.devices.push_back(device);
  profile.info.span_ns = span;
  return profile;
}

}  // namespace plumbline::profiles::test
