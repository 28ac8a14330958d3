// plumbline.yaml at the root: a team's own formats (formats/stated/mapping.hpp), waivers (core/rules/waiver.hpp), and ordered
// rules that it reviews with its code.
// Each rule matches (family, measurement, format, key globs) and sets (tolerance, unit, direction, headline, gate, ceiling,
// fail_on, policy, trusted keys). Later rules win over earlier ones of the same specificity; flags win over the file. Every row
// can say the file and line its setting came from. docs/project-file.md is the page for its writers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/error.hpp"
#include "core/results/config_check.hpp"
#include "core/rules/waiver.hpp"
#include "formats/stated/mapping.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct ProjectRule {
  int line = 0;
  std::string family = "*", measurement = "*", format = "*";
  std::vector<std::string> keys;  // none: the whole measurement
  std::optional<core::Tolerance> tolerance;
  std::optional<core::Direction> direction;
  std::optional<std::string> unit, ceiling, policy, fail_on;
  std::optional<bool> headline, gate;
  std::vector<std::string> trusted_keys;  // files with public keys, relative to the root
};

// What is asked of some runs only: of each pull request, of each night.
struct ProjectTier {
  int line = 0;
  std::string name;
  std::vector<ProjectRule> rules;
  core::Waivers waivers;
  std::vector<std::string> cases;           // of suites, as globs; none: all of them
  std::optional<std::string> runs, budget;  // of `run`
  std::optional<std::int64_t> max_runs;
};

struct ProjectFile {
  std::string path;
  std::string store;  // where the registry is: s3://BUCKET/PREFIX, or an absolute path; "": here
  std::vector<ProjectTier> tiers;
  std::string tier;                // the one that was chosen (with_tier), "" = none
  std::vector<std::string> cases;  // of that one
  std::vector<ProjectRule> rules;
  std::shared_ptr<const formats::stated::OwnFormats> formats;  // null: none
  core::Waivers waivers;                                       // in the file's order
};

// A file read to its end, whatever is wrong with it: `rules` are those that are right.
struct ProjectReading {
  ProjectFile file;
  std::vector<core::ConfigProblem> problems;  // errors only, in the file's order
};

// What the file says for one measurement: rules over keys, and whole-measurement settings.
struct ProjectSettings {
  std::vector<core::KeyRule> key_rules;
  std::optional<core::Tolerance> tolerance;
  std::optional<std::string> ceiling, policy, fail_on;
};

struct PinnedKey {
  std::string path;  // as written: relative to the root
  int line = 0;
};
// Whose signatures hold: for a measurement by the last rule that speaks of it, for "" and "" (a publication that is in no
// registry and could claim any name) by all of them.
[[nodiscard]] std::vector<PinnedKey> trusted_keys_for(const ProjectFile& file, std::string_view family,
                                                      std::string_view measurement);

// --tier, else PLUMBLINE_TIER; "" = none.
[[nodiscard]] std::string tier_asked(const Arguments& arguments, const Context& context);
// The file with the rules and waivers of one of its tiers behind its own; as it is where the name is empty. The error for an
// unknown name has the nearest.
[[nodiscard]] core::Expected<ProjectFile> with_tier(ProjectFile file, const std::string& name);

[[nodiscard]] std::string project_file_path(const std::string& root);
[[nodiscard]] ProjectReading read_rules(const std::string& text);
// Absent file: an empty one. The first problem is the error; it names file, line and column, and the nearest word for an unknown
// one.
[[nodiscard]] core::Expected<ProjectFile> read_project_file(const std::string& root, const Context& context);
[[nodiscard]] core::Expected<ProjectFile> parse_project_file(const std::string& text, const std::string& path);
[[nodiscard]] ProjectSettings settings_for(const ProjectFile& file, std::string_view family, std::string_view measurement,
                                           std::string_view format);
// Those that speak of one measurement, whether they hold still or not; the same objects as in the file.
[[nodiscard]] core::Waivers waivers_for(const ProjectFile& file, std::string_view family, std::string_view measurement,
                                        std::string_view format);

}  // namespace plumbline::verbs
