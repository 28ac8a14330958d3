// The part of a baseline.json that the index keeps, as bytes: texts with their lengths before them, in a fixed order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/results/baseline.hpp"

namespace plumbline::registry::cache {

[[nodiscard]] std::string pack(const core::BaselineRecord& record);
// nullopt for what pack() did not make.
[[nodiscard]] std::optional<core::BaselineRecord> unpack(std::string_view bytes);

}  // namespace plumbline::registry::cache
