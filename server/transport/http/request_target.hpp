// The target of a request in absolute form (RFC 9112 section 3.2.2), as clients send it to proxies and may send it to any server:
// its authority stands for the Host header, whatever that says. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace plumbline::server::transport::http {

struct AbsoluteTarget {
  std::string_view authority;  // "127.0.0.1:4711"
  std::string_view rest;       // "/mcp?x=y", "?x=y" or ""
};

// "http://HOST/…" or "https://HOST/…" in parts; nothing without a host, or with a user's name before it.
[[nodiscard]] std::optional<AbsoluteTarget> absolute_target(std::string_view target);

// How both begin, as far as `text` goes.
[[nodiscard]] bool may_begin_absolute(std::string_view text);

}  // namespace plumbline::server::transport::http
