// DRAFT or VERDICT (docs/methodology.md). VERDICT: independent trials, three or more a side, on every row that was decided, from
// one node, in one context that both sides state, against a verified baseline, both measurements whole, %SoL of figures that
// somebody published. What is lacking is named.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdict/policy.hpp"
#include "verdict/suite_effects.hpp"

namespace plumbline::verdict {

// Empty where it is a VERDICT. `notable` are the rows that a reason may name; of `promotable` rows that trials would help,
// `without_trials` have fewer than three a side. `open` is what a GREEN has to prove, null where the verdict is another; a YELLOW
// waits for `undecided` rows with trials, of which `decide` a side would do.
struct TierQuestion {
  std::span<const std::uint32_t> notable;
  std::uint64_t without_trials = 0, promotable = 0;
  const Unproven* open = nullptr;
  std::uint64_t undecided = 0;
  std::optional<std::uint32_t> decide = {};
};
[[nodiscard]] std::vector<std::string> lacking_for_verdict(const JudgeInput& in, const core::Comparison& comparison,
                                                           const TierQuestion& question);

}  // namespace plumbline::verdict
