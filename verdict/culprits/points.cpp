#include "verdict/culprits/points.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace plumbline::verdict::culprits {

std::vector<std::uint32_t> points_of(const core::Comparison& comparison, const Table& table) {
  const core::Measurement& side = *comparison.baseline;
  // By content: equal dimensions need not have one number.
  std::map<std::pair<std::vector<std::pair<core::Id, core::Id>>, std::string_view>, std::uint32_t> known;
  std::vector<std::uint32_t> out;
  std::uint32_t count = 0;
  for (const std::uint32_t delta : table.deltas) {
    const core::Row& row = side.rows()[comparison.deltas[delta].baseline_row];
    const auto dims = side.dims(row);
    if (dims.empty()) {
      out.push_back(count++);
      continue;
    }
    const std::string_view key = side.key(row);
    const auto [at, fresh] = known.try_emplace({{dims.begin(), dims.end()}, key.substr(0, key.find('['))}, count);
    count += fresh ? 1 : 0;
    out.push_back(at->second);
  }
  return out;
}

PointCount count_points(const Table& table, const Scores& scores, std::span<const std::uint32_t> rows,
                        const std::vector<bool>& inside, std::span<const std::uint32_t> points) {
  struct Half {
    double rows = 0, slow = 0, change = 0;
  };
  std::map<std::pair<std::uint32_t, bool>, Half> halves;
  for (const std::uint32_t i : rows) {
    Half& half = halves[{points[i], inside[i]}];
    half.rows += 1;
    half.slow += scores.slow[i];
    half.change += std::clamp(table.changes[i], -kMostChange, kMostChange);
  }
  PointCount out;
  for (const auto& [which, half] : halves) {
    const bool is_slow = 2 * half.slow >= half.rows;
    ++out.all;
    out.slow += is_slow ? 1 : 0;
    if (!which.second) continue;
    ++out.in;
    out.slow_in += is_slow ? 1 : 0;
    out.changes.push_back(half.change / half.rows);
  }
  return out;
}

}  // namespace plumbline::verdict::culprits
