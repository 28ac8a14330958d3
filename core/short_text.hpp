// Copying and comparing of short texts (names, keys, cells) without a call: the length of a call to memcpy or memcmp is what such
// a text costs. Any length is right; from 64 bytes on the library is asked. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace plumbline::core {

namespace short_text {
template <class Word>
inline void copy_ends(char* to, const char* from, std::size_t size) {  // of at least a word, at most two
  Word first, last;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, from + size - sizeof last, sizeof last);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + size - sizeof last, &last, sizeof last);
}
template <class Word>
inline bool same_ends(const char* a, const char* b, std::size_t size) {
  Word first_a, first_b, last_a, last_b;
  std::memcpy(&first_a, a, sizeof first_a);
  std::memcpy(&first_b, b, sizeof first_b);
  std::memcpy(&last_a, a + size - sizeof last_a, sizeof last_a);
  std::memcpy(&last_b, b + size - sizeof last_b, sizeof last_b);
  return ((first_a ^ first_b) | (last_a ^ last_b)) == 0;
}
struct Block {
  std::uint64_t words[2];
};
}  // namespace short_text

// The two must not overlap; both may be null when there is nothing to copy.
inline void copy_short(char* to, const char* from, std::size_t size) {
  constexpr std::size_t kLong = 64, kBlock = sizeof(short_text::Block);
  if (size > kLong) {
    std::memcpy(to, from, size);
  } else if (size > kBlock) {
    for (std::size_t at = 0; at + kBlock < size; at += kBlock) std::memcpy(to + at, from + at, kBlock);
    std::memcpy(to + size - kBlock, from + size - kBlock, kBlock);
  } else if (size >= 8) {
    short_text::copy_ends<std::uint64_t>(to, from, size);
  } else if (size >= 4) {
    short_text::copy_ends<std::uint32_t>(to, from, size);
  } else if (size > 0) {
    const char first = from[0], middle = from[size / 2], last = from[size - 1];
    to[0] = first;
    to[size / 2] = middle;
    to[size - 1] = last;
  }
}

[[nodiscard]] inline bool same_short(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
  if (size >= 8) return short_text::same_ends<std::uint64_t>(a.data(), b.data(), size);
  if (size >= 4) return short_text::same_ends<std::uint32_t>(a.data(), b.data(), size);
  return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
}

}  // namespace plumbline::core
