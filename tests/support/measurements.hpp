// Small measurements for tests: rows by name with their trials, unit, direction and role.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::testing {

struct RowSpec {
  std::string key;
  std::vector<double> values;
  core::Direction direction = core::Direction::lower;
  std::string unit = "ms";
  core::Role role = core::Role::judged;
  core::ValueState state = core::ValueState::number;
  bool exact = false;
  core::Share share = core::Share::none;
};

inline core::Measurement make_measurement(const std::shared_ptr<core::StringPool>& pool, const std::vector<RowSpec>& rows) {
  core::Measurement m(pool);
  m.format.name = "test";
  for (const RowSpec& spec : rows) {
    core::MetricClass klass;
    klass.unit = pool->intern(spec.unit);
    klass.direction = spec.direction;
    klass.direction_source = spec.direction == core::Direction::unknown ? core::Source::defaulted : core::Source::name_rule;
    klass.role = spec.role;
    klass.exact = spec.exact;
    klass.share = spec.share;
    core::Row row;
    row.key = row.metric = pool->intern(spec.key);
    row.metric_class = m.intern_class(klass);
    row.state = spec.state;
    m.add_row(row, spec.values);
  }
  return m;
}

}  // namespace plumbline::testing
