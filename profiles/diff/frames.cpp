#include "profiles/diff/frames.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/text.hpp"
#include "profiles/names/frames.hpp"

namespace plumbline::profiles {
namespace {

// Costs come from files and are positive; deltas of two of them fit.
struct Pair {
  const Frame* baseline = nullptr;
  const Frame* candidate = nullptr;
};

double sum_of(std::span<const Frame> frames) {
  double sum = 0;
  for (const Frame& frame : frames) sum += static_cast<double>(frame.self);
  return sum;
}
std::int64_t exact_sum(std::span<const Frame> frames) {
  std::int64_t sum = 0;
  for (const Frame& frame : frames) sum += frame.self;  // readers refuse sums beyond an int64
  return sum;
}

core::ProfileFrame row_of(std::string name, const Pair& pair, double baseline_sum, double candidate_sum) {
  core::ProfileFrame row;
  row.name = std::move(name);
  row.state = pair.baseline == nullptr ? "new" : pair.candidate == nullptr ? "vanished" : "matched";
  if (pair.baseline != nullptr) {
    row.baseline_self = pair.baseline->self;
    row.baseline_total = pair.baseline->total;
  }
  if (pair.candidate != nullptr) {
    row.candidate_self = pair.candidate->self;
    row.candidate_total = pair.candidate->total;
  }
  row.delta_self = row.candidate_self - row.baseline_self;
  row.delta_total = row.candidate_total - row.baseline_total;
  if (row.baseline_self != 0) row.self_pct = 100 * static_cast<double>(row.delta_self) / static_cast<double>(row.baseline_self);
  if (baseline_sum > 0) row.baseline_share_pct = 100 * static_cast<double>(row.baseline_self) / baseline_sum;
  if (candidate_sum > 0) row.candidate_share_pct = 100 * static_cast<double>(row.candidate_self) / candidate_sum;
  return row;
}

// Of the names that are on one side only, those that are alike but for numbers of lambdas, when there is one such on each side.
std::map<std::string, Pair> renumbered(const std::unordered_map<std::string_view, Pair>& by_name) {
  struct Found {
    Pair pair;
    int baselines = 0, candidates = 0;
  };
  std::map<std::string, Found> found;
  for (const auto& [name, pair] : by_name) {
    if (pair.baseline != nullptr && pair.candidate != nullptr) continue;
    std::string key = frame_without_numbers(name);
    if (key == name) continue;
    Found& one = found[std::move(key)];
    if (pair.baseline != nullptr) {
      one.pair.baseline = pair.baseline;
      ++one.baselines;
    } else {
      one.pair.candidate = pair.candidate;
      ++one.candidates;
    }
  }
  std::map<std::string, Pair> pairs;
  for (auto& [name, one] : found) {
    // A function that carries the bare name already would make two rows of one name.
    if (one.baselines == 1 && one.candidates == 1 && by_name.find(name) == by_name.end()) pairs.emplace(name, one.pair);
  }
  return pairs;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

std::optional<double> change(double baseline, double candidate) {
  if (!(baseline > 0)) return std::nullopt;
  return 100 * (candidate - baseline) / baseline;
}

std::string seconds(std::int64_t ns) { return core::short_number(static_cast<double>(ns) / 1e9, 4) + " s"; }

}  // namespace

std::vector<core::ProfileFrame> compare_frames(std::span<const Frame> baseline, std::span<const Frame> candidate) {
  std::unordered_map<std::string_view, Pair> by_name;
  by_name.reserve(baseline.size() + candidate.size());
  for (const Frame& frame : baseline) by_name[frame.name].baseline = &frame;
  for (const Frame& frame : candidate) by_name[frame.name].candidate = &frame;
  const double baseline_sum = sum_of(baseline), candidate_sum = sum_of(candidate);

  std::vector<core::ProfileFrame> rows;
  rows.reserve(by_name.size());
  for (const auto& [name, pair] : renumbered(by_name)) {
    rows.push_back(row_of(name, pair, baseline_sum, candidate_sum));
    by_name.erase(pair.baseline->name);
    by_name.erase(pair.candidate->name);
  }
  for (const auto& [name, pair] : by_name) rows.push_back(row_of(std::string(name), pair, baseline_sum, candidate_sum));
  std::sort(rows.begin(), rows.end(), [](const core::ProfileFrame& a, const core::ProfileFrame& b) {
    if (magnitude(a.delta_self) != magnitude(b.delta_self)) return magnitude(a.delta_self) > magnitude(b.delta_self);
    if (magnitude(a.delta_total) != magnitude(b.delta_total)) return magnitude(a.delta_total) > magnitude(b.delta_total);
    return a.name < b.name;
  });
  return rows;
}

FramesComparison compare_host_profiles(const Profile& baseline, const Profile& candidate) {
  FramesComparison result;
  result.rows = compare_frames(baseline.frames, candidate.frames);
  result.baseline_sum = exact_sum(baseline.frames);
  result.candidate_sum = exact_sum(candidate.frames);
  if (baseline.frames_unit != candidate.frames_unit || baseline.frames_kind != candidate.frames_kind) {
    const auto what = [](const Profile& side) {
      return side.frames_kind.empty() || side.frames_kind == side.frames_unit ? side.frames_unit
                                                                              : side.frames_kind + " in " + side.frames_unit;
    };
    result.basis = "none";
    if (baseline.frames.empty() || candidate.frames.empty()) return result;  // only one side is a profile of the host
    result.notes.push_back("the profiles count different things: " + what(baseline) + " and " + what(candidate));
    // No difference of two such costs means anything: what is heavy on either side comes first.
    for (core::ProfileFrame& row : result.rows) row.self_pct.reset();
    std::stable_sort(result.rows.begin(), result.rows.end(), [](const core::ProfileFrame& a, const core::ProfileFrame& b) {
      return std::max(a.baseline_share_pct, a.candidate_share_pct) > std::max(b.baseline_share_pct, b.candidate_share_pct);
    });
    return result;
  }
  result.unit = baseline.frames_unit;
  const auto baseline_sum = static_cast<double>(result.baseline_sum), candidate_sum = static_cast<double>(result.candidate_sum);
  const std::int64_t before = baseline.frames_duration_ns.value_or(0), after = candidate.frames_duration_ns.value_or(0);
  bool same_window = false;
  if (before > 0 && after > 0) {
    result.window_ratio = static_cast<double>(after) / static_cast<double>(before);
    result.rate_change_pct = change(baseline_sum, candidate_sum / *result.window_ratio);
    same_window = std::abs(std::log(*result.window_ratio)) <= std::log1p(kSameWindow);
  }
  const bool amount = result.unit != "samples" && result.unit != "counts";
  result.basis = amount || same_window ? "amount" : "share";
  if (result.basis == "amount") result.change_pct = change(baseline_sum, candidate_sum);
  if (!result.window_ratio) {
    result.notes.push_back(amount ? "the profiles do not say how long they ran: their sums compare when both did the same work"
                                  : result.unit + " without the length of the profile: only how they are spread can be compared");
  } else if (!same_window) {
    result.notes.push_back("the profiles cover " + seconds(before) + " and " + seconds(after) +
                           (amount ? ": their sums compare when both did the same work to its end"
                                   : ": the length of the profile is in every difference"));
  }
  return result;
}

std::optional<double> share_deviation(const core::ProfileFrame& row, const Profile& baseline, const Profile& candidate) {
  // Times and samples weigh the same in every sample; bytes and objects do not.
  const auto by_sample = [](const Profile& side) {
    return side.frames_samples && *side.frames_samples > 0 && (side.frames_unit == "ns" || side.frames_unit == "samples");
  };
  if (!by_sample(baseline) || !by_sample(candidate)) return std::nullopt;
  const auto n0 = static_cast<double>(*baseline.frames_samples), n1 = static_cast<double>(*candidate.frames_samples);
  const double p0 = row.baseline_share_pct / 100, p1 = row.candidate_share_pct / 100;
  const double pooled = (p0 * n0 + p1 * n1) / (n0 + n1);
  const double variance = pooled * (1 - pooled) * (1 / n0 + 1 / n1);
  if (!(variance > 0)) return std::nullopt;
  return (p1 - p0) / std::sqrt(variance);
}

std::string cost_text(const Profile& profile) {
  if (profile.frames.empty()) return {};
  std::int64_t sum = 0;
  for (const Frame& frame : profile.frames) sum += frame.self;  // readers refuse sums beyond an int64
  std::string text = std::to_string(sum) + " " + profile.frames_unit;
  if (!profile.frames_kind.empty() && profile.frames_kind != profile.frames_unit) text += " (" + profile.frames_kind + ")";
  text += " in " + core::counted(profile.frames.size(), "function");
  if (profile.frames_samples && profile.frames_unit != "samples") text += ", " + core::counted(*profile.frames_samples, "sample");
  if (profile.frames_duration_ns) {
    text += ", over " + core::short_number(static_cast<double>(*profile.frames_duration_ns) / 1e9, 4) + " s";
  }
  return text;
}

}  // namespace plumbline::profiles
