// Points: all rows of one run at the same dimensions. A slow concurrency moves its median, its tail and its throughput together;
// where rows are counted, that is one finding.
#pragma once

#include <cstdint>
#include <span>

#include "core/comparison.hpp"

namespace plumbline::verdict {

// Different points among the rows, counted up to `enough`. Rows without dimensions are a point each, but percentiles and other
// statistics of one metric are one.
[[nodiscard]] std::size_t count_points(const core::Comparison& comparison, std::span<const std::uint32_t> deltas,
                                       std::size_t enough = SIZE_MAX);

}  // namespace plumbline::verdict
