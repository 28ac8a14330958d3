// How many rows have which state, for the policies that take another system's word for it.
#pragma once

#include "core/comparison.hpp"
#include "core/results/common.hpp"

namespace plumbline::verdict {

// `compared`: the rows that are on both sides and judged. Nothing is suspect.
[[nodiscard]] core::Counts count_states(const core::Comparison& comparison);

}  // namespace plumbline::verdict
