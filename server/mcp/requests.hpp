// From the params of a request to what a worker does: checks their shape, finds the tool, prompt or resource, and binds the
// work. Everything wrong here is a protocol error that names the member and what would be right.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include "server/jsonrpc/message.hpp"
#include "server/mcp/call.hpp"
#include "server/mcp/server.hpp"

namespace plumbline::server::mcp {

using Params = const nlohmann::json*;  // an object or null
using MaybeCall = tl::expected<CallRequest, jsonrpc::RpcError>;

// `structured`: the client knows structuredContent and content of type resource_link.
[[nodiscard]] MaybeCall tool_call(const Server& server, Params params, bool structured);
[[nodiscard]] MaybeCall prompt_get(const Server& server, Params params);
[[nodiscard]] MaybeCall resource_list(const Server& server, Params params, Era era);
[[nodiscard]] MaybeCall resource_read(const Server& server, Params params, Era era);
[[nodiscard]] MaybeCall completion(const Server& server, Params params);

// The member of an object, or null.
[[nodiscard]] Params member(Params object, const char* name);
// A string or 64-bit integer as JSON text, "" for anything else: progress tokens and the ids of cancellations.
[[nodiscard]] std::string token_text(const nlohmann::json& value);
// Lists that have one page take no cursor.
[[nodiscard]] tl::expected<void, jsonrpc::RpcError> no_cursor(Params params);

}  // namespace plumbline::server::mcp
