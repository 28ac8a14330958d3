// A tolerance from what a number did when nothing happened. Neighbours of a history (or runs of one build, in their order) differ
// by noise alone, but for the few where something changed, which robust figures do not see. The tolerance is the smallest of a
// ladder of round ones that one run against another exceeds, in the worse direction, no oftener than asked: by the normal tail
// of the robust spread of steps (1.4826 times the median absolute step: Hampel 1974), and as often as the steps that
// were seen did. What it costs is said with it: the smallest change that is found four times out of five. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace plumbline::core {

struct CalibratedTolerance {
  double percent = 0;                     // from the ladder .5 1 1.5 2 3 4 5 6 8 10 12 15 20 25 30 40 50 75 100
  double spread_pct = 0;                  // standard deviation of one run
  double false_alarms_pct = 0;            // of one run against one, at that tolerance
  std::uint32_t exceeded = 0, steps = 0;  // how many steps that were seen would have been called worse
  double sees_pct = 0;                    // a change of this size is beyond the tolerance four times out of five
};

// `values` oldest first, all positive, five or more; `alarms`: the share of comparisons that may cry wolf, above 0 and below .5.
// nullopt for fewer values, for one that is not positive, and where no tolerance of the ladder suffices.
[[nodiscard]] std::optional<CalibratedTolerance> calibrate_tolerance(std::span<const double> values, bool higher_is_better,
                                                                     double alarms);

}  // namespace plumbline::core
