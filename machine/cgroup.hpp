// Limits of the control groups that this process is in: a job's are often several levels above its processes, and each level may
// have one. Version 2 (one tree) and 1 (a tree a controller).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace plumbline::machine {

struct CgroupLimits {  // the tightest of all levels
  std::optional<double> cpus, memory_bytes;
};
// `membership`: the text of /proc/self/cgroup. `root`: where the trees are mounted.
[[nodiscard]] CgroupLimits cgroup_limits(const std::string& membership, const std::string& root = "/sys/fs/cgroup");

// For how long their quotas have stopped processors, in microseconds: of all levels together, so that it grows whichever of them
// does it.
[[nodiscard]] std::uint64_t cgroup_throttled_us(const std::string& membership, const std::string& root = "/sys/fs/cgroup");

}  // namespace plumbline::machine
