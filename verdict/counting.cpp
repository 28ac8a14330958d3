#include "verdict/counting.hpp"

namespace plumbline::verdict {

namespace {

std::uint64_t& of_state(core::Counts& counts, core::State state) {
  switch (state) {
    case core::State::regressed:
      return counts.regressed;
    case core::State::improved:
      return counts.improved;
    case core::State::unchanged:
      return counts.unchanged;
    case core::State::inconclusive:
      return counts.inconclusive;
    case core::State::missing:
      return counts.missing;
    case core::State::added:
      return counts.added;
    case core::State::invalid:
      return counts.invalid;
    case core::State::unclassified:
      return counts.unclassified;
    case core::State::context:
      break;
  }
  return counts.context;
}

}  // namespace

core::Counts count_states(const core::Comparison& comparison) {
  core::Counts counts;
  for (const core::Delta& delta : comparison.deltas) {
    ++of_state(counts, delta.state);
    const bool both_judged =
        delta.state != core::State::context && delta.state != core::State::missing && delta.state != core::State::added;
    if (both_judged) ++counts.compared;
  }
  return counts;
}

}  // namespace plumbline::verdict
