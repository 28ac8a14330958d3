#include "profiles/diff/timeline.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/unicode.hpp"

namespace plumbline::profiles {
namespace {

// Of each kernel's name, as parts have it, the row that it is in.
using RowNames = std::unordered_map<std::string, const std::string*>;

RowNames row_names(const std::vector<core::ProfileRow>& rows, std::string core::ProfileRow::*of_side) {
  RowNames names;
  for (const core::ProfileRow& row : rows) {
    const std::string& name = (row.*of_side).empty() ? row.name : row.*of_side;
    names.emplace(core::shorten_bytes(name, core::kTimelineNameBytes), &row.name);
  }
  return names;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0U - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

class Parts {
 public:
  void add(const core::ProfileTimelineSide& side, const RowNames& names, std::int64_t core::ProfileStepPart::*of_side) {
    for (const core::TimelinePart& each : side.parts) {
      const auto row = each.kind == "idle" ? names.end() : names.find(each.name);
      core::ProfileStepPart& part = parts_[{each.kind, row == names.end() ? each.name : *row->second}];
      part.*of_side += each.ns;
    }
  }

  void take(core::ProfileTimeline& timeline) {
    for (auto& [key, part] : parts_) {
      part.kind = key.first;
      part.name = key.second;
      timeline.parts.push_back(std::move(part));
    }
    std::stable_sort(timeline.parts.begin(), timeline.parts.end(), [](const auto& a, const auto& b) {
      return std::pair(a.kind == "rest", magnitude(b.delta_ns())) < std::pair(b.kind == "rest", magnitude(a.delta_ns()));
    });
    if (timeline.parts.size() <= kMostPartsShown) return;
    core::ProfileStepPart rest{"rest", {}};
    for (std::size_t i = kMostPartsShown; i < timeline.parts.size(); ++i) {
      rest.baseline_ns += timeline.parts[i].baseline_ns;
      rest.candidate_ns += timeline.parts[i].candidate_ns;
    }
    timeline.parts_together = timeline.parts.size() - kMostPartsShown;
    timeline.parts.resize(kMostPartsShown);
    timeline.parts.push_back(std::move(rest));
  }

 private:
  std::map<std::pair<std::string, std::string>, core::ProfileStepPart> parts_;
};

}  // namespace

std::optional<core::ProfileTimeline> compare_timelines(const Profile& baseline, const Profile& candidate,
                                                       const core::ProfileDiff& diff) {
  if (!baseline.timeline && !candidate.timeline) return std::nullopt;
  core::ProfileTimeline timeline{.baseline = baseline.timeline, .candidate = candidate.timeline, .parts = {}};
  if (!timeline.baseline || !timeline.candidate || timeline.baseline->basis != "step" || timeline.candidate->basis != "step")
    return timeline;
  Parts parts;
  parts.add(*timeline.baseline, row_names(diff.kernels, &core::ProfileRow::baseline_name), &core::ProfileStepPart::baseline_ns);
  parts.add(*timeline.candidate, row_names(diff.kernels, &core::ProfileRow::candidate_name),
            &core::ProfileStepPart::candidate_ns);
  parts.take(timeline);
  return timeline;
}

}  // namespace plumbline::profiles
