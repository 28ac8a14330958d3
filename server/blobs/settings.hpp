// --blob-quota and --blob-ttl, as texts and as what they mean.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::server::blobs {

struct Quota {
  std::uint64_t all = 16ULL << 30, each = 4ULL << 30;
};
// "16GiB,4GiB": of all clients, and of each; one number is both; "0": nothing is taken.
[[nodiscard]] core::Expected<Quota> parse_quota(std::string_view text);
// "1d", "12h", "30m", "45s".
[[nodiscard]] core::Expected<std::chrono::seconds> parse_ttl(std::string_view text);

}  // namespace plumbline::server::blobs
