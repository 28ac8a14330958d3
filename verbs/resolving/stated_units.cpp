#include "verbs/resolving/stated_units.hpp"

#include "core/rules/rule_book.hpp"
#include "core/units.hpp"
#include "verbs/calling/wording.hpp"

namespace plumbline::verbs {

namespace {

using core::KeyRule;
using core::Measurement;
using core::MetricClass;

// A name's guess is no statement: only a file, its format or an entry can contradict a rule.
bool states_unit(const MetricClass& metric_class) {
  return metric_class.unit != 0 && metric_class.unit_source != core::Source::name_rule &&
         metric_class.unit_source != core::Source::defaulted;
}

class UnitsOfRules {
 public:
  UnitsOfRules(const Measurement& measurement, const core::CompareRules& rules, const configs::MetricNames& names,
               std::string_view what)
      : from_(measurement), names_(names), what_(what), book_(rules, measurement.pool(), tolerances_) {}

  Expected<Measurement> apply() {
    Measurement out = from_;
    out.clear_rows();
    out.reserve(from_.rows().size(), 0);
    std::vector<double> values;
    for (core::Row row : from_.rows()) {
      const auto given = from_.values(row);
      values.assign(given.begin(), given.end());
      const KeyRule* const rule = book_.resolve(row.key, from_.key(row)).unit;
      if (rule != nullptr) {
        const auto factor = factor_of(row, *rule);
        if (!factor) return core::fail(factor.error());
        for (double& value : values) value *= *factor;
        if (*factor != 1 && row.state == core::ValueState::big_integer) row.state = core::ValueState::number;
        row.metric_class = out.intern_class(class_of(row, *rule));
      }
      out.add_row(row, values);
    }
    return out;
  }

 private:
  [[nodiscard]] Expected<double> factor_of(const core::Row& row, const KeyRule& rule) const {
    if (!states_unit(from_.metric_class(row)) || from_.unit(row) == *rule.unit) return 1.0;
    if (const auto factor = core::conversion_factor(from_.unit(row), *rule.unit)) return *factor;
    return core::fail(ErrorCode::invalid_input,
                      rule.note + " says that " + cited(from_.key(row)) + " is in " + cited(*rule.unit) + ", and " +
                          std::string(what_) + " says " + cited(from_.unit(row)) + ", which measures something else",
                      "narrow the rule's key or its format, or leave its unit out");
  }

  [[nodiscard]] MetricClass class_of(const core::Row& row, const KeyRule& rule) const {
    MetricClass out = from_.metric_class(row);
    out.unit = from_.pool().intern(*rule.unit);
    out.unit_source = rule.source;
    if (out.direction != core::Direction::unknown) return out;
    const configs::MetricGuess guess = names_.guess(from_.key(row), *rule.unit);
    out.direction = guess.direction;
    out.direction_source = guess.direction_source;
    return out;
  }

  const Measurement& from_;
  const configs::MetricNames& names_;
  std::string_view what_;
  std::vector<core::Tolerance> tolerances_;
  core::RuleBook book_;
};

}  // namespace

Expected<std::optional<Measurement>> in_stated_units(const Measurement& measurement, std::span<const KeyRule> rules,
                                                     const configs::MetricNames& names, std::string_view what) {
  core::CompareRules of_units;
  for (const KeyRule& rule : rules) {
    if (rule.unit) of_units.key_rules.push_back(rule);
  }
  if (of_units.key_rules.empty()) return std::optional<Measurement>();
  auto out = UnitsOfRules(measurement, of_units, names, what).apply();
  if (!out) return core::fail(out.error());
  return std::optional<Measurement>(std::move(*out));
}

}  // namespace plumbline::verbs
