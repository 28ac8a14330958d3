// The list `waivers` of plumbline.yaml. Private to verbs/resolving/.
#pragma once

#include <vector>

#include "core/results/config_check.hpp"
#include "core/rules/waiver.hpp"

namespace YAML {  // NOLINT(readability-identifier-naming): yaml-cpp's
class Node;
}

namespace plumbline::verbs {

// Those that are right; what is wrong with the others is added to the problems.
[[nodiscard]] core::Waivers read_waivers(const YAML::Node& list, std::vector<core::ConfigProblem>& problems);

}  // namespace plumbline::verbs
