#include "server/mcp/server.hpp"

#include <stdexcept>

#include "core/text.hpp"
#include "server/jsonrpc/message.hpp"

namespace plumbline::server::mcp {
namespace {

// The tools are fixed for the life of the process and the same for every caller; five minutes bound how long a client goes
// on with the list of a server that was upgraded meanwhile.
constexpr std::string_view kCacheHints = R"(,"ttlMs":300000,"cacheScope":"public")";

void append_member(std::string& out, std::string_view name, std::string_view text) {
  out.append(",");
  core::append_quoted(out, name);
  out.append(":");
  core::append_quoted(out, text);
}

std::string schema_text(const Tool& tool, const std::function<std::string()>& make) {
  std::string schema = jsonrpc::on_one_line(make ? make() : std::string());
  if (!schema.empty() && !jsonrpc::is_json_object(schema))
    throw std::logic_error("a schema of " + tool.name + " is not a JSON object");
  return schema;
}

std::string tool_text(const Tool& tool) {
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  std::string out = R"({"name":)" + core::quoted(tool.name);
  append_member(out, "title", tool.title);
  append_member(out, "description", tool.description);
  out.append(R"(,"inputSchema":)");
  const std::string input = schema_text(tool, tool.input_schema);
  out.append(input.empty() ? R"({"type":"object","additionalProperties":false})" : input);
  if (const std::string output = schema_text(tool, tool.output_schema); !output.empty())
    out.append(R"(,"outputSchema":)").append(output);
  out.append(R"(,"annotations":{"title":)").append(core::quoted(tool.title));
  out.append(R"(,"readOnlyHint":)").append(truth(tool.annotations.read_only));
  out.append(R"(,"destructiveHint":)").append(truth(tool.annotations.destructive));
  out.append(R"(,"idempotentHint":)").append(truth(tool.annotations.idempotent));
  out.append(R"(,"openWorldHint":)").append(truth(tool.annotations.open_world));
  out.append("}}");
  return out;
}

void append_link(std::string& out, const ResourceLink& link) {
  out.append(R"(,{"type":"resource_link","uri":)").append(core::quoted(link.uri));
  append_member(out, "name", link.name);
  if (!link.mime_type.empty()) append_member(out, "mimeType", link.mime_type);
  if (!link.description.empty()) append_member(out, "description", link.description);
  out.append(R"(,"size":)").append(std::to_string(link.size)).append("}");
}

}  // namespace

Server::Server(const Identity& identity, Catalogue catalogue) : catalogue_(std::move(catalogue)) {
  server_info_ = R"({"name":)" + core::quoted(identity.name);
  append_member(server_info_, "title", identity.title);
  append_member(server_info_, "version", identity.version);
  server_info_ += "}";
  if (!identity.instructions.empty()) append_member(instructions_, "instructions", identity.instructions);
}

std::string Server::completed(Era era, std::string_view members) const {
  if (era == Era::legacy) return "{" + std::string(members) + "}";
  std::string out = R"({"resultType":"complete")";
  out.reserve(members.size() + server_info_.size() + 96);
  if (!members.empty()) out.append(",").append(members);
  out.append(R"(,"_meta":{"io.modelcontextprotocol/serverInfo":)").append(server_info_).append("}}");
  return out;
}

std::string Server::initialize_result(std::string_view protocol_version) const {
  std::string members = R"("protocolVersion":)" + core::quoted(protocol_version);
  members.append(R"(,"capabilities":{"tools":{}},"serverInfo":)").append(server_info_).append(instructions_);
  return completed(Era::legacy, members);
}

std::string Server::discover_result() const {
  std::string members = R"("supportedVersions":[)" + core::quoted(kModernVersion);
  members.append(R"(],"capabilities":{"tools":{}})").append(instructions_).append(kCacheHints);
  return completed(Era::modern, members);
}

const std::string& Server::tools_text() const {
  std::call_once(tools_once_, [this] {
    std::string text = "[";
    for (const Tool& tool : catalogue_.tools()) {
      if (!tool.listed) continue;
      if (text.size() > 1) text += ",";
      text += tool_text(tool);
    }
    tools_text_ = text + "]";
  });
  return tools_text_;
}

std::string Server::tools_result(Era era) const {
  std::string members = R"("tools":)" + tools_text();
  if (era == Era::modern) members.append(kCacheHints);
  return completed(era, members);
}

std::string Server::empty_result(Era era) const { return completed(era, {}); }

std::string Server::call_result(Era era, const ToolResult& result, bool with_links) const {
  const std::string json = jsonrpc::on_one_line(result.json);
  if (!json.empty() && !jsonrpc::is_json_object(json)) throw std::logic_error("the tool's result is not a JSON object");
  std::string members = R"("content":[{"type":"text","text":)";
  members.reserve(json.size() * 2 + result.text.size() + 128);
  core::append_quoted(members, result.text.empty() ? json : result.text);
  members += "}";
  if (with_links) {
    for (const ResourceLink& link : result.links) append_link(members, link);
  }
  members += "]";
  if (!json.empty()) members.append(R"(,"structuredContent":)").append(json);
  members.append(result.is_error ? R"(,"isError":true)" : R"(,"isError":false)");
  return completed(era, members);
}

}  // namespace plumbline::server::mcp
