// A capture -> Profile (readers/ fill a Capture of events, analysis/ boils it down), two Profiles -> core::ProfileDiff
// (diff/diff.hpp). A Profile holds what the comparison needs and no events: aggregates by name, where each device's wall time
// went, steps, ranges, launches, collectives; or, for profilers of the host and of single kernels, frames and metrics. Times are
// int64 ns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/results/profile_diff.hpp"
#include "core/results/small.hpp"
#include "profiles/digest/sketch.hpp"
#include "profiles/int128.hpp"

namespace plumbline::configs {
class Ceilings;
class KernelCategories;
}  // namespace plumbline::configs

namespace plumbline::profiles {

// What else a capture holds that is nobody's business, by what one row of it is ("command line"): counted, never read.
using PrivateRows = std::map<std::string, std::uint64_t>;

struct Aggregate {  // all instances of one name
  std::uint64_t count = 0;
  std::int64_t total = 0, min = 0, max = 0;
  double median = 0, stddev = 0;  // sample (n-1); exact median
  bool has_spread = true;         // false where a CSV does not carry min/max/median
  // What lets the spread of several captures be told exactly and their median within 1 %: with ReadOptions::digest only.
  UInt128 squares = 0;  // sum of the squared times
  Sketch sketch = {};
};
struct Share {  // a part of an aggregate
  std::string name;
  std::uint64_t count = 0;
  std::int64_t total = 0;
};
struct NamedAggregate {
  std::string name;
  Aggregate aggregate = {};
  std::int64_t exclusive = 0;       // of the wall: time in which nothing of higher priority, and nothing begun earlier, ran
  std::vector<Share> shapes = {};   // kernels: by launch shape "(4096,1,1)x(256,1,1)", most time first, at most 64
  std::vector<Share> parents = {};  // kernels: by innermost operator or range that launched them, at most 16
  core::ProfilePlace slowest = {};  // the longest instance
  std::uint64_t bytes = 0;          // copies and fills: moved by all of them; 0 = not known of each
};

// One of several processes on a device.
struct ProcessWall {
  std::int64_t process = 0;
  core::ProfileBuckets buckets;
  std::vector<std::int64_t> steps_ns;  // its own steps' walls on this device
};
// One device's wall time; absent where the capture has totals only. Made by analysis/timeline.
struct DeviceWall {
  std::int64_t device = 0;
  std::string name;  // GPU name where known
  core::ProfileBuckets buckets;
  std::vector<ProcessWall> processes = {};  // by number, where there are two or more
};

// Idle time of all devices by its cause (analysis/gaps.hpp).
struct Gaps {
  std::string cause, what;
  core::ProfileGapSide side;
};

struct Step {
  std::int64_t start = 0, wall_ns = 0;  // from its first GPU activity to the next step's, on the device that takes longest
  std::int64_t device = 0;              // that one
  core::ProfileBuckets buckets = {};    // of that device inside the step
  std::uint64_t kernels = 0;
};
// Steps of one of several processes that share a device.
struct SharedSteps {
  std::int64_t device = 0, process = 0;
  std::vector<std::int64_t> walls_ns;
};
struct Steps {
  std::string basis = "none";  // "marker" (ProfilerStep#N) "range" (a range named like a step) "period" (of the kernel sequence)
  std::string name;            // "ProfilerStep#", "train_step", "27 kernels from ampere_sgemm…"
  std::vector<Step> steps;     // whole ones in order; first and partial steps left out and counted
  std::uint64_t left_out = 0;
  std::vector<SharedSteps> shared;
};

// What ranges say of the steps that a model's server runs (analysis/work_marks.hpp): counts and sums over the marked steps.
struct MarkedWork {
  std::uint64_t steps = 0, prefill = 0, decode = 0, mixed = 0;
  double batch = 0, tokens = 0;                    // sums
  std::uint64_t batch_steps = 0, token_steps = 0;  // the steps that say them
  std::string example;                             // the name of the most
};

struct RangeNode {  // a path of ranges, names canonical (step numbers and sizes gone), preorder: parents before children
  std::string name;
  std::uint32_t parent = 0xFFFFFFFF;
  std::string kind;  // "nvtx" "annotation" "op" "module" "frame" "scope"
  std::uint64_t count = 0, kernels = 0;
  std::int64_t host_ns = 0;  // sum of the ranges' own lengths on the host
  std::int64_t gpu_ns = 0;   // kernel time launched inside, children included
  std::int64_t self_gpu_ns = 0;
  // Of the devices' walls: the exclusive time of what was launched inside, and the gaps that ended with such work. The roots'
  // walls sum to the devices' spans.
  std::int64_t wall_ns = 0, self_wall_ns = 0;
  std::int64_t idle_ns = 0, self_idle_ns = 0;  // the gaps alone
};

// Instances of one kind of collective: type, bytes bucket (power of two), group.
struct CollectiveGroup {
  std::string type, size_bucket, dtype, group;  // size_bucket "16 MiB", "" where the capture has no sizes
  std::uint32_t group_size = 0;
  core::ProfileCollectiveSide side;
};
struct CollectiveInstance {  // kept for matching over ranks only
  std::uint32_t kind = 0;    // index into Profile::collectives
  std::int64_t sequence = -1;
  std::int64_t duration = 0;
  std::uint32_t occurrence = 0;  // how many of this number, or where it has none of this kind, came before it on this rank
  std::int64_t end = 0;          // on the capture's clock
  std::int64_t own = -1;         // from the end of all communication before it to its start; -1: it is the first
};

// Calls of an operator of one shape whose work is known (analysis/op_work.hpp), with the kernels launched inside.
struct OpWork {
  std::string op, shape, dtype;  // dtype "bf16" "fp8" … as ceilings name it; "float" where only the kernel tells fp32 from tf32
  double flops = 0, bytes = 0;   // of a call
  std::uint64_t calls = 0;
  std::int64_t total = 0;
  std::string kernel;  // that took most of the time
};

struct Frame {  // of a profile of the host: function, and what it and its callees cost in the profile's unit
  std::string name;
  std::int64_t self = 0, total = 0;
};
struct KernelMetric {  // of a kernel profiler (ncu): one metric of one kernel and launch shape, over its launches
  std::string kernel, shape, metric, unit;
  std::vector<double> values;
};

// What stands among the kernels for a CUDA graph that was traced as a whole, whatever runs inside.
inline constexpr std::string_view kGraphReplay = "[CUDA graph replay]";

struct Profile {
  core::ProfileSideInfo info;
  std::vector<NamedAggregate> kernels, nvtx, api, nccl, memory;  // merged over devices
  std::vector<DeviceWall> devices;
  std::vector<Gaps> gaps;         // most time first; empty where the capture does not say which call launched what
  std::int64_t gap_steps_ns = 0;  // the walls of the steps that the gaps' step_ns are parts of
  Steps steps;
  std::optional<core::ProfileTimelineSide> timeline;  // of the typical step (analysis/typical_step.hpp)
  std::vector<RangeNode> ranges;
  std::optional<MarkedWork> marked_work;
  std::vector<CollectiveGroup> collectives;
  std::vector<CollectiveInstance> collective_instances;
  std::uint32_t instances_level = 0;  // of the instances one in two to this power was kept, the same on every rank
  std::vector<OpWork> op_work;        // most time first
  std::optional<core::ProfileLaunches> launches;
  Sketch launch_delays, launch_costs;  // of median_delay_ns and median_launch_ns; with ReadOptions::digest only
  std::optional<std::int64_t> rank;
  std::vector<Frame> frames;
  std::string frames_unit;  // "samples" "ns" "bytes" …
  std::string frames_kind;  // what was sampled: "cpu" "cycles" "alloc_space" …; "" = the profile does not say
  std::optional<std::int64_t> frames_duration_ns;  // wall time that the profile covers, where it says
  std::optional<std::uint64_t> frames_samples;     // how often the profiler looked, where it says: what chance depends on
  std::vector<KernelMetric> metrics;
  bool graph_mode_known = false;
  std::string graph_mode;     // "node" "graph" "none"
  std::uint64_t streams = 0;  // distinct (device, stream) with GPU activity; 0 where the capture does not say
  bool from_digest = false;   // read from a digest (digest/digest.hpp), not from the capture
  std::vector<core::Warning> warnings;
  PrivateRows private_rows;
  std::uint64_t environment_rows = 0;  // rows that hold environments of processes or of the device: read never, copied by record
};

// Opens a capture's file or folder for reading: a descriptor, or -1 with errno. Whoever confines paths confines them here;
// an empty one opens the path as it stands.
using Opener = std::function<int(const std::string& path)>;

struct ReadOptions {
  Opener open;
  std::vector<std::int64_t> devices;      // only these; empty = all
  std::string steps = "auto";             // "auto", "none", a range's name, or a regular expression over range names
  std::string rank = "all";               // of a folder of ranks: "all" or one number
  bool collective_instances = false;      // keep them in the Profile, for matching over ranks (ranks.hpp)
  bool digest = false;                    // keep what only a digest needs, too: sketches, sums of squares
  std::string nsys;                       // absolute path of the helper, "" = none found
  std::string scratch;                    // folder for converted captures (a private one made by the caller)
  std::uint32_t helper_timeout_s = 1800;  // how long a conversion may take
  std::function<bool()> stop;
  std::function<void(double, std::string_view)> progress;
};

// By content; the forms are listed in readers/list.inc. Errors: invalid_input (empty or implausible capture, "capture bug until
// proven otherwise", no GPU kernels, LFS pointer), missing_helper with the exact command to run.
[[nodiscard]] core::Expected<Profile> read(const std::string& path, const ReadOptions& options);
// True when `path`'s head or content says that it is a capture this room reads.
[[nodiscard]] bool is_capture(const std::string& path, const Opener& open = {});
[[nodiscard]] core::ProfileSummary summary(const Profile& profile);

struct DiffOptions {
  std::uint32_t limit = 20;
  double gate_pct = 5;
  std::vector<std::string> varying;
  bool same_content = false;                                    // both sides have the same digest: nothing is to be found
  std::shared_ptr<const configs::KernelCategories> categories;  // null: the embedded tables
  std::shared_ptr<const configs::Ceilings> ceilings;
};

}  // namespace plumbline::profiles
