#include "server/mcp/server.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/text.hpp"
#include "registry/attest/base64.hpp"
#include "server/jsonrpc/message.hpp"
#include "server/mcp/ask.hpp"
#include "server/mcp/errors.hpp"

namespace plumbline::server::mcp {
namespace {

// Tools, prompts and templates are fixed for the life of the process and the same for every caller; five minutes bound how long a
// client goes on with the list of a server that was upgraded meanwhile.
constexpr CacheHint kFixed{300'000, true};

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

// _meta of a tool: its own, and for clients that show pages the one that shows its results.
std::string meta_text(const Tool& tool, bool views) {
  if (!views || tool.view.empty()) return tool.meta;
  const std::string own = tool.meta.size() > 2 ? "," + tool.meta.substr(1) : "}";
  return R"({"ui":{"resourceUri":)" + core::quoted(tool.view) + "}" + own;
}

std::string tool_text(const Tool& tool, bool views) {
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  std::string out = R"({"name":)" + core::quoted(tool.name);
  append_member(out, "title", tool.title);
  append_member(out, "description", tool.description);
  out.append(R"(,"inputSchema":)");
  const std::string input = schema_text(tool, tool.input_schema);
  out.append(input.empty() ? R"({"type":"object","additionalProperties":false})" : input);
  if (const std::string output = schema_text(tool, tool.output_schema); !output.empty())
    out.append(R"(,"outputSchema":)").append(output);
  out.append(R"(,"annotations":{"readOnlyHint":)").append(truth(tool.annotations.read_only));
  out.append(R"(,"destructiveHint":)").append(truth(tool.annotations.destructive));
  out.append(R"(,"idempotentHint":)").append(truth(tool.annotations.idempotent));
  out.append(R"(,"openWorldHint":)").append(truth(tool.annotations.open_world));
  out.append("}");
  if (const std::string meta = meta_text(tool, views); !meta.empty()) out.append(R"(,"_meta":)").append(meta);
  return out + "}";
}

std::string prompt_text(const Prompt& prompt) {
  std::string out = R"({"name":)" + core::quoted(prompt.name);
  append_member(out, "title", prompt.title);
  append_member(out, "description", prompt.description);
  out += R"(,"arguments":[)";
  for (const PromptArgument& argument : prompt.arguments) {
    if (out.back() != '[') out += ",";
    out.append(R"({"name":)").append(core::quoted(argument.name));
    append_member(out, "description", argument.description);
    out.append(argument.required ? R"(,"required":true})" : R"(,"required":false})");
  }
  return out + "]}";
}

std::string hinted(std::string_view members, CacheHint hint) {
  std::string out(members);
  if (!out.empty()) out += ",";
  out.append(R"("ttlMs":)").append(std::to_string(hint.ttl_ms));
  return out.append(hint.shared ? R"(,"cacheScope":"public")" : R"(,"cacheScope":"private")");
}

void append_link(std::string& out, const ResourceLink& link) {
  out.append(R"(,{"type":"resource_link","uri":)").append(core::quoted(link.uri));
  append_member(out, "name", link.name);
  if (!link.mime_type.empty()) append_member(out, "mimeType", link.mime_type);
  if (!link.description.empty()) append_member(out, "description", link.description);
  if (link.size) out.append(R"(,"size":)").append(std::to_string(*link.size));
  out += "}";
}

}  // namespace

Server::Server(const Identity& identity, Catalogue catalogue) : catalogue_(std::move(catalogue)), log_from_(identity.log_from) {
  server_info_ = R"({"name":)" + core::quoted(identity.name);
  append_member(server_info_, "title", identity.title);
  append_member(server_info_, "version", identity.version);
  server_card_ = server_info_ + (identity.icons.empty() ? "" : R"(,"icons":)" + identity.icons) + "}";
  server_info_ += "}";
  if (!identity.instructions.empty()) append_member(instructions_, "instructions", identity.instructions);
}

std::string Server::other_result(std::string_view type, std::string_view members) const {
  return signed_by(server_info_, type, members);
}

std::string Server::signed_by(std::string_view info, std::string_view type, std::string_view members) {
  std::string out = R"({"resultType":)" + core::quoted(type);
  out.reserve(members.size() + info.size() + 96);
  if (!members.empty()) out.append(",").append(members);
  out.append(R"(,"_meta":{"io.modelcontextprotocol/serverInfo":)").append(info).append("}}");
  return out;
}

std::string Server::result(Era era, std::string_view members) const {
  return era == Era::modern ? other_result("complete", members) : "{" + std::string(members) + "}";
}

std::string Server::result(Era era, std::string_view members, CacheHint hint) const {
  return result(era, era == Era::legacy ? std::string(members) : hinted(members, hint));
}

std::string Server::capabilities(Era era) const {
  std::string out = R"({"logging":{},"tools":{})";
  if (!catalogue_.prompts().empty()) out += R"(,"prompts":{})";
  if (catalogue_.resources().read)
    out += catalogue_.resources().version ? R"(,"resources":{"subscribe":true})" : R"(,"resources":{})";
  if (catalogue_.complete()) out += R"(,"completions":{})";
  const auto& tools = catalogue_.tools();
  std::string extensions;
  if (std::any_of(tools.begin(), tools.end(), [](const Tool& tool) { return tool.task.after; }))
    extensions.append("\"").append(kTasksExtension).append("\":{}");
  if (!catalogue_.skills().empty()) extensions.append(extensions.empty() ? "\"" : ",\"").append(kSkillsExtension).append("\":{}");
  if (era == Era::modern && !extensions.empty()) out.append(R"(,"extensions":{)").append(extensions).append("}");
  return out + "}";
}

std::string Server::initialize_result(std::string_view protocol_version) const {
  std::string members = R"("protocolVersion":)" + core::quoted(protocol_version);
  members.append(R"(,"capabilities":)").append(capabilities(Era::legacy));
  members.append(R"(,"serverInfo":)").append(server_card_).append(instructions_);
  return result(Era::legacy, members);
}

std::string Server::discover_result() const {
  std::string members = R"("supportedVersions":[)" + core::quoted(kModernVersion);
  members.append(R"(],"capabilities":)").append(capabilities(Era::modern)).append(instructions_);
  return signed_by(server_card_, "complete", hinted(members, kFixed));
}

const std::string& Server::tools_text(bool views) const {
  std::call_once(tools_once_[views ? 1 : 0], [this, views] {
    std::string text = "[";
    for (const Tool& tool : catalogue_.tools()) {
      if (!tool.listed) continue;
      if (text.size() > 1) text += ",";
      text += tool_text(tool, views);
    }
    tools_text_[views ? 1 : 0] = text + "]";
  });
  return tools_text_[views ? 1 : 0];
}

const std::string& Server::prompts_text() const {
  std::call_once(prompts_once_, [this] {
    std::string text = "[";
    for (const Prompt& prompt : catalogue_.prompts()) {
      if (text.size() > 1) text += ",";
      text += prompt_text(prompt);
    }
    prompts_text_ = text + "]";
  });
  return prompts_text_;
}

std::string Server::tools_result(Era era, bool views) const {
  return result(era, R"("tools":)" + tools_text(views), {kFixed.ttl_ms, !views});
}

std::string Server::prompts_result(Era era) const { return result(era, R"("prompts":)" + prompts_text(), kFixed); }

std::string Server::templates_result(Era era) const {
  const auto& templates = catalogue_.resources().templates;
  return result(era, R"("resourceTemplates":[)" + (templates ? templates() : std::string()) + "]", kFixed);
}

std::string Server::skills_result() const {
  std::string members = R"("skills":[)";
  for (const SkillEntry& skill : catalogue_.skills()) {
    if (members.back() != '[') members += ",";
    members += skill.json();
  }
  return result(Era::modern, members + "]", kFixed);
}

tl::expected<std::string, jsonrpc::RpcError> Server::skill_result(std::string_view uri) const {
  std::vector<std::string_view> known;
  for (const SkillEntry& skill : catalogue_.skills()) {
    if (skill.uri == uri) return result(Era::modern, R"("skill":)" + skill.json(), kFixed);
    known.push_back(skill.uri);
  }
  return tl::unexpected(unknown_name("skill", uri, core::nearest(uri.substr(0, 256), known), "skills/list"));
}

std::string Server::tool_members(const ToolResult& result, bool structured) {
  const std::string json = jsonrpc::on_one_line(result.json);
  if (!json.empty() && !jsonrpc::is_json_object(json)) throw std::logic_error("the tool's result is not a JSON object");
  std::string members = R"("content":)";
  members.reserve(json.size() * 2 + result.text.size() + result.content.size() + 128);
  if (!result.content.empty()) {
    members += jsonrpc::on_one_line(result.content);
  } else {
    members += R"([{"type":"text","text":)";
    core::append_quoted(members, result.text.empty() ? json : result.text);
    members += "}";
    if (!result.png.empty())
      members.append(R"(,{"type":"image","mimeType":"image/png","data":")")
          .append(registry::attest::encode_base64(result.png))
          .append(R"("})");
    if (structured) {
      for (const ResourceLink& link : result.links) append_link(members, link);
    }
    members += "]";
  }
  if (structured && !json.empty()) members.append(R"(,"structuredContent":)").append(json);
  members.append(result.is_error ? R"(,"isError":true)" : R"(,"isError":false)");
  return members;
}

}  // namespace plumbline::server::mcp
