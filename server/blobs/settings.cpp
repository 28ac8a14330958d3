#include "server/blobs/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::server::blobs {
namespace {

using core::ErrorCode;
using core::fail;

constexpr std::int64_t kMost = 1LL << 50;

// A whole number and one of these units behind it; a unit "" stands for none.
template <std::size_t N>
std::optional<std::int64_t> with_unit(std::string_view text,
                                      const std::array<std::pair<std::string_view, std::int64_t>, N>& units) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = core::parse_int(text.substr(0, digits));
  if (!number || *number < 0) return std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (unit == text.substr(digits)) return *number <= kMost / factor ? std::optional(*number * factor) : std::nullopt;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kBytes = {
    {{"", 1}, {"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}, {"TiB", 1LL << 40}}};
constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kTimes = {{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};

}  // namespace

core::Expected<Quota> parse_quota(std::string_view text) {
  const std::size_t comma = text.find(',');
  const auto all = with_unit(text.substr(0, comma), kBytes);
  const auto each = comma == std::string_view::npos ? all : with_unit(text.substr(comma + 1), kBytes);
  if (!all || !each || *each > *all) {
    return fail(ErrorCode::usage, "--blob-quota " + core::cited(text) + " is not a number of bytes",
                "of all clients together, and of each: --blob-quota 16GiB,4GiB; 0 takes no uploads");
  }
  return Quota{static_cast<std::uint64_t>(*all), static_cast<std::uint64_t>(*each)};
}

core::Expected<std::chrono::seconds> parse_ttl(std::string_view text) {
  const auto seconds = with_unit(text, kTimes);
  if (!seconds || *seconds < 1) {
    return fail(ErrorCode::usage, "--blob-ttl " + core::cited(text) + " is not a time", "such as 1d, 12h, 30m or 45s");
  }
  return std::chrono::seconds(*seconds);
}

}  // namespace plumbline::server::blobs
