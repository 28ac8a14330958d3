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
  std::vector<std::string_view> names;
  for (const Tool& tool : tools_) {
    if (tool.listed) names.push_back(tool.name);
  }
  return core::nearest(name.substr(0, 128), names);
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
