#include "machine/cgroup.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>

namespace plumbline::machine {
namespace {

constexpr double kNoMemoryLimit = 9e18;  // version 1 writes one that no machine has

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void tighten(std::optional<double>& limit, double value) {
  if (value > 0 && (!limit || value < *limit)) limit = value;
}

// From the group itself up to the root. A path that leads out of what is mounted here says nothing about the levels below it.
void each_level(const std::string& tree, std::string path, const std::function<void(const std::string&)>& look) {
  if (path.find("..") != std::string::npos) path.clear();
  while (path.size() > 1) {
    look(tree + path);
    path.erase(path.rfind('/'));
  }
  look(tree);
}

// "150000 100000" of version 2, "max 100000" where there is none.
void take_quota(const std::string& text, CgroupLimits& out) {
  double allowed = 0;
  double period = 0;
  if (std::istringstream(text) >> allowed >> period && period > 0) tighten(out.cpus, allowed / period);
}

void take_memory(const std::string& text, CgroupLimits& out) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return;
  const double bytes = std::strtod(text.c_str(), nullptr);
  if (bytes < kNoMemoryLimit) tighten(out.memory_bytes, bytes);
}

bool has_controller(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == wanted) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

namespace {

// Each line of /proc/self/cgroup: its controllers, "" for the tree of version 2, and the path of the group.
void each_group(const std::string& membership, const std::function<void(const std::string&, const std::string&)>& look) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    look(line.substr(first + 1, second - first - 1), line.substr(second + 1));
  }
}

// "throttled_usec 1500" of version 2, "throttled_time 1500000" (nanoseconds) of version 1.
std::uint64_t throttled_us(const std::string& path) {
  std::ifstream file(path);
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;) {
    if (name == "throttled_usec") return value;
    if (name == "throttled_time") return value / 1000;
  }
  return 0;
}

}  // namespace

std::uint64_t cgroup_throttled_us(const std::string& membership, const std::string& root) {
  std::uint64_t out = 0;
  each_group(membership, [&](const std::string& controllers, const std::string& path) {
    if (!controllers.empty() && !has_controller(controllers, "cpu")) return;
    each_level(controllers.empty() ? root : root + "/" + controllers, path,
               [&out](const std::string& folder) { out += throttled_us(folder + "/cpu.stat"); });
  });
  return out;
}

CgroupLimits cgroup_limits(const std::string& membership, const std::string& root) {
  CgroupLimits out;
  each_group(membership, [&](const std::string& controllers, const std::string& path) {
    if (controllers.empty()) {
      each_level(root, path, [&out](const std::string& folder) {
        take_quota(line_of(folder + "/cpu.max"), out);
        take_memory(line_of(folder + "/memory.max"), out);
      });
      return;
    }
    const std::string tree = root + "/" + controllers;
    if (has_controller(controllers, "cpu")) {
      each_level(tree, path, [&out](const std::string& folder) {
        const std::string quota = line_of(folder + "/cpu.cfs_quota_us");
        if (!quota.empty() && quota.front() != '-') take_quota(quota + " " + line_of(folder + "/cpu.cfs_period_us"), out);
      });
    }
    if (has_controller(controllers, "memory")) {
      each_level(tree, path, [&out](const std::string& folder) { take_memory(line_of(folder + "/memory.limit_in_bytes"), out); });
    }
  });
  return out;
}

}  // namespace plumbline::machine
