#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

#include "configs/configs.hpp"
#include "core/text.hpp"

namespace plumbline::configs {

std::string_view embedded_file(std::string_view name);  // made by cmake/EmbedFiles.cmake

namespace {

struct Rule {
  std::string category;
  std::vector<std::string> patterns;  // lower case
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// '*' any run, '#' one digit; one point to go back to, so linear in practice and never worse than pattern x text.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '#' ? is_digit(text[t]) : pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// The embedded table is part of the program and a test reads all of it, so a fault in it shows there; a table that cannot
// be read leaves every kernel in Other rather than ending a diff.
std::vector<Rule> read_rules() {
  std::vector<Rule> rules;
  try {
    const YAML::Node root = YAML::Load(std::string(embedded_file("kernel-categories.yaml")));
    for (const auto& node : root["rules"]) {
      Rule rule;
      rule.category = node["category"].as<std::string>();
      for (const auto& pattern : node["any"]) rule.patterns.push_back(core::to_lower(pattern.as<std::string>()));
      rules.push_back(std::move(rule));
    }
  } catch (const YAML::Exception&) {
    rules.clear();
  }
  return rules;
}

}  // namespace

std::string kernel_category(std::string_view kernel_name) {
  static const std::vector<Rule> kRules = read_rules();
  const std::string name = core::to_lower(kernel_name);
  for (const Rule& rule : kRules) {
    for (const std::string& pattern : rule.patterns) {
      if (matches(pattern, name)) return rule.category;
    }
  }
  return "Other";
}

}  // namespace plumbline::configs
