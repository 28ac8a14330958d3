#include "core/results/dimension_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace plumbline::core {

std::string dimension_value_text(std::string_view dimension, std::string_view value) {
  static constexpr auto kSizes =
      std::to_array<std::string_view>({"size", "bytes", "message_size", "msg_size", "bs", "block_size"});
  std::uint64_t bytes = 0;
  const auto end = std::from_chars(value.data(), value.data() + value.size(), bytes);
  const bool whole = end.ec == std::errc() && end.ptr == value.data() + value.size();
  if (!whole || bytes < 1024 || bytes % 1024 != 0 || std::find(kSizes.begin(), kSizes.end(), dimension) == kSizes.end()) {
    return std::string(value);
  }
  static constexpr auto kUnits = std::to_array<std::string_view>({" KiB", " MiB", " GiB", " TiB"});
  std::size_t unit = 0;
  for (bytes /= 1024; bytes % 1024 == 0 && unit + 1 < kUnits.size(); bytes /= 1024) ++unit;
  return std::to_string(bytes) + std::string(kUnits[unit]);
}

}  // namespace plumbline::core
