// A pprof profile -> a new one, unpacked, of the fields that are known and no others: samples without labels, functions without
// files, mappings without build ids, no comments, and of the table of strings the names of functions, the kinds and units of
// samples that are known, and the file names of system libraries. All other strings are "[redacted]" or empty; indices stay.
#pragma once

#include <string>

#include "core/error.hpp"
#include "profiles/readers/bytes/byte_source.hpp"
#include "profiles/redaction/redaction.hpp"

namespace plumbline::profiles {

// Errors: of the source; limit_exceeded; invalid_input for a damaged profile and for ones in the old formats.
[[nodiscard]] core::Expected<Redaction> redacted_pprof(ByteSource& source, const std::string& name);
[[nodiscard]] core::Expected<Redaction> redacted_pprof_bytes(std::string_view bytes, const std::string& name);

}  // namespace plumbline::profiles
