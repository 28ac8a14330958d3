// The skills over MCP (extension io.modelcontextprotocol/skills, SEP-2640): an entry each, whose one file is a resource.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/mcp/catalogue.hpp"

namespace plumbline::server::mcp {

void offer_skills(Catalogue& catalogue);

// SKILL.md of a URI "skill://NAME/SKILL.md"; nothing for one that is not served.
[[nodiscard]] std::optional<std::string_view> skill_text(std::string_view uri);

// The front matter of a SKILL.md as a JSON object: every field as it is written there.
[[nodiscard]] std::string front_matter_json(std::string_view text);

}  // namespace plumbline::server::mcp
