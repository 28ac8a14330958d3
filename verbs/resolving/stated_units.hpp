// What plumbline.yaml says of units, put into a measurement that was read.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/comparison.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

// A row whose file does not say its unit has the unit of its rule, and with it a direction where its name gives none (a time is
// lower-is-better). A row whose file says another unit of the same thing is converted. A unit of something else is an error that
// names the rule, the row and the side (`what`: "the baseline"). Nothing where no rule says a unit.
[[nodiscard]] Expected<std::optional<core::Measurement>> in_stated_units(const core::Measurement& measurement,
                                                                         std::span<const core::KeyRule> rules,
                                                                         const configs::MetricNames& names,
                                                                         std::string_view what);

}  // namespace plumbline::verbs
