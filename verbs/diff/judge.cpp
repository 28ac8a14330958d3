// One pair of a diff: the rules put together, the rows compared, the policy asked.
#include <algorithm>

#include "core/citing.hpp"
#include "core/evidence/row_evidence.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "systems/table.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/history_lines.hpp"
#include "verbs/diff/native.hpp"
#include "verbs/diff/rules.hpp"
#include "verbs/diff/run.hpp"
#include "verbs/record/freeze_sol.hpp"
#include "verbs/resolving/entry_series.hpp"
#include "verbs/resolving/inputs.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/stated_units.hpp"
#include "verdict/native.hpp"
#include "verdict/rows/second_look.hpp"

namespace plumbline::verbs {

using core::Measurement;

namespace {

std::string side_keys(const Measurement& m) {
  if (m.rows().empty()) return "has no rows";
  return "has " + core::counted(m.rows().size(), "row") + " like " + cited(m.key(m.rows().front()));
}

// A mistyped key declares nothing, and the difference it was to declare stands undeclared. One that rules know may well be
// absent.
void warn_unknown_varying(const std::vector<std::string>& varying, const core::Context& baseline, const core::Context& current,
                          std::vector<core::Warning>& warnings) {
  std::vector<std::string_view> stated;
  for (const core::Context* side : {&baseline, &current}) {
    for (const auto& [key, value] : *side) stated.push_back(key);
  }
  for (const std::string& glob : varying) {
    const bool known = core::context_severity(glob) == core::Severity::fatal ||
                       std::any_of(stated.begin(), stated.end(), [&](auto key) { return core::glob_match(glob, key); });
    if (known) continue;
    const std::string_view near = core::nearest(glob, stated);
    warnings.push_back({"varying_unknown", "--varying " + cited(glob) + ": neither side states such a key" +
                                               (near.empty() ? std::string() : "; did you mean " + cited(near) + "?")});
  }
}

}  // namespace

core::Direction overall_direction(const Baseline& baseline, const DiffRequest& request) {
  if (request.flags.direction) return *request.flags.direction;
  if (baseline.reference.kind == Reference::Kind::entry) {
    if (const auto recorded = core::parse_direction(baseline.reference.entry.record.direction)) return *recorded;
  }
  if (request.policy == "reference") return core::Direction::two_sided;
  return core::Direction::unknown;
}

namespace {

// One day for a whole call, and for the bundle that it leaves.
std::string day_of_call(const Context& context) {
  const auto now = context.now();
  return context.inputs != nullptr ? context.inputs->day(now) : registry::utc_text(now).substr(0, 10);
}

// What the journal of the run tells of the trials besides their numbers.
void take_run(const DiffRun& run, verdict::JudgeInput& input) {
  const auto take = [&](const RunJournal::Side* side, std::string_view name, core::Failures& runs) {
    if (side == nullptr) return;
    runs = side->runs;
    if (!is_disturbed(*side)) return;
    input.disturbed.push_back(std::to_string(side->disturbed) + " of " + core::counted(side->sha256.size(), "trial") +
                              " of the " + std::string(name) + " side were disturbed (" + core::cited_word(side->disturbance) +
                              ")");
  };
  take(run.journal_sides.baseline, "baseline", input.baseline_runs);
  take(run.journal_sides.current, "current", input.current_runs);
  // Both sides were measured by one run, and their digests are in its journal.
  if (run.journal_sides.baseline != nullptr) input.baseline_verified = true;
}

// An entry whose trials were repeated and that is a DRAFT all the same says why in its notes: `run --record` wrote it.
void take_recorded(const Baseline& baseline, verdict::JudgeInput& input) {
  if (baseline.reference.kind != Reference::Kind::entry || baseline.measurement == nullptr) return;
  const core::BaselineRecord& record = baseline.reference.entry.record;
  if (record.tier != core::Tier::draft || record.trials < core::kLeastTrials) return;
  if (baseline.measurement->replication == core::Replication::in_process) return;
  input.disturbed.push_back("the baseline was recorded as a DRAFT" +
                            (record.notes.empty() ? std::string() : " (" + core::cited_word(record.notes) + ")"));
}

// What the first look was told of a row holds for the second, unless this call says otherwise. Rows that are gone need no rule.
void hold_to_first_look(const core::SecondLook& look, const DiffRequest& request, const core::StringPool& pool,
                        core::CompareRules& rules) {
  const bool tolerances = !request.tolerance && request.flags.tolerances.empty();
  const bool directions = !request.flags.direction && request.flags.directions.empty();
  for (const core::DoubtfulRow& row : look.rows) {
    if (pool.find(row.key) == core::kNoId) continue;
    core::KeyRule rule;
    rule.glob = row.key;
    rule.source = core::Source::flag;
    rule.note = "the first look";
    if (tolerances) rule.tolerance = row.tolerance;
    if (directions) rule.direction = row.direction;
    if (rule.tolerance || rule.direction) rules.key_rules.push_back(std::move(rule));
  }
}

}  // namespace

namespace {

core::Warning waivers_unused(const core::Waivers& waivers, std::string_view policy) {
  return {"rule_matches_nothing", core::counted(waivers.size(), "waiver") +
                                      " of plumbline.yaml would speak of this measurement, first " +
                                      core::source_of(*waivers.front()) + ", and the policy " + std::string(policy) +
                                      " knows none: its rules decide alone"};
}

}  // namespace

Expected<Judged> judge(DiffRun& run, const DiffRequest& request, Baseline& baseline, const std::string& family,
                       const std::string& measurement) {
  Judged out;
  const ProjectSettings project = settings_for(run.project, family, measurement, baseline.side.format.name);
  // Both words were checked where they were read.
  const verdict::Policy* const policy = verdict::find(request.policy.value_or(project.policy.value_or("plumbline")));
  for (const auto& [side, what] :
       {std::pair(&baseline.measurement, "the baseline"), std::pair(&run.current, "the current file")}) {
    auto in_units = in_stated_units(**side, project.key_rules, *run.reading.names(), what);
    if (!in_units) return core::fail(in_units.error());
    if (*in_units) *side = std::make_shared<const Measurement>(std::move(**in_units));
  }
  auto native = native_of(*baseline.measurement, *run.current, request, policy->name);
  if (!native) return core::fail(native.error());
  out.native = std::move(*native);
  if (auto swapped = swapped_sides(*baseline.measurement, *run.current)) out.warnings.push_back(std::move(*swapped));
  const Measurement* const sides[] = {baseline.measurement.get(), run.current.get()};
  if (auto ok = check_keys(request.flags, sides); !ok) return core::fail(ok.error());
  auto declared = declared_key_rules(*run.current);
  if (!declared) return core::fail(declared.error());
  if (baseline.measurement->native != nullptr) {
    // Another system's baseline file says itself what its rows may do.
    auto stated = declared_key_rules(*baseline.measurement);
    if (!stated) return core::fail(stated.error());
    declared->insert(declared->begin(), stated->begin(), stated->end());
  } else {
    // What was a headline or a gate stays one when the current file no longer holds it: a number that vanished is the point.
    auto stated = declared_key_rules(*baseline.measurement);
    if (!stated) return core::fail(stated.error());
    for (core::KeyRule& rule : *stated) {
      if (!rule.headline && !rule.gate) continue;
      rule.tolerance.reset();
      declared->push_back(std::move(rule));
    }
  }
  std::vector<core::KeyRule> entry;
  if (baseline.reference.kind == Reference::Kind::entry) {
    auto rules = entry_key_rules(baseline.reference.entry.record);
    if (!rules) return core::fail(rules.error());
    entry = std::move(*rules);
  }
  core::CompareRules rules = rules_for(request, baseline, project, run.reading.names(), std::move(*declared), std::move(entry));
  if (request.second_look != nullptr) hold_to_first_look(*request.second_look, request, baseline.measurement->pool(), rules);
  core::Comparison rows = core::compare(*baseline.measurement, *run.current, rules, [&run] { return run.context.stop_asked(); });
  if (run.context.stop_asked()) return core::fail(cancelled_error());
  if (request.second_look != nullptr) verdict::pass_over_others(*request.second_look, rows);
  // A run whose only metric died has its key still: that is a row with a state, not a mistake of the call.
  const auto shared = [&](const core::Delta& d) {
    return d.baseline_row != core::kNoRow && d.current_row != core::kNoRow &&
           baseline.measurement->rows()[d.baseline_row].value_count > 0;
  };
  // Another system's rules may know what to say of a baseline without a number (NO_BASELINE, untracked); ours do not.
  const bool others_rules = systems::find(policy->name) != nullptr;
  // A tool that ran and measured nothing (every state skipped) has lost its rows: that is a verdict, too.
  const auto number_of = [](const core::Row& row) { return row.value_count > 0; };
  const bool measured_nothing = baseline.measurement->format.name == run.current->format.name &&
                                run.current->format.confidence >= 0.9 && !run.current->rows().empty() &&
                                std::none_of(run.current->rows().begin(), run.current->rows().end(), number_of);
  if (!others_rules && !measured_nothing && std::none_of(rows.deltas.begin(), rows.deltas.end(), shared)) {
    return core::fail(ErrorCode::shape_mismatch,
                      "the two sides have no number in common: baseline " + side_keys(*baseline.measurement) + ", current " +
                          side_keys(*run.current),
                      out.native == nullptr ? "compare files of the same kind; `plumbline inspect PATH` shows what each holds"
                                            : "`--policy " + out.native->system + "` says what that system makes of it");
  }
  const auto judged = [](const core::Delta& d) { return d.state != core::State::context && d.state != core::State::added; };
  const bool own_rows = policy->name != "reference" && !others_rules && request.second_look == nullptr;
  if (own_rows && std::none_of(rows.deltas.begin(), rows.deltas.end(), judged)) {
    return core::fail(ErrorCode::shape_mismatch,
                      "no shared row is judged: all are context by their names, like " +
                          cited(baseline.measurement->key(baseline.measurement->rows().front())),
                      "say which way is better for the rows that matter: `--direction KEY=DIR`");
  }
  warn_unknown_varying(request.varying, baseline.context, run.current->context, out.warnings);
  out.differences = core::context_differences(baseline.context, run.current->context, request.varying);
  if (baseline.reference.kind == Reference::Kind::entry) {
    out.sol = sol_lines(baseline.reference.entry.record, rows, out.warnings);
  }

  NoiseFloors floors;
  verdict::JudgeInput input;
  input.shape = baseline.measurement->shape;
  input.context_differences = out.differences;
  input.sol = out.sol;
  input.alpha = request.alpha;
  input.second_look = request.second_look.get();
  if (baseline.reference.kind == Reference::Kind::entry) {
    auto known = noise_floors(*run.store, baseline.reference.entry, run.pool, run.reading, run.context);
    if (!known) return core::fail(known.error());
    floors = std::move(*known);
    input.registry_floor_pct = floors.median_pct;
    input.key_floors_pct = &floors.by_key_pct;
    input.key_ranges = &floors.range_by_key;
    out.warnings.insert(out.warnings.end(), floors.warnings.begin(), floors.warnings.end());
  }
  const auto class_noise = class_noise_for(run.request.root, run.context);
  if (!class_noise) return core::fail(class_noise.error());
  input.class_noise_pct = [&](std::string_view key) { return (*class_noise)->pct(baseline.side.format.name, key); };
  const auto host = [](const core::Context& c) {
    const auto it = c.find("environment.hostname");
    return it == c.end() ? std::string() : it->second;
  };
  input.same_host = !host(baseline.context).empty() && host(baseline.context) == host(run.current->context);
  const auto& entry_warnings = baseline.reference.entry.warnings;
  input.baseline_verified =
      baseline.reference.kind == Reference::Kind::entry &&
      std::none_of(entry_warnings.begin(), entry_warnings.end(), [](const auto& w) { return w.code == "provenance_unverified"; });
  input.accepted_baseline = baseline.reference.accepted;
  take_run(run, input);
  take_recorded(baseline, input);
  auto uncertain = uncertain_ceilings(out.sol, run.request.root, run.context);
  if (!uncertain) return core::fail(uncertain.error());
  input.uncertain_ceilings = std::move(*uncertain);
  input.waivers = waivers_for(run.project, family, measurement, baseline.side.format.name);
  if (!input.waivers.empty()) input.today = day_of_call(run.context);
  input.direction = overall_direction(baseline, request);
  input.tolerance_percent = request.tolerance_percent.value_or(5.0);
  input.tolerance_absolute = request.tolerance_absolute;
  input.native = out.native.get();
  out.comparison = std::make_shared<const core::Comparison>(policy->decide(std::move(rows), input));
  input.comparison = out.comparison.get();
  out.judgement = policy->judge(input);
  run.policy = policy->name;
  if (!policy->judges_keys && !input.waivers.empty()) out.warnings.push_back(waivers_unused(input.waivers, policy->name));
  if (floors.series) {
    out.history = history_lines(*floors.series, *out.comparison, out.judgement.order, floors, baseline.reference.entry.slug);
  }
  if (!others_rules) out.judgement = verdict::with_native(std::move(out.judgement), out.native.get(), *out.comparison);
  if (out.native != nullptr) {
    out.warnings.insert(out.warnings.end(), out.native->warnings.begin(), out.native->warnings.end());
  }
  return out;
}

}  // namespace plumbline::verbs
