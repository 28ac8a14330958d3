// Inline SVG: figures without a script. Colours come from the page's style by class, so that light and dark both work; every text
// is escaped here. Internal to reports/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/results/profile_diff.hpp"
#include "core/speed_of_light.hpp"
#include "reports/rows.hpp"

namespace plumbline::reports {

// "bad" "doubt" "good" "flat": the colour that a row's state asks for.
[[nodiscard]] std::string_view tone_of(const RowView& row);

struct Chart {
  std::string svg;
  bool bands = false, whiskers = false;
};
// Change in percent of baseline, one bar a row, with its tolerance band and, where trials allow, the interval of the change.
[[nodiscard]] Chart change_chart(const std::vector<RowView>& rows);
// Share of the ceiling: a bar for the current value, a mark where the baseline stood.
[[nodiscard]] std::string sol_chart(const core::SolLine& line);
// Wall time of each device and side, stacked by what the device did.
[[nodiscard]] std::string bucket_chart(const std::vector<core::DeviceBuckets>& devices);

}  // namespace plumbline::reports
