// Base64 for URLs and headers (RFC 4648 section 5) without padding, as JWTs and our own tokens use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline::server::access {

[[nodiscard]] std::string base64url(std::string_view bytes);
// Strict: no padding, no other characters, and no stray bits at the end, so that every byte string has exactly one text.
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

}  // namespace plumbline::server::access
