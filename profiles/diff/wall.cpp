#include "profiles/diff/wall.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kFewestSteps = 3;

double real(std::int64_t value) { return static_cast<double>(value); }

double sum_of_spans(const Profile& profile) {
  double sum = 0;
  for (const DeviceWall& device : profile.devices) sum += real(device.buckets.span_ns);
  return sum;
}

bool comparable(const core::ProfileSteps& steps) {
  return steps.baseline.steps >= kFewestSteps && steps.candidate.steps >= kFewestSteps && steps.baseline.median_ns > 0 &&
         steps.candidate.median_ns > 0 && steps.baseline.basis == steps.candidate.basis && steps.delta_pct.has_value();
}

double mean_wall(const core::ProfileStepsSide& side) {
  double sum = 0;
  for (const std::int64_t wall : side.wall_ns) sum += real(wall);
  return side.wall_ns.empty() ? side.median_ns : sum / static_cast<double>(side.wall_ns.size());
}

}  // namespace

std::optional<double> work_ratio(const std::vector<core::ProfileRow>& kernels) {
  struct Vote {
    double log_ratio, weight;
  };
  double total0 = 0;
  double total1 = 0;
  for (const core::ProfileRow& row : kernels) {
    total0 += real(row.baseline_ns);
    total1 += real(row.candidate_ns);
  }
  std::vector<Vote> votes;
  double sum = 0;
  for (const core::ProfileRow& row : kernels) {
    const double n0 = static_cast<double>(row.baseline_count.value_or(0));
    const double n1 = static_cast<double>(row.candidate_count.value_or(0));
    if (n0 <= 0 || n1 <= 0 || total0 <= 0 || total1 <= 0) continue;
    const double weight = std::min(real(row.baseline_ns) / total0, real(row.candidate_ns) / total1);
    if (weight <= 0) continue;
    votes.push_back({std::log(n1) - std::log(n0), weight});
    sum += weight;
  }
  if (votes.empty()) return std::nullopt;
  std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
    return a.log_ratio != b.log_ratio ? a.log_ratio < b.log_ratio : a.weight < b.weight;
  });
  // The lower and the upper weighted median; relative slack, so that exact halves are halves.
  const double half = sum / 2;
  const auto reached = [&](auto begin, auto end) {
    double running = 0;
    for (auto at = begin; at != end; ++at) {
      running += at->weight;
      if (running >= half * (1 - 1e-12)) return at->log_ratio;
    }
    return votes.back().log_ratio;
  };
  const double middle = (reached(votes.begin(), votes.end()) + reached(votes.rbegin(), votes.rend())) / 2;
  return middle == 0 ? 1 : std::exp(middle);
}

Wall wall_change(const Profile& baseline, const Profile& candidate, const std::vector<core::ProfileRow>& kernels,
                 const core::ProfileSteps* steps) {
  Wall wall;
  wall.work_ratio = work_ratio(kernels);
  wall.baseline_ns = sum_of_spans(baseline);
  wall.candidate_ns = sum_of_spans(candidate);
  const bool timelines = wall.baseline_ns > 0 && wall.candidate_ns > 0;
  if (timelines && steps != nullptr && comparable(*steps)) {
    wall.basis = "step_wall";
    wall.delta_pct = steps->delta_pct;
    const double devices0 = static_cast<double>(baseline.devices.size());
    const double devices1 = static_cast<double>(candidate.devices.size());
    const double windows0 = wall.baseline_ns / devices0 / mean_wall(steps->baseline);
    const double windows1 = wall.candidate_ns / devices1 / mean_wall(steps->candidate);
    wall.scale = windows1 / windows0;
  } else if (timelines && wall.work_ratio) {
    wall.basis = "work_normalised_wall";
    wall.scale = *wall.work_ratio;
    // Windows of different numbers of devices are compared by their mean.
    const double mean0 = wall.baseline_ns / static_cast<double>(baseline.devices.size());
    const double mean1 = wall.candidate_ns / static_cast<double>(candidate.devices.size());
    wall.delta_pct = 100 * (mean1 / wall.scale / mean0 - 1);
  } else {
    wall.baseline_ns = real(baseline.info.kernel_ns);
    wall.candidate_ns = real(candidate.info.kernel_ns);
    if (wall.baseline_ns <= 0 || wall.candidate_ns <= 0) return wall;
    wall.basis = wall.work_ratio ? "work_normalised_kernel_time" : "total_kernel_time";
    wall.scale = wall.work_ratio.value_or(1);
    wall.delta_pct = 100 * (wall.candidate_ns / wall.scale / wall.baseline_ns - 1);
  }
  wall.candidate_ns /= wall.scale;
  return wall;
}

}  // namespace plumbline::profiles
