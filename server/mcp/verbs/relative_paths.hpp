// What a caller elsewhere cannot know: where its relative paths were taken from. Said with errors about them.
#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"
#include "registry/files.hpp"

namespace plumbline::server::mcp {

// The error, and for each relative path among the arguments (a JSON object) that it is about: the folder that it was taken from,
// and the absolute path that came of it.
[[nodiscard]] core::Error with_absolute_forms(core::Error error, std::string_view arguments, const std::string& folder,
                                              const registry::PathLimits& limits);

}  // namespace plumbline::server::mcp
