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

inline constexpr int kUnsupportedProtocolVersion = -32022;  // defined by revision 2026-07-28

[[nodiscard]] ToolResult failure(const core::Error& error);

[[nodiscard]] jsonrpc::RpcError method_not_found(std::string_view method);
[[nodiscard]] jsonrpc::RpcError invalid_params(std::string message);
[[nodiscard]] jsonrpc::RpcError unknown_tool(std::string_view name, std::string_view nearest);
[[nodiscard]] jsonrpc::RpcError unsupported_version(std::string_view requested);

}  // namespace plumbline::server::mcp
