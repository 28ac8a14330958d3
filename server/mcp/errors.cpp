#include "server/mcp/errors.hpp"

#include <fmt/core.h>

#include "core/text.hpp"
#include "server/mcp/era.hpp"
#include "verbs/verb.hpp"

namespace plumbline::server::mcp {
namespace {

// Every code of the house is the caller's business and readable by the model; only a fault of ours gets a hint of its own,
// since its message was not written for the caller.
std::string_view hint_of(const core::Error& error) {
  if (!error.hint.empty() || error.code != core::ErrorCode::internal) return error.hint;
  return "this is a fault of the server, not of the call; the same call may fail again";
}

}  // namespace

ToolResult failure(const core::Error& given) {
  const core::Error error = verbs::in_agent_words(given);
  ToolResult result;
  result.is_error = true;
  result.code = core::to_string(error.code);
  result.text = R"({"code":)" + core::quoted(core::to_string(error.code));
  result.text.append(R"(,"message":)");
  core::append_quoted(result.text, error.message);
  result.text.append(R"(,"hint":)");
  core::append_quoted(result.text, hint_of(error));
  if (!error.where.empty()) {
    result.text.append(R"(,"where":)");
    core::append_quoted(result.text, error.where);
  }
  result.text.append("}");
  return result;
}

jsonrpc::RpcError method_not_found(std::string_view method) {
  return {jsonrpc::kMethodNotFound, fmt::format("unknown method \"{}\"", jsonrpc::shortened(method)), ""};
}

jsonrpc::RpcError invalid_params(std::string message) { return {jsonrpc::kInvalidParams, std::move(message), ""}; }

jsonrpc::RpcError unknown_name(std::string_view what, std::string_view name, std::string_view nearest, std::string_view list) {
  std::string message = fmt::format("unknown {} \"{}\"", what, jsonrpc::shortened(name));
  if (nearest.empty()) {
    message += fmt::format(": {} names those there are", list);
  } else {
    message += fmt::format(": did you mean \"{}\"?", nearest);
  }
  return {jsonrpc::kInvalidParams, std::move(message), ""};
}

jsonrpc::RpcError unsupported_version(std::string_view requested) {
  const std::string shown = jsonrpc::shortened(requested);
  return {kUnsupportedProtocolVersion, fmt::format("protocol version \"{}\" is not supported", shown),
          fmt::format(R"({{"supported":["{}"],"requested":{}}})", kModernVersion, core::quoted(shown)), 400};
}

}  // namespace plumbline::server::mcp
