#include "server/mcp/verbs/handing.hpp"

#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/handed/handed.hpp"
#include "server/blobs/store.hpp"
#include "server/mcp/publications.hpp"
#include "server/mcp/uri.hpp"
#include "server/site/url.hpp"

namespace plumbline::server::mcp {
namespace {

using nlohmann::json;
using verbs::ErrorCode;

core::Status take_file(verbs::Handed& handed, const std::string& name, const json& what) {
  if (!name.starts_with(registry::kClientScheme)) {
    return core::fail(ErrorCode::usage, "files holds " + core::cited(name) + ", which is no file of a client",
                      "a name begins with client:/", name);
  }
  const auto text = [&](const char* key) { return what.is_object() && what.contains(key) && what[key].is_string(); };
  if (text("content")) {
    const auto& content = what["content"].get_ref<const std::string&>();
    if (content.size() <= verbs::kContentBytes) return handed.take_text(name, content);
    return core::fail(ErrorCode::limit_exceeded,
                      core::cited(name) + " has " + std::to_string(content.size()) + " bytes, and a call takes at most " +
                          std::to_string(verbs::kContentBytes) + " of a file",
                      "upload it: PUT /blobs/sha256/HEX", name);
  }
  if (text("blob") && registry::is_sha256_hex(what["blob"].get_ref<const std::string&>()))
    return handed.take_blob(name, what["blob"].get<std::string>());
  if (what.is_object() && what.value("folder", false)) return handed.take_folder(name);
  if (what.is_object() && what.value("write", false)) return handed.take_target(name);
  return core::fail(ErrorCode::usage, "files does not say what " + core::cited(name) + " is",
                    R"({"content": TEXT}, {"blob": HEX}, {"folder": true} or {"write": true})", name);
}

}  // namespace

std::unique_ptr<verbs::Handed> hand_over(const verbs::Context& context, const Handing& handing) {
  verbs::HandedOptions own;
  if (handing.blobs != nullptr) {
    own.folder = handing.blobs->calls_folder();
    own.link_blob = [blobs = handing.blobs, &context](const std::string& digest, const std::string& path) {
      return blobs->link(digest, path, [&context] { return context.stop_asked(); });
    };
  }
  return std::make_unique<verbs::Handed>(context, std::move(own));
}

verbs::Status take_files(verbs::Handed& handed, std::string_view files) {
  const json document = json::parse(files, nullptr, false);
  if (!document.is_object()) return {};
  for (const auto& [name, what] : document.items()) {  // a folder comes before what is in it
    if (auto taken = take_file(handed, name, what); !taken) return taken;
  }
  return {};
}

std::string without_contents(std::string_view arguments) {
  if (arguments.find("content") == std::string_view::npos) return std::string(arguments);
  json document = json::parse(arguments, nullptr, false);
  if (!document.is_object()) return std::string(arguments);
  const auto size = [](const json& text) { return text.is_string() ? text.get_ref<const std::string&>().size() : 0; };
  if (const auto content = document.find("content"); content != document.end()) {
    std::size_t bytes = size(*content);
    if (content->is_array()) {
      for (const json& one : *content) bytes += size(one);
    }
    *content = "(" + core::counted(bytes, "byte") + ")";
  }
  if (const auto params = document.find("params"); params != document.end() && params->is_object()) params->erase("files");
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string page_of(std::string_view result, const ServeOptions& options, const Handing& handing) {
  if (handing.site_base == nullptr || handing.site_base->empty()) return {};
  const auto root = served_root(options);
  const json document = json::parse(result, nullptr, false);
  if (!root || !document.is_object()) return {};
  for (const char* member : {"diff_dir", "entry_dir"}) {
    const auto place = document.find(member);
    if (place == document.end() || !place->is_string()) continue;
    const auto named = resource_uri(place->get_ref<const std::string&>(), *root);
    const auto uri = named ? parse_resource_uri(*named) : core::Expected<ResourceUri>(ResourceUri{});
    if (!uri || uri->slug.empty()) continue;
    const std::string_view page = uri->kind == ResourceUri::Kind::entry ? "entries" : "diffs";
    return *handing.site_base + site::link(page, {uri->family, uri->measurement, uri->slug});
  }
  return {};
}

std::string envelope_members(const verbs::Handed& handed, const std::string& page) {
  std::string members;
  const auto written = handed.written();
  if (!written.empty()) {
    members = "\"files\": {";
    for (const auto& [name, text] : written) {
      members += (members.back() == '{' ? "" : ", ") + core::quoted(name) + ": " + core::quoted(text);
    }
    members += "}";
  }
  if (!page.empty()) members += (members.empty() ? "" : ", ") + std::string("\"open\": ") + core::quoted(page);
  return members;
}

}  // namespace plumbline::server::mcp
