// Warnings as lines for standard error: "code: message".
#pragma once

#include <string>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::verbs {

[[nodiscard]] std::vector<std::string> warning_lines(const std::vector<core::Warning>& warnings);

}  // namespace plumbline::verbs
