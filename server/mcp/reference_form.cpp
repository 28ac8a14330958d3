#include "server/mcp/reference_form.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/mcp/errors.hpp"

namespace plumbline::server::mcp {
namespace {

using nlohmann::json;

ToolResult execution_error(std::string_view tool, std::string_view text) {
  ToolResult result;
  result.is_error = true;
  result.text.append("Error executing tool ").append(tool).append(": ").append(text);
  return result;
}

CallForm reference_call(std::string_view tool, const json& form) {
  ReferenceCall call;
  if (const auto args = form.find("args"); args != form.end() && !args->is_null()) {
    if (args->is_string()) {
      call.args.push_back(args->get<std::string>());
    } else if (args->is_array() && std::all_of(args->begin(), args->end(), [](const json& item) { return item.is_string(); })) {
      for (const json& item : *args) call.args.push_back(item.get<std::string>());
    } else {
      return execution_error(tool, "params['args'] must be a string or list of strings");
    }
  }
  if (const auto allow = form.find("allow_nonzero"); allow != form.end()) call.allow_nonzero = *allow == json(true);
  if (const auto width = form.find("terminal"); width != form.end() && width->is_number_unsigned()) {
    call.terminal = static_cast<int>(std::min<std::uint64_t>(width->get<std::uint64_t>(), 1000));
  }
  if (const auto files = form.find("files"); files != form.end() && files->is_object()) call.files = files->dump();
  if (call.terminal) return call;
  if (std::find(call.args.begin(), call.args.end(), "--json") == call.args.end()) call.args.emplace_back("--json");
  return call;
}

}  // namespace

CallForm form_of(std::string_view tool, std::string_view arguments_json) {
  const json arguments = json::parse(arguments_json, nullptr, false);
  if (!arguments.is_object()) return failure({core::ErrorCode::usage, "the arguments are not a JSON object", "", ""});
  const auto params = arguments.find("params");
  const bool top = arguments.contains("args");
  if (params == arguments.end() && !top) return TypedCall{};
  for (const auto& [key, value] : arguments.items()) {
    if (key == "params" || key == "args" || key == "allow_nonzero") continue;
    return failure({core::ErrorCode::usage,
                    "the arguments mix \"" + jsonrpc::shortened(key) + "\" with " + (top ? "\"args\"" : "\"params\""),
                    "give either the typed properties or a command line in args, not both", jsonrpc::shortened(key)});
  }
  if (top && params != arguments.end() && !params->is_null()) {
    return failure({core::ErrorCode::usage, "the arguments hold both \"args\" and \"params\"", "give one of them", "params"});
  }
  if (top) return reference_call(tool, arguments);
  if (params->is_null()) return reference_call(tool, json::object());
  if (params->is_object()) return reference_call(tool, *params);
  if (params->is_string()) {  // its framework reads a JSON text given as a string
    const json inner = json::parse(params->get_ref<const std::string&>(), nullptr, false);
    if (inner.is_object()) return reference_call(tool, inner);
  }
  return failure(
      {core::ErrorCode::usage, "params must be an object", "for instance {\"params\": {\"args\": [\"--help\"]}}", "params"});
}

std::string envelope_text(const Envelope& envelope) {
  std::string out = R"({"ack_field": null, "ack_required": false, "args": [)";
  for (std::size_t i = 0; i < envelope.args->size(); ++i) {
    if (i > 0) out += ", ";
    core::append_quoted(out, (*envelope.args)[i]);
  }
  out.append(R"(], "json": )").append(envelope.json.empty() ? "null" : envelope.json);
  out.append(R"(, "library": )").append(core::quoted(envelope.library));
  if (!envelope.more.empty()) out.append(", ").append(envelope.more);
  out.append(R"(, "returncode": )").append(std::to_string(envelope.returncode));
  out.append(R"(, "safety": )").append(core::quoted(envelope.safety));
  out.append(R"(, "stderr": )").append(core::quoted(envelope.err));
  out.append(R"(, "stdout": )").append(core::quoted(envelope.out));
  out.append(R"(, "tool": )").append(core::quoted(envelope.tool));
  out.append(R"(, "verb": )").append(core::quoted(envelope.verb));
  out += "}";
  return jsonrpc::on_one_line(std::move(out));
}

ToolResult envelope_result(const Envelope& envelope, bool allow_nonzero) {
  std::string text = envelope_text(envelope);
  if (envelope.returncode != 0 && !allow_nonzero) return execution_error(envelope.tool, text);
  ToolResult result;
  result.json = std::move(text);
  return result;
}

}  // namespace plumbline::server::mcp
