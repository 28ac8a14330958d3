#include "verbs/resolving/project_file.hpp"

#include <yaml-cpp/yaml.h>

#include <array>

#include "core/text.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {

namespace {

using core::ErrorCode;
using core::Expected;

std::string place(const std::string& path, const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  return path + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

constexpr std::array<std::string_view, 4> kMatchWords = {"family", "measurement", "format", "key"};
constexpr std::array<std::string_view, 8> kSetWords = {"tolerance", "unit",    "direction", "headline",
                                                       "gate",      "ceiling", "fail_on",   "policy"};
constexpr std::array<std::string_view, 2> kRuleWords = {"match", "set"};
constexpr std::array<std::string_view, 1> kTopWords = {"rules"};

core::Status check_words(const YAML::Node& map, std::span<const std::string_view> words, const std::string& path,
                         std::string_view what) {
  for (const auto& item : map) {
    const std::string word = item.first.as<std::string>();
    if (std::find(words.begin(), words.end(), word) != words.end()) continue;
    const std::string_view near = core::nearest(word, words);
    std::string known;
    for (const std::string_view w : words) known += (known.empty() ? "" : ", ") + std::string(w);
    return core::fail(ErrorCode::invalid_input,
                      place(path, item.first) + ": unknown word " + cited(word) + " in " + std::string(what),
                      near.empty() ? "known are: " + known : "did you mean " + cited(near) + "?", place(path, item.first));
  }
  return {};
}

Expected<ProjectRule> parse_rule(const YAML::Node& node, const std::string& path) {
  ProjectRule rule;
  rule.line = node.Mark().line + 1;
  if (!node.IsMap()) return core::fail(ErrorCode::invalid_input, place(path, node) + ": a rule is a map with match and set");
  if (auto ok = check_words(node, kRuleWords, path, "a rule"); !ok) return core::fail(ok.error());
  const YAML::Node match = node["match"];
  const YAML::Node set = node["set"];
  if (match) {
    if (!match.IsMap()) return core::fail(ErrorCode::invalid_input, place(path, match) + ": match is a map");
    if (auto ok = check_words(match, kMatchWords, path, "match"); !ok) return core::fail(ok.error());
    if (match["family"]) rule.family = match["family"].as<std::string>();
    if (match["measurement"]) rule.measurement = match["measurement"].as<std::string>();
    if (match["format"]) rule.format = match["format"].as<std::string>();
    if (match["key"]) rule.key = match["key"].as<std::string>();
  }
  if (!set || !set.IsMap()) return core::fail(ErrorCode::invalid_input, place(path, node) + ": a rule needs a map `set`");
  if (auto ok = check_words(set, kSetWords, path, "set"); !ok) return core::fail(ok.error());
  if (set["tolerance"]) {
    auto tolerance = core::parse_tolerance(set["tolerance"].as<std::string>());
    if (!tolerance)
      return core::fail(ErrorCode::invalid_input, place(path, set["tolerance"]) + ": " + tolerance.error().message,
                        tolerance.error().hint);
    rule.tolerance = *tolerance;
    rule.tolerance->source = core::Source::project;
    rule.tolerance->note = "plumbline.yaml:" + std::to_string(rule.line);
  }
  if (set["direction"]) {
    const std::string text = set["direction"].as<std::string>();
    rule.direction = core::parse_direction(text);
    if (!rule.direction) {
      return core::fail(ErrorCode::invalid_input, place(path, set["direction"]) + ": direction " + cited(text) + " is not one",
                        "directions are higher-is-better, lower-is-better and two-sided");
    }
  }
  if (set["unit"]) rule.unit = set["unit"].as<std::string>();
  if (set["headline"]) rule.headline = set["headline"].as<bool>();
  if (set["gate"]) rule.gate = set["gate"].as<bool>();
  if (set["ceiling"]) rule.ceiling = set["ceiling"].as<std::string>();
  if (set["policy"]) rule.policy = set["policy"].as<std::string>();
  if (set["fail_on"]) {
    std::string words;
    if (set["fail_on"].IsSequence()) {
      for (const auto& word : set["fail_on"]) words += (words.empty() ? "" : ",") + word.as<std::string>();
    } else {
      words = set["fail_on"].as<std::string>();
    }
    rule.fail_on = words;
  }
  return rule;
}

}  // namespace

Expected<ProjectFile> parse_project_file(const std::string& text, const std::string& path) {
  ProjectFile file;
  file.path = path;
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root || root.IsNull()) return file;
    if (!root.IsMap()) return core::fail(ErrorCode::invalid_input, path + ": the file is a map with the list `rules`");
    if (auto ok = check_words(root, kTopWords, path, "plumbline.yaml"); !ok) return core::fail(ok.error());
    const YAML::Node rules = root["rules"];
    if (!rules) return file;
    if (!rules.IsSequence()) return core::fail(ErrorCode::invalid_input, place(path, rules) + ": rules is a list");
    for (const auto& node : rules) {
      auto rule = parse_rule(node, path);
      if (!rule) return core::fail(rule.error());
      file.rules.push_back(std::move(*rule));
    }
  } catch (const YAML::Exception& e) {
    return core::fail(ErrorCode::invalid_input,
                      path + ":" + std::to_string(e.mark.line + 1) + ":" + std::to_string(e.mark.column + 1) + ": " + e.msg);
  }
  return file;
}

Expected<ProjectFile> read_project_file(const std::string& root, const Context& context) {
  if (root.empty()) return ProjectFile{};
  const std::string path = root + "/plumbline.yaml";
  registry::PathLimits limits = path_limits(context);
  limits.bytes = 4U << 20U;
  if (is_absent(path, limits)) return ProjectFile{};
  auto bytes = registry::read_file(path, limits);
  if (!bytes) return core::fail(bytes.error());
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
    if (rule.key.empty()) {
      if (rule.tolerance && !out.tolerance) out.tolerance = rule.tolerance;
    }
    if (rule.ceiling && !out.ceiling) out.ceiling = rule.ceiling;
    if (rule.policy && !out.policy) out.policy = rule.policy;
    if (rule.fail_on && !out.fail_on) out.fail_on = rule.fail_on;
    core::KeyRule key;
    key.glob = rule.key.empty() ? "*" : rule.key;
    key.source = core::Source::project;
    key.note = "plumbline.yaml:" + std::to_string(rule.line);
    if (!rule.key.empty()) key.tolerance = rule.tolerance;
    key.direction = rule.direction;
    key.unit = rule.unit;
    key.headline = rule.headline;
    key.gate = rule.gate;
    if (key.tolerance || key.direction || key.unit || key.headline || key.gate) out.key_rules.push_back(std::move(key));
  }
  return out;
}

}  // namespace plumbline::verbs
