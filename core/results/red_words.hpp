// Since when a measurement is RED, as a sentence's part.
#pragma once

#include <string>

#include "core/results/common.hpp"

namespace plumbline::core {

// "RED for 6 days (9 diffs), since 2026-11-17"; "RED in 2 diffs, since today"; "" where this is the first.
[[nodiscard]] std::string red_text(const RedStreak& streak);

}  // namespace plumbline::core
