#include "profiles/diff/contributors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>

namespace plumbline::profiles {
namespace {

std::int64_t rounded(double value) {
  constexpr double kBound = 4e18;
  return std::llround(std::clamp(value, -kBound, kBound));
}
// Damaged captures may hold times near the ends of the range: sums stop there.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    return b < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
  return sum;
}
std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference))
    return b > 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
  return difference;
}
double magnitude(std::int64_t value) { return std::abs(static_cast<double>(value)); }

struct Idle {
  std::int64_t host = 0, sync = 0, launch = 0, other = 0;
};
Idle idle_of(const std::vector<core::DeviceBuckets>& devices, std::optional<core::ProfileBuckets> core::DeviceBuckets::*side) {
  Idle sum;
  for (const core::DeviceBuckets& device : devices) {
    if (!(device.*side)) continue;
    const core::ProfileBuckets& buckets = *(device.*side);
    if (!buckets.idle_split) {
      sum.other = plus(sum.other, buckets.idle_ns);
      continue;
    }
    sum.host = plus(sum.host, buckets.idle_split->host_ns);
    sum.sync = plus(sum.sync, buckets.idle_split->sync_ns);
    sum.launch = plus(sum.launch, buckets.idle_split->launch_ns);
    sum.other = plus(sum.other, buckets.idle_split->other_ns);
  }
  return sum;
}

}  // namespace

void find_contributors(const Wall& wall, core::ProfileDiff& diff) {
  if (wall.basis.empty()) return;
  const bool timeline = wall.basis == "step_wall" || wall.basis == "work_normalised_wall";
  const auto change = [&](std::int64_t before, std::int64_t after) {
    return minus(wall.scale == 1 ? after : rounded(static_cast<double>(after) / wall.scale), before);
  };
  std::vector<core::ProfileContributor> all;
  const auto add = [&](std::string kind, std::string name, std::int64_t delta, const core::ProfilePlace& place) {
    if (delta != 0) all.push_back({std::move(kind), std::move(name), delta, 0, 0, place});
  };
  std::unordered_set<std::string_view> collectives;
  for (const core::ProfileRow& row : diff.nccl) collectives.insert(row.name);
  const auto add_rows = [&](const std::vector<core::ProfileRow>& rows, const char* kind) {
    for (const core::ProfileRow& row : rows) {
      const std::int64_t before = timeline ? (row.baseline ? row.baseline->exclusive_ns : 0) : row.baseline_ns;
      const std::int64_t after = timeline ? (row.candidate ? row.candidate->exclusive_ns : 0) : row.candidate_ns;
      add(collectives.contains(row.name) ? "collective" : kind, row.name, change(before, after), row.slowest);
    }
  };
  add_rows(diff.kernels, "kernel");
  if (timeline) {
    add_rows(diff.memory, "copy");
    const Idle before = idle_of(diff.buckets, &core::DeviceBuckets::baseline);
    const Idle after = idle_of(diff.buckets, &core::DeviceBuckets::candidate);
    add("idle", std::string(kIdleHost), change(before.host, after.host), {});
    add("idle", std::string(kIdleSync), change(before.sync, after.sync), {});
    add("idle", std::string(kIdleLaunch), change(before.launch, after.launch), {});
    add("idle", std::string(kIdleOther), change(before.other, after.other), {});
  }
  diff.wall_baseline_ns = rounded(wall.baseline_ns);
  diff.wall_delta_ns = minus(rounded(wall.candidate_ns), rounded(wall.baseline_ns));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return magnitude(a.delta_ns) != magnitude(b.delta_ns) ? magnitude(a.delta_ns) > magnitude(b.delta_ns) : a.name < b.name;
  });
  double sum = 0;
  for (const core::ProfileContributor& each : all) sum += magnitude(each.delta_ns);
  double running = 0;
  for (core::ProfileContributor& each : all) {
    running += magnitude(each.delta_ns);
    each.share_pct = 100 * magnitude(each.delta_ns) / sum;
    each.cumulative_pct = 100 * running / sum;
  }
  if (all.size() > diff.limit) all.resize(diff.limit);
  std::int64_t explained = 0;
  for (const core::ProfileContributor& each : all) explained = plus(explained, each.delta_ns);
  diff.residual_ns = minus(*diff.wall_delta_ns, explained);
  diff.contributors = std::move(all);
}

}  // namespace plumbline::profiles
