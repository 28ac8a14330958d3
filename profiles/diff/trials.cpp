#include "profiles/diff/trials.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "configs/configs.hpp"
#include "configs/kernel_categories.hpp"
#include "core/statistics.hpp"
#include "profiles/diff/contributors.hpp"
#include "profiles/diff/matching.hpp"
#include "profiles/diff/steps.hpp"
#include "profiles/diff/wall.hpp"

namespace plumbline::profiles {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

double mean_step_wall(const Profile& profile) {
  double sum = 0;
  for (const Step& step : profile.steps.steps) sum += real(step.wall_ns);
  return profile.steps.steps.empty() ? 0 : sum / static_cast<double>(profile.steps.steps.size());
}

// One capture, measured in every way that there is.
struct Measured {
  TrialWall trial;
  std::optional<double> step, window, kernel_time;
};

Measured measure(const Profile& first, const Profile& capture, const configs::KernelCategories& categories, double gate_pct) {
  const std::vector<core::ProfileRow> kernels = match_kernels(first.kernels, capture.kernels, categories);
  Work work = tell_work(first, capture, kernels);
  const auto steps = compare_steps(first, capture, calls_per_device(work, first, capture), gate_pct);
  const Wall wall = wall_change(first, capture, std::move(work), steps ? &*steps : nullptr);
  Measured out;
  out.trial.device_work = wall.work_per_device();
  out.trial.scale = wall.scale;
  if (wall.basis == "step_wall") {
    out.step = steps->candidate.median_ns;
    out.trial.mean_step_ns = mean_step_wall(capture);
  }
  if (wall.window_pct) out.trial.window_ns = out.window = wall.baseline_ns * (1 + *wall.window_pct / 100);
  if (wall.work_ratio && capture.info.kernel_ns > 0) out.kernel_time = real(capture.info.kernel_ns) / *wall.work_ratio;
  return out;
}

// The time that tells which capture lies in the middle where no wall is of the same work.
double whole_cost(const Profile& profile) {
  if (profile.info.kernel_ns > 0) return real(profile.info.kernel_ns);
  double sum = 0;
  for (const Frame& frame : profile.frames) sum += real(frame.self);
  return sum;
}

// The one closest to the median; of two as close the faster, of two alike the first given.
std::size_t middle_of(const std::vector<double>& walls) {
  const double median = core::median(walls);
  std::size_t best = 0;
  for (std::size_t i = 1; i < walls.size(); ++i) {
    const double away = std::abs(walls[i] - median), least = std::abs(walls[best] - median);
    if (away < least || (away == least && walls[i] < walls[best])) best = i;
  }
  return best;
}

struct Basis {
  const char* name;
  std::optional<double> Measured::*wall;
};
constexpr Basis kBases[] = {{"step_wall", &Measured::step},
                            {"work_normalised_wall", &Measured::window},
                            {"work_normalised_kernel_time", &Measured::kernel_time}};

const Basis* common_basis(const std::vector<Measured>& captures) {
  for (const Basis& basis : kBases) {
    const auto has = [&](const Measured& one) { return (one.*basis.wall).has_value() && *(one.*basis.wall) > 0; };
    if (std::all_of(captures.begin(), captures.end(), has)) return &basis;
  }
  return nullptr;
}

// What each part of the wall took in one capture; a part that it has not took nothing.
class Parts {
 public:
  Parts(const Profile& profile, bool timeline) {
    const auto time = [timeline](const NamedAggregate& each) { return timeline ? each.exclusive : each.aggregate.total; };
    for (const NamedAggregate& each : profile.kernels) kernels_[each.name] += real(time(each));
    for (const NamedAggregate& each : profile.memory) copies_[each.name] += real(time(each));
    for (const DeviceWall& device : profile.devices) add_idle(device.buckets);
  }

  [[nodiscard]] double of(std::string_view kind, std::string_view name) const {
    const Times& times = kind == "idle" ? idle_ : kind == "copy" ? copies_ : kernels_;
    const auto at = times.find(name);
    return at == times.end() ? 0 : at->second;
  }

 private:
  using Times = std::unordered_map<std::string_view, double>;

  void add_idle(const core::ProfileBuckets& buckets) {
    if (!buckets.idle_split) {
      idle_[kIdleOther] += real(buckets.idle_ns);
      return;
    }
    idle_[kIdleHost] += real(buckets.idle_split->host_ns);
    idle_[kIdleSync] += real(buckets.idle_split->sync_ns);
    idle_[kIdleLaunch] += real(buckets.idle_split->launch_ns);
    idle_[kIdleOther] += real(buckets.idle_split->other_ns);
  }

  Times kernels_, copies_, idle_;
};

// The captures of one side, part by part.
class SideParts {
 public:
  SideParts(std::span<const Profile> captures, std::span<const TrialWall> walls, std::size_t middle, bool timeline, double scale)
      : walls_(walls), middle_(middle), scale_(scale) {
    for (const Profile& capture : captures) parts_.emplace_back(capture, timeline);
  }

  // `told` is what the pair's row says of the part: a row that stands for several names is none of these.
  [[nodiscard]] std::optional<core::ProfileScatter> scatter(std::string_view kind, std::string_view name, double told) const {
    if (parts_[middle_].of(kind, name) != told) return std::nullopt;
    std::vector<double> times;
    for (std::size_t i = 0; i < parts_.size(); ++i) times.push_back(parts_[i].of(kind, name) * scale_ / walls_[i].scale);
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    return core::ProfileScatter{*least, core::median(times), *most};
  }
  [[nodiscard]] double of_middle(std::string_view kind, std::string_view name) const { return parts_[middle_].of(kind, name); }

 private:
  std::span<const TrialWall> walls_;
  std::size_t middle_;
  double scale_;
  std::vector<Parts> parts_;
};

const core::ProfileRow* row_of(const std::vector<core::ProfileRow>& rows, std::string_view name) {
  const auto at = std::find_if(rows.begin(), rows.end(), [name](const core::ProfileRow& row) { return row.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

}  // namespace

TrialWalls measure_trials(std::span<const Profile> baseline, std::span<const Profile> candidate, const DiffOptions& options) {
  const auto categories = options.categories != nullptr ? options.categories : configs::KernelCategories::builtin();
  std::vector<Measured> all;
  for (const std::span<const Profile> side : {baseline, candidate}) {
    for (const Profile& capture : side) all.push_back(measure(baseline.front(), capture, *categories, options.gate_pct));
  }
  TrialWalls out;
  const Basis* basis = common_basis(all);
  if (basis != nullptr) out.basis = basis->name;
  std::vector<double> order[2];
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool first = i < baseline.size();
    const Profile& capture = first ? baseline[i] : candidate[i - baseline.size()];
    if (basis != nullptr) all[i].trial.wall_ns = *(all[i].*(basis->wall));
    order[first ? 0 : 1].push_back(basis != nullptr ? all[i].trial.wall_ns : whole_cost(capture));
    (first ? out.baseline : out.candidate).push_back(all[i].trial);
  }
  out.baseline_middle = middle_of(order[0]);
  out.candidate_middle = middle_of(order[1]);
  return out;
}

void add_scatter(core::ProfileDiff& diff, const TrialWalls& walls, std::span<const Profile> baseline,
                 std::span<const Profile> candidate) {
  if (walls.basis.empty()) return;
  const bool timeline = walls.basis != "work_normalised_kernel_time";
  const double scale = walls.baseline[walls.baseline_middle].scale;
  const SideParts before(baseline, walls.baseline, walls.baseline_middle, timeline, scale);
  const SideParts after(candidate, walls.candidate, walls.candidate_middle, timeline, scale);
  for (core::ProfileContributor& each : diff.contributors) {
    if (each.kind == "idle") {
      each.baseline = before.scatter(each.kind, each.name, before.of_middle(each.kind, each.name));
      each.candidate = after.scatter(each.kind, each.name, after.of_middle(each.kind, each.name));
      continue;
    }
    const core::ProfileRow* row = row_of(each.kind == "copy" ? diff.memory : diff.kernels, each.name);
    if (row == nullptr) continue;
    const auto told = [timeline](const std::optional<core::ProfileRowSide>& side, std::int64_t total) {
      return timeline ? (side ? real(side->exclusive_ns) : 0) : real(total);
    };
    // What one capture of the pair has not, another of its side may have.
    const std::string& fallback = row->baseline_name.empty() ? row->candidate_name : row->baseline_name;
    each.baseline = before.scatter(each.kind, fallback, told(row->baseline, row->baseline_ns));
    each.candidate = after.scatter(each.kind, row->candidate_name.empty() ? fallback : row->candidate_name,
                                   told(row->candidate, row->candidate_ns));
  }
}

}  // namespace plumbline::profiles
