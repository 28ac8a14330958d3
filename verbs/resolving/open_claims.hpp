// Acceptances that took their number and did not come to their record.
#pragma once

#include <optional>
#include <string_view>

#include "core/measurement.hpp"
#include "registry/store.hpp"

namespace plumbline::verbs {

// acceptance_unfinished, in whose words the numbers are; nothing where every claim has its record or the store does not say.
[[nodiscard]] std::optional<core::Warning> unfinished_acceptances(const registry::Store& store, std::string_view family,
                                                                  std::string_view measurement);

}  // namespace plumbline::verbs
