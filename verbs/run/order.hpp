// What a comparison of interleaved trials shows of their order. Private to verbs/run/.
#pragma once

#include <optional>

#include "core/results/diff.hpp"
#include "core/results/run.hpp"

namespace plumbline::verbs {

// `order_effect`: of the first side and `side`, whichever came second in a block was worse (or better), by 1 % or more and
// beyond chance (core/experiment/order_effect.hpp; kOrderAlpha is shared by all sides). Judged from the headlines, from all
// judged rows where there are none: of several their mean. `compared` is the comparison of these two sides.
[[nodiscard]] std::optional<core::Warning> order_warning(const core::DiffResult& compared, const core::RunResult& run,
                                                         std::uint32_t side);

}  // namespace plumbline::verbs
