// This server as an OAuth 2.1 resource server: access tokens that are JWTs (RFC 9068, RFC 7519) of one issuer, for one audience,
// signed by a key of the issuer's JWK Set, which the operator keeps in a file: nothing is fetched. RS256, PS256 and ES256 only;
// a token must name its key. Issuer and audience are compared byte for byte; exp is required; clocks may differ by a minute.
// The scopes plumbline:read and plumbline:write (`scope`, else `scp`) say what a token may do; write implies read.
// Thread-safe; the clock is handed in.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/error.hpp"
#include "server/access/current.hpp"
#include "server/access/jwk.hpp"
#include "server/access/principal.hpp"

namespace plumbline::server::access {

struct OauthOptions {
  std::string issuer;     // "https://login.example"
  std::string audience;   // this server as a resource: "https://perf.example/mcp"
  std::string keys_file;  // JWK Set; may be public, but only its owner may change it
};

// What is wrong with a token, fit for error_description; never a part of the token.
using TokenProblem = std::string;

class Oauth {
 public:
  static constexpr std::chrono::seconds kLeeway{60};

  [[nodiscard]] static core::Expected<std::unique_ptr<Oauth>> load(OauthOptions options);
  // With keys at hand.
  Oauth(OauthOptions options, KeySet keys) : options_(std::move(options)), keys_(std::move(keys)) {}

  // The name of the principal is the token's sub.
  [[nodiscard]] tl::expected<Principal, TokenProblem> verify(std::string_view token,
                                                             std::chrono::system_clock::time_point now) const;
  // Reads the keys again; a file that is not acceptable changes nothing.
  [[nodiscard]] core::Status reload();
  [[nodiscard]] const OauthOptions& options() const { return options_; }

 private:
  const OauthOptions options_;
  Current<KeySet> keys_;
};

}  // namespace plumbline::server::access
