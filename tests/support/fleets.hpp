// Siblings drawn or written down: measurements of one test, for what is said of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "verdict/siblings/siblings.hpp"

namespace plumbline::testing {

class FleetOf {
 public:
  verdict::SiblingsQuestion question;

  // The values of a row, one a trial; direction and unit as given. A sibling is made when its name first comes.
  void add(const std::string& sibling, const std::string& test, const std::vector<std::pair<std::string, std::string>>& dims,
           const std::vector<double>& values, const std::string& metric = "busbw",
           core::Direction direction = core::Direction::higher, core::Role role = core::Role::judged, bool exact = false) {
    core::Measurement& m = of(sibling);
    std::vector<std::pair<core::Id, core::Id>> ids;
    std::string key = test + "[";
    for (const auto& [name, value] : dims) {
      ids.emplace_back(pool_->intern(name), pool_->intern(value));
      key += (key.back() == '[' ? "" : ",") + name + "=" + value;
    }
    key = (dims.empty() ? test : key + "]") + "." + metric;
    core::MetricClass klass;
    klass.unit = pool_->intern("GB/s");
    klass.direction = direction;
    klass.direction_source = core::Source::format;
    klass.role = role;
    klass.exact = exact;
    core::Row row;
    row.key = pool_->intern(key);
    row.metric = pool_->intern(metric);
    row.metric_class = m.intern_class(klass);
    row.dims = m.add_dims(ids);
    m.add_row(row, values);
  }

  // A sibling that gave no result.
  void add_failed(const std::string& sibling, const std::string& problem) {
    question.siblings.push_back({sibling, {sibling + ".log"}, nullptr, problem});
  }

  core::Measurement& of(const std::string& sibling) {
    for (std::size_t i = 0; i < question.siblings.size(); ++i) {
      if (question.siblings[i].name == sibling) return *made_[i];
    }
    auto fresh = std::make_shared<core::Measurement>(pool_);
    fresh->format.name = "nccl-tests";
    made_.resize(question.siblings.size());
    made_.push_back(fresh);
    question.siblings.push_back({sibling, {sibling + ".log"}, fresh, {}});
    return *fresh;
  }

  [[nodiscard]] core::OutliersResult judge() const { return verdict::judge_siblings(question); }

 private:
  std::shared_ptr<core::StringPool> pool_ = std::make_shared<core::StringPool>();
  std::vector<std::shared_ptr<core::Measurement>> made_;
};

}  // namespace plumbline::testing
