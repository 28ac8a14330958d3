// A JSON capture without the environments and secrets in it, told by the same rules as in any JSON (core/privacy.hpp): every
// value of an object named env, environment or the like, texts under names that sound like secrets, and secrets inside texts,
// those of events too. All other bytes stay as they were, white space and numbers included. The text comes from a ByteSource in
// pieces; what comes out is held in memory, so it is bounded. One thread; no recursion.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "profiles/readers/bytes/byte_source.hpp"

namespace plumbline::profiles {

// Errors: of the source; limit_exceeded beyond `most` bytes of text; invalid_input for what is not JSON, where nobody could tell
// what is a name and what is a value. A text that ends early is taken: what is cut inside a string loses that string.
[[nodiscard]] core::Expected<std::string> redacted_json(ByteSource& source, std::uint64_t most, const std::string& name);

}  // namespace plumbline::profiles
