// The rules of a diff put together: what the flags say of all rows and of keys, then the project file, the entry, and what the
// files declare themselves; the stronger source first.
#pragma once

#include <vector>

#include "core/comparison.hpp"
#include "verbs/diff/request.hpp"
#include "verbs/resolving/baseline_side.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

// The baseline's measurement must be there.
[[nodiscard]] core::CompareRules rules_for(const DiffRequest& request, const Baseline& baseline, const ProjectSettings& project,
                                           const Names& names, std::vector<core::KeyRule> declared,
                                           std::vector<core::KeyRule> entry);

}  // namespace plumbline::verbs
