// A tolerance from what a number did when nothing happened: the smallest of a ladder of round ones that one run against another
// exceeds, in the worse direction, no oftener than asked. The noise is read from runs of one build (all of them alike), or from
// the steps of a history, where a level that lasts is no noise. The tail is Student's, of as many degrees as the spread is known
// to, and of four to six at most for ten to twenty runs: benchmarks have heavier tails than the normal distribution.
// What the tolerance costs is said with it: the smallest change that is found four times out of five. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace plumbline::core {

struct CalibratedTolerance {
  double percent = 0;           // from the ladder .5 1 1.5 2 3 4 5 6 8 10 12 15 20 25 30 40 50 75 100 150 200
  double spread_pct = 0;        // standard deviation of one run
  double false_alarms_pct = 0;  // of one run against one, at that tolerance
  // How many of the differences that were seen would have been called worse: steps of a history, or all pairs of runs, each in
  // the order in which it is worse.
  std::uint32_t exceeded = 0, steps = 0;
  double sees_pct = 0;  // a change of this size is beyond the tolerance four times out of five
};

enum class Worse : std::uint8_t { rise, fall, either };
enum class Series : std::uint8_t {
  history,  // oldest first: something may have changed in between
  runs,     // of one build, one after another
};

// Five or more positive values; `alarms`: the share of comparisons that may cry wolf, above 0 and below .5. nullopt for fewer
// values, for one that is not positive, and where no tolerance of the ladder suffices.
[[nodiscard]] std::optional<CalibratedTolerance> calibrate_tolerance(std::span<const double> values, Worse worse, double alarms,
                                                                     Series series);

}  // namespace plumbline::core
