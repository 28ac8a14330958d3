#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/jsonrpc/message.hpp"

namespace plumbline::server::jsonrpc {
namespace {

using nlohmann::json;

// Counts before anything is built. nlohmann's own parser callback would do the same, but makes arrays of objects quadratic.
class Bounded final : public nlohmann::json_sax<json> {
 public:
  explicit Bounded(const Bounds& bounds) : bounds_(bounds) {}
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool key(string_t&) override { return true; }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    const bool syntax = dynamic_cast<const json::parse_error*>(&error) != nullptr;
    problem = {kParseError,
               syntax ? fmt::format("the line is not valid JSON: problem at byte {}", position)
                      : std::string("the line is not valid JSON: a number is out of range"),
               ""};
    return false;
  }

  RpcError problem;

 private:
  bool value() {
    if (++values_ <= bounds_.values) return true;
    return exceeded(fmt::format("a message must hold at most {} values", bounds_.values));
  }
  bool open() {
    if (++depth_ > bounds_.depth) return exceeded(fmt::format("a message must nest at most {} levels deep", bounds_.depth));
    return value();
  }
  bool close() {
    --depth_;
    return true;
  }
  bool exceeded(std::string message) {
    problem = {kInvalidRequest, std::move(message), ""};
    return false;
  }

  const Bounds& bounds_;
  std::size_t values_ = 0, depth_ = 0;
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
  Bounded bounded(bounds);
  if (!json::sax_parse(line.begin(), line.end(), &bounded)) {
    incoming.error = std::move(bounded.problem);
    return incoming;
  }
  json value = json::parse(line.begin(), line.end());
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
