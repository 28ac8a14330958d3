// Rates of failures and successes as gates (CONTRACT section 5). Of known counts an exact test decides whether failures became
// more frequent, corrected for the number of such gates (Holm 1979); without counts more than a percentage point fails. What is
// worse and not decided is left open (State::inconclusive) where there were no failures before, or beyond a percentage point.
// Counts of failures with a known total are judged like rates; without one any worsening fails them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/comparison.hpp"

namespace plumbline::core {

// Percentage points that shares of right answers may lose by default, and failures may grow without counts.
inline constexpr double kSharePoints = 1.0;
// A gate that has not changed is RED by chance at most this often, over all gates with counts together.
inline constexpr double kGateAlpha = 0.01;

// Percentage points in one of a share's unit, like points_per_unit, but without a unit the baseline tells fractions from
// percentages: were it both sides, a value that grows past 1 would look smaller.
[[nodiscard]] std::optional<double> points_per_share(std::string_view unit, double baseline, double current);
[[nodiscard]] Tolerance share_tolerance();

struct RateGate {
  std::uint32_t delta = 0;
  std::string_view unit;  // of both sides' values: the baseline's
  double factor = 1;      // makes the current side's values the baseline's unit
  Tally tally;            // of a count; none: a rate
};
// Decides these gates anew.
void judge_rate_gates(Comparison& comparison, const std::vector<RateGate>& gates, const TallyOf& tally_of);

}  // namespace plumbline::core
