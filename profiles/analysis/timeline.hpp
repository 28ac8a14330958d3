// Where a device's wall time went: compute, else communication that no compute hides, else copies (memsets included) that
// neither hides, else idle; priority after Holistic Trace Analysis' compute/communication overlap. The four parts sum to the
// span (first to last GPU activity of the device) exactly. Each busy moment also belongs to one operation: of the highest
// kind that runs, the one that began first; so exclusive times by name sum to the busy time. One sweep, linear in events.
#pragma once

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

struct Gap {  // nothing ran on the device
  std::int64_t start = 0, end = 0;
  std::uint32_t next = kNone;  // the operation that ended it
};
struct Timeline {
  std::vector<DeviceWall> devices;      // by device number
  std::vector<std::vector<Gap>> gaps;   // per entry of devices, in order of time
  std::vector<std::int64_t> exclusive;  // by name id, over all devices
  std::optional<std::int64_t> span_ns;  // first to last activity over all devices
};
// `capture` sorted by start; `communication` by name id.
[[nodiscard]] Timeline sweep(const Capture& capture, const std::vector<bool>& communication);

}  // namespace plumbline::profiles
