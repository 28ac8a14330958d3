#include "verbs/resolving/yaml_words.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "verbs/calling/wording.hpp"

namespace plumbline::verbs {

std::string list_of(Words words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

void YamlWords::problem(const YAML::Node& node, std::string message, std::string hint) {
  const YAML::Mark mark = node.Mark();
  problems_.push_back({true, mark.line + 1, mark.column + 1, std::move(message), std::move(hint)});
}

void YamlWords::check_words(const YAML::Node& map, Words words, const std::string& what) {
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

YAML::Node YamlWords::map_of(const YAML::Node& within, const char* name, Words words) {
  YAML::Node map = within[name];
  if (!map) return YAML::Node(YAML::NodeType::Map);
  if (!map.IsMap()) {
    problem(map, std::string(name) + " is a map");
    return YAML::Node(YAML::NodeType::Map);
  }
  check_words(map, words, name);
  return map;
}

std::optional<std::string> YamlWords::text_of(const YAML::Node& map, const char* name) {
  const YAML::Node node = map[name];
  if (!node) return std::nullopt;
  if (!node.IsScalar() || node.Scalar().empty()) {
    problem(node, std::string(name) + " is a text");
    return std::nullopt;
  }
  return node.Scalar();
}

std::optional<bool> YamlWords::truth_of(const YAML::Node& map, const char* name) {
  const YAML::Node node = map[name];
  if (!node) return std::nullopt;
  bool truth = false;
  if (!node.IsScalar() || !YAML::convert<bool>::decode(node, truth)) {
    problem(node, std::string(name) + " is true or false" + (node.IsScalar() ? ", not " + cited(node.Scalar()) : std::string()));
    return std::nullopt;
  }
  return truth;
}

std::vector<std::string> YamlWords::texts_of(const YAML::Node& map, const char* name) {
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

}  // namespace plumbline::verbs
