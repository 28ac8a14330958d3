// Who asks: what the transport found out about the other side before a request is read. A value, made once per connection
// (stdio, sockets, certificates) or once per request (tokens, OAuth), and handed down by pointer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline::server::access {

enum class How : std::uint8_t {
  stdio,        // whoever started the process
  unix_peer,    // an account of this machine; the name is its uid
  loopback,     // a connection from this machine without credentials
  token,        // a line of the token file
  certificate,  // a verified client certificate; the name is its subject
  oauth         // a verified JWT; the name is its subject
};

// "stdio", "uid", "loopback", "token", "certificate", "oauth"
[[nodiscard]] std::string_view to_string(How how);

struct Principal {
  using How = access::How;

  std::string name;
  How how = How::stdio;
  bool may_read = true;
  bool may_write = true;

  // "token:ci", "uid:1000", "stdio": the same text for the same party in every request, different for different ones; the key
  // of limits, sealed state and tasks. Not escaped: for comparing, not for printing.
  [[nodiscard]] std::string id() const;
};

}  // namespace plumbline::server::access
