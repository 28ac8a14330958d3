// Whether two captures did the same work, and what is said where they did not, or where it cannot be seen.
#pragma once

#include <optional>
#include <string>

#include "profiles/diff/wall.hpp"

namespace plumbline::verdict {

// The windows hold different amounts of work on each device, by more than 3 %. Marked steps that are compared step by step may be
// of any number.
[[nodiscard]] bool is_unequal(const profiles::Wall& wall);
[[nodiscard]] bool is_unequal_ratio(double ratio);
[[nodiscard]] std::string unequal_words(const profiles::Wall& wall);

// The same kernels, or steps, do more with every call: what a wall that grew no more than that (and the gate) may well be of. Of
// prefill beside decode any wall may be.
[[nodiscard]] bool growth_explains(const profiles::Wall& wall, double gate_pct);
[[nodiscard]] std::string growth_words(const profiles::WorkGrowth& growth);

// Of a side whose kernels CUDA graph replays hide.
[[nodiscard]] std::string replay_words(const profiles::Work& work);

}  // namespace plumbline::verdict
