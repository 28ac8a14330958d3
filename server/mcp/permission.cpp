#include "server/mcp/permission.hpp"

#include <fmt/core.h>

#include "core/citing.hpp"

namespace plumbline::server::mcp {

using access::How;

std::string in_words(const access::Principal& who) {
  switch (who.how) {
    case How::token:
      return "the token " + core::cited(who.name);
    case How::oauth:
      return "the access token of " + core::cited(who.name);
    case How::certificate:
      return "the certificate of " + core::cited(who.name);
    case How::unix_peer:
      return "the account " + core::cited(who.name);
    case How::stdio:
    case How::loopback:
      break;
  }
  return "this client";
}

std::string_view writer_like(const access::Principal& who) {
  if (who.how == How::token) return "a token with the permission write";
  if (who.how == How::oauth) return "an access token with the scope plumbline:write";
  return "a client that may write";
}

std::string not_permitted(const access::Principal& who, std::string_view name) {
  if (!who.may_read) return fmt::format("{} may not call {}", in_words(who), name);
  return fmt::format("{} only reads, and {} writes: {} may call it", in_words(who), name, writer_like(who));
}

}  // namespace plumbline::server::mcp
