// class-noise.yaml -> ClassNoise. A file that is wrong is an error with its place: a prior that silently does not hold would
// make verdicts that nobody can explain.
#include "configs/class_noise.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>

#include "configs/configs.hpp"
#include "core/text.hpp"

namespace plumbline::configs {
namespace {

using core::ErrorCode;
using core::fail;

constexpr std::size_t kMostRules = 10'000;

std::string place(std::string_view where, const YAML::Mark& mark) {
  if (mark.is_null()) return std::string(where);
  return std::string(where) + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

std::string text_of(const YAML::Node& node) { return node && node.IsScalar() ? node.Scalar() : std::string(); }

}  // namespace

core::Expected<std::shared_ptr<const ClassNoise>> ClassNoise::parse(std::string_view yaml, std::string_view where) {
  auto result = std::make_shared<ClassNoise>();
  const char* const form = "write {format: \"nccl-tests*\", metric: \"*busbw*\", cv_pct: 0.06, source: …}";
  try {
    const YAML::Node root = YAML::Load(std::string(yaml));
    const YAML::Node rules = root.IsMap() ? root["rules"] : YAML::Node();
    if (!rules || !rules.IsSequence()) {
      return fail(ErrorCode::invalid_input, "the class noise file has no list of rules", form, std::string(where));
    }
    if (rules.size() > kMostRules) {
      return fail(ErrorCode::invalid_input, "the class noise file has more than " + std::to_string(kMostRules) + " rules",
                  "one glob can cover many metrics", std::string(where));
    }
    for (const auto& node : rules) {
      const std::string at = place(where, node.Mark());
      if (!node.IsMap()) return fail(ErrorCode::invalid_input, "a rule of the class noise file is not a map", form, at);
      Rule rule{core::to_lower(text_of(node["format"])), core::to_lower(text_of(node["metric"])), 0};
      if (rule.format.empty() || rule.metric.empty()) {
        return fail(ErrorCode::invalid_input, "a rule of the class noise file lacks its format or metric", form, at);
      }
      const auto pct = core::parse_double(text_of(node["cv_pct"]));
      if (!pct || !std::isfinite(*pct) || *pct < 0 || *pct > 1000) {
        return fail(ErrorCode::invalid_input,
                    "the rule for " + rule.format + " and " + rule.metric + " has no cv_pct between 0 and 1000",
                    "cv_pct is the coefficient of variation between runs, in percent", at);
      }
      rule.cv_pct = *pct;
      result->rules_.push_back(std::move(rule));
    }
  } catch (const YAML::Exception& problem) {
    return fail(ErrorCode::invalid_input, "the class noise file is not valid YAML: " + problem.msg, "",
                place(where, problem.mark));
  }
  return std::shared_ptr<const ClassNoise>(std::move(result));
}

std::shared_ptr<const ClassNoise> ClassNoise::builtin() {
  static const std::shared_ptr<const ClassNoise> kBuiltin = [] {
    auto parsed = parse(embedded("class-noise.yaml"), "class-noise.yaml");
    return parsed ? *parsed : std::make_shared<const ClassNoise>();  // the embedded file is checked by a test
  }();
  return kBuiltin;
}

std::optional<double> ClassNoise::pct(std::string_view format, std::string_view metric) const {
  const std::string lower_format = core::to_lower(format);
  const std::string lower_metric = core::to_lower(metric);
  for (const Rule& rule : rules_) {
    if (core::glob_match(rule.format, lower_format) && core::glob_match(rule.metric, lower_metric)) return rule.cv_pct;
  }
  return std::nullopt;
}

std::optional<double> class_noise_pct(std::string_view format, std::string_view metric) {
  return ClassNoise::builtin()->pct(format, metric);
}

}  // namespace plumbline::configs
