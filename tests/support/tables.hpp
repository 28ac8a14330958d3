// Measurements whose rows have dimensions, compared and judged: for what is said of parts of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "verdict/policy.hpp"

namespace plumbline::testing {

struct Point {
  std::string test;  // before the key's brackets; may be empty
  std::vector<std::pair<std::string, std::string>> dims;
  std::string metric;
};

class Table {
 public:
  core::Comparison comparison;
  verdict::JudgeInput input;

  void add(const Point& point, const std::vector<double>& before, const std::vector<double>& after,
           core::Direction direction = core::Direction::higher, core::Role role = core::Role::judged) {
    std::vector<std::pair<core::Id, core::Id>> dims;
    std::string key = point.test + "[";
    for (const auto& [name, value] : point.dims) {
      dims.emplace_back(pool_->intern(name), pool_->intern(value));
      key += (key.back() == '[' ? "" : ",") + name + "=" + value;
    }
    key = (dims.empty() ? point.test : key + "]") + "." + point.metric;
    add_to(*baseline_, key, point.metric, dims, before, direction, role);
    add_to(*current_, key, point.metric, dims, after, direction, role);
  }

  verdict::Judgement judge() {
    const verdict::Policy* policy = verdict::find("plumbline");
    comparison = policy->decide(core::compare(*baseline_, *current_, {}), input);
    input.comparison = &comparison;
    return policy->judge(input);
  }

 private:
  void add_to(core::Measurement& side, const std::string& key, const std::string& metric,
              const std::vector<std::pair<core::Id, core::Id>>& dims, const std::vector<double>& values,
              core::Direction direction, core::Role role) {
    core::MetricClass klass;
    klass.unit = pool_->intern("unit");
    klass.direction = direction;
    klass.direction_source = core::Source::format;
    klass.role = role;
    core::Row row;
    row.key = pool_->intern(key);
    row.metric = pool_->intern(metric);
    row.metric_class = side.intern_class(klass);
    row.dims = side.add_dims(dims);
    side.add_row(row, values);
  }

  std::shared_ptr<core::StringPool> pool_ = std::make_shared<core::StringPool>();
  // On the heap: a comparison points to them.
  std::unique_ptr<core::Measurement> baseline_ = std::make_unique<core::Measurement>(pool_);
  std::unique_ptr<core::Measurement> current_ = std::make_unique<core::Measurement>(pool_);
};

}  // namespace plumbline::testing
