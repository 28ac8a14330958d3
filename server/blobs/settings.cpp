#include "server/blobs/settings.hpp"

#include "base/amounts.hpp"
#include "core/citing.hpp"

namespace plumbline::server::blobs {

using core::ErrorCode;
using core::fail;

core::Expected<Quota> parse_quota(std::string_view text) {
  const std::size_t comma = text.find(',');
  const auto all = base::parse_bytes(text.substr(0, comma));
  const auto each = comma == std::string_view::npos ? all : base::parse_bytes(text.substr(comma + 1));
  if (!all || !each || *each > *all) {
    return fail(ErrorCode::usage, "--blob-quota " + core::cited(text) + " is not a number of bytes",
                "of all clients together, and of each: --blob-quota 16GiB,4GiB; 0 takes no uploads");
  }
  return Quota{*all, *each};
}

core::Expected<std::chrono::seconds> parse_ttl(std::string_view text) {
  const auto seconds = base::parse_seconds(text);
  if (!seconds || *seconds < 1) {
    return fail(ErrorCode::usage, "--blob-ttl " + core::cited(text) + " is not a time", "such as 1d, 12h, 30m or 45s");
  }
  return std::chrono::seconds(*seconds);
}

}  // namespace plumbline::server::blobs
