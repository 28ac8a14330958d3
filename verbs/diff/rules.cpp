#include "verbs/diff/rules.hpp"

#include <algorithm>

#include "configs/configs.hpp"

namespace plumbline::verbs {

using core::Measurement;

core::CompareRules rules_for(const DiffRequest& request, const Baseline& baseline, Measurement& base, Measurement& current,
                             const ProjectSettings& project, const Names& names, std::vector<core::KeyRule> declared,
                             std::vector<core::KeyRule> entry) {
  core::CompareRules rules;
  rules.alpha = request.alpha;
  rules.paired = request.paired;
  rules.tally_of = [names](std::string_view name) { return names->tally(name); };
  if (request.tolerance) {
    rules.default_tolerance = *request.tolerance;
    // "Replaces the percent test": a tolerance given for all rows on the command line outranks everything frozen or declared.
    core::KeyRule all;
    all.glob = "*";
    all.source = core::Source::flag;
    all.note = request.tolerance->note;
    all.tolerance = *request.tolerance;
    rules.key_rules.push_back(std::move(all));
  } else if (project.tolerance) {
    rules.default_tolerance = *project.tolerance;
  }
  const auto append = [&](std::vector<core::KeyRule> more) {
    for (core::KeyRule& rule : more) rules.key_rules.push_back(std::move(rule));
  };
  append(request.flags.key_rules);
  append(project.key_rules);
  append(std::move(entry));
  append(std::move(declared));
  // A bare direction: the flag's, else what was recorded (an entry without one means two-sided, as for the reference tool).
  std::optional<core::Direction> bare = request.flags.direction;
  core::Source source = core::Source::flag;
  if (!bare && baseline.reference.kind == Reference::Kind::entry) {
    bare = core::parse_direction(baseline.reference.entry.record.direction);
    source = core::Source::entry;
  }
  if (bare) {
    apply_bare_direction(*bare, source, base, rules.key_rules);
    std::vector<core::KeyRule> again;
    apply_bare_direction(*bare, source, current, again);
    current.warnings.erase(std::remove_if(current.warnings.begin(), current.warnings.end(),
                                          [](const core::Warning& w) { return w.code == "direction_conflict"; }),
                           current.warnings.end());
  } else if (base.shape == core::Shape::scalar) {
    // auto: the measurement's name and unit say which way is better, or nothing does.
    core::Row& row = base.rows().front();
    const auto guess = names->guess(base.key(row), base.unit(row));
    core::MetricClass klass = base.metric_class(row);
    klass.role = core::Role::judged;
    if (klass.direction == core::Direction::unknown) {
      klass.direction = guess.direction;
      klass.direction_source = guess.direction_source;
    }
    row.metric_class = base.intern_class(klass);
  }
  if (base.shape == core::Shape::scalar) {
    for (Measurement* side : {&base, &current}) {
      core::Row& row = side->rows().front();
      core::MetricClass klass = side->metric_class(row);
      klass.share = names->guess(side->key(row), side->unit(row)).share;
      // A rate of failures is a gate by itself too, where it is known which way is worse and nobody said how much worse it may
      // be.
      const bool one_sided = klass.direction == core::Direction::lower || klass.direction == core::Direction::higher;
      const bool gate = klass.share == core::Share::reliability && one_sided && !request.tolerance && !project.tolerance;
      klass.role = gate ? core::Role::gate : core::Role::judged;
      row.metric_class = side->intern_class(klass);
    }
  }
  return rules;
}

}  // namespace plumbline::verbs
