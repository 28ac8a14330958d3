// What a tool's format says of its metrics, whether rows are made by DeclaredRows (records) or ToolRows (logs): unit, direction
// and role are the format's word (source `format`), not a guess from a name. Private to formats/.
#pragma once

#include <string_view>

#include "core/measurement.hpp"
#include "core/tolerance.hpp"

namespace plumbline::formats {

// What the format says about one metric.
struct Declared {
  std::string_view unit = {};
  core::Direction direction = core::Direction::unknown;
  core::Role role = core::Role::judged;
  bool exact = false;  // counts: no noise, no test
};
// What a declared number is a share of, told by its name where it can be one. A gate that is a percentage is a rate of failures
// or successes, whatever it is called.
[[nodiscard]] inline core::Share share_of_declared(const Declared& declared, core::Share by_name) {
  const bool one_sided = declared.direction == core::Direction::lower || declared.direction == core::Direction::higher;
  if (!one_sided || !core::points_per_unit(declared.unit, 0, 0)) return core::Share::none;
  if (declared.role == core::Role::gate) return declared.unit.empty() ? by_name : core::Share::reliability;
  return declared.role == core::Role::judged ? by_name : core::Share::none;
}

// A declaration as a class of rows; `note` is what direction notes say: the format's name. Rates of failures and successes are
// gates in every format.
[[nodiscard]] inline core::MetricClass class_of_declared(const Declared& declared, core::StringPool& pool, core::Id note,
                                                         core::Share by_name) {
  core::MetricClass made;
  made.unit = declared.unit.empty() ? 0 : pool.intern(declared.unit);
  made.unit_source = declared.unit.empty() ? core::Source::defaulted : core::Source::format;
  made.direction = declared.direction;
  made.direction_source = declared.direction == core::Direction::unknown ? core::Source::defaulted : core::Source::format;
  made.direction_note = note;
  made.role = declared.role;
  made.exact = declared.exact;
  made.share = share_of_declared(declared, by_name);
  if (made.share == core::Share::reliability) {
    made.role = core::Role::gate;
    made.exact = false;
  }
  return made;
}

}  // namespace plumbline::formats
