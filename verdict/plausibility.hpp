// What a change says about the files rather than about the program measured: a factor that only another unit explains, and rows
// that moved together although nothing both files tell of their set-up did. Pure like the rest of the room.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/context.hpp"

namespace plumbline::verdict {

// All rows of one metric that changed by the factor between two units: bits and bytes (8), a step of the prefixes (1000, 1024, a
// million), or the binary and decimal prefixes taken for each other (1.024, 1.0486, 1.0737). Of units that the same reader gave
// to both sides are known, and only the large steps are suspected; factors close to 1 need several rows that agree within a
// thousandth.
[[nodiscard]] std::vector<core::UnitMismatch> unit_mismatches(const core::Comparison& comparison);

// Most rows worse, or better, by half or more, and both sides say the same of how they were measured: the warning
// `hidden_configuration`. Some logs name neither the environment nor the transport (five nccl-tests logs with equal headers
// differ by a factor of 11).
[[nodiscard]] std::optional<core::Warning> hidden_configuration(const core::Comparison& comparison,
                                                                std::span<const core::ContextDifference> differences);

}  // namespace plumbline::verdict
