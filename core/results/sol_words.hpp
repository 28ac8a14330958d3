// What a share of the speed of light means, in a sentence: why it may pass 100 %, and what the same relative loss is worth near
// the limit and far from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/speed_of_light.hpp"

namespace plumbline::core {

// Points that are left to the ceiling, above the current value; below 0 when it is passed. A rate of one direction that is held
// against both directions has its room counted to one of them.
[[nodiscard]] double headroom_pp(const SolLine& line);

// A sentence on a line: the explanation of a share above 100 %, or what a loss means at this distance from the limit; empty
// when nothing was lost and nothing is out of the ordinary.
[[nodiscard]] std::string sol_note(const SolLine& line);

// The warning `above_ceiling` with what may explain it: reduction in the network for collectives over NVSwitch, a cache for
// memory, another precision for arithmetic. More than the ceiling is not an error.
[[nodiscard]] std::optional<Warning> above_ceiling(const FrozenSol& frozen, std::string_view key, double value,
                                                   std::string_view unit);

}  // namespace plumbline::core
