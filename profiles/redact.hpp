// A capture without its environment tables, as bytes of a new SQLite database; the original is not touched.
#pragma once

#include <string>

#include "core/error.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Nsight Systems SQLite exports only; other captures are an error (invalid_input) that says so.
[[nodiscard]] core::Expected<std::string> redacted_capture(const std::string& path, const Opener& open);

}  // namespace plumbline::profiles
