// The history beside a verdict: rows of a diff over the entries before it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/comparison.hpp"
#include "core/results/history_line.hpp"
#include "verbs/resolving/entry_series.hpp"

namespace plumbline::verbs {

// Of the headlines, then of the first rows in `order`, a few that three entries or more have. `baseline`: the entry's slug.
[[nodiscard]] std::vector<core::HistoryLine> history_lines(const EntrySeries& series, const core::Comparison& comparison,
                                                           std::span<const std::uint32_t> order, const NoiseFloors& floors,
                                                           std::string_view baseline);

}  // namespace plumbline::verbs
