#include "profiles/diff/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/citing.hpp"
#include "core/results/gap_causes.hpp"

namespace plumbline::profiles {
namespace {

double whole_of(const Profile& profile) {
  if (profile.gap_steps_ns > 0) return static_cast<double>(profile.gap_steps_ns);
  double spans = 0;
  for (const DeviceWall& device : profile.devices) spans += static_cast<double>(device.buckets.span_ns);
  return spans;
}

}  // namespace

std::vector<core::ProfileGaps> compare_gaps(const Profile& baseline, const Profile& candidate, double scale) {
  std::map<std::pair<std::string_view, std::string_view>, core::ProfileGaps> by_key;
  const auto row = [&by_key](const Gaps& each) -> core::ProfileGaps& {
    core::ProfileGaps& out = by_key[{each.cause, each.what}];
    out.cause = each.cause;
    out.what = each.what;
    return out;
  };
  const auto add = [&row](const Profile& profile, std::optional<core::ProfileGapSide> core::ProfileGaps::*side) {
    const double whole = whole_of(profile);
    for (const Gaps& each : profile.gaps) {
      auto& into = row(each).*side;
      into = each.side;
      const std::int64_t part = profile.gap_steps_ns > 0 ? each.side.step_ns : each.side.total_ns;
      if (whole > 0) into->share_pct = 100 * static_cast<double>(part) / whole;
    }
  };
  add(baseline, &core::ProfileGaps::baseline);
  add(candidate, &core::ProfileGaps::candidate);
  std::vector<core::ProfileGaps> rows;
  for (auto& [key, each] : by_key) {
    const double before = each.baseline ? static_cast<double>(each.baseline->total_ns) : 0;
    const double after = each.candidate ? static_cast<double>(each.candidate->total_ns) / scale : 0;
    each.delta_ns = std::llround(after - before);
    rows.push_back(std::move(each));
  }
  const auto most = [](const core::ProfileGaps& each) {
    return std::max(each.baseline ? each.baseline->total_ns : 0, each.candidate ? each.candidate->total_ns : 0);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const core::ProfileGaps& a, const core::ProfileGaps& b) { return most(a) > most(b); });
  return rows;
}

std::string most_of_growth(const std::vector<core::ProfileGaps>& gaps) {
  double grown = 0;
  const core::ProfileGaps* most = nullptr;
  for (const core::ProfileGaps& each : gaps) {
    if (each.delta_ns <= 0) continue;
    grown += static_cast<double>(each.delta_ns);
    if (most == nullptr || each.delta_ns > most->delta_ns) most = &each;
  }
  if (most == nullptr || 2 * static_cast<double>(most->delta_ns) <= grown) return {};
  return ", most of it while " + std::string(core::gap_cause(most->cause).host) +
         (most->what.empty() ? std::string() : " (" + core::cited(most->what, 80) + ")");
}

}  // namespace plumbline::profiles
