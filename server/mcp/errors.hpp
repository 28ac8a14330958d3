// The one place where what goes wrong becomes MCP. Failures of the domain and unacceptable arguments are results that the
// model can read and act on (isError, text JSON {code, message, hint}); only what breaks the protocol itself is a JSON-RPC error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "server/jsonrpc/message.hpp"
#include "server/mcp/catalogue.hpp"

namespace plumbline::server::mcp {

// Defined by revision 2026-07-28.
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingClientCapability = -32021;
inline constexpr int kUnsupportedProtocolVersion = -32022;
inline constexpr int kResourceNotFound = -32002;  // legacy revisions only
// Ours, outside JSON-RPC's reserved range, named as HTTP names them.
inline constexpr int kUnauthorized = 401;
inline constexpr int kForbidden = 403;
inline constexpr int kTooManyRequests = 429;

[[nodiscard]] ToolResult failure(const core::Error& error);

[[nodiscard]] jsonrpc::RpcError method_not_found(std::string_view method);
[[nodiscard]] jsonrpc::RpcError invalid_params(std::string message);
// `list` is the method that names those there are.
[[nodiscard]] jsonrpc::RpcError unknown_name(std::string_view what, std::string_view name, std::string_view nearest,
                                             std::string_view list);
[[nodiscard]] jsonrpc::RpcError unsupported_version(std::string_view requested);

}  // namespace plumbline::server::mcp
