// plumbline.yaml at the root: ordered rules that a team reviews with its code. Each rule matches (family, measurement,
// format, key globs) and sets (tolerance, unit, direction, headline, gate, ceiling, fail_on, policy). Later rules win over
// earlier ones of the same specificity; flags win over the file. Every row can say the file and line its setting came from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/error.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct ProjectRule {
  int line = 0;
  std::string family = "*", measurement = "*", format = "*", key;  // key "" = the whole measurement
  std::optional<core::Tolerance> tolerance;
  std::optional<core::Direction> direction;
  std::optional<std::string> unit, ceiling, policy, fail_on;
  std::optional<bool> headline, gate;
};

struct ProjectFile {
  std::string path;
  std::vector<ProjectRule> rules;
};

// What the file says for one measurement: rules over keys, and whole-measurement settings.
struct ProjectSettings {
  std::vector<core::KeyRule> key_rules;
  std::optional<core::Tolerance> tolerance;
  std::optional<std::string> ceiling, policy, fail_on;
};

// Absent file: an empty one. Errors name file, line and column, and the nearest word for an unknown one.
[[nodiscard]] core::Expected<ProjectFile> read_project_file(const std::string& root, const Context& context);
[[nodiscard]] core::Expected<ProjectFile> parse_project_file(const std::string& text, const std::string& path);
[[nodiscard]] ProjectSettings settings_for(const ProjectFile& file, std::string_view family, std::string_view measurement,
                                           std::string_view format);

}  // namespace plumbline::verbs
