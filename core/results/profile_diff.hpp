// What `profile-diff` ends in: rows per kind, the wall buckets, findings and a verdict. Times are int64 nanoseconds.
// delta_ns = candidate - baseline = count_effect_ns + duration_effect_ns exactly (half-integers go to the duration part).
#pragma once

#include "core/results/common.hpp"

namespace plumbline::core {

struct ProfileRowSide {
  std::int64_t avg_ns = 0;  // rounded; exact figures as doubles below
  double avg = 0, median = 0, stddev = 0;
  std::int64_t min_ns = 0, max_ns = 0;
};

struct ProfileRow {
  std::string name;
  std::string state;  // "matched" "new" "vanished" "switched"
  std::string match_rule = "exact";
  double match_confidence = 1;
  std::string baseline_name, candidate_name;
  std::int64_t baseline_ns = 0, candidate_ns = 0, delta_ns = 0;
  std::optional<double> pct;                                     // null when the baseline has none
  std::optional<std::uint64_t> baseline_count, candidate_count;  // null: the name is not on that side
  std::int64_t count_effect_ns = 0, duration_effect_ns = 0;
  std::optional<ProfileRowSide> baseline, candidate;
};

struct ProfileBuckets {  // of one device; the four parts sum to the span exactly
  std::int64_t span_ns = 0, compute_ns = 0, exposed_comm_ns = 0, exposed_copy_ns = 0, idle_ns = 0;
};
struct DeviceBuckets {
  std::int64_t device = 0;
  std::string baseline_name, candidate_name;  // GPU names where known
  std::optional<ProfileBuckets> baseline, candidate;
};

struct ProfileSideInfo {
  std::string path, label, sha256;
  std::uint64_t bytes = 0;
  std::string format;          // "nsys-sqlite" "nsys-stats-csv"
  std::string version;         // product / schema version
  std::int64_t kernel_ns = 0;  // total kernel time
  std::uint64_t kernels = 0;
  std::optional<std::int64_t> span_ns;  // first to last GPU activity over all devices
  Context context;                      // allow-listed environment only
};

struct ProfileContributor {
  std::string kind, name;
  std::int64_t delta_ns = 0;
  double share_pct = 0, cumulative_pct = 0;  // of the sum of |delta|
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
  std::string wall_basis;                // "work_normalised_wall", "kernel_time_per_call", "total_kernel_time"
  std::optional<double> work_ratio;      // candidate work / baseline work
  std::vector<DeviceBuckets> buckets;
  std::vector<ProfileRow> kernels, nvtx, cuda_api, nccl, memory;  // whole, sorted by |delta|
  std::vector<ProfileContributor> contributors;
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
};

}  // namespace plumbline::core
