// What `profile-diff` ends in: rows per kind, where the wall time went, steps, findings and a verdict. Times are int64
// nanoseconds. delta_ns = candidate - baseline = count_effect_ns + duration_effect_ns exactly (half-integers go to the
// duration part). Everything that belongs to one side has a `…Side` struct, which the Profile of that side holds too.
#pragma once

#include <memory>

#include "core/results/common.hpp"
#include "core/results/profile_ranks.hpp"
#include "core/results/profile_timeline.hpp"

namespace plumbline::core {

struct ProfilePlace {                                                    // where to look in the capture's own viewer
  std::int64_t device = -1, stream = -1, start_ns = 0, duration_ns = 0;  // device -1: not known
};

struct ProfileRowSide {
  std::int64_t avg_ns = 0;  // rounded; exact figures as doubles below
  double avg = 0, median = 0, stddev = 0;
  std::int64_t min_ns = 0, max_ns = 0;
  std::int64_t exclusive_ns = 0;  // of the wall, see ProfileContributor
};

struct ProfileRow {
  std::string name;
  std::string state;                 // "matched" "new" "vanished" "switched"
  std::string match_rule = "exact";  // "exact" "canonical" "family" "parent" "fuzzy"
  double match_confidence = 1;
  std::string baseline_name, candidate_name;
  std::string category;  // kernels: of configs/kernel-categories.yaml
  std::string change;    // "tile 128x64 -> 256x64" of a switched row
  std::int64_t baseline_ns = 0, candidate_ns = 0, delta_ns = 0;
  std::optional<double> pct;                                     // null when the baseline has none
  std::optional<std::uint64_t> baseline_count, candidate_count;  // null: the name is not on that side
  std::int64_t count_effect_ns = 0, duration_effect_ns = 0;
  // The duration part where launch shapes are known: the same shapes taking longer, and other shapes being launched. Sum exactly.
  std::optional<std::int64_t> same_shape_effect_ns, shape_mix_effect_ns;
  std::optional<ProfileRowSide> baseline, candidate;
  ProfilePlace slowest;  // the candidate's longest instance (the baseline's of a vanished row)
  std::string inside;    // kernels: the operator or range that launches most of its time on that side, "" = not known
};

struct ProfileIdleSplit {      // sums to idle_ns exactly
  std::int64_t host_ns = 0;    // the next launch call began after the GPU had run dry
  std::int64_t sync_ns = 0;    // a synchronising call covered the gap
  std::int64_t launch_ns = 0;  // launched already, not yet started: launch latency and queues
  std::int64_t other_ns = 0;   // nothing in the capture says
};
struct ProfileBuckets {  // of one device; the four parts sum to the span exactly
  std::int64_t span_ns = 0, compute_ns = 0, exposed_comm_ns = 0, exposed_copy_ns = 0, idle_ns = 0;
  std::int64_t hidden_comm_ns = 0, hidden_copy_ns = 0;  // communication under compute, copies under either: in no sum
  std::optional<ProfileIdleSplit> idle_split;           // where the capture holds the launching calls
};
// Gaps in which a device did nothing, by what the host did meanwhile. Of all devices; the totals sum to the idle time exactly.
struct ProfileGapSide {
  std::uint64_t gaps = 0;
  std::int64_t total_ns = 0, longest_ns = 0;
  // Inside whole steps, each on the device that takes longest for it: of all causes these sum to the steps' idle time exactly.
  std::int64_t step_ns = 0;
  std::optional<double> share_pct = {};  // of the walls of the steps, or where there are none of the devices' spans
  ProfilePlace longest;                  // of the gap itself
  std::string before, after;             // the operations on either side of the longest
  std::string inside;                    // the innermost range of the host in which the longest ended, "" = none
};
struct ProfileGaps {
  std::string cause;  // "data_loading" "synchronisation" "allocation" "host" "launches" "queue" "unknown"
  std::string what;   // the call or the range that says so, canonical; "" = nothing names it
  std::optional<ProfileGapSide> baseline, candidate;
  std::int64_t delta_ns = 0;  // for the same work
};
// Of several processes that share a device, one: where its own time went. The device's row has all of them together.
struct ProfileProcess {
  std::int64_t device = 0;
  std::uint32_t place = 0;  // 1, 2 …: in the order of their numbers, by which the sides are paired
  std::optional<std::int64_t> baseline_pid, candidate_pid;
  std::optional<ProfileBuckets> baseline, candidate;
  std::optional<double> baseline_step_ns, candidate_step_ns;  // median, where its steps are known
};
struct DeviceBuckets {
  std::int64_t device = 0;
  std::string baseline_name, candidate_name;  // GPU names where known
  std::optional<ProfileBuckets> baseline, candidate;
  std::optional<std::int64_t> candidate_device = {};  // where the candidate ran on another: paired by their order
};

struct ProfileStepsSide {
  std::string basis = "none", name;  // see profiles::Steps
  std::uint64_t steps = 0, left_out = 0;
  double median_ns = 0, mad_ns = 0, min_ns = 0, max_ns = 0;
  std::vector<std::int64_t> wall_ns;  // each step's, in order; at most 10,000
};
struct ProfileSteps {
  ProfileStepsSide baseline, candidate;
  std::optional<double> mean_delta_pct, mean_lo_pct;            // of the mean step, and the lower end of its 95 % interval
  std::optional<double> delta_pct;                              // of the medians
  std::optional<double> interval_lo_pct, interval_hi_pct;       // of the shift, 95 %
  std::optional<double> p;                                      // one-sided: slower by more than the gate
  std::optional<double> noise_pct;                              // within a capture: 1.4826 MAD / median, the larger side
  std::optional<ProfileBuckets> baseline_step, candidate_step;  // mean step by bucket: sums to the mean step's wall
  // Mean steps that the windows of all devices hold together: a sum over the window divided by it is of one step on one device.
  std::optional<double> baseline_in_window, candidate_in_window;
};

struct ProfileRangeSide {
  std::uint64_t count = 0, kernels = 0;
  std::int64_t host_ns = 0, gpu_ns = 0, self_gpu_ns = 0;
  // Of the devices' walls: exclusive time of what was launched inside and the gaps that ended with it; idle: the gaps. self:
  // without the ranges inside. The roots' walls sum to the devices' spans.
  std::int64_t wall_ns = 0, self_wall_ns = 0, idle_ns = 0, self_idle_ns = 0;
};
struct ProfileRange {  // one path
  std::string path;    // "train_step / forward / layer # / attention"
  std::string name;
  std::uint32_t depth = 0;
  std::optional<ProfileRangeSide> baseline, candidate;
  std::int64_t delta_gpu_ns = 0, delta_host_ns = 0;
  std::int64_t delta_wall_ns = 0;        // for the same work
  std::optional<double> share_pct = {};  // of the wall's change; null where it did not change
  bool explains = false;                 // one of the fewest and smallest that hold kExplainedShare of the change
};
struct ProfileSubtree {  // the smallest subtree that holds most of the change
  std::string path;
  std::int64_t delta_gpu_ns = 0, total_delta_gpu_ns = 0;
  double share_pct = 0;
};

struct ProfileCollectiveSide {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0, min_ns = 0, max_ns = 0;
  std::uint64_t bytes = 0;                           // sum; 0 = not known
  std::optional<double> algbw, busbw;                // GB/s (1e9), bytes over time of all instances
  std::optional<std::int64_t> transfer_ns, wait_ns;  // over ranks: the shortest of the ranks each time, and the rest
  std::optional<std::int64_t> slowest_rank;          // that the others waited for most often
};
struct ProfileCollective {
  std::string type, size_bucket, dtype, group;
  std::uint32_t group_size = 0;
  std::optional<ProfileCollectiveSide> baseline, candidate;
  std::int64_t delta_ns = 0;
  std::optional<double> busbw_pct;
};

struct ProfileLaunches {  // of one side: what the host did to feed the GPU
  std::uint64_t launches = 0, graph_launches = 0;
  std::int64_t launch_api_ns = 0;         // in launching calls
  std::optional<double> median_delay_ns;  // launch call's end to kernel start, not below 0
  std::uint64_t tiny_kernels = 0;         // under 5 us
  std::uint64_t syncs = 0;
  std::int64_t sync_ns = 0;
  std::uint64_t pageable_copies = 0, pageable_bytes = 0;
  std::uint64_t allocations = 0, frees = 0;
  std::int64_t allocation_ns = 0;                                                   // both
  std::vector<std::pair<std::string, std::uint64_t>> sync_calls, allocation_calls;  // by name
  // Of a launching call. Those that took twenty times as long and 100 us or more are apart: first launches, modules loaded, a
  // full queue; one_off_ns is their time.
  std::optional<double> median_launch_ns = {};
  std::uint64_t one_off_launches = 0;
  std::int64_t one_off_ns = 0;
  // Calls between the start of the first whole step and the end of the last: what is outside belongs to setting up. Where steps
  // are known.
  bool steady_known = false;
  std::vector<std::pair<std::string, std::uint64_t>> steady_sync_calls = {}, steady_allocation_calls = {};
};

struct ProfileCategory {
  std::string name;
  std::int64_t baseline_ns = 0, candidate_ns = 0, delta_ns = 0;
  std::int64_t work_delta_ns = 0;  // for the same work, also on another number of devices
  std::uint64_t baseline_count = 0, candidate_count = 0;
  std::string reference_name;             // the reference tool's bucket for it
  std::string ceiling_key, bound, rigor;  // "compute" "bandwidth"; L1: share of time and ceiling only, L3, L4: measured
  std::optional<double> ceiling_value, baseline_sol_pct, candidate_sol_pct;
  std::string ceiling_unit;
};

// A GEMM, convolution or attention operator of one shape and data type, where the capture says both: what one call of it needs at
// least (floating-point operations; bytes of its inputs and outputs, each moved once) over the time of the kernels it launched,
// and how far that is from what the hardware could do at most. By the ratio of both the bound is compute or bandwidth.
struct ProfileRooflineSide {
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;                // of the kernels launched inside
  std::optional<double> achieved, sol_pct;  // in the row's unit; percent of the row's ceiling where it is this side's, too
};
struct ProfileRoofline {
  std::string op, shape, dtype;           // "aten::mm" "[8944,1024]x[1024,1024]" "bf16"
  double flops = 0, bytes = 0;            // of a call
  std::string bound, unit;                // "compute" "TFLOPS", "bandwidth" "GB/s", "" where no ceiling tells
  std::string ceiling_key, ceiling_unit;  // the candidate's, else the baseline's; "" = not known
  std::optional<double> ceiling_value;
  std::optional<ProfileRooflineSide> baseline, candidate;
  std::int64_t delta_ns = 0;
};

struct ProfileFrame {       // profiles of the host
  std::string name, state;  // as rows
  std::int64_t baseline_self = 0, candidate_self = 0, delta_self = 0, baseline_total = 0, candidate_total = 0, delta_total = 0;
  std::optional<double> self_pct;
  double baseline_share_pct = 0, candidate_share_pct = 0;  // self, of the side's sum
};
struct ProfileMetric {  // kernel profilers
  std::string kernel, shape, metric, unit, state;
  std::uint64_t baseline_count = 0, candidate_count = 0;
  std::optional<double> baseline, candidate, delta, pct;  // medians over the launches
};

struct ProfileFinding {  // something changed that has a name: no verdict by itself
  std::string code, message;
  std::vector<std::string> keys;
  ProfilePlace place;
};

struct ProfileTrial {  // one of several captures of a side
  std::string path, sha256;
  std::uint64_t bytes = 0;
  std::optional<double> wall_ns;  // of the same work as all others; null where nothing tells what that is
  std::uint64_t steps = 0;        // whole ones
  bool explained = false;         // the one in the middle, which rows, buckets and steps are of
};

struct ProfileSideInfo {
  std::string path, label, sha256;
  std::uint64_t bytes = 0;
  std::string format;          // "nsys-sqlite" "nsys-stats-csv" "kineto" …
  std::string version;         // product / schema version
  std::int64_t kernel_ns = 0;  // total kernel time
  std::uint64_t kernels = 0;
  std::optional<std::int64_t> span_ns;    // first to last GPU activity over all devices
  std::vector<std::int64_t> ranks;        // that were merged; empty for a single capture
  Context context;                        // allow-listed environment only
  std::vector<ProfileTrial> trials = {};  // as given; empty where each side is one capture
};

// Parts of the wall that moved. Of the wall per step where steps are known, else of the span with the candidate scaled to the
// baseline's work; summed over devices. A kernel's part is its exclusive time: each moment belongs to the operation of the
// highest bucket (compute, communication, copy) that began first. With the idle parts these sum to the wall's change.
struct ProfileScatter {  // of one part over the captures of a side, for the same work
  double min_ns = 0, median_ns = 0, max_ns = 0;
};
struct ProfileContributor {
  std::string kind, name;  // "kernel" "collective" "copy" "idle" …
  std::int64_t delta_ns = 0;
  double share_pct = 0, cumulative_pct = 0;  // of the sum of |delta|
  ProfilePlace place = {};
  std::optional<ProfileScatter> baseline = {}, candidate = {};  // where there are several captures
  // All captures of one side took longer for it than all of the other.
  [[nodiscard]] bool apart() const {
    return baseline && candidate && (candidate->min_ns > baseline->max_ns || candidate->max_ns < baseline->min_ns);
  }
};

// What the captures of each side, as trials, say of the wall.
struct ProfileWallTrials {
  std::uint32_t baseline = 0, candidate = 0;  // captures
  bool tested = false;                        // three or more on both sides: by exact ranks against the gate
  std::string state;                          // "regressed" "improved" "unchanged" "inconclusive"
  std::optional<double> interval_lo_pct, interval_hi_pct, p, mde_pct;
  std::optional<std::uint32_t> needed;  // captures a side that would decide what is open
};

struct ProfileDiff {
  ProfileSideInfo baseline, candidate;
  std::uint32_t limit = 20;
  double gate_pct = 5;
  Verdict verdict = Verdict::green;
  Tier tier = Tier::draft;
  std::vector<std::string> promote;
  std::vector<Reason> reasons;
  double comparability = 1;  // 0..1
  std::vector<std::string> comparability_notes;
  std::optional<double> wall_delta_pct;  // what the gate was held against, see wall_basis
  std::string wall_basis;                // "step_wall" "work_normalised_wall" "kernel_time_per_call" "total_kernel_time" …
  std::optional<double> work_ratio;      // candidate work / baseline work
  std::string work_basis;                // what told it: "calls" "steps" "range", "" = nothing does
  std::optional<ProfileWallTrials> wall_trials;  // where a side has several captures: what wall_delta_pct is of
  std::vector<DeviceBuckets> buckets;
  std::vector<ProfileProcess> processes;  // of devices that several share
  std::vector<ProfileGaps> gaps;          // most time on either side first
  std::optional<ProfileSteps> steps;
  std::optional<ProfileTimeline> timeline;                        // where a side has single events
  std::vector<ProfileRow> kernels, nvtx, cuda_api, nccl, memory;  // whole, sorted by |delta|
  std::optional<double> matched_pct;                              // share of both sides' kernel time in matched or switched rows
  std::vector<ProfileCategory> categories;
  std::vector<ProfileRoofline> rooflines;  // most time on either side first
  std::uint64_t rooflines_left_out = 0;    // beyond those listed
  std::vector<ProfileRange> ranges;
  std::optional<ProfileSubtree> subtree;
  std::vector<ProfileCollective> collectives;
  std::optional<ProfileLaunches> baseline_launches, candidate_launches;
  std::vector<ProfileFrame> frames;
  std::string frames_unit;
  std::vector<ProfileMetric> metrics;
  std::vector<ProfileFinding> findings;
  std::vector<ProfileContributor> contributors;
  // The wall that the contributors are parts of: the baseline's, its change for the same work, and what the list leaves of it.
  std::optional<std::int64_t> wall_baseline_ns, wall_delta_ns, residual_ns;
  std::vector<ContextDifference> environment_differences;
  Recommendation recommendation;
  std::optional<NextLever> next_lever;
  std::vector<Warning> warnings;
  bool gate_asked = false;          // --fail-on was given
  std::optional<std::string> gate;  // what tripped, in a sentence
  std::string diff_dir, bundle_sha256;
  std::vector<FileRef> files;
  std::string compared_at_utc;
  ToolInfo tool;
  std::string command;
  std::shared_ptr<const ProfileRanksSide> baseline_job, candidate_job;  // where ranks were merged
};

}  // namespace plumbline::core
