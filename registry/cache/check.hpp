// The index held against the folders it speaks of.
#pragma once

#include <string>

#include "core/results/index.hpp"
#include "registry/files.hpp"

namespace plumbline::registry::cache {

// Counts lines, and says of each that is large what the index knows of it. `cache_folder` "": there is no index.
[[nodiscard]] core::Expected<core::IndexResult> check(const std::string& root, const std::string& cache_folder,
                                                      const PathLimits& limits);

}  // namespace plumbline::registry::cache
