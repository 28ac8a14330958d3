// How a row is drawn, whichever picture it stands in: which of four colours it asks for, and how wide its tolerance is. Orange is
// worse and blue is better, which all eyes tell apart; doubt is the worse one's, hollow; every colour has a sign and a word
// beside it. Internal to reports/.
#pragma once

#include <string_view>
#include <utility>

#include "reports/rows.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string_view tone_of(const RowView& row);  // "bad" "doubt" "good" "flat"

// Half the tolerance in percent of the baseline; 0 where it cannot be drawn on that axis.
[[nodiscard]] double band_pct(const RowView& row);
// From where to where it lies: on the worse side alone where one is.
[[nodiscard]] std::pair<double, double> band_ends(const RowView& row, double band);

}  // namespace plumbline::reports
