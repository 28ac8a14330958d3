#include "verbs/diff/rules.hpp"

#include "configs/configs.hpp"

namespace plumbline::verbs {

using core::Measurement;

namespace {

void append(core::CompareRules& rules, std::vector<core::KeyRule> more) {
  for (core::KeyRule& rule : more) rules.key_rules.push_back(std::move(rule));
}

void add_tolerance(core::CompareRules& rules, const DiffRequest& request, const ProjectSettings& project) {
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
}

// A direction for all rows: two-sided holds for every row, as any does for a scalar; one side holds for rows whose direction is
// not known by themselves.
void add_bare_direction(core::CompareRules& rules, core::Direction direction, core::Source source, core::Shape shape) {
  if (direction != core::Direction::two_sided && shape != core::Shape::scalar) {
    rules.fallback_direction = {direction, source};
    return;
  }
  core::KeyRule rule;
  rule.glob = "*";
  rule.source = source;
  rule.note = source == core::Source::flag ? "--direction" : "baseline.json";
  rule.direction = direction;
  rules.key_rules.push_back(std::move(rule));
}

// auto: a scalar's name and unit say which way is better, or nothing does.
void add_guessed_direction(core::CompareRules& rules, const Measurement& base, const Names& names) {
  const core::Row& row = base.rows().front();
  const auto guess = names->guess(base.key(row), base.unit(row));
  if (guess.direction != core::Direction::unknown) rules.fallback_direction = {guess.direction, guess.direction_source};
}

void add_direction(core::CompareRules& rules, const DiffRequest& request, const Baseline& baseline, const Names& names) {
  const core::Shape shape = baseline.measurement->shape;
  const bool entry = baseline.reference.kind == Reference::Kind::entry;
  // The flag's, else what was recorded (an entry without one means two-sided, as for the reference tool).
  const auto recorded = entry ? core::parse_direction(baseline.reference.entry.record.direction) : std::nullopt;
  if (request.flags.direction) {
    add_bare_direction(rules, *request.flags.direction, core::Source::flag, shape);
  } else if (recorded) {
    add_bare_direction(rules, *recorded, core::Source::entry, shape);
  } else if (shape == core::Shape::scalar) {
    add_guessed_direction(rules, *baseline.measurement, names);
  }
}

// A scalar is called what the measurement is called. A rate of failures is a gate by itself, where it is known which way is worse
// and nobody said how much worse it may be.
void add_share(core::CompareRules& rules, const DiffRequest& request, const Baseline& baseline, const ProjectSettings& project,
               const Names& names) {
  const core::Row& row = baseline.measurement->rows().front();
  const auto guess = names->guess(baseline.measurement->key(row), baseline.measurement->unit(row));
  rules.share = guess.share;
  if (guess.share != core::Share::reliability || request.tolerance || project.tolerance) return;
  const bool entry = baseline.reference.kind == Reference::Kind::entry;
  const auto recorded = entry ? core::parse_direction(baseline.reference.entry.record.direction) : std::nullopt;
  const core::Direction direction = request.flags.direction.value_or(recorded.value_or(guess.direction));
  if (direction != core::Direction::lower && direction != core::Direction::higher) return;
  core::KeyRule rule;
  rule.glob = "*";
  rule.source = core::Source::name_rule;
  rule.note = guess.note;
  rule.gate = true;
  rules.key_rules.push_back(std::move(rule));
}

}  // namespace

core::CompareRules rules_for(const DiffRequest& request, const Baseline& baseline, const ProjectSettings& project,
                             const Names& names, std::vector<core::KeyRule> declared, std::vector<core::KeyRule> entry) {
  core::CompareRules rules;
  rules.alpha = request.alpha;
  rules.paired = request.paired;
  rules.anytime = request.anytime;
  rules.last_look = request.last_look;
  rules.tally_of = [names](std::string_view name) { return names->tally(name); };
  rules.judge_every_row = baseline.measurement->shape == core::Shape::scalar;
  add_tolerance(rules, request, project);
  append(rules, request.flags.key_rules);
  append(rules, project.key_rules);
  append(rules, std::move(entry));
  append(rules, std::move(declared));
  add_direction(rules, request, baseline, names);
  if (rules.judge_every_row) add_share(rules, request, baseline, project, names);
  return rules;
}

}  // namespace plumbline::verbs
