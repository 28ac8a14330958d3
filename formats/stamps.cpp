#include "formats/stamps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace plumbline::formats {
namespace {

constexpr double kFirst = 1.0e9, kLast = 2.2e9;  // seconds from 1970 to 2001 and to 2039

// How many seconds one of the class's unit is, where it may be a time by its name; 0 where it is none.
double seconds_of(const core::MetricClass& one, const core::StringPool& pool) {
  const bool guessed = one.direction_source == core::Source::name_rule || one.direction_source == core::Source::unit;
  if (one.role != core::Role::judged || one.direction != core::Direction::lower || !guessed) return 0;
  const std::string_view unit = pool.view(one.unit);
  return core::parse_unit(unit).quantity == core::Quantity::time ? core::conversion_factor(unit, "s").value_or(0) : 0;
}

// Runs of no unit differ by more than a second in half a century.
bool are_neighbours(std::span<const double> values) {
  constexpr double kDay = 86400;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return values.size() > 1 && *least != std::floor(*least) && *most - *least < kDay;
}

bool are_stamps(std::span<const double> values, double seconds) {
  const double scale = seconds > 0 ? seconds : 1;
  const bool in_range = !values.empty() && std::all_of(values.begin(), values.end(), [&](double value) {
    return value * scale >= kFirst && value * scale < kLast;
  });
  return in_range && (seconds > 0 || are_neighbours(values));
}

}  // namespace

void tell_stamps(core::Measurement& measurement) {
  struct Known {
    bool possible = false;
    double seconds = 0;
    std::optional<std::uint32_t> stamp;
  };
  std::vector<Known> known;
  for (const core::MetricClass& one : measurement.classes()) {
    const double seconds = seconds_of(one, measurement.pool());
    const bool bare = one.unit == 0 && one.role == core::Role::judged && one.direction == core::Direction::lower &&
                      one.direction_source == core::Source::name_rule;
    known.push_back({seconds > 0 || bare, seconds, {}});
  }
  if (std::none_of(known.begin(), known.end(), [](const Known& one) { return one.possible; })) return;
  for (core::Row& row : measurement.rows()) {
    if (row.metric_class >= known.size() || !known[row.metric_class].possible) continue;
    Known& of = known[row.metric_class];
    if (!are_stamps(measurement.values(row), of.seconds)) continue;
    if (!of.stamp) {
      core::MetricClass stamp = measurement.classes()[row.metric_class];
      stamp.role = core::Role::context;
      stamp.direction = core::Direction::unknown;
      stamp.direction_note = measurement.pool().intern("a point in time by its value");
      of.stamp = measurement.intern_class(stamp);
    }
    row.metric_class = *of.stamp;
  }
}

}  // namespace plumbline::formats
