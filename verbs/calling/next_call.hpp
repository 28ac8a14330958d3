// The call that should come next. An agent that made a wrong call reads one hint and acts on it, so the hint is that call,
// literally, with the agent's own values put in: the parameter by its right name, the name or file that was meant, a root where
// none was.
#pragma once

#include <string>
#include <string_view>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

// The error of a typed call (`arguments`: the text of its JSON object) with that hint, where there is one such call; else as it
// was.
[[nodiscard]] Error with_next_call(const Verb& verb, std::string_view arguments, Error error, const Context& context);

}  // namespace plumbline::verbs
