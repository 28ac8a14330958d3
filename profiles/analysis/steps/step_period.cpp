#include "profiles/analysis/steps/step_period.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline::profiles {
namespace {

constexpr std::size_t kLeastPeriods = 3;
constexpr double kLeastAlike = 0.85;
constexpr double kLeastRegular = 0.8;  // share of distances within a quarter of their median
constexpr std::size_t kMostCandidates = 24;

// Positions of every name: those of name i are at [first[i], first[i + 1]).
struct Positions {
  std::vector<std::uint32_t> first, at;
};
Positions positions_of(std::span<const std::uint32_t> names, std::uint32_t name_count) {
  Positions result;
  result.first.assign(name_count + 1, 0);
  result.at.resize(names.size());
  for (const std::uint32_t name : names) ++result.first[name + 1];
  for (std::uint32_t i = 0; i < name_count; ++i) result.first[i + 1] += result.first[i];
  std::vector<std::uint32_t> next(result.first.begin(), result.first.end() - 1);
  for (std::uint32_t i = 0; i < names.size(); ++i) result.at[next[names[i]]++] = i;
  return result;
}

struct Anchor {
  std::uint32_t name = 0;
  std::uint32_t gap = 0;  // median distance
  std::size_t count = 0;
  double regular = 0;
};

std::optional<Anchor> anchor(std::uint32_t name, std::span<const std::uint32_t> at, std::size_t window,
                             std::vector<std::uint32_t>& gaps) {
  if (at.size() < kLeastPeriods + 1) return std::nullopt;
  gaps.clear();
  for (std::size_t i = 1; i < at.size(); ++i) gaps.push_back(at[i] - at[i - 1]);
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  Anchor result{name, *middle, at.size(), 0};
  std::uint64_t covered = 0;
  std::size_t regular = 0;
  for (const std::uint32_t gap : gaps) {
    const std::uint32_t away = gap > result.gap ? gap - result.gap : result.gap - gap;
    if (std::uint64_t{4} * away > result.gap) continue;
    ++regular;
    covered += gap;
  }
  result.regular = static_cast<double>(regular) / static_cast<double>(gaps.size());
  if (regular < kLeastPeriods || result.regular < kLeastRegular || 2 * covered < window) return std::nullopt;
  return result;
}

// How alike the stretches between successive positions are: of all kernels in neighbours, the share that both have (as bags).
double alike(std::span<const std::uint32_t> names, std::span<const std::uint32_t> at, std::vector<std::uint32_t>& here,
             std::vector<std::uint32_t>& before) {
  std::uint64_t common = 0, all = 0;
  for (std::size_t k = 0; k + 1 < at.size(); ++k) {
    const auto stretch = names.subspan(at[k], at[k + 1] - at[k]);
    for (const std::uint32_t name : stretch) {
      if (++here[name] <= before[name]) ++common;
    }
    if (k > 0) {
      const auto last = names.subspan(at[k - 1], at[k] - at[k - 1]);
      all += stretch.size() + last.size();
      for (const std::uint32_t name : last) before[name] = 0;
    }
    std::swap(here, before);
  }
  if (at.size() >= 2) {
    for (const std::uint32_t name : names.subspan(at[at.size() - 2], at.back() - at[at.size() - 2])) before[name] = 0;
  }
  return all == 0 ? 0 : 2 * static_cast<double>(common) / static_cast<double>(all);
}

// Anchors of about one period (within 10 %), the best of each first.
std::vector<std::vector<Anchor>> by_period(std::vector<Anchor> anchors) {
  std::sort(anchors.begin(), anchors.end(), [](const Anchor& a, const Anchor& b) {
    return a.gap != b.gap ? a.gap < b.gap : a.regular != b.regular ? a.regular > b.regular : a.name < b.name;
  });
  std::vector<std::vector<Anchor>> groups;
  for (const Anchor& each : anchors) {
    if (groups.empty() || 10 * std::uint64_t{each.gap} > 11 * std::uint64_t{groups.back().front().gap}) groups.emplace_back();
    groups.back().push_back(each);
  }
  for (auto& group : groups) {
    std::stable_sort(group.begin(), group.end(), [](const Anchor& a, const Anchor& b) { return a.regular > b.regular; });
  }
  // Of too many periods those stay that the most names agree on.
  if (groups.size() > kMostCandidates) {
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    groups.resize(kMostCandidates);
    std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.front().gap < b.front().gap; });
  }
  return groups;
}

}  // namespace

std::optional<Period> find_period(std::span<const std::uint32_t> names, std::uint32_t name_count) {
  if (names.size() > kPeriodWindow) names = names.subspan((names.size() - kPeriodWindow) / 2, kPeriodWindow);
  const Positions positions = positions_of(names, name_count);
  const auto positions_at = [&positions](std::uint32_t name) {
    return std::span<const std::uint32_t>(positions.at)
        .subspan(positions.first[name], positions.first[name + 1] - positions.first[name]);
  };
  std::vector<Anchor> anchors;
  std::vector<std::uint32_t> gaps;
  for (std::uint32_t name = 0; name < name_count; ++name) {
    if (const auto found = anchor(name, positions_at(name), names.size(), gaps)) anchors.push_back(*found);
  }
  const auto groups = by_period(std::move(anchors));

  std::vector<std::uint32_t> here(name_count, 0), before(name_count, 0);
  std::vector<double> scores;
  double best = 0;
  for (const auto& group : groups) {
    scores.push_back(alike(names, positions_at(group.front().name), here, before));
    best = std::max(best, scores.back());
  }
  if (best < kLeastAlike) return std::nullopt;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (1 - scores[i] > 2 * (1 - best) + 0.005) continue;
    const Anchor& first = groups[i].front();
    Period period{{}, static_cast<double>(first.gap), scores[i]};
    for (const Anchor& each : groups[i]) {
      if (each.count + 1 >= first.count && each.count <= first.count + 1 && each.regular + 0.05 >= first.regular)
        period.anchors.push_back(each.name);
    }
    return period;
  }
  return std::nullopt;
}

}  // namespace plumbline::profiles
