// A capture without what must not come out of it (environments, command lines, output of programs, paths, labels, texts of any
// kind that nobody here knows), as bytes of a new one; the original is not touched. By construction: what is not known to be
// harmless does not go in (redaction/).
#pragma once

#include <string>

#include "core/error.hpp"
#include "profiles/profile.hpp"
#include "profiles/redaction/redaction.hpp"

namespace plumbline::profiles {

// Captures in SQLite (exports of Nsight Systems, rocpd), in JSON (traces, results of rocprofv3, nsys stats) and pprof profiles;
// packed ones come out unpacked. Others are an error (invalid_input) that says so.
[[nodiscard]] core::Expected<Redaction> redacted_capture(const std::string& path, const Opener& open);

}  // namespace plumbline::profiles
