// A bundle's verdict made again from what the bundle holds, by the code that made it, in a folder of its own: no registry and
// no source is needed. What comes out otherwise is named, and so is what may explain it.
#pragma once

#include <string>

#include "core/results/small.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// `bundle` verified before. Errors concern the call; a bundle that cannot be made again, or comes out otherwise, is a problem:
// not_recomputable, verdict_differs, rows_differ, inputs_differ.
[[nodiscard]] Expected<core::Recomputed> recompute(const std::string& bundle, const Context& context);

}  // namespace plumbline::verbs
