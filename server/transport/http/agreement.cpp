#include "server/transport/http/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.hpp"
#include "server/access/base64url.hpp"
#include "server/mcp/errors.hpp"

namespace plumbline::server::transport::http {
namespace {

using jsonrpc::RpcError;
using nlohmann::json;

constexpr std::string_view kVersionHeader = "mcp-protocol-version";
constexpr std::size_t kDeepestParam = 16;

// Where Mcp-Name comes from. The tasks extension adds its methods (SEP-2663, routing headers).
constexpr std::array<std::pair<std::string_view, const char*>, 6> kNamed = {{{"tools/call", "name"},
                                                                             {"prompts/get", "name"},
                                                                             {"resources/read", "uri"},
                                                                             {"tasks/get", "taskId"},
                                                                             {"tasks/update", "taskId"},
                                                                             {"tasks/cancel", "taskId"}}};

const json* member(const json* object, std::string_view name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto at = object->find(name);
  return at == object->end() ? nullptr : &*at;
}

// RFC 9110: visible ASCII, space and tab.
bool is_header_text(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c == '\t' || (c >= 0x20 && c < 0x7F); });
}

bool is_token(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

// Padded, with the alphabet of RFC 4648 section 4.
std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.find_first_of("-_") != std::string_view::npos) return std::nullopt;
  std::string url(text);
  std::replace(url.begin(), url.end(), '+', '-');
  std::replace(url.begin(), url.end(), '/', '_');
  return access::from_base64url(url);
}

void collect(const json& schema, std::vector<std::string>& path, std::vector<HeaderParam>& found) {
  const json* properties = member(&schema, "properties");
  if (properties == nullptr || !properties->is_object() || path.size() >= kDeepestParam) return;
  for (const auto& [name, property] : properties->items()) {
    path.push_back(name);
    const json* header = member(&property, "x-mcp-header");
    const json* type = member(&property, "type");
    if (header != nullptr && header->is_string() && is_token(header->get_ref<const std::string&>()) && type != nullptr &&
        (*type == "string" || *type == "integer" || *type == "boolean")) {
      found.push_back({"mcp-param-" + core::to_lower(header->get_ref<const std::string&>()), path});
    }
    collect(property, path, found);
    path.pop_back();
  }
}

// "42.0" and "42" are the same integer; beyond what a double holds exactly, only the same digits are.
bool is_same_number(const json& number, std::string_view text) {
  constexpr double kExact = 9007199254740991.0;
  const auto value = core::parse_double(text);
  if (!value) return false;
  const double expected = number.get<double>();
  return *value == expected && (std::abs(expected) <= kExact || number.dump() == text);
}

bool says(std::string_view header, const json& value) {
  if (value.is_boolean()) return header == (value.get<bool>() ? "true" : "false");
  if (value.is_number()) return is_same_number(value, header);
  return value.is_string() && value.get_ref<const std::string&>() == header;
}

std::string shown(const json& value) {
  return value.is_string() ? core::quoted(jsonrpc::shortened(value.get_ref<const std::string&>()))
                           : jsonrpc::shortened(value.dump());
}

RpcError mismatch(std::string message) { return {mcp::kHeaderMismatch, std::move(message), ""}; }

// `value` null: the body says nothing, so the header must not either. `encoded`: base64 is allowed.
std::optional<RpcError> compare(const Request& request, std::string_view header, std::string_view title, const json* value,
                                bool encoded, bool required) {
  bool conflict = false;
  const auto once = request.one(header, conflict);
  if (conflict) return mismatch(fmt::format("{} is there twice and says two things", title));
  if (!once) {
    if (value == nullptr || !required) return std::nullopt;
    return mismatch(fmt::format("{} is missing: it must say {}, as the body does", title, shown(*value)));
  }
  // The whole value first: a comma may be part of a name.
  for (const std::string& text : {*request.first(header), *once}) {
    const auto said = encoded ? decoded_value(text) : is_header_text(text) ? std::optional(text) : std::nullopt;
    if (!said) return mismatch(fmt::format("{} is neither visible ASCII nor base64 between \"=?base64?\" and \"?=\"", title));
    if (value != nullptr && says(*said, *value)) return std::nullopt;
  }
  const std::string header_says = core::quoted(jsonrpc::shortened(*once));
  if (value == nullptr) return mismatch(fmt::format("{} says {}, the body nothing", title, header_says));
  return mismatch(fmt::format("{} says {}, the body {}", title, header_says, shown(*value)));
}

}  // namespace

std::vector<HeaderParam> header_params(const json& input_schema) {
  std::vector<HeaderParam> found;
  std::vector<std::string> path;
  collect(input_schema, path, found);
  return found;
}

std::optional<std::string> decoded_value(std::string_view value) {
  constexpr std::string_view kOpen = "=?base64?";
  constexpr std::string_view kClose = "?=";
  if (!is_header_text(value)) return std::nullopt;
  if (value.size() < kOpen.size() + kClose.size() || !value.starts_with(kOpen) || !value.ends_with(kClose)) {
    return std::string(value);
  }
  return from_base64(value.substr(kOpen.size(), value.size() - kOpen.size() - kClose.size()));
}

std::optional<std::string> claimed_version(const json* params) {
  const json* version = member(member(params, "_meta"), "io.modelcontextprotocol/protocolVersion");
  if (version == nullptr || !version->is_string()) return std::nullopt;
  return version->get<std::string>();
}

std::optional<RpcError> version_disagreement(const Request& request, const std::optional<std::string>& body) {
  if (!body) return std::nullopt;
  const json version = *body;
  return compare(request, kVersionHeader, "MCP-Protocol-Version", &version, false, true);
}

std::optional<RpcError> disagreement(const Request& request, const jsonrpc::Message& message,
                                     const std::vector<HeaderParam>& params) {
  const bool required = message.kind == jsonrpc::Message::Kind::request;
  const json method = message.method;
  if (auto error = compare(request, "mcp-method", "Mcp-Method", &method, false, required)) return error;
  for (const auto& [named, source] : kNamed) {
    if (message.method != named) continue;
    const json* name = member(message.params.get(), source);
    if (name != nullptr && !name->is_string()) name = nullptr;
    if (auto error = compare(request, "mcp-name", "Mcp-Name", name, true, required)) return error;
  }
  const json* arguments = member(message.params.get(), "arguments");
  for (const HeaderParam& param : params) {
    const json* value = arguments;
    for (const std::string& step : param.path) value = member(value, step);
    if (value != nullptr && !value->is_primitive()) value = nullptr;
    if (value != nullptr && value->is_null()) value = nullptr;
    const std::string title = "Mcp-Param-" + param.header.substr(std::string_view("mcp-param-").size());
    if (auto error = compare(request, param.header, title, value, true, required)) return error;
  }
  return std::nullopt;
}

const std::vector<HeaderParam>& ToolHeaders::of(const jsonrpc::Message& message) const {
  static const std::vector<HeaderParam> kNone;
  if (message.method != "tools/call") return kNone;
  const json* name = member(message.params.get(), "name");
  if (name == nullptr || !name->is_string()) return kNone;
  const mcp::Tool* tool = catalogue_.find(name->get_ref<const std::string&>());
  if (tool == nullptr || !tool->input_schema) return kNone;
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(tool);
  if (at != known_.end()) return at->second;
  const json schema = json::parse(tool->input_schema(), nullptr, false);
  return known_.emplace(tool, header_params(schema)).first->second;
}

}  // namespace plumbline::server::transport::http
