// A JSON capture -> a new text with the members that are known and no others (json_keys.hpp), each key in our own spelling. The
// text comes from a ByteSource in pieces, once; what comes out is held in memory, so it is bounded. One thread; no recursion.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "profiles/readers/bytes/byte_source.hpp"
#include "profiles/redaction/json_keys.hpp"
#include "profiles/redaction/redaction.hpp"

namespace plumbline::profiles {

// Errors: of the source; limit_exceeded beyond `most` bytes of text; invalid_input for what is not JSON, where nobody could tell
// what is a name and what a value. A text that ends early is taken: what is cut inside a string loses that string.
[[nodiscard]] core::Expected<Redaction> redacted_json(ByteSource& source, JsonCapture capture, std::uint64_t most,
                                                      const std::string& name);

}  // namespace plumbline::profiles
