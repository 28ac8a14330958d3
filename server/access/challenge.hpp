// What a client without sufficient credentials is told: the protected-resource metadata (RFC 9728) and the values of
// WWW-Authenticate (RFC 6750 section 3, RFC 9728 section 5.1). Nothing in them comes from a presented token, and whatever the
// texts hold, a value stays one header line of well-formed quoted strings. Pure.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::server::access {

inline constexpr std::string_view kReadScope = "plumbline:read";
inline constexpr std::string_view kWriteScope = "plumbline:write";
// The path of the metadata; for a resource with a path it is continued by that path.
inline constexpr std::string_view kMetadataPath = "/.well-known/oauth-protected-resource";

struct ProtectedResource {
  std::string url;     // of the endpoint, as clients reach it: "https://perf.example:8443/mcp"
  std::string issuer;  // of the tokens; "" = static tokens only
};

// The document that is served under kMetadataPath, with and without the resource's path.
[[nodiscard]] std::string metadata_json(const ProtectedResource& resource);
// "https://perf.example:8443/.well-known/oauth-protected-resource/mcp"
[[nodiscard]] std::string metadata_url(const ProtectedResource& resource);

// All scopes that an operation needs.
[[nodiscard]] std::string scopes_for(bool writes);

// WWW-Authenticate for 401 when no credentials were sent: no error code.
[[nodiscard]] std::string challenge_missing(const ProtectedResource& resource, bool writes);
// 401: credentials that are not, or no longer, valid.
[[nodiscard]] std::string challenge_invalid_token(const ProtectedResource& resource, bool writes, std::string_view reason);
// 403: valid credentials that do not reach that far.
[[nodiscard]] std::string challenge_insufficient_scope(const ProtectedResource& resource, bool writes);
// 400: an Authorization header that cannot be read.
[[nodiscard]] std::string challenge_invalid_request(const ProtectedResource& resource, std::string_view reason);

}  // namespace plumbline::server::access
