#include "core/experiment/blocks.hpp"

#include <algorithm>
#include <numeric>

namespace plumbline::core {
namespace {

// SplitMix64 (Steele, Lea & Flood 2014).
class Draw {
 public:
  explicit Draw(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  // Uniform below `n`, without the bias of a remainder.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t most = UINT64_MAX - UINT64_MAX % n;
    std::uint64_t value = next();
    while (value >= most) value = next();
    return value % n;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

std::vector<std::uint32_t> block_order(std::uint64_t seed, std::uint32_t block, std::uint32_t sides) {
  std::vector<std::uint32_t> order(sides);
  std::iota(order.begin(), order.end(), 0U);
  const bool mirrored = sides == 2 && block % 2 == 0;
  Draw draw(seed * 0xD1342543DE82EF95ULL + (sides == 2 ? (block + 1) / 2 : block));
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draw.below(i)]);
  if (mirrored) std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace plumbline::core
