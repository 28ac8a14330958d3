// Drift: a comparison with the last reference may pass while the same current side misses an older one.
#pragma once

#include <string>

#include "verdict/policy.hpp"

namespace plumbline::verdict {

// The judgement of the step, with what `older` (of the same current side against the reference called `initial`) adds to it.
[[nodiscard]] Judgement with_initial(Judgement step, const Judgement& older, const std::string& initial);

}  // namespace plumbline::verdict
