// Whether it matters which of two commands of a block comes first. Blocks of either order are the two groups of a cross-over:
// with an effect `side` of the current side and `second` of coming second, current minus baseline is side + second where the
// current side came second and side - second where it came first. So the side's effect falls out of the difference between the
// two groups, which is twice `second` (the test of periods in a cross-over: Hills & Armitage 1979; with ranks instead of means:
// Koch 1972). The order is drawn beforehand and mirrored from block to block, so that drift meets both groups alike. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace plumbline::core {

struct OrderEffect {
  double second = 0;  // what coming second adds, on the differences' scale; + is worse where theirs is
  double p = 1;       // Mann & Whitney between the two groups, two-sided
};

// `differences` of the blocks, current minus baseline; `current_second`: 1 where the current side came second, one a block.
// nullopt where all blocks have one order.
[[nodiscard]] std::optional<OrderEffect> order_effect(std::span<const double> differences,
                                                      std::span<const std::uint8_t> current_second);

// Five blocks of either order are the fewest with a p below .01.
constexpr std::uint32_t kLeastBlocksForOrder = 10;
constexpr double kOrderAlpha = 0.01;

}  // namespace plumbline::core
