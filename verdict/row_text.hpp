// One row said in words, for reasons and recommendations: "ttft_p99_ms 41.2 -> 55 ms (+33.5 %, tolerance 5 %)".
#pragma once

#include <string>

#include "core/comparison.hpp"

namespace plumbline::verdict {

[[nodiscard]] std::string row_text(const core::Comparison& comparison, const core::Delta& delta);

}  // namespace plumbline::verdict
