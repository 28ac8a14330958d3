#include "profiles/diff/collectives.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

using Loose = std::tuple<std::string, std::string, std::string, std::uint32_t>;  // type, bucket, data type, group size

Loose loose(const CollectiveGroup& group) { return {group.type, group.size_bucket, group.dtype, group.group_size}; }
std::int64_t magnitude(std::int64_t value) { return value < 0 ? -value : value; }

// `either` is the baseline's where it has one.
core::ProfileCollective row(const CollectiveGroup& either, const CollectiveGroup* baseline, const CollectiveGroup* candidate) {
  core::ProfileCollective result;
  result.type = either.type;
  result.size_bucket = either.size_bucket;
  result.dtype = either.dtype;
  result.group = either.group;
  if (baseline != nullptr && candidate != nullptr && baseline->group != candidate->group) {
    result.group = baseline->group + " -> " + candidate->group;
  }
  result.group_size = either.group_size;
  if (baseline != nullptr) result.baseline = baseline->side;
  if (candidate != nullptr) result.candidate = candidate->side;
  result.delta_ns = (candidate != nullptr ? candidate->side.total_ns : 0) - (baseline != nullptr ? baseline->side.total_ns : 0);
  if (baseline != nullptr && candidate != nullptr && baseline->side.busbw && candidate->side.busbw && *baseline->side.busbw > 0) {
    result.busbw_pct = 100 * (*candidate->side.busbw / *baseline->side.busbw - 1);
  }
  return result;
}

std::string ranks_text(const std::vector<std::int64_t>& ranks) {
  if (ranks.empty()) return "a single capture";
  std::vector<std::string> texts;
  texts.reserve(ranks.size());
  for (const std::int64_t rank : ranks) texts.push_back(std::to_string(rank));
  return core::counted(ranks.size(), "rank") + " (" + core::listed(texts, 8) + ")";
}

}  // namespace

std::vector<core::ProfileCollective> compare_collectives(std::span<const CollectiveGroup> baseline,
                                                         std::span<const CollectiveGroup> candidate) {
  std::map<std::pair<Loose, std::string>, const CollectiveGroup*> by_group;
  for (const CollectiveGroup& each : candidate) by_group.emplace(std::pair(loose(each), each.group), &each);
  std::vector<core::ProfileCollective> rows;
  struct Left {
    std::vector<const CollectiveGroup*> baseline, candidate;
  };
  std::map<Loose, Left> left;
  for (const CollectiveGroup& each : baseline) {
    const auto found = by_group.find(std::pair(loose(each), each.group));
    if (found == by_group.end()) {
      left[loose(each)].baseline.push_back(&each);
    } else {
      rows.push_back(row(each, &each, found->second));
      by_group.erase(found);
    }
  }
  for (const auto& [key, group] : by_group) left[key.first].candidate.push_back(group);
  for (const auto& [key, sides] : left) {
    if (sides.baseline.size() == 1 && sides.candidate.size() == 1) {
      rows.push_back(row(*sides.baseline[0], sides.baseline[0], sides.candidate[0]));
      continue;
    }
    for (const CollectiveGroup* each : sides.baseline) rows.push_back(row(*each, each, nullptr));
    for (const CollectiveGroup* each : sides.candidate) rows.push_back(row(*each, nullptr, each));
  }
  std::sort(rows.begin(), rows.end(), [](const core::ProfileCollective& a, const core::ProfileCollective& b) {
    if (magnitude(a.delta_ns) != magnitude(b.delta_ns)) return magnitude(a.delta_ns) > magnitude(b.delta_ns);
    return std::tie(a.type, a.size_bucket, a.dtype, a.group, a.group_size) <
           std::tie(b.type, b.size_bucket, b.dtype, b.group, b.group_size);
  });
  return rows;
}

std::optional<core::Warning> compare_ranks(const core::ProfileSideInfo& baseline, const core::ProfileSideInfo& candidate) {
  if (baseline.ranks == candidate.ranks) return std::nullopt;
  return core::Warning{"ranks_differ",
                       "the baseline is " + ranks_text(baseline.ranks) + ", the candidate " + ranks_text(candidate.ranks) +
                           ": sums over ranks differ by that alone; give both sides the same ranks, or one with --rank"};
}

}  // namespace plumbline::profiles
