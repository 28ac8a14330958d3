#include "server/mcp/verbs/relative_paths.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "core/citing.hpp"

namespace plumbline::server::mcp {
namespace {

constexpr std::size_t kSaid = 3;  // further ones are as the first
constexpr std::size_t kPathBytes = 1024;

void gather(const nlohmann::json& value, std::vector<std::string>& texts) {
  if (value.is_string()) {
    texts.push_back(value.get<std::string>());
  } else if (value.is_array()) {
    for (const auto& each : value) gather(each, texts);
  }
}

}  // namespace

core::Error with_absolute_forms(core::Error error, std::string_view arguments, const std::string& folder,
                                const registry::PathLimits& limits) {
  if (error.code != core::ErrorCode::not_found && error.code != core::ErrorCode::path_not_allowed) return error;
  std::vector<std::string> texts;
  const auto given = nlohmann::json::parse(arguments, nullptr, false);
  if (given.is_object()) {
    for (const auto& [name, value] : given.items()) gather(value, texts);
  }
  std::size_t said = 0;
  for (const std::string& text : texts) {
    if (text.empty() || text.front() == '/' || text.size() > kPathBytes) continue;
    const std::string absolute = registry::absolute_path(text, folder, limits);
    if (error.where != absolute && error.message.find(absolute) == std::string::npos) continue;
    if (!error.hint.empty()) error.hint += "; ";
    error.hint += "the server takes relative paths from " + core::cited_path(folder) + ": " + core::cited_path(text) + " is " +
                  core::cited_path(absolute);
    if (++said == kSaid) break;
  }
  return error;
}

}  // namespace plumbline::server::mcp
