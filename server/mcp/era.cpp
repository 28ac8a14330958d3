#include "server/mcp/era.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/mcp/errors.hpp"

namespace plumbline::server::mcp {

tl::expected<Era, jsonrpc::RpcError> era_of(const nlohmann::json* params) {
  if (params == nullptr || !params->is_object()) return Era::legacy;
  const auto meta = params->find("_meta");
  if (meta == params->end()) return Era::legacy;
  if (!meta->is_object()) return tl::unexpected(invalid_params("params._meta must be an object"));
  const auto version = meta->find("io.modelcontextprotocol/protocolVersion");
  const auto capabilities = meta->find("io.modelcontextprotocol/clientCapabilities");
  const auto client = meta->find("io.modelcontextprotocol/clientInfo");
  if (version == meta->end() && capabilities == meta->end() && client == meta->end()) return Era::legacy;
  if (version == meta->end()) {
    return tl::unexpected(invalid_params("params._meta[\"io.modelcontextprotocol/protocolVersion\"] is missing"));
  }
  if (!version->is_string()) {
    return tl::unexpected(invalid_params("params._meta[\"io.modelcontextprotocol/protocolVersion\"] must be a string"));
  }
  if (const auto& asked = version->get_ref<const std::string&>(); asked != kModernVersion) {
    return tl::unexpected(unsupported_version(asked));
  }
  if (capabilities == meta->end()) {
    return tl::unexpected(invalid_params("params._meta[\"io.modelcontextprotocol/clientCapabilities\"] is missing"));
  }
  if (!capabilities->is_object()) {
    return tl::unexpected(invalid_params("params._meta[\"io.modelcontextprotocol/clientCapabilities\"] must be an object"));
  }
  if (client != meta->end() && !client->is_object()) {
    return tl::unexpected(invalid_params("params._meta[\"io.modelcontextprotocol/clientInfo\"] must be an object"));
  }
  return Era::modern;
}

std::string_view negotiate(std::string_view requested) {
  const auto* known = std::find(kLegacyVersions.begin(), kLegacyVersions.end(), requested);
  return known != kLegacyVersions.end() ? *known : kLegacyVersions.front();
}

}  // namespace plumbline::server::mcp
