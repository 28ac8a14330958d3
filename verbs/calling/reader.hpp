// Calls that may only read: of a server with --read-only, of a token without the permission to write. Verbs that can answer
// without writing do so, as if --no-bundle had been given; what asks for something to be written is refused, not left undone.
#pragma once

#include <string_view>

#include "core/measurement.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// How their sentences end; a server puts the token, or itself, in the place of "this call".
inline constexpr std::string_view kReader = "this call only reads";

// An error that names a parameter which asks for something to be written, where the call may only read.
[[nodiscard]] Status nothing_to_write(const Arguments& arguments, const Context& context);

// What an answer to a reader says of the bundle that it lacks.
[[nodiscard]] core::Warning nothing_written();

}  // namespace plumbline::verbs
