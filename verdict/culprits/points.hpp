// Which rows move together: those of one run at one point, whatever they measure. Internal to verdict/culprits/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/comparison.hpp"
#include "verdict/culprits/scoring.hpp"
#include "verdict/culprits/table.hpp"

namespace plumbline::verdict::culprits {

// By row of the table, numbered from 0: rows of the same test and dimensions; rows without dimensions are a point each.
[[nodiscard]] std::vector<std::uint32_t> points_of(const core::Comparison& comparison, const Table& table);

struct PointCount {
  std::uint64_t in = 0, slow_in = 0, all = 0, slow = 0;
  std::vector<double> changes;  // means of those inside, no row's beyond kMostChange either way
};
inline constexpr float kMostChange = 3;  // tolerances: by how much a part got slower may differ from point to point
// Points inside and outside of a part, one that lies on both sides twice; slow where its rows there are, on the mean.
[[nodiscard]] PointCount count_points(const Table& table, const Scores& scores, std::span<const std::uint32_t> rows,
                                      const std::vector<bool>& inside, std::span<const std::uint32_t> points);

}  // namespace plumbline::verdict::culprits
