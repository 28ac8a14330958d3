#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/jsonrpc/message.hpp"

namespace plumbline::server::jsonrpc {
namespace {

using nlohmann::json;

// Thrown out of the parser's callback, the only way to stop it early; caught in read().
struct BoundExceeded {
  std::string message;
};

Message invalid(std::string id, std::string text) {
  Message message;
  message.id = std::move(id);
  message.error = {kInvalidRequest, std::move(text), ""};
  return message;
}

// The id's exact JSON text, or nothing when it is none that MCP allows. Integers beyond 64 bits arrive as floats.
std::optional<std::string> id_text(const json& id, const Bounds& bounds) {
  std::string text;
  if (id.is_string()) {
    text = core::quoted(id.get_ref<const std::string&>());
  } else if (id.is_number_unsigned()) {
    core::append_number(text, id.get<std::uint64_t>());
  } else if (id.is_number_integer()) {
    core::append_number(text, id.get<std::int64_t>());
  } else {
    return std::nullopt;
  }
  if (text.size() > bounds.id_bytes) return std::nullopt;
  return text;
}

Message classify(json& value, const Bounds& bounds) {
  if (!value.is_object()) return invalid("null", "a message must be a JSON object");
  std::string id = "null";
  const auto id_at = value.find("id");
  const bool has_id = id_at != value.end();
  const auto method_at = value.find("method");
  const bool answers = method_at == value.end() && (value.contains("result") || value.contains("error"));
  if (has_id) {
    if (auto text = id_text(*id_at, bounds)) {
      id = std::move(*text);
    } else if (!answers) {
      return invalid("null", fmt::format("id must be a string or a 64-bit integer of at most {} bytes", bounds.id_bytes));
    }
  }
  const auto version = value.find("jsonrpc");
  if (version == value.end() || !version->is_string() || version->get_ref<const std::string&>() != "2.0") {
    return invalid(std::move(id), "jsonrpc must be \"2.0\"");
  }
  Message message;
  message.id = std::move(id);
  if (answers) {
    message.kind = Message::Kind::response;
    message.failed = !value.contains("result");
    message.result = std::make_shared<const json>(std::move(value[message.failed ? "error" : "result"]));
    return message;
  }
  if (method_at == value.end()) return invalid(std::move(message.id), "method is missing");
  if (!method_at->is_string()) return invalid(std::move(message.id), "method must be a string");
  message.method = std::move(method_at->get_ref<std::string&>());
  if (const auto params = value.find("params"); params != value.end()) {
    if (!params->is_structured()) return invalid(std::move(message.id), "params must be an object");
    message.params = std::make_shared<const json>(std::move(*params));
  }
  message.kind = has_id ? Message::Kind::request : Message::Kind::notification;
  return message;
}

}  // namespace

Incoming oversized(std::size_t bound) {
  Incoming incoming;
  incoming.error = RpcError{kInvalidRequest, fmt::format("a message must have at most {} bytes", bound), ""};
  return incoming;
}

Incoming read(std::string_view line, const Bounds& bounds) {
  Incoming incoming;
  if (line.size() > bounds.line_bytes) return oversized(bounds.line_bytes);
  json value;
  try {
    std::size_t values = 0;
    const json::parser_callback_t bounded = [&](int depth, json::parse_event_t event, json&) {
      using Event = json::parse_event_t;
      const bool opens = event == Event::object_start || event == Event::array_start;
      if (opens && static_cast<std::size_t>(depth) >= bounds.depth) {
        throw BoundExceeded{fmt::format("a message must nest at most {} levels deep", bounds.depth)};
      }
      if ((opens || event == Event::value) && ++values > bounds.values) {
        throw BoundExceeded{fmt::format("a message must hold at most {} values", bounds.values)};
      }
      return true;
    };
    value = json::parse(line.begin(), line.end(), bounded);
  } catch (const BoundExceeded& bound) {
    incoming.error = RpcError{kInvalidRequest, bound.message, ""};
    return incoming;
  } catch (const json::parse_error& error) {
    incoming.error = RpcError{kParseError, fmt::format("the line is not valid JSON: problem at byte {}", error.byte), ""};
    return incoming;
  } catch (const json::exception&) {
    // A number beyond the range of a double.
    incoming.error = RpcError{kParseError, "the line is not valid JSON: a number is out of range", ""};
    return incoming;
  }
  if (!value.is_array()) {
    incoming.messages.push_back(classify(value, bounds));
    return incoming;
  }
  incoming.batch = true;
  if (value.empty()) {
    incoming.error = RpcError{kInvalidRequest, "a batch must hold at least one message", ""};
  } else if (value.size() > bounds.batch) {
    incoming.error = RpcError{kInvalidRequest, fmt::format("a batch must hold at most {} messages", bounds.batch), ""};
  } else {
    for (json& item : value) incoming.messages.push_back(classify(item, bounds));
  }
  return incoming;
}

bool is_json_object(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' && json::accept(text.begin(), text.end());
}

}  // namespace plumbline::server::jsonrpc
