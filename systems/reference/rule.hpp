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

// Delta indices in its order: by size whatever the direction, an undefined percent first, ties by key.
struct Decided {
  core::Verdict verdict = core::Verdict::green;
  std::vector<std::uint32_t> rows;  // that it compares; the others keep their states
  std::vector<std::uint32_t> over;  // those that are worse by more than the tolerance
};
[[nodiscard]] Decided decide(core::Comparison& comparison, const Rule& rule);

}  // namespace plumbline::systems::reference
