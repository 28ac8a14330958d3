#include "server/access/challenge.hpp"

#include "core/text.hpp"

namespace plumbline::server::access {
namespace {

// RFC 6750 allows neither quotes nor backslashes in the values; other bytes outside visible ASCII have no place in a header.
void append(std::string& value, std::string_view name, std::string_view text) {
  value.append(value.empty() ? "Bearer " : ", ").append(name).append("=\"");
  for (const char c : text) value += c == '"' || c == '\\' ? '\'' : c >= 0x20 && c < 0x7F ? c : '?';
  value += '"';
}

std::string challenge(const ProtectedResource& resource, std::string_view error, std::string_view reason,
                      std::string_view scope) {
  std::string value;
  if (!error.empty()) append(value, "error", error);
  if (!reason.empty()) append(value, "error_description", reason);
  if (!scope.empty()) append(value, "scope", scope);
  append(value, "resource_metadata", metadata_url(resource));
  return value;
}

}  // namespace

std::string metadata_json(const ProtectedResource& resource) {
  std::string json = R"({"resource":)";
  core::append_quoted(json, resource.url);
  if (!resource.issuer.empty()) {
    json += R"(,"authorization_servers":[)";
    core::append_quoted(json, resource.issuer);
    json += ']';
  }
  json += R"(,"scopes_supported":[)";
  core::append_quoted(json, kReadScope);
  json += ',';
  core::append_quoted(json, kWriteScope);
  json += R"(],"bearer_methods_supported":["header"],"resource_name":"plumbline"})";
  return json;
}

std::string metadata_url(const ProtectedResource& resource) {
  const std::size_t scheme = resource.url.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t path = resource.url.find('/', host);
  std::string url = resource.url.substr(0, path);
  url += kMetadataPath;
  if (path != std::string::npos && path + 1 < resource.url.size()) url.append(resource.url, path);
  return url;
}

std::string scopes_for(bool writes) {
  std::string scopes(kReadScope);
  if (writes) scopes.append(" ").append(kWriteScope);
  return scopes;
}

std::string challenge_missing(const ProtectedResource& resource, bool writes) {
  return challenge(resource, "", "", scopes_for(writes));
}

std::string challenge_invalid_token(const ProtectedResource& resource, bool writes, std::string_view reason) {
  return challenge(resource, "invalid_token", reason, scopes_for(writes));
}

std::string challenge_insufficient_scope(const ProtectedResource& resource, bool writes) {
  return challenge(resource, "insufficient_scope",
                   writes ? "the token does not allow writing" : "the token does not allow reading", scopes_for(writes));
}

std::string challenge_invalid_request(const ProtectedResource& resource, std::string_view reason) {
  return challenge(resource, "invalid_request", reason, "");
}

}  // namespace plumbline::server::access
