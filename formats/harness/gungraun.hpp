// The metrics of gungraun (before: iai-callgrind, iai), whether printed or written as JSON: one set of names, units and
// directions, so that the two can be compared. Valgrind counts, it does not sample: nearly all are exact. Private to formats/.
#pragma once

#include <optional>
#include <string_view>

#include "formats/declared_rows.hpp"

namespace plumbline::formats {

struct GungraunMetric {
  std::string_view name;  // as it is printed
  Declared declared;
};
// By either name ("Ir", "Instructions"); nothing for one that is not known.
[[nodiscard]] std::optional<GungraunMetric> gungraun_metric(std::string_view name);

}  // namespace plumbline::formats
