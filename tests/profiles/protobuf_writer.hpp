// Writes protocol buffers field by field, for fixtures that say what they hold.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace plumbline::profiles::test {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  return bytes + static_cast<char>(value);
}
inline std::string number(std::uint32_t field, std::uint64_t value) { return varint(field << 3U) + varint(value); }
inline std::string bytes(std::uint32_t field, std::string_view value) {
  return varint(field << 3U | 2U) + varint(value.size()) + std::string(value);
}
inline std::string packed(std::uint32_t field, std::initializer_list<std::uint64_t> values) {
  std::string all;
  for (const std::uint64_t value : values) all += varint(value);
  return bytes(field, all);
}

}  // namespace plumbline::profiles::test
