#include "verbs/resolving/project_file.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/text.hpp"
#include "verbs/calling/fail_on.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/inputs.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verbs {

namespace {

using core::ErrorCode;
using core::Expected;
using core::Status;
using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kMatchWords = {"family", "measurement", "format", "key"};
constexpr std::array<std::string_view, 9> kSetWords = {"tolerance", "unit",    "direction", "headline",    "gate",
                                                       "ceiling",   "fail_on", "policy",    "trusted_keys"};
constexpr std::array<std::string_view, 2> kRuleWords = {"match", "set"};
constexpr std::array<std::string_view, 2> kTopWords = {"rules", "formats"};

std::string list_of(Words words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

// Reads what it can and keeps what it cannot, with the place.
class Reader {
 public:
  explicit Reader(ProjectReading& out) : out_(out) {}

  void read(const YAML::Node& root) {
    if (!root || root.IsNull()) return;
    if (!root.IsMap()) return problem(root, "the file is a map with the lists `rules` and `formats`");
    check_words(root, kTopWords, "plumbline.yaml");
    if (const YAML::Node own = root["formats"]) {
      auto read = formats::stated::read_formats(own, out_.problems);
      if (!read.empty()) out_.file.formats = std::make_shared<const formats::stated::OwnFormats>(std::move(read));
    }
    const YAML::Node rules = root["rules"];
    if (!rules) return;
    if (!rules.IsSequence()) return problem(rules, "rules is a list");
    for (const auto& node : rules) {
      const std::size_t before = out_.problems.size();
      ProjectRule rule = read_rule(node);
      if (out_.problems.size() == before) out_.file.rules.push_back(std::move(rule));
    }
  }

 private:
  void problem(const YAML::Node& node, std::string message, std::string hint = {}) {
    const YAML::Mark mark = node.Mark();
    out_.problems.push_back({true, mark.line + 1, mark.column + 1, std::move(message), std::move(hint)});
  }

  void check_words(const YAML::Node& map, Words words, const std::string& what) {
    std::set<std::string> seen;
    for (const auto& item : map) {
      if (!item.first.IsScalar()) {
        problem(item.first, "a word of " + what + " is a text", "known are: " + list_of(words));
        continue;
      }
      const std::string word = item.first.Scalar();
      if (std::find(words.begin(), words.end(), word) == words.end()) {
        const std::string_view near = core::nearest(word, words);
        problem(item.first, "unknown word " + cited(word) + " in " + what,
                near.empty() ? "known are: " + list_of(words) : "did you mean " + cited(near) + "?");
      } else if (!seen.insert(word).second) {
        problem(item.first, cited(word) + " is twice in " + what, "keep one of them");
      }
    }
  }

  // A rule's map of settings, absent or empty where it is none.
  YAML::Node map_of(const YAML::Node& rule, const char* name, Words words) {
    YAML::Node map = rule[name];
    if (!map) return YAML::Node(YAML::NodeType::Map);
    if (!map.IsMap()) {
      problem(map, std::string(name) + " is a map");
      return YAML::Node(YAML::NodeType::Map);
    }
    check_words(map, words, name);
    return map;
  }

  std::optional<std::string> text_of(const YAML::Node& map, const char* name) {
    const YAML::Node node = map[name];
    if (!node) return std::nullopt;
    if (!node.IsScalar() || node.Scalar().empty()) {
      problem(node, std::string(name) + " is a text");
      return std::nullopt;
    }
    return node.Scalar();
  }

  std::optional<bool> truth_of(const YAML::Node& map, const char* name) {
    const YAML::Node node = map[name];
    if (!node) return std::nullopt;
    bool truth = false;
    if (!node.IsScalar() || !YAML::convert<bool>::decode(node, truth)) {
      problem(node,
              std::string(name) + " is true or false" + (node.IsScalar() ? ", not " + cited(node.Scalar()) : std::string()));
      return std::nullopt;
    }
    return truth;
  }

  // One text or a list of them.
  std::vector<std::string> texts_of(const YAML::Node& map, const char* name) {
    const YAML::Node node = map[name];
    std::vector<std::string> out;
    if (!node) return out;
    if (!node.IsSequence()) {
      if (auto text = text_of(map, name)) out.push_back(std::move(*text));
      return out;
    }
    for (const auto& item : node) {
      if (!item.IsScalar() || item.Scalar().empty()) {
        problem(item, std::string(name) + " is a list of texts");
      } else {
        out.push_back(item.Scalar());
      }
    }
    if (node.size() == 0) problem(node, std::string(name) + " is an empty list", "leave it out");
    return out;
  }

  ProjectRule read_rule(const YAML::Node& node) {
    ProjectRule rule;
    rule.line = node.Mark().line + 1;
    if (!node.IsMap()) {
      problem(node, "a rule is a map with match and set");
      return rule;
    }
    check_words(node, kRuleWords, "a rule");
    if (!node["set"] || !node["set"].IsMap() || node["set"].size() == 0) {
      problem(node, "a rule needs a map `set`", "it may set " + list_of(kSetWords));
      return rule;
    }
    read_match(map_of(node, "match", kMatchWords), rule);
    read_set(map_of(node, "set", kSetWords), rule);
    return rule;
  }

  void read_match(const YAML::Node& match, ProjectRule& rule) {
    rule.family = text_of(match, "family").value_or("*");
    rule.measurement = text_of(match, "measurement").value_or("*");
    rule.format = text_of(match, "format").value_or("*");
    rule.keys = texts_of(match, "key");
  }

  void read_set(const YAML::Node& set, ProjectRule& rule) {
    if (const auto text = text_of(set, "tolerance")) read_tolerance(set["tolerance"], *text, rule);
    if (const auto text = text_of(set, "direction")) {
      rule.direction = core::parse_direction(*text);
      if (!rule.direction) {
        problem(set["direction"], "direction " + cited(*text) + " is not one",
                "directions are higher-is-better, lower-is-better and two-sided");
      }
    }
    rule.unit = text_of(set, "unit");
    rule.headline = truth_of(set, "headline");
    rule.gate = truth_of(set, "gate");
    rule.ceiling = text_of(set, "ceiling");
    rule.policy = text_of(set, "policy");
    if (rule.policy && verdict::find(*rule.policy) == nullptr) {
      problem(set["policy"], "the policy " + cited(*rule.policy) + " does not exist", "policies are " + verdict::policy_names());
    }
    read_trusted_keys(set, rule);
    const std::vector<std::string> words = texts_of(set, "fail_on");
    if (words.empty()) return;
    if (const auto known = fail_words(words, false); !known) {
      problem(set["fail_on"], "fail_on" + known.error().message.substr(std::string_view("--fail-on").size()), known.error().hint);
    }
    for (const std::string& word : words) rule.fail_on = rule.fail_on ? *rule.fail_on + "," + word : word;
  }

  // Publications are verified without being read as measurements.
  void read_trusted_keys(const YAML::Node& set, ProjectRule& rule) {
    rule.trusted_keys = texts_of(set, "trusted_keys");
    if (rule.trusted_keys.empty() || (rule.format == "*" && rule.keys.empty())) return;
    problem(set["trusted_keys"], "trusted_keys hold for publications, and the rule is about a format or keys in them",
            "match family and measurement only, or nothing");
  }

  void read_tolerance(const YAML::Node& node, const std::string& text, ProjectRule& rule) {
    auto tolerance = core::parse_tolerance(text);
    if (!tolerance) return problem(node, tolerance.error().message, tolerance.error().hint);
    rule.tolerance = *tolerance;
    rule.tolerance->source = core::Source::project;
    rule.tolerance->note = "plumbline.yaml:" + std::to_string(rule.line);
  }

  ProjectReading& out_;
};

core::KeyRule key_rule(const ProjectRule& rule, const std::string& glob) {
  core::KeyRule out;
  out.glob = glob;
  out.source = core::Source::project;
  out.note = "plumbline.yaml:" + std::to_string(rule.line);
  out.direction = rule.direction;
  out.unit = rule.unit;
  out.headline = rule.headline;
  out.gate = rule.gate;
  return out;
}

}  // namespace

std::string project_file_path(const std::string& root) { return root + "/plumbline.yaml"; }

ProjectReading read_rules(const std::string& text) {
  ProjectReading out;
  try {
    Reader(out).read(YAML::Load(text));
  } catch (const YAML::Exception& e) {
    out.problems.push_back({true, e.mark.line + 1, e.mark.column + 1, e.msg, {}});
  }
  return out;
}

Expected<ProjectFile> parse_project_file(const std::string& text, const std::string& path) {
  ProjectReading reading = read_rules(text);
  if (!reading.problems.empty()) {
    const core::ConfigProblem& first = reading.problems.front();
    const std::string place = path + ":" + std::to_string(first.line) + ":" + std::to_string(first.column);
    const std::size_t others = reading.problems.size() - 1;
    std::string message = place + ": " + first.message;
    if (others > 0) message += " (and " + core::counted(others, "problem") + " more: `plumbline config check`)";
    return core::fail(ErrorCode::invalid_input, message, first.hint, place);
  }
  reading.file.path = path;
  return std::move(reading.file);
}

Expected<ProjectFile> read_project_file(const std::string& root, const Context& context) {
  if (root.empty()) return ProjectFile{};
  const std::string path = project_file_path(root);
  registry::PathLimits limits = path_limits(context);
  limits.bytes = 4U << 20U;
  if (is_absent(path, limits)) return ProjectFile{};
  auto bytes = registry::read_file(path, limits);
  if (!bytes) return core::fail(bytes.error());
  if (context.inputs != nullptr) context.inputs->note_rules(path, bytes->view());
  return parse_project_file(std::string(bytes->view()), path);
}

ProjectSettings settings_for(const ProjectFile& file, std::string_view family, std::string_view measurement,
                             std::string_view format) {
  ProjectSettings out;
  // Of rules equally specific the comparison takes the first: the last written comes first.
  for (auto it = file.rules.rbegin(); it != file.rules.rend(); ++it) {
    const ProjectRule& rule = *it;
    if (!core::glob_match(rule.family, family) || !core::glob_match(rule.measurement, measurement) ||
        !core::glob_match(rule.format, format)) {
      continue;
    }
    if (rule.ceiling && !out.ceiling) out.ceiling = rule.ceiling;
    if (rule.policy && !out.policy) out.policy = rule.policy;
    if (rule.fail_on && !out.fail_on) out.fail_on = rule.fail_on;
    if (rule.keys.empty()) {
      if (rule.tolerance && !out.tolerance) out.tolerance = rule.tolerance;
      const bool of_rows = rule.direction || rule.unit || rule.headline || rule.gate;
      if (of_rows) out.key_rules.push_back(key_rule(rule, "*"));
    }
    for (const std::string& glob : rule.keys) {
      core::KeyRule key = key_rule(rule, glob);
      key.tolerance = rule.tolerance;
      if (key.tolerance || key.direction || key.unit || key.headline || key.gate) out.key_rules.push_back(std::move(key));
    }
  }
  return out;
}

std::vector<PinnedKey> trusted_keys_for(const ProjectFile& file, std::string_view family, std::string_view measurement) {
  std::vector<PinnedKey> out;
  for (auto it = file.rules.rbegin(); it != file.rules.rend(); ++it) {
    const ProjectRule& rule = *it;
    const bool of_all = family.empty();
    if (rule.trusted_keys.empty()) continue;
    if (!of_all && (!core::glob_match(rule.family, family) || !core::glob_match(rule.measurement, measurement))) continue;
    for (const std::string& path : rule.trusted_keys) out.push_back({path, rule.line});
    if (!of_all) break;
  }
  return out;
}

}  // namespace plumbline::verbs
