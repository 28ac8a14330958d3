// A diff for its result alone: no gate, no bundle, no answer. For making a bundle's verdict again, and for pages.
#pragma once

#include "core/results/diff.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// Of measurements, suites and captures.
[[nodiscard]] Expected<core::DiffResult> diff_again(const Arguments& arguments, const Context& context);

}  // namespace plumbline::verbs
