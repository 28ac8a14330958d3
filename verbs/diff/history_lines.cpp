#include "verbs/diff/history_lines.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace plumbline::verbs {
namespace {

constexpr std::size_t kLines = 6, kFewestEntries = 3;

// Headlines first, each row once.
std::vector<std::uint32_t> by_weight(const core::Comparison& comparison, std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> rows(order.begin(), order.end());
  std::stable_partition(rows.begin(), rows.end(), [&](std::uint32_t row) { return comparison.deltas[row].headline; });
  return rows;
}

double tolerance_pct(const core::Comparison& comparison, const core::Delta& delta) {
  const core::Tolerance& tolerance = comparison.tolerances[delta.tolerance];
  if (tolerance.kind == core::ToleranceKind::percent) return tolerance.value;
  // The same, by way of the row's own scale.
  const double typical = std::fabs(delta.baseline);
  return typical > 0 && tolerance.kind == core::ToleranceKind::absolute ? 100 * tolerance.value / typical : 0;
}

}  // namespace

std::vector<core::HistoryLine> history_lines(const EntrySeries& series, const core::Comparison& comparison,
                                             std::span<const std::uint32_t> order, const NoiseFloors& floors,
                                             std::string_view baseline) {
  std::unordered_map<core::Id, const KeySeries*> by_key;
  for (const KeySeries& key : series.keys) by_key.emplace(key.key, &key);
  std::vector<core::HistoryLine> out;
  core::ChangePointFinder finder;
  for (const std::uint32_t index : by_weight(comparison, order)) {
    if (out.size() == kLines) break;
    const core::Delta& delta = comparison.deltas[index];
    const auto found = by_key.find(delta.key);
    if (found == by_key.end() || found->second->values.size() < kFewestEntries) continue;
    if (delta.baseline_row == core::kNoRow || delta.current_row == core::kNoRow || !std::isfinite(delta.current)) continue;
    const KeySeries& key = *found->second;
    const core::Row& row = comparison.baseline->rows()[delta.baseline_row];
    if (comparison.baseline->unit(row) != key.unit) continue;
    core::HistoryLine line;
    line.key = comparison.baseline->key(row);
    line.unit = key.unit;
    line.direction = delta.direction;
    line.values = key.values;
    for (const std::uint32_t entry : key.entries) line.slugs.push_back(series.slugs[entry]);
    const auto at = std::ranges::find(line.slugs, baseline);
    if (at != line.slugs.end()) line.baseline = static_cast<std::size_t>(at - line.slugs.begin());
    line.current = delta.current;
    const auto floor = floors.by_key_pct.find(delta.key);
    if (floor != floors.by_key_pct.end()) line.noise_floor_pct = floor->second;
    for (const core::ChangePoint& change :
         level_changes(line.values, tolerance_pct(comparison, delta), line.noise_floor_pct, finder))
      line.changes.push_back(change.at);
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace plumbline::verbs
