// Whether failures became more frequent, from counts: Fisher's exact test (Fisher 1935), one-sided. Given how many of all
// attempts failed, those of the current side are hypergeometric when nothing changed, whatever the probability is, so that p is
// never too small. p falls as more of the current attempts fail or fewer of the baseline's (Barnard 1947, condition C).
#pragma once

#include <cstdint>

namespace plumbline::core {

struct Failures {
  std::uint64_t failed = 0, attempts = 0;  // failed <= attempts
  [[nodiscard]] double share() const { return attempts == 0 ? 0 : static_cast<double>(failed) / static_cast<double>(attempts); }
};

// P(as many of the current attempts or more fail, nothing having changed); 1 where one side has no attempts.
[[nodiscard]] double more_failures_p(const Failures& baseline, const Failures& current);

}  // namespace plumbline::core
