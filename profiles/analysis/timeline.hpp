// Where a device's wall time went: compute, else communication that no compute hides, else copies (memsets included) that
// neither hides, else idle; priority after Holistic Trace Analysis' compute/communication overlap. The four parts sum to the
// span (first to last GPU activity of the device) exactly. Each busy moment also belongs to one operation: of the highest
// class that runs, the one that began first; so exclusive times by name sum to the busy time. One sweep, linear in events.
// A device is a device number of the capture: processes that share it (MPS, slices of a partitioned GPU under one number) share
// its time, and it is busy while any of them is. Beside that each has a wall of its own, as if it were alone there. Replays of
// CUDA graphs count as compute.
#pragma once

#include "profiles/analysis/gaps.hpp"
#include "profiles/analysis/idle.hpp"
#include "profiles/analysis/ranges.hpp"
#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

struct Timeline {
  std::vector<DeviceWall> devices;  // by device number
  // Exclusive times by name id, over all devices; apart, should a kernel be called like a copy.
  std::vector<std::int64_t> exclusive_kernels, exclusive_copies;
  std::optional<std::int64_t> span_ns;  // first to last activity over all devices
  std::map<std::int64_t, GapLog> gaps;  // by device number, where the capture says which call launched what
  NodeWalls nodes;                      // of the tree's; empty without one
};
// `capture` sorted by start; `communication` by name id. The lengths of all operations add up to at most 2^61 ns.
[[nodiscard]] Timeline sweep(const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle,
                             const RangeTree& tree);

}  // namespace plumbline::profiles
