#include "base/amounts.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace plumbline::base {
namespace {

constexpr std::uint64_t kMost = 1ULL << 50;

template <std::size_t N>
using Units = std::array<std::pair<std::string_view, std::uint64_t>, N>;

template <std::size_t N>
std::optional<std::uint64_t> amount(std::string_view text, const Units<N>& units) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  const auto behind = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
  for (const auto& [unit, factor] : units) {
    if (unit == behind) return number <= kMost / factor ? std::optional(number * factor) : std::nullopt;
  }
  return std::nullopt;
}

constexpr Units<5> kBytes = {{{"", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}, {"TiB", 1ULL << 40}}};
constexpr Units<4> kTimes = {{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) { return amount(text, kBytes); }
std::optional<std::uint64_t> parse_seconds(std::string_view text) { return amount(text, kTimes); }

}  // namespace plumbline::base
