#include "server/mcp/verbs/skills.hpp"

#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "server/mcp/verbs/prompts.hpp"

namespace plumbline::skills {

// Defined by the file that cmake/EmbedFiles.cmake makes.
std::string_view embedded_file(std::string_view name);
std::string_view embedded_name(unsigned index);

}  // namespace plumbline::skills

namespace plumbline::server::mcp {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kScheme = "skill://", kFile = "/SKILL.md";

}  // namespace

// The part of YAML that skills are written in: `key: text`, `key: >-` with indented lines behind it, and lists of `- item`.
std::string front_matter_json(std::string_view text) {
  Json out = Json::object();
  std::string key;
  bool begun = false;
  for (const std::string_view line : core::split(text, '\n')) {
    if (line == "---") {
      if (begun) break;
      begun = true;
      continue;
    }
    const std::string_view content = core::trim(line);
    if (!begun || content.empty()) continue;
    if (line.front() != ' ') {
      const std::size_t colon = line.find(':');
      key = line.substr(0, colon);
      const std::string_view value = colon == std::string_view::npos ? std::string_view() : core::trim(line.substr(colon + 1));
      out[key] = value == ">-" ? std::string() : std::string(value);
    } else if (content.starts_with("- ")) {
      if (!out[key].is_array()) out[key] = Json::array();
      out[key].push_back(core::trim(content.substr(2)));
    } else {
      std::string& folded = out[key].get_ref<std::string&>();
      folded += (folded.empty() ? "" : " ") + std::string(content);
    }
  }
  return out.dump();
}

std::optional<std::string_view> skill_text(std::string_view uri) {
  if (!uri.starts_with(kScheme) || !uri.ends_with(kFile) || uri.size() <= kScheme.size() + kFile.size()) return std::nullopt;
  const std::string_view name = uri.substr(kScheme.size(), uri.size() - kScheme.size() - kFile.size());
  for (unsigned i = 0; !skills::embedded_name(i).empty(); ++i) {
    const std::string_view file = skills::embedded_name(i);
    if (file.substr(0, file.rfind('.')) == name) return skills::embedded_file(file);
  }
  return std::nullopt;
}

void offer_skills(Catalogue& catalogue) {
  for (unsigned i = 0; !skills::embedded_name(i).empty(); ++i) {
    const std::string_view text = skills::embedded_file(skills::embedded_name(i));
    SkillEntry entry;
    entry.uri = std::string(kScheme) + parse_skill(text).name + std::string(kFile);
    entry.json = [uri = entry.uri, text] {
      return R"({"uri":)" + core::quoted(uri) + R"(,"frontmatter":)" + front_matter_json(text) + R"(,"resources":[{"uri":)" +
             core::quoted(uri) + R"(,"digest":"sha256:)" + registry::sha256_hex(text) + R"(","size":)" +
             std::to_string(text.size()) + "}]}";
    };
    catalogue.add(std::move(entry));
  }
}

}  // namespace plumbline::server::mcp
