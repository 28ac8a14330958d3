// --context K=V: what a file cannot say of itself, a scalar in a text above all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

[[nodiscard]] Expected<core::Context> given_context(const std::vector<std::string>& texts);

// Adds what was given to what `file` says of itself; where the two contradict each other, nobody knows which holds.
[[nodiscard]] Status state_context(core::Context& context, const core::Context& given, std::string_view file);

}  // namespace plumbline::verbs
