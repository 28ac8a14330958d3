// Communication kernels by type, size, data type and group. What a kernel did comes from the capture (Capture::collectives) or,
// where that is silent, from the kernel's name: then without bytes and group. Bandwidths in GB/s (1e9 bytes) are the bytes of all
// instances over the time of all instances: a kernel's time contains its waiting for other ranks, so they are lower bounds of
// what the wires did. Bytes and factors: names/collectives.hpp. Sizes fall into buckets by powers of two: "16 MiB" is [16 MiB, 32
// MiB).
#pragma once

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::size_t kMaxCollectiveGroups = 4096;  // kinds beyond count under their type alone, group "…"

[[nodiscard]] std::string size_bucket(std::uint64_t bytes);  // "" for 0
// algbw and busbw of `side` from its bytes and time.
void set_bandwidth(std::string_view type, std::uint32_t group_size, core::ProfileCollectiveSide& side);

// Fills Profile::collectives (most time first) and, when asked, collective_instances in order of time. `communication` by name
// id.
void add_collectives(const Capture& capture, const std::vector<bool>& communication, bool instances, Profile& profile);

}  // namespace plumbline::profiles
