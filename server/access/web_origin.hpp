// Which Host and Origin headers are ours. A page that a browser shows can make requests to this machine (by DNS rebinding even
// ones that look same-origin), but it cannot choose these two headers; programs other than browsers send no Origin. The grammar
// is narrower than the URL standard: what we would have to interpret (user names, percent escapes, zone ids, trailing dots,
// numbers for addresses, non-ASCII) is refused. Immutable once made, hence thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline::server::access {

// "127.0.0.1", any other 127.x.y.z, "::1", "[::1]", "::ffff:127.0.0.1", "localhost".
[[nodiscard]] bool is_loopback(std::string_view address);
// "0.0.0.0", "::", "[::]"
[[nodiscard]] bool is_wildcard(std::string_view address);

class HostRule {
 public:
  // `listen` is the address listened on, without its port. Loopback: the names and addresses of loopback. A wildcard: those,
  // and every address literal (a rebound name is a name). Else: that address or name. `allow_hosts` (--allow-host) adds names
  // or addresses, without ports; `allow_origins` (--allow-origin) adds origins such as https://perf.example:8443.
  [[nodiscard]] static core::Expected<HostRule> make(std::string_view listen, const std::vector<std::string>& allow_hosts,
                                                     const std::vector<std::string>& allow_origins);

  struct Refusal {
    int status = 403;
    std::string message;
  };
  // Nothing when the request may be served. Any port is accepted. 400: no Host, or one that is none; 403: somebody else's.
  [[nodiscard]] std::optional<Refusal> check(std::optional<std::string_view> host, std::optional<std::string_view> origin) const;

 private:
  [[nodiscard]] bool names_us(std::string_view host) const;

  std::vector<std::string> hosts_;    // canonical: lower case, IPv6 in brackets and in its shortest form
  std::vector<std::string> origins_;  // canonical: no default port
  bool any_address_ = false;
};

}  // namespace plumbline::server::access
