#include "server/mcp/catalogue.hpp"

#include "core/text.hpp"

namespace plumbline::server::mcp {

const Tool* Catalogue::find(std::string_view name) const {
  for (const Tool& tool : tools_) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

std::string_view Catalogue::nearest(std::string_view name) const {
  name = name.substr(0, 128);
  std::vector<std::string_view> names;
  for (const Tool& tool : tools_) {
    if (tool.listed) names.push_back(tool.name);
  }
  if (const std::string_view near = core::nearest(name, names); !near.empty()) return near;
  // "diff" and "search": a word of the name at its end or its beginning.
  for (const std::string_view tool : names) {
    if (!name.empty() && (tool.ends_with("_" + std::string(name)) || tool.starts_with(std::string(name) + "_"))) return tool;
  }
  return {};
}

const Prompt* Catalogue::find_prompt(std::string_view name) const {
  for (const Prompt& prompt : prompts_) {
    if (prompt.name == name) return &prompt;
  }
  return nullptr;
}

std::string_view Catalogue::nearest_prompt(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Prompt& prompt : prompts_) names.push_back(prompt.name);
  return core::nearest(name.substr(0, 128), names);
}

}  // namespace plumbline::server::mcp
