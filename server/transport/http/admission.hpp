// Who is let in over HTTP, whatever is asked for: MCP and the pages beside it have one rule. Host and Origin are checked before.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "server/access/challenge.hpp"
#include "server/access/oauth.hpp"
#include "server/access/principal.hpp"
#include "server/access/tokens.hpp"
#include "server/access/web_origin.hpp"
#include "server/transport/http/exchange.hpp"

namespace plumbline::server::transport::http {

// With no kind of credentials everybody on this machine is let in, and nobody else.
struct Admission {
  access::HostRule hosts;
  std::vector<std::string> cors_origins;   // --allow-origin: pages of these may read our answers; the host rule knows them too
  const access::Tokens* tokens = nullptr;  // null: none
  const access::Oauth* oauth = nullptr;    // null: none
  bool certificates = false;  // verified client certificates are credentials, unless there are tokens or OAuth: those say
                              // who may do what, and a certificate only who may connect
  access::ProtectedResource resource;
  std::function<std::chrono::system_clock::time_point()> now = [] { return std::chrono::system_clock::now(); };

  [[nodiscard]] bool asks_for_credentials() const { return tokens != nullptr || oauth != nullptr || certificates; }
  [[nodiscard]] bool certificate_is_enough() const { return certificates && tokens == nullptr && oauth == nullptr; }
};

struct NotAdmitted {
  int status = 403;
  int code = 0;  // of JSON-RPC
  std::string message;
  std::string challenge;  // WWW-Authenticate; "" = none
};

// `authorization`: the header's value; `conflict`: it was there twice and said two things. Whoever is let in may read.
[[nodiscard]] tl::expected<access::Principal, NotAdmitted> admit(const Admission& admission, const Request& request,
                                                                 const std::optional<std::string>& authorization, bool conflict);

}  // namespace plumbline::server::transport::http
