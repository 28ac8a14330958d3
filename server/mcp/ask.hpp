// What a server may ask a client in the middle of a call, in both eras: which of it the client has declared, how the questions
// look on the wire, and whether an answer is one. Pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "server/jsonrpc/message.hpp"
#include "server/mcp/catalogue.hpp"

namespace plumbline::server::mcp {

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";
inline constexpr std::string_view kViewsExtension = "io.modelcontextprotocol/ui";
inline constexpr std::string_view kViewType = "text/html;profile=mcp-app";
inline constexpr std::string_view kSkillsExtension = "io.modelcontextprotocol/skills";

// From initialize's or a modern request's client capabilities; null = none.
[[nodiscard]] ClientCan client_can(const nlohmann::json* capabilities);

// The error -32021 for the first of the questions that this client has not declared; nothing when it can answer all.
[[nodiscard]] std::optional<jsonrpc::RpcError> cannot_answer(const InputRequired& input, const ClientCan& client);
[[nodiscard]] jsonrpc::RpcError missing_capability(std::string_view required_json);

// {"key":{"method":…,"params":…},…}
[[nodiscard]] std::string input_requests_json(const InputRequired& input);

// The answers that are answers: to questions that were asked (by key), of the right shape; a form's content must fit the schema
// that was sent. What is left out is asked again. `asked` as input_requests_json() gives it, or null when it is not known.
[[nodiscard]] nlohmann::json acceptable_answers(const nlohmann::json& responses, const nlohmann::json* asked);

}  // namespace plumbline::server::mcp
