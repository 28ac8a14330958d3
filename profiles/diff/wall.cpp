#include "profiles/diff/wall.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kFewestSteps = 3;
constexpr std::size_t kSeveral = 4;
constexpr std::uint64_t kOften = 3;  // calls on both sides

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

double ratio_of(std::size_t baseline, std::size_t candidate) {
  return static_cast<double>(candidate) / static_cast<double>(baseline);
}

}  // namespace

double device_ratio(const Profile& baseline, const Profile& candidate) {
  if (!baseline.devices.empty() && !candidate.devices.empty()) return ratio_of(baseline.devices.size(), candidate.devices.size());
  if (baseline.info.ranks.empty() || candidate.info.ranks.empty()) return 1;
  return ratio_of(baseline.info.ranks.size(), candidate.info.ranks.size());
}

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
  // Names called once or twice say little about how many steps there were.
  const bool often = std::any_of(kernels.begin(), kernels.end(), [](const core::ProfileRow& row) {
    return std::min(row.baseline_count.value_or(0), row.candidate_count.value_or(0)) >= kOften;
  });
  std::vector<Vote> votes;
  double sum = 0;
  for (const core::ProfileRow& row : kernels) {
    const double n0 = static_cast<double>(row.baseline_count.value_or(0));
    const double n1 = static_cast<double>(row.candidate_count.value_or(0));
    if (n0 <= 0 || n1 <= 0 || total0 <= 0 || total1 <= 0) continue;
    if (often && std::min(n0, n1) < static_cast<double>(kOften)) continue;
    const double weight = std::min(real(row.baseline_ns) / total0, real(row.candidate_ns) / total1);
    if (weight <= 0) continue;
    votes.push_back({std::log(n1) - std::log(n0), weight});
    sum += weight;
  }
  if (votes.empty()) return std::nullopt;
  // One name alone decides nothing where several others stand against it: it has at most half of what they have together.
  if (votes.size() >= kSeveral) {
    Vote& first = *std::max_element(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) { return a.weight < b.weight; });
    const double capped = std::min(first.weight, (sum - first.weight) / 2);
    sum += capped - first.weight;
    first.weight = capped;
  }
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
  wall.device_ratio = device_ratio(baseline, candidate);
  wall.baseline_ns = sum_of_spans(baseline);
  wall.candidate_ns = sum_of_spans(candidate);
  const bool timelines = wall.baseline_ns > 0 && wall.candidate_ns > 0;
  // Both sums hold the number of devices: their ratio does not.
  if (timelines && wall.work_ratio) {
    wall.scale = *wall.work_ratio;
    wall.window_pct = 100 * (wall.candidate_ns / wall.scale / wall.baseline_ns - 1);
  }
  // A period was guessed from the kernels' names: it may be a layer and no step, so it is no measure where there is another.
  const bool told = steps != nullptr && comparable(*steps) && (steps->baseline.basis != "period" || !wall.work_ratio);
  if (timelines && told) {
    wall.basis = "step_wall";
    wall.delta_pct = steps->delta_pct;
    // Steps that the windows of all devices hold together: the ratio of the numbers of devices is in it.
    if (!wall.work_ratio) {
      wall.scale = (wall.candidate_ns / mean_wall(steps->candidate)) / (wall.baseline_ns / mean_wall(steps->baseline));
    }
  } else if (timelines && wall.work_ratio) {
    wall.basis = "work_normalised_wall";
    wall.delta_pct = wall.window_pct;
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
