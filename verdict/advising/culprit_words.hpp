// The parts that regressed in a sentence: for the recommendation.
#pragma once

#include <string>
#include <vector>

#include "verdict/culprits/culprits.hpp"

namespace plumbline::verdict {

// "the regressions cluster on \"size >= 1 GiB\" (50 of 50 regressed rows, no others, -12 %, p < 1e-9)". There is a part.
[[nodiscard]] std::string where_it_regressed(const CulpritFindings& parts);
[[nodiscard]] std::vector<std::string> predicates(const CulpritFindings& parts);

}  // namespace plumbline::verdict
