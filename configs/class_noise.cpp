// class-noise.yaml, read once. A rule is two globs and a number; the first match holds.
#include <yaml-cpp/yaml.h>

#include <vector>

#include "configs/configs.hpp"
#include "core/text.hpp"

namespace plumbline::configs {
namespace {

struct NoiseRule {
  std::string format, metric;
  double cv_pct = 0;
};

std::vector<NoiseRule> read_rules() {
  std::vector<NoiseRule> rules;
  try {
    const YAML::Node root = YAML::Load(std::string(embedded("class-noise.yaml")));
    for (const auto& node : root["rules"]) {
      rules.push_back({core::to_lower(node["format"].as<std::string>()), core::to_lower(node["metric"].as<std::string>()),
                       node["cv_pct"].as<double>()});
    }
  } catch (const YAML::Exception&) {
    rules.clear();  // the embedded file is checked by a test; a prior that cannot be read is no prior
  }
  return rules;
}

}  // namespace

std::optional<double> class_noise_pct(std::string_view format, std::string_view metric) {
  static const std::vector<NoiseRule> kRules = read_rules();
  const std::string lower_format = core::to_lower(format);
  const std::string lower_metric = core::to_lower(metric);
  for (const NoiseRule& rule : kRules) {
    if (core::glob_match(rule.format, lower_format) && core::glob_match(rule.metric, lower_metric)) return rule.cv_pct;
  }
  return std::nullopt;
}

}  // namespace plumbline::configs
