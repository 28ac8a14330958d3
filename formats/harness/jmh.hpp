// What JMH's JSON and its tables (text, CSV) share: a metric's unit says which way is better, "ops/ms" being work per time and
// "us/op" time or another cost per work; the mode says it where a unit does not. Units as JMH prints them. Private to
// formats/harness; pure functions.
#pragma once

#include <string_view>

#include "formats/declared_rows.hpp"

namespace plumbline::formats {

[[nodiscard]] inline Declared jmh_score(std::string_view unit, std::string_view mode) {
  if (unit.starts_with("ops/")) return higher_is_better(unit);
  if (unit.ends_with("/op")) return lower_is_better(unit);
  return mode == "thrpt" ? higher_is_better(unit) : lower_is_better(unit);
}
// Beside the score: the methods of a group and auxiliary counters have rates or times of their own, profilers what one operation
// costs. The rest ("MB/sec", "counts") depends on how long it ran.
[[nodiscard]] inline Declared jmh_secondary(std::string_view unit) {
  if (unit.starts_with("ops/") || unit.ends_with("/op")) return jmh_score(unit, {});
  return for_context(unit);
}
// Percentiles of single calls (mode sample), "p0.99" or "99.0" as a fraction: the tail is judged up to 99.9 %, best and worst
// call are not.
[[nodiscard]] inline Declared jmh_percentile(double fraction, std::string_view unit) {
  return fraction >= 0.5 && fraction <= 0.9990001 ? lower_is_better(unit) : for_context(unit);
}

}  // namespace plumbline::formats
