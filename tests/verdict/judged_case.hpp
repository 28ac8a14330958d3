// Two small measurements compared and judged, for tests of the rules.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/measurements.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verdict {

struct Case {
  std::shared_ptr<core::StringPool> pool = std::make_shared<core::StringPool>();
  core::Measurement baseline, current;
  core::CompareRules rules;
  JudgeInput input;
  core::Comparison comparison;
  std::vector<core::ContextDifference> differences;
  std::vector<core::SolLine> sol;
  Case(const std::vector<testing::RowSpec>& b, const std::vector<testing::RowSpec>& c)
      : baseline(testing::make_measurement(pool, b)), current(testing::make_measurement(pool, c)) {}
  Judgement judge(const char* policy = "plumbline") {
    input.shape = baseline.shape;
    input.context_differences = differences;
    input.sol = sol;
    comparison = find(policy)->decide(core::compare(baseline, current, rules), input);
    input.comparison = &comparison;
    return find(policy)->judge(input);
  }
};

inline core::KeyRule headline(const std::string& glob) {
  core::KeyRule rule;
  rule.glob = glob;
  rule.source = core::Source::flag;
  rule.headline = true;
  return rule;
}

inline std::vector<testing::RowSpec> rows(std::size_t count, const std::function<std::vector<double>(std::size_t)>& values,
                                          core::Direction direction = core::Direction::lower) {
  std::vector<testing::RowSpec> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back({"row" + std::to_string(i), values(i), direction});
  return out;
}
inline std::vector<std::string> codes(const Judgement& j) {
  std::vector<std::string> out;
  for (const core::Reason& reason : j.reasons) out.emplace_back(reason.code.text());
  return out;
}
using Codes = std::vector<std::string>;

}  // namespace plumbline::verdict
