// JSON from outside, looked through before anything is built of it: that it is JSON, and how deep it nests. nlohmann's own
// parser callback could bound the depth as well, but makes arrays of objects quadratic. Thread-safe.
#pragma once

#include <string_view>

#include "core/error.hpp"

namespace plumbline::verbs {

// How many arrays and objects are open at the deepest place; 0 for a bare value. The error (invalid_input) says why the text
// is no JSON or "nested deeper than 256". A text that passes can be parsed without another guard.
[[nodiscard]] core::Expected<int> json_depth(std::string_view text);

}  // namespace plumbline::verbs
