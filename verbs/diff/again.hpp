// A diff for its result alone: no gate, no bundle, no answer. For making a bundle's verdict again.
#pragma once

#include "core/results/diff.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// Of measurements and suites; captures go through run_profiles (verbs/profile_diff/).
[[nodiscard]] Expected<core::DiffResult> diff_again(const Arguments& arguments, const Context& context);

}  // namespace plumbline::verbs
