// What a tool's format says of its metrics, whether rows are made by DeclaredRows (records) or ToolRows (logs): unit, direction
// and role are the format's word (source `format`), not a guess from a name. Private to formats/.
#pragma once

#include <string_view>

#include "core/measurement.hpp"

namespace plumbline::formats {

// What the format says about one metric.
struct Declared {
  std::string_view unit;
  core::Direction direction = core::Direction::unknown;
  core::Role role = core::Role::judged;
  bool exact = false;  // counts: no noise, no test
};
// A declaration as a class of rows; `note` is what direction notes say: the format's name.
[[nodiscard]] inline core::MetricClass class_of_declared(const Declared& declared, core::StringPool& pool, core::Id note) {
  core::MetricClass made;
  made.unit = declared.unit.empty() ? 0 : pool.intern(declared.unit);
  made.unit_source = declared.unit.empty() ? core::Source::defaulted : core::Source::format;
  made.direction = declared.direction;
  made.direction_source = declared.direction == core::Direction::unknown ? core::Source::defaulted : core::Source::format;
  made.direction_note = note;
  made.role = declared.role;
  made.exact = declared.exact;
  return made;
}

}  // namespace plumbline::formats
