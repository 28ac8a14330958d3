// Where a device's wall time went: compute, else communication that no compute hides, else copies that neither hides, else
// idle. Nanoseconds; the four parts sum to the span (first to last GPU activity of the device, copies and memsets included)
// exactly. Priority after Holistic Trace Analysis' compute/communication overlap.
#pragma once

#include "profiles/profile.hpp"

namespace plumbline::profiles {

[[nodiscard]] core::ProfileBuckets buckets(const DeviceTimeline& device);

}  // namespace plumbline::profiles
