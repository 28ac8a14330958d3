// A capture without its environments, as bytes of a new one; the original is not touched.
#pragma once

#include <string>

#include "core/error.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Captures in SQLite (exports of Nsight Systems, rocpd) lose the tables of environments and command lines; JSON ones
// (redact_json.hpp) lose secrets in texts too, and come out unpacked. Others are an error (invalid_input) that says so.
[[nodiscard]] core::Expected<std::string> redacted_capture(const std::string& path, const Opener& open);

}  // namespace plumbline::profiles
