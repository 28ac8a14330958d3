#include <algorithm>
#include <string>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verdict/findings/findings.hpp"

namespace plumbline::verdict {

namespace {

// Of a percent tolerance: half of a throughput, twice a latency.
bool hides_halving(const core::Tolerance& tolerance, core::Direction direction) {
  if (tolerance.kind != core::ToleranceKind::percent) return false;
  return tolerance.value >= (direction == core::Direction::lower ? 100 : 50);
}

}  // namespace

std::optional<core::Warning> wide_tolerance(const core::Comparison& c) {
  if (std::none_of(c.tolerances.begin(), c.tolerances.end(),
                   [](const core::Tolerance& tolerance) { return tolerance.value >= 50; }))
    return std::nullopt;
  std::uint64_t rows = 0;
  const core::Delta* first = nullptr;
  for (const core::Delta& d : c.deltas) {
    const bool judged = d.state != core::State::context && d.state != core::State::added && !d.gate;
    if (!judged || !hides_halving(c.tolerances[d.tolerance], d.direction)) continue;
    if (rows++ == 0) first = &d;
  }
  if (first == nullptr) return std::nullopt;
  const core::Tolerance& tolerance = c.tolerances[first->tolerance];
  return core::Warning{"tolerance_hides_halving", core::counted(rows, "row") + " may be half as fast within tolerance, first " +
                                                      core::cited(c.baseline->pool().view(first->key)) + " with " +
                                                      core::tolerance_text(tolerance) + " (" +
                                                      std::string(core::to_string(tolerance.source)) + ")"};
}

}  // namespace plumbline::verdict
