// The sentences of siblings: why one is out, what the reasons say, what to do. Internal to verdict/siblings/.
#pragma once

#include <string>
#include <vector>

#include "core/results/outliers.hpp"

namespace plumbline::verdict::siblings {

// "12.3% below the others in busbw, GB/s (p 1e-6)"
[[nodiscard]] std::string deviation_words(const core::SiblingDeviation& deviation);
// "node", "gpu"; "2 nodes"
[[nodiscard]] std::string counted_siblings(std::size_t n, const std::string& kind);
// "n3" (12.3% below …), "n7" (…) and 2 more
[[nodiscard]] std::string listed_with_why(const std::vector<const core::Sibling*>& siblings);

[[nodiscard]] core::Recommendation recommendation_of(const core::OutliersResult& result);

}  // namespace plumbline::verdict::siblings
