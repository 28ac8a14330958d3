// A capture -> Profile (readers/), two Profiles -> core::ProfileDiff (diff/). Whatever the tool, a Profile holds devices,
// kernels, copies, API calls and ranges with aggregates in flat arrays indexed by interned name; times are int64 ns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/results/profile_diff.hpp"
#include "core/results/small.hpp"

namespace plumbline::profiles {

struct Aggregate {  // all instances of one name
  std::uint64_t count = 0;
  std::int64_t total = 0, min = 0, max = 0;
  double median = 0, stddev = 0;  // sample (n-1); exact median
  bool has_spread = true;         // false where a CSV does not carry min/max/median
};
struct NamedAggregate {
  std::string name;
  Aggregate aggregate;
};

struct Interval {
  std::int64_t start = 0, end = 0;
};
enum class Activity : std::uint8_t { compute, communication, copy };

struct DeviceTimeline {  // absent (empty) where the capture has totals only
  std::int64_t device = 0;
  std::string name;                                    // GPU name where known
  std::vector<Interval> compute, communication, copy;  // unions: sorted by start, not overlapping within a kind
};

struct Profile {
  core::ProfileSideInfo info;
  std::vector<NamedAggregate> kernels, nvtx, api, nccl, memory;  // merged over devices
  std::vector<DeviceTimeline> devices;
  bool graph_mode_known = false;
  std::string graph_mode;     // "node" "graph" "none"
  std::uint64_t streams = 0;  // distinct (device, stream) with GPU activity; 0 where the capture does not say
  std::vector<core::Warning> warnings;
  std::uint64_t environment_rows = 0;  // rows that hold environments of processes or of the device: read never, copied by record
};

// Opens a capture's file or folder for reading: a descriptor, or -1 with errno. Whoever confines paths confines them here;
// an empty one opens the path as it stands.
using Opener = std::function<int(const std::string& path)>;

struct ReadOptions {
  Opener open;
  std::vector<std::int64_t> devices;      // only these; empty = all
  std::string nsys;                       // absolute path of the helper, "" = none found
  std::string scratch;                    // folder for converted captures (a private one made by the caller)
  std::uint32_t helper_timeout_s = 1800;  // how long a conversion may take
  std::function<bool()> stop;
  std::function<void(double, std::string_view)> progress;
};

// By content: SQLite export, folder of `nsys stats` CSVs, .nsys-rep. Errors: invalid_input (empty or implausible capture,
// "capture bug until proven otherwise", no GPU kernels, LFS pointer), missing_helper with the exact command to run.
[[nodiscard]] core::Expected<Profile> read(const std::string& path, const ReadOptions& options);
// True when `path`'s head or content says that it is a capture this room reads.
[[nodiscard]] bool is_capture(const std::string& path, const Opener& open = {});
[[nodiscard]] core::ProfileSummary summary(const Profile& profile);

struct DiffOptions {
  std::uint32_t limit = 20;
  double gate_pct = 5;
  std::vector<std::string> varying;
  bool same_content = false;  // both sides have the same digest: GREEN, all zero, and a warning
};
[[nodiscard]] core::ProfileDiff diff(const Profile& baseline, const Profile& candidate, const DiffOptions& options);

}  // namespace plumbline::profiles
