#include "server/access/principal.hpp"

namespace plumbline::server::access {

std::string_view to_string(How how) {
  switch (how) {
    case How::stdio:
      return "stdio";
    case How::unix_peer:
      return "uid";
    case How::loopback:
      return "loopback";
    case How::token:
      return "token";
    case How::certificate:
      return "certificate";
    case How::oauth:
      return "oauth";
  }
  return "unknown";
}

std::string Principal::id() const {
  std::string text(to_string(how));
  if (!name.empty()) text.append(":").append(name);
  return text;
}

}  // namespace plumbline::server::access
