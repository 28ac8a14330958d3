// Limits of the control groups that this process is in: a job's are often several levels above its processes, and each level may
// have one. Version 2 (one tree) and 1 (a tree a controller).
#pragma once

#include <optional>
#include <string>

namespace plumbline::machine {

struct CgroupLimits {  // the tightest of all levels
  std::optional<double> cpus, memory_bytes;
};
// `membership`: the text of /proc/self/cgroup. `root`: where the trees are mounted.
[[nodiscard]] CgroupLimits cgroup_limits(const std::string& membership, const std::string& root = "/sys/fs/cgroup");

}  // namespace plumbline::machine
