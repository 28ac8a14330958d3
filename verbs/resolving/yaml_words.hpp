// A YAML file of words that are known: what is wrong is kept with its place, and the nearest word is named. What the parts of
// plumbline.yaml share. Private to verbs/resolving/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/config_check.hpp"

namespace YAML {  // NOLINT(readability-identifier-naming): yaml-cpp's
class Node;
}

namespace plumbline::verbs {

using Words = std::span<const std::string_view>;
[[nodiscard]] std::string list_of(Words words);

class YamlWords {
 public:
  explicit YamlWords(std::vector<core::ConfigProblem>& problems) : problems_(problems) {}

 protected:
  void problem(const YAML::Node& node, std::string message, std::string hint = {});
  // Every key of the map is one of the words, and none is there twice.
  void check_words(const YAML::Node& map, Words words, const std::string& what);
  // A map within a map, absent or empty where it is none.
  YAML::Node map_of(const YAML::Node& within, const char* name, Words words);
  std::optional<std::string> text_of(const YAML::Node& map, const char* name);
  std::optional<bool> truth_of(const YAML::Node& map, const char* name);
  std::vector<std::string> texts_of(const YAML::Node& map, const char* name);  // one text or a list of them
  [[nodiscard]] std::size_t problems() const { return problems_.size(); }

 private:
  std::vector<core::ConfigProblem>& problems_;
};

}  // namespace plumbline::verbs
