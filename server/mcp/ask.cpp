#include "server/mcp/ask.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/mcp/errors.hpp"

namespace plumbline::server::mcp {
namespace {

using nlohmann::json;

bool has_object(const json& parent, const char* name) {
  const auto at = parent.find(name);
  return at != parent.end() && at->is_object();
}

const json* member(const json& parent, const char* name) {
  const auto at = parent.find(name);
  return at == parent.end() ? nullptr : &*at;
}

bool one_of(const json& value, const json& property) {
  const auto among = [&](const json& list, const char* inside) {
    return list.is_array() && std::any_of(list.begin(), list.end(), [&](const json& item) {
             return inside == nullptr ? item == value : item.is_object() && item.value(inside, json()) == value;
           });
  };
  if (const json* listed = member(property, "enum")) return among(*listed, nullptr);
  for (const char* titled : {"oneOf", "anyOf"}) {
    if (const json* listed = member(property, titled)) return among(*listed, "const");
  }
  return true;
}

// Forms are flat and hold primitives (and lists of choices), by the protocol's own rule.
bool fits(const json& value, const json& property) {
  const std::string type = property.is_object() ? property.value("type", std::string()) : std::string();
  const auto number = [&](const char* name, double otherwise) {
    const json* at = member(property, name);
    return at != nullptr && at->is_number() ? at->get<double>() : otherwise;
  };
  if (type == "string") {
    if (!value.is_string() || !one_of(value, property)) return false;
    const auto& text = value.get_ref<const std::string&>();
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    const auto length = static_cast<double>(std::count_if(text.begin(), text.end(), begins));
    return length >= number("minLength", 0) && length <= number("maxLength", 1e18);
  }
  if (type == "boolean") return value.is_boolean();
  if (type == "integer" || type == "number") {
    if (!value.is_number()) return false;
    const double given = value.get<double>();
    if (type == "integer" && !value.is_number_integer() && given != static_cast<double>(static_cast<std::int64_t>(given))) {
      return false;
    }
    return given >= number("minimum", -1e308) && given <= number("maximum", 1e308);
  }
  if (type == "array") {
    const json* items = member(property, "items");
    if (!value.is_array()) return false;
    const auto count = static_cast<double>(value.size());
    if (count < number("minItems", 0) || count > number("maxItems", 1e18)) return false;
    return items == nullptr ||
           std::all_of(value.begin(), value.end(), [&](const json& item) { return item.is_string() && one_of(item, *items); });
  }
  return true;
}

bool form_answer(const json& answer, const json* question) {
  const auto action = answer.value("action", std::string());
  if (action == "decline" || action == "cancel") return true;
  if (action != "accept") return false;
  if (question == nullptr) return true;
  const json& params = question->value("params", json::object());
  const json schema = params.value("requestedSchema", json::object());
  const json content = answer.value("content", json::object());
  if (!content.is_object()) return false;
  for (const json& name : schema.value("required", json::array())) {
    if (name.is_string() && !content.contains(name.get_ref<const std::string&>())) return false;
  }
  const json properties = schema.value("properties", json::object());
  return std::all_of(properties.items().begin(), properties.items().end(), [&](const auto& item) {
    const auto at = content.find(item.key());
    return at == content.end() || fits(*at, item.value());
  });
}

bool acceptable(const json& answer, const json* question) {
  if (!answer.is_object()) return false;
  const std::string method = question == nullptr ? std::string() : question->value("method", std::string());
  if (method == "sampling/createMessage") return answer.contains("content") && answer.value("role", "") == "assistant";
  if (method == "roots/list") return answer.contains("roots") && answer["roots"].is_array();
  if (method == "elicitation/create" || answer.contains("action")) return form_answer(answer, question);
  return true;
}

// {"io.modelcontextprotocol/ui": {"mimeTypes": [...]}}: of the types that there may be one day we have this one.
bool shows_pages(const json& extensions) {
  const auto views = extensions.find(kViewsExtension);
  if (views == extensions.end() || !views->is_object()) return false;
  const auto types = views->find("mimeTypes");
  return types != views->end() && types->is_array() && std::find(types->begin(), types->end(), json(kViewType)) != types->end();
}

}  // namespace

ClientCan client_can(const json* capabilities) {
  ClientCan can;
  if (capabilities == nullptr || !capabilities->is_object()) return can;
  if (const json* elicitation = member(*capabilities, "elicitation"); elicitation != nullptr && elicitation->is_object()) {
    can.elicitation = elicitation->empty() || elicitation->contains("form");
  }
  can.sampling = has_object(*capabilities, "sampling");
  can.roots = has_object(*capabilities, "roots");
  if (const json* extensions = member(*capabilities, "extensions"); extensions != nullptr && extensions->is_object()) {
    can.tasks = extensions->contains(kTasksExtension);
    can.views = shows_pages(*extensions);
  }
  return can;
}

jsonrpc::RpcError missing_capability(std::string_view required_json) {
  return {kMissingClientCapability, fmt::format("this needs a client that declares {}", required_json),
          fmt::format(R"({{"requiredCapabilities":{}}})", required_json), 400};
}

std::optional<jsonrpc::RpcError> cannot_answer(const InputRequired& input, const ClientCan& client) {
  for (const InputRequest& request : input.requests) {
    if (request.method == "elicitation/create" && !client.elicitation) return missing_capability(R"({"elicitation":{}})");
    if (request.method == "sampling/createMessage" && !client.sampling) return missing_capability(R"({"sampling":{}})");
    if (request.method == "roots/list" && !client.roots) return missing_capability(R"({"roots":{}})");
  }
  return std::nullopt;
}

std::string input_requests_json(const InputRequired& input) {
  std::string out = "{";
  for (const InputRequest& request : input.requests) {
    if (out.size() > 1) out += ",";
    core::append_quoted(out, request.key);
    out.append(R"(:{"method":)").append(core::quoted(request.method)).append(R"(,"params":)");
    out.append(request.params.empty() ? "{}" : request.params).append("}");
  }
  return out + "}";
}

json acceptable_answers(const json& responses, const json* asked) {
  json kept = json::object();
  if (!responses.is_object()) return kept;
  for (const auto& [key, answer] : responses.items()) {
    const json* question = nullptr;
    if (asked != nullptr) {
      question = member(*asked, key.c_str());
      if (question == nullptr) continue;
    }
    try {
      if (acceptable(answer, question)) kept[key] = answer;
    } catch (const json::exception&) {  // of another shape than any answer has
    }
  }
  return kept;
}

}  // namespace plumbline::server::mcp
