// Pairs of small numbers -> dense numbers in order of their first appearance: a flat table with open addressing, for loops over
// millions of events that meet a few thousand pairs. One thread.
#pragma once

#include <cstdint>
#include <vector>

namespace plumbline::profiles {

class PairIndex {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  // The pair's number; kAbsent for a new pair once there are `at_most`.
  std::uint32_t id(std::uint32_t first, std::uint32_t second, std::uint32_t at_most = kAbsent) {
    if (2 * (pairs_.size() + 1) > slots_.size()) grow();
    const std::uint64_t key = join(first, second);
    std::size_t at = place(key);
    while (slots_[at] != kAbsent) {
      if (pairs_[slots_[at]] == key) return slots_[at];
      at = (at + 1) & (slots_.size() - 1);
    }
    if (pairs_.size() >= at_most) return kAbsent;
    slots_[at] = static_cast<std::uint32_t>(pairs_.size());
    pairs_.push_back(key);
    return slots_[at];
  }
  [[nodiscard]] std::size_t size() const { return pairs_.size(); }
  [[nodiscard]] std::uint32_t first(std::uint32_t id) const { return static_cast<std::uint32_t>(pairs_[id] >> 32U); }
  [[nodiscard]] std::uint32_t second(std::uint32_t id) const { return static_cast<std::uint32_t>(pairs_[id]); }

 private:
  static std::uint64_t join(std::uint32_t first, std::uint32_t second) {
    return (static_cast<std::uint64_t>(first) << 32U) | second;
  }
  [[nodiscard]] std::size_t place(std::uint64_t key) const {
    key *= 0x9E3779B97F4A7C15U;  // Fibonacci hashing: the upper bits are the mixed ones
    return static_cast<std::size_t>(key ^ (key >> 32U)) & (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(slots_.empty() ? 256 : 2 * slots_.size(), kAbsent);
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
      std::size_t at = place(pairs_[i]);
      while (slots_[at] != kAbsent) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i;
    }
  }
  std::vector<std::uint64_t> pairs_;
  std::vector<std::uint32_t> slots_;  // a power of two of them
};

}  // namespace plumbline::profiles
