// The reference tool's rule, which the policy of that name asks (verdict/reference.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/comparison.hpp"
#include "core/results/common.hpp"

namespace plumbline::systems::reference {

// It knows one direction and one tolerance for all rows.
struct Rule {
  bool scalar = false;
  core::Direction direction = core::Direction::two_sided;
  double tolerance_percent = 5;
  std::optional<double> tolerance_absolute;
};

// The rows that it compares get its numbers and states; the others keep theirs.
[[nodiscard]] core::Comparison decide_rows(core::Comparison comparison, const Rule& rule);

// Delta indices in its order: by size whatever the direction, an undefined percent first, ties by key.
struct Outcome {
  core::Verdict verdict = core::Verdict::green;
  std::vector<std::uint32_t> rows;  // that it compares
  std::vector<std::uint32_t> over;  // those that are worse by more than the tolerance
};
// Of rows that it decided.
[[nodiscard]] Outcome outcome_of(const core::Comparison& comparison, const Rule& rule);

}  // namespace plumbline::systems::reference
