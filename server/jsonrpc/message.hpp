// JSON-RPC 2.0 as MCP uses it: one line of text becomes messages, and answers become one line of text.
// Reading is bounded (bytes, nesting, number of values, length of an id, messages of a batch) before anything is kept or
// echoed; what exceeds a bound is answered by an error that names it. Writing joins JSON texts that are known to be valid,
// so that a result of megabytes is neither parsed again nor are its numbers touched. Nothing here knows MCP or threads.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::server::jsonrpc {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;

struct Bounds {
  std::size_t line_bytes = 64U << 20;
  std::size_t depth = 64;          // nested objects and arrays, a batch's own array included
  std::size_t values = 1'000'000;  // values of one line: what parsing costs in memory
  std::size_t id_bytes = 256;      // of the id's JSON text
  std::size_t batch = 100;         // messages of one batch
};

struct RpcError {
  int code = kInternalError;
  std::string message;
  std::string data;  // JSON text, "" = none
  int status = 200;  // what HTTP makes of it
};

struct Message {
  enum class Kind { request, notification, response, invalid };
  Kind kind = Kind::invalid;
  std::string id = "null";                       // JSON text: a quoted string or an integer; "null" when there is none
  std::string method;                            // request, notification
  std::shared_ptr<const nlohmann::json> params;  // an object or an array; null when absent
  std::shared_ptr<const nlohmann::json> result;  // response: its result, or its error when `failed`
  bool failed = false;
  RpcError error;  // invalid: the answer it deserves
};

struct Incoming {
  bool batch = false;
  std::vector<Message> messages;  // one, or those of the batch in order
  std::optional<RpcError> error;  // the line as a whole is not acceptable: answered with id null
};

// `line` without its newline. Never throws on data.
[[nodiscard]] Incoming read(std::string_view line, const Bounds& bounds = {});

// What stands for a message that was too long to be read.
[[nodiscard]] Incoming oversized(std::size_t bound);

// Whole messages, without the newline. `id`, `result_json`, `params_json` and `error.data` are JSON texts.
[[nodiscard]] std::string result_line(std::string_view id, std::string_view result_json);
// An id that could not be read ("null") is left out: MCP knows no null id.
[[nodiscard]] std::string error_line(std::string_view id, const RpcError& error);
[[nodiscard]] std::string error_object(const RpcError& error);
[[nodiscard]] std::string request_line(std::string_view id, std::string_view method, std::string_view params_json);
[[nodiscard]] std::string notification_line(std::string_view method, std::string_view params_json);

// True when `text` is one JSON object, UTF-8 included: what may be joined into a message as it stands.
[[nodiscard]] bool is_json_object(std::string_view text);
// Line breaks in a valid JSON text can only be white space; on a line-framed wire they go, and the indentation after them
// with them: that is also what a model need not read.
[[nodiscard]] std::string on_one_line(std::string text);
// What a client sent, shortened for an error text: at most `bytes`, cut between UTF-8 characters, without secrets.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t bytes = 128);

}  // namespace plumbline::server::jsonrpc
