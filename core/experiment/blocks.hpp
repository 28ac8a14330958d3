// Interleaved trials: every block runs each side once, in an order drawn anew. What drifts slowly (heat, clocks, neighbours)
// meets all sides alike, and within a pair no side always comes first (randomized complete blocks: Fisher 1935). Drawn from the
// seed alone, so a plan can be repeated.
#pragma once

#include <cstdint>
#include <vector>

namespace plumbline::core {

// The sides 0 … sides - 1 in the order of this block (from 1). Blocks 2k - 1 and 2k of two sides are each other's mirror (A B,
// B A), so that after any even number of blocks both sides have come first as often.
[[nodiscard]] std::vector<std::uint32_t> block_order(std::uint64_t seed, std::uint32_t block, std::uint32_t sides);

}  // namespace plumbline::core
