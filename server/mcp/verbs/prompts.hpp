// The skills as prompts: each workflow with the caller's arguments in front. skills/<name>/SKILL.md is the only source of the
// texts (embedded at build time): its front matter gives name, description and tools, its body the message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/mcp/catalogue.hpp"
#include "server/server.hpp"

namespace plumbline::server::mcp {

void offer_prompts(Catalogue& catalogue, const ServeOptions& options);

// A SKILL.md taken apart. The front matter is the part of YAML that skills are written in: `key: value`, `key: >-` with
// indented lines behind it, and lists of `- item`.
struct Skill {
  std::string name, title, description;  // the title is the body's first heading
  std::vector<std::string> tools;        // of this server, each once: "perf_baseline_diff"
  std::string_view body;                 // of the text, which lives longer; without the last line's end
};
[[nodiscard]] Skill parse_skill(std::string_view text);

// How an argument of a prompt is completed.
enum class Completes { nothing, family, measurement, reference, ceiling };
struct SkillArgument {
  std::string_view name, description;
  bool required = false;
  Completes completes = Completes::nothing;  // paths: never
};
[[nodiscard]] const std::vector<SkillArgument>& arguments_of(std::string_view skill);

}  // namespace plumbline::server::mcp
