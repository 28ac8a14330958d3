// diff: open both sides (the baseline verified before it is believed), put the rules together, compare, judge, render and
// publish one bundle. Nothing is ever written to the baselines.
#include <algorithm>
#include <cmath>

#include "configs/configs.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "policies/native.hpp"
#include "policies/policy.hpp"
#include "profiles/profile.hpp"
#include "reports/native.hpp"
#include "reports/reports.hpp"
#include "reports/suite.hpp"
#include "verbs/all.hpp"
#include "verbs/baseline_side.hpp"
#include "verbs/bundle.hpp"
#include "verbs/diff_native.hpp"
#include "verbs/diff_request.hpp"
#include "verbs/diff_rules.hpp"
#include "verbs/entry_series.hpp"
#include "verbs/fail_on.hpp"
#include "verbs/freeze_sol.hpp"
#include "verbs/key_use.hpp"
#include "verbs/profile_run.hpp"
#include "verbs/reference.hpp"
#include "verbs/session.hpp"
#include "verbs/shared_params.hpp"
#include "verbs/suite.hpp"
#include "verbs/suite_arguments.hpp"
#include "verbs/suite_cells.hpp"
#include "verbs/wording.hpp"

namespace plumbline::verbs {

namespace {

using core::Measurement;

struct Judged {
  std::shared_ptr<core::Comparison> comparison;
  std::shared_ptr<const core::NativeReport> native;
  policies::Judgement judgement;
  std::vector<core::SolLine> sol;
  std::vector<core::ContextDifference> differences;
  std::vector<core::Warning> warnings;
};

class Differ {
 public:
  Differ(DiffRequest request, const Arguments& arguments, const Context& context)
      : request_(std::move(request)), arguments_(arguments), context_(context), pool_(std::make_shared<core::StringPool>()) {}

  Status prepare() {
    store_ = registry::posix_store(request_.root, path_limits(context_));
    auto project = read_project_file(request_.root, context_);
    if (!project) return core::fail(project.error());
    project_ = std::move(*project);
    auto names = names_for(request_.root, context_);
    if (!names) return core::fail(names.error());
    names_ = std::move(*names);
    return {};
  }

  Expected<core::DiffResult> judge_suite(const SuiteInput& input) {
    if (auto ok = prepare(); !ok) return core::fail(ok.error());
    return suite_result(input);
  }

  Expected<core::DiffResult> judge_cells() {
    if (auto ok = load(); !ok) return core::fail(ok.error());
    auto baseline = open_sides();
    if (!baseline) return core::fail(baseline.error());
    auto result = compare(*baseline);
    if (result) result->comparison.reset();  // its rows are the baseline's, which ends here
    return result;
  }

  Expected<Outcome> run() {
    if (auto ok = load(); !ok) return core::fail(ok.error());
    const auto captures = std::count_if(sources_.begin(), sources_.end(), [](const LoadedSource& s) { return s.capture; });
    if (captures > 0) return run_capture();

    if (!arguments_.has("as")) {
      auto suite = suite_input(request_.reference, arguments_.text("format"), sources_, *store_, context_);
      if (!suite) return core::fail(suite.error());
      if (*suite) return run_suite(**suite);
    }

    auto baseline = open_sides();
    if (!baseline) return core::fail(baseline.error());
    return compare_and_publish(std::move(*baseline));
  }

 private:
  Status load() {
    if (auto ok = prepare(); !ok) return ok;
    auto sources = load_current(request_, arguments_, context_);
    if (!sources) return core::fail(sources.error());
    sources_ = std::move(*sources);
    return {};
  }

  // The current side, and the reference that answers to it.
  Expected<Baseline> open_sides() {
    std::string format = arguments_.text("format");
    // An entry that was recorded with --format is read with it again, on both sides.
    if (format.empty()) format = recorded_format();
    show_progress(context_, 0.05, "reading the measurement");
    auto current = read_measurement(sources_, format, pool_, context_, names_, true);
    if (!current) {
      // Say what the baseline is before saying that the other side cannot be read.
      if (current.error().code == ErrorCode::invalid_input) {
        auto reference = resolve_reference(request_.reference, *store_, nullptr, context_.cwd, path_limits(context_));
        if (!reference) return core::fail(reference.error());
        if (reference->kind == Reference::Kind::entry && reference->entry.record.value) {
          return core::fail(
              ErrorCode::shape_mismatch,
              "baseline is scalar but --current did not parse as a number or {\"value\": ...} JSON: " + current.error().message,
              current.error().hint.empty() ? "`plumbline inspect PATH` says how a file is read" : current.error().hint);
        }
      }
      return core::fail(current.error());
    }
    current_ = std::make_shared<Measurement>(std::move(*current));
    show_progress(context_, 0.3, "reading the baseline");
    const SuiteArguments unused(request_, arguments_);
    auto reference =
        baseline_in_folder(request_.reference, *current_, sources_.front().source.name, suite_tools(unused), current_->warnings);
    if (!reference) return core::fail(reference.error());
    auto baseline = open_baseline(*reference, *store_, &current_->context, format, pool_, names_, context_);
    if (!baseline) return core::fail(baseline.error());
    if (baseline->capture) {
      return core::fail(
          ErrorCode::shape_mismatch,
          "baseline is a capture but --current is " + shape_text(current_->shape) + ": " + sources_.front().source.name,
          "give a capture (.nsys-rep, its SQLite export, or a folder of nsys stats CSVs)");
    }
    return baseline;
  }

  std::string recorded_format() {
    std::string directory = absolute(context_, request_.reference);
    if (const auto named = parse_named_reference(request_.reference); named && is_known(*store_, *named)) {
      auto located = locate_entry(*named, *store_);
      if (!located) return {};
      directory = *located;
    }
    const auto record = read_record(directory, path_limits(context_));
    return record ? record->forced_format : std::string();
  }

  Expected<Judged> judge(Baseline& baseline, const std::string& family, const std::string& measurement, DiffRequest& request) {
    Judged out;
    const ProjectSettings project = settings_for(project_, family, measurement, baseline.side.format.name);
    const policies::Policy* policy = policies::find(request.policy.value_or(project.policy.value_or("plumbline")));
    if (policy == nullptr) {
      return core::fail(ErrorCode::usage,
                        "plumbline.yaml names the policy \"" + project.policy.value_or("") + "\", which does not exist",
                        "policies are " + policies::policy_names());
    }
    auto native = native_of(*baseline.measurement, *current_, request, arguments_, policy->name);
    if (!native) return core::fail(native.error());
    out.native = std::move(*native);
    if (auto swapped = swapped_sides(*baseline.measurement, *current_)) out.warnings.push_back(std::move(*swapped));
    const Measurement* const sides[] = {baseline.measurement.get(), current_.get()};
    if (auto ok = check_keys(request.flags, sides); !ok) return core::fail(ok.error());
    auto declared = declared_key_rules(*current_);
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
    const core::CompareRules rules =
        rules_for(request, baseline, *baseline.measurement, *current_, project, names_, std::move(*declared), std::move(entry));
    out.comparison = std::make_shared<core::Comparison>(
        core::compare(*baseline.measurement, *current_, rules, [this] { return context_.stop_asked(); }));
    if (context_.stop_asked()) return core::fail(cancelled_error());
    // A run whose only metric died has its key still: that is a row with a state, not a mistake of the call.
    const auto shared = [&](const core::Delta& d) {
      return d.baseline_row != core::kNoRow && d.current_row != core::kNoRow &&
             baseline.measurement->rows()[d.baseline_row].value_count > 0;
    };
    // Another system's rules may know what to say of a baseline without a number (NO_BASELINE, untracked); ours do not.
    const bool others_rules = policies::find_native_system(policy->name) != nullptr;
    // A tool that ran and measured nothing (every state skipped) has lost its rows: that is a verdict, too.
    const auto number_of = [](const core::Row& row) { return row.value_count > 0; };
    const bool measured_nothing = baseline.measurement->format.name == current_->format.name &&
                                  current_->format.confidence >= 0.9 && !current_->rows().empty() &&
                                  std::none_of(current_->rows().begin(), current_->rows().end(), number_of);
    if (!others_rules && !measured_nothing &&
        std::none_of(out.comparison->deltas.begin(), out.comparison->deltas.end(), shared)) {
      return core::fail(ErrorCode::shape_mismatch,
                        "the two sides have no number in common: baseline " + side_keys(*baseline.measurement) + ", current " +
                            side_keys(*current_),
                        out.native == nullptr ? "compare files of the same kind; `plumbline inspect PATH` shows what each holds"
                                              : "`--policy " + out.native->system + "` says what that system makes of it");
    }
    const auto judged = [](const core::Delta& d) { return d.state != core::State::context && d.state != core::State::added; };
    const bool own_rows = policy->name != "reference" && !others_rules;
    if (own_rows && std::none_of(out.comparison->deltas.begin(), out.comparison->deltas.end(), judged)) {
      return core::fail(ErrorCode::shape_mismatch,
                        "no shared row is judged: all are context by their names, like \"" +
                            std::string(baseline.measurement->key(baseline.measurement->rows().front())) + "\"",
                        "say which way is better for the rows that matter: `--direction KEY=DIR`");
    }
    out.differences = core::context_differences(baseline.context, current_->context, arguments_.list("varying"));
    if (baseline.reference.kind == Reference::Kind::entry) {
      out.sol = sol_lines(baseline.reference.entry.record, *out.comparison, out.warnings);
    }

    NoiseFloors floors;
    policies::JudgeInput input;
    input.comparison = out.comparison.get();
    input.shape = baseline.measurement->shape;
    input.context_differences = out.differences;
    input.sol = out.sol;
    input.alpha = request.alpha;
    if (baseline.reference.kind == Reference::Kind::entry) {
      auto known = noise_floors(*store_, baseline.reference.entry, pool_, names_, context_);
      if (!known) return core::fail(known.error());
      floors = std::move(*known);
      input.registry_floor_pct = floors.median_pct;
      input.key_floors_pct = &floors.by_key_pct;
      out.warnings.insert(out.warnings.end(), floors.warnings.begin(), floors.warnings.end());
    }
    const auto class_noise = class_noise_for(request_.root, context_);
    if (!class_noise) return core::fail(class_noise.error());
    input.class_noise_pct = [&](std::string_view key) { return (*class_noise)->pct(baseline.side.format.name, key); };
    input.holm_headlines = request.holm_headlines;
    const auto host = [](const core::Context& c) {
      const auto it = c.find("environment.hostname");
      return it == c.end() ? std::string() : it->second;
    };
    input.same_host = !host(baseline.context).empty() && host(baseline.context) == host(current_->context);
    const auto& entry_warnings = baseline.reference.entry.warnings;
    input.baseline_verified = baseline.reference.kind == Reference::Kind::entry &&
                              std::none_of(entry_warnings.begin(), entry_warnings.end(),
                                           [](const auto& w) { return w.code == "provenance_unverified"; });
    input.accepted_baseline = baseline.reference.accepted;
    auto uncertain = uncertain_ceilings(out.sol, request_.root, context_);
    if (!uncertain) return core::fail(uncertain.error());
    input.uncertain_ceilings = std::move(*uncertain);
    input.direction = overall_direction(baseline, request);
    input.tolerance_percent = arguments_.number("tolerance_percent").value_or(5.0);
    input.tolerance_absolute = request.tolerance_absolute;
    input.native = out.native.get();
    out.judgement = policy->judge(input);
    policy_name_ = policy->name;
    say_beside(out.native.get(), *baseline.measurement, *current_, policy->name, out.judgement);
    if (out.native != nullptr) {
      out.warnings.insert(out.warnings.end(), out.native->warnings.begin(), out.native->warnings.end());
    }
    return out;
  }

  static std::string side_keys(const Measurement& m) {
    if (m.rows().empty()) return "has no rows";
    return "has " + core::counted(m.rows().size(), "row") + " like \"" + std::string(m.key(m.rows().front())) + "\"";
  }

  static core::Direction overall_direction(const Baseline& baseline, const DiffRequest& request) {
    if (request.flags.direction) return *request.flags.direction;
    if (baseline.reference.kind == Reference::Kind::entry) {
      if (const auto recorded = core::parse_direction(baseline.reference.entry.record.direction)) return *recorded;
    }
    if (request.policy == "reference") return core::Direction::two_sided;
    return core::Direction::unknown;
  }

  // One pair, judged: everything of a result but the gate and the bundle.
  Expected<core::DiffResult> compare(Baseline& baseline) {
    const bool entry = baseline.reference.kind == Reference::Kind::entry;
    const std::string family = entry ? baseline.reference.entry.family : "adhoc";
    const std::string measurement = entry ? baseline.reference.entry.measurement : baseline.side.format.name;
    accepted_ = baseline.reference.accepted;
    if (auto ok = check_shapes(baseline, *current_, sources_.front().source.name); !ok) return core::fail(ok.error());
    if (current_->shape == core::Shape::scalar) {
      name_scalar(*current_, entry ? measurement : std::string(baseline.measurement->key(baseline.measurement->rows().front())));
      if (current_->rows().front().value_count == 0) {
        return core::fail(ErrorCode::invalid_input, "current scalar value must be finite",
                          "the file does not hold a finite number: measure again", sources_.front().source.path);
      }
    }
    show_progress(context_, 0.6, "comparing");
    auto judged = judge(baseline, family, measurement, request_);
    if (!judged) return core::fail(judged.error());

    core::DiffResult result;
    result.family = family;
    result.measurement = measurement;
    result.baseline = baseline.side;
    result.current = current_side();
    result.shape = baseline.measurement->shape;
    result.policy = policy_name_;
    result.direction = overall_direction(baseline, request_);
    if (result.shape == core::Shape::scalar && result.direction == core::Direction::unknown) {
      result.direction = judged->comparison->deltas.front().direction;
    }
    result.tolerance_percent = percent_in_force(*judged->comparison);
    result.tolerance_absolute = request_.tolerance_absolute;
    result.verdict = judged->judgement.verdict;
    result.tier = judged->judgement.tier;
    result.promote = judged->judgement.promote;
    result.reasons = judged->judgement.reasons;
    result.counts = judged->judgement.counts;
    result.order = judged->judgement.order;
    result.recommendation = judged->judgement.recommendation;
    result.next_lever = judged->judgement.next_lever;
    result.baseline_context = baseline.context;
    result.current_context = current_->context;
    result.context_differences = judged->differences;
    result.sol = judged->sol;
    result.comparison = judged->comparison;
    result.native = judged->native;
    result.suite = cells_as_cases(*judged->comparison, judged->native.get());
    result.all_rows = arguments_.flag("all_rows");
    const auto add = [&](const std::vector<core::Warning>& more) {
      for (const core::Warning& w : more) {
        if (std::find(result.warnings.begin(), result.warnings.end(), w) == result.warnings.end()) result.warnings.push_back(w);
      }
    };
    add(baseline.reference.warnings);
    if (entry) add(baseline.reference.entry.warnings);
    add(baseline.measurement->warnings);
    add(current_->warnings);
    add(judged->comparison->warnings);
    add(judged->warnings);
    add(judged->judgement.warnings);
    if (auto ok = initial(result, family, measurement); !ok) return core::fail(ok.error());
    return result;
  }

  // Rules of keys are ours: other policies have their own.
  [[nodiscard]] bool judges_keys() const { return policy_name_ == "plumbline"; }
  static void add_warnings(core::DiffResult& result, const std::vector<core::Warning>& more) {
    result.warnings.insert(result.warnings.end(), more.begin(), more.end());
  }

  [[nodiscard]] std::vector<core::Warning> idle_keys() const {
    if (policies::find_native_system(policy_name_) == nullptr) return {};
    return keys_without_effect(request_.flags.key_rules, policy_name_);
  }

  // One measurement against one. The baseline must outlive the result, whose rows are its.
  Expected<core::DiffResult> pair_result(Baseline& baseline) {
    auto result = compare(baseline);
    if (!result) return result;
    if (!judges_keys()) {
      add_warnings(*result, idle_keys());
      return result;
    }
    KeyUse keys(request_.flags.key_rules);
    keys.see(*result->comparison);
    add_warnings(*result, keys.warnings());
    return result;
  }

  Expected<Outcome> compare_and_publish(Baseline baseline) {
    auto result = pair_result(baseline);
    if (!result) return core::fail(result.error());
    return conclude(std::move(*result));
  }

  // A folder of baselines or a family against a folder of results.
  Expected<Outcome> run_suite(const SuiteInput& input) {
    auto result = suite_result(input);
    if (!result) return core::fail(result.error());
    return conclude(std::move(*result));
  }

  Expected<core::DiffResult> suite_result(const SuiteInput& input) {
    if (!request_.initial.empty()) {
      return core::fail(ErrorCode::usage, "--initial goes with one measurement, not with a suite",
                        "compare the folder with the older folder by itself");
    }
    SuiteArguments per_case(request_, arguments_);
    auto result = compare_suite(input, suite_tools(per_case));
    if (!result) return result;
    if (auto ok = per_case.check(*result); !ok) return core::fail(ok.error());
    const auto& cases = result->suite->cases;
    if (arguments_.text("report") == "native" &&
        std::none_of(cases.begin(), cases.end(), [](const auto& one) { return one.native != nullptr; })) {
      return core::fail(ErrorCode::usage,
                        "--report native prints another system's own report, and no case of the suite is a file of one",
                        "systems are " + policies::native_system_names());
    }
    result->family = input.family.empty() ? "adhoc" : input.family;
    result->measurement = "suite";
    result->policy = policy_name_;
    add_warnings(*result, judges_keys() ? per_case.warnings() : idle_keys());
    result->direction = core::Direction::unknown;
    result->tolerance_percent = percent_in_force(*result->comparison);
    result->tolerance_absolute = request_.tolerance_absolute;
    result->all_rows = arguments_.flag("all_rows");
    return result;
  }

  SuiteTools suite_tools(const SuiteArguments& per_case) {
    quiet_ = context_;
    quiet_.progress = {};  // the suite says how far it is
    const auto compare_one = [this, &per_case](const std::string& id, Baseline& baseline, std::vector<LoadedSource> sources,
                                               std::shared_ptr<Measurement> current) {
      Differ one(per_case.request(id, *baseline.measurement, *current), per_case.arguments(), quiet_);
      one.store_ = store_;
      one.project_ = project_;
      one.names_ = names_;
      one.pool_ = pool_;
      one.sources_ = std::move(sources);
      one.current_ = std::move(current);
      auto result = one.compare(baseline);
      policy_name_ = one.policy_name_;
      if (result && one.judges_keys()) per_case.see(id, *result->comparison);
      return result;
    };
    const auto native = [this, &per_case](const Measurement& baseline, const Measurement& current) {
      auto report = native_of(baseline, current, request_, per_case.arguments(), "plumbline");
      return report ? *report : nullptr;
    };
    return {context_, *store_, pool_, names_, arguments_.text("format"), compare_one, native};
  }

  // What a diff of one pair and of a suite have in common once they are judged.
  Expected<Outcome> conclude(core::DiffResult result) {
    constexpr std::uint64_t kManyRows = 20'000;
    if (!result.all_rows && result.comparison->deltas.size() > kManyRows) {
      const auto& deltas = result.comparison->deltas;
      result.rows_omitted = static_cast<std::uint64_t>(
          std::count_if(deltas.begin(), deltas.end(), [](const core::Delta& delta) { return delta.uneventful(); }));
      if (result.rows_omitted > 0) {
        result.warnings.push_back({"unchanged_rows_omitted", core::counted(result.rows_omitted, "unchanged row") +
                                                                 " left out of deltas.jsonl; --all-rows writes them"});
      }
    }
    finish(result);
    if (auto ok = decide_gate(result); !ok) return core::fail(ok.error());

    if (!arguments_.flag("no_bundle") && !context_.read_only) {
      if (auto yes = confirmed(context_, question(result)); !yes) return core::fail(std::move(yes.error()));
      show_progress(context_, 0.8, "writing the bundle");
      BundlePlace place{store_.get(), result.family, result.measurement, context_.now()};
      if (auto ok = publish_diff(place, sources_, arguments_.text("snapshot"), result, context_); !ok)
        return core::fail(ok.error());
    }
    show_progress(context_, 1, "done");
    return outcome_of(result);
  }

  // --initial: the same current against an older reference with its own tolerance; drift that no single step shows.
  Status initial(core::DiffResult& result, const std::string& family, const std::string& measurement) {
    if (request_.initial.empty()) return {};
    auto older = open_baseline(request_.initial, *store_, &current_->context, arguments_.text("format"), pool_, names_, context_);
    if (!older) return core::fail(older.error());
    if (older->capture)
      return core::fail(ErrorCode::shape_mismatch, "--initial is a capture but --current is " + shape_text(current_->shape),
                        "name an older measurement of the same kind");
    if (older->measurement->shape == core::Shape::scalar) name_scalar(*older->measurement, measurement);
    if (auto ok = check_shapes(*older, *current_, sources_.front().source.name); !ok) return ok;
    DiffRequest request = request_;
    if (request_.initial_tolerance) request.tolerance = request_.initial_tolerance;
    auto judged = judge(*older, family, measurement, request);
    if (!judged) return core::fail(judged.error());
    initial_baseline_ = older->measurement;
    result.initial = older->side;
    if (judged->judgement.verdict == core::Verdict::green) return {};
    core::Reason reason;
    reason.code = "drift_from_initial";
    reason.message =
        "against the initial reference " + (older->side.slug.empty() ? older->side.path : older->side.slug) + ": " +
        (judged->judgement.reasons.empty() ? std::string("not within tolerance") : judged->judgement.reasons.front().message);
    if (!judged->judgement.reasons.empty()) {
      reason.keys = judged->judgement.reasons.front().keys;
      reason.keys_count = judged->judgement.reasons.front().keys_count;
    }
    result.reasons.push_back(std::move(reason));
    result.verdict = std::max(result.verdict, judged->judgement.verdict);
    if (result.recommendation.action == "none" || result.recommendation.action == "re-baseline") {
      result.recommendation = judged->judgement.recommendation;
      result.recommendation.message = "drift since the initial reference: " + result.recommendation.message;
    }
    return {};
  }

  core::DiffSide current_side() {
    core::DiffSide side;
    const LoadedSource& first = sources_.front();
    side.path = first.source.path;
    side.format = current_->format;
    side.trials = current_->trial_files;
    side.sha256 = digest_of(first);
    return side;
  }

  [[nodiscard]] double percent_in_force(const core::Comparison& comparison) const {
    if (const auto given = arguments_.number("tolerance_percent")) return *given;
    const core::Tolerance& all = comparison.tolerances.front();
    return all.kind == core::ToleranceKind::percent ? all.value : 5.0;
  }

  void finish(core::DiffResult& result) const {
    result.compared_at_utc = registry::utc_text(context_.now());
    result.tool.version = version();
    result.command = context_.command;
  }

  Expected<Outcome> run_capture() {
    if (sources_.size() != 1)
      return core::fail(ErrorCode::usage, "--current takes one capture at a time", "compare each capture by itself");
    auto baseline = open_baseline(request_.reference, *store_, nullptr, "", pool_, names_, context_);
    if (!baseline) return core::fail(baseline.error());
    if (!baseline->capture) {
      return core::fail(ErrorCode::shape_mismatch,
                        "baseline is " + shape_text(baseline->measurement->shape) +
                            " but --current is a capture: " + sources_.front().source.name,
                        "record a capture as the baseline, or give a measurement");
    }
    ProfileRequest profile_request;
    profile_request.root = request_.root;
    profile_request.baseline = baseline->capture_path;
    profile_request.candidate = sources_.front().source.path;
    profile_request.options.varying = arguments_.list("varying");
    if (const auto percent = arguments_.number("tolerance_percent")) profile_request.options.gate_pct = *percent;
    const bool entry = baseline->reference.kind == Reference::Kind::entry;
    if (entry)
      profile_request.baseline_label =
          baseline->reference.entry.family + "/" + baseline->reference.entry.measurement + "@" + baseline->side.slug;
    auto profile = run_profiles(profile_request, context_);
    if (!profile) return core::fail(profile.error());
    if (entry && baseline->reference.entry.snapshot.empty()) {
      // Recorded by reference: what was read must be what was recorded.
      if (auto ok = check_recorded(baseline->reference.entry, profile->baseline.sha256); !ok) return core::fail(ok.error());
    }
    core::DiffResult result = as_diff(*profile);
    std::vector<std::string> unused;
    for (const char* name :
         {"headline", "tolerance", "direction", "tolerance_absolute", "alpha", "paired", "holm", "initial", "policy"}) {
      if (arguments_.has(name)) unused.emplace_back(name);
    }
    if (!unused.empty()) {
      result.warnings.push_back(
          {"not_for_captures", "captures are judged by --tolerance-percent as the gate; not used: " + core::listed(unused)});
    }
    accepted_ = baseline->reference.accepted;
    result.family = entry ? baseline->reference.entry.family : "adhoc";
    result.measurement = entry ? baseline->reference.entry.measurement : "profile";
    result.policy = "plumbline";
    if (entry) {
      result.baseline.path = baseline->side.path;
      result.baseline.slug = baseline->side.slug;
      result.baseline.entry_sha256 = baseline->side.entry_sha256;
      result.baseline.label = baseline->side.label;
      for (const core::Warning& w : baseline->reference.warnings) result.warnings.push_back(w);
      for (const core::Warning& w : baseline->reference.entry.warnings) result.warnings.push_back(w);
    }
    if (auto ok = decide_gate(result); !ok) return core::fail(ok.error());
    if (!arguments_.flag("no_bundle") && !context_.read_only) {
      if (auto yes = confirmed(context_, question(result)); !yes) return core::fail(std::move(yes.error()));
      BundlePlace place{store_.get(), result.family, result.measurement, context_.now()};
      if (auto ok = publish_profile(place, *profile, &result, context_); !ok) return core::fail(ok.error());
    }
    return outcome_of(result);
  }

  // Both sides, the tolerance in force and the place; no verdict, which is not a person's to approve.
  [[nodiscard]] std::string question(const core::DiffResult& result) const {
    std::string baseline = one_line(result.baseline.path, 200);
    if (!result.baseline.slug.empty()) {
      baseline =
          result.family + "/" + result.measurement + "@" + result.baseline.slug + (accepted_ ? " (accepted)" : " (not accepted)");
    }
    std::string current = one_line(result.current.path, 200) + " (sha256 " + result.current.sha256.substr(0, 12);
    if (sources_.size() > 1) current += ", the first of " + core::counted(sources_.size(), "trial");
    std::string tolerance = "a gate of " + core::short_number(result.tolerance_percent) + "%";
    if (const core::Comparison* rows = result.comparison.get()) {
      const auto headlines =
          std::count_if(rows->deltas.begin(), rows->deltas.end(), [](const auto& row) { return row.headline; });
      current += ", " + core::counted(rows->deltas.size(), "row") + ", " + core::counted(headlines, "headline");
      const core::Tolerance& all = rows->tolerances.front();
      tolerance = "a tolerance of " + core::tolerance_text(all) + " (" + std::string(core::to_string(all.source)) + ")";
    }
    std::string text = "Compare " + current + ") with " + baseline;
    if (result.initial) text += " and the older " + one_line(result.initial->path, 200);
    text += " under " + tolerance + ", and write a bundle under " +
            one_line(store_->directory(registry::Kind::bundle, result.family, result.measurement), 300);
    if (arguments_.has("out")) text += ", copied to " + one_line(arguments_.text("out"), 200);
    return text + "?";
  }

  // --fail-on and --strict, else what the project file asks for; decided before anything is published.
  Status decide_gate(core::DiffResult& result) const {
    std::vector<std::string> words = request_.fail_on;
    result.gate_asked = !arguments_.list("fail_on").empty() || request_.strict;
    if (!result.gate_asked) {
      const ProjectSettings project = settings_for(project_, result.family, result.measurement, result.baseline.format.name);
      if (!project.fail_on) return {};
      auto from_project = fail_words({*project.fail_on}, false);
      if (!from_project) return core::fail(from_project.error());
      words = std::move(*from_project);
      result.gate_asked = true;
    }
    result.gate = tripped(words, result);
    return {};
  }

  Expected<Outcome> outcome_of(const core::DiffResult& result) {
    if (arguments_.has("out") && !result.diff_dir.empty()) {
      if (auto ok = copy_bundle(result.files, result.diff_dir, absolute(context_, arguments_.text("out")), context_); !ok)
        return core::fail(ok.error());
    }
    Outcome outcome;
    outcome.json = reports::diff_result_json(result, response_format(arguments_));
    outcome.text = reports::diff_table(result, true, context_.width);
    const std::string report = arguments_.text("report", "table");
    if (report == "json") outcome.report_text = reports::diff_json(result);
    if (report == "md") outcome.report_text = reports::diff_markdown(result);
    if (report == "csv") outcome.report_text = reports::diff_csv(result);
    if (report == "junit") outcome.report_text = reports::diff_junit(result);
    if (report == "github") outcome.report_text = reports::diff_github(result);
    if (report == "native" && result.suite != nullptr && result.native == nullptr) {
      outcome.report_text = reports::suite_native_text(*result.suite);
      outcome.report_json = reports::suite_native_json(*result.suite);
    }
    if (report == "native" && result.native != nullptr) {
      outcome.report_text = reports::native_text(*result.native);
      outcome.report_json = reports::native_json(*result.native);
    }
    for (const core::Warning& warning : result.warnings) outcome.warnings.push_back(warning.code + ": " + warning.message);
    if (result.gate) {
      outcome.gate_tripped = true;
      outcome.gate_message = *result.gate;
    }
    for (const core::FileRef& file : result.files) {
      if (file.name != "diff.md" && file.name != "diff.html" && file.name != "deltas.jsonl" && file.name != "profile-diff.json")
        continue;
      ResourceLink link;
      link.uri = "file://" + file.path;
      link.name = file.name;
      link.mime_type = file.name == "diff.html"      ? "text/html"
                       : file.name == "diff.md"      ? "text/markdown"
                       : file.name == "deltas.jsonl" ? "application/jsonl"
                                                     : "application/json";
      link.description = file.name == "deltas.jsonl" ? "every row" : "report";
      link.size = file.bytes;
      outcome.links.push_back(std::move(link));
    }
    return outcome;
  }

  DiffRequest request_;
  const Arguments& arguments_;
  const Context& context_;
  std::shared_ptr<core::StringPool> pool_;
  std::shared_ptr<registry::Store> store_;
  ProjectFile project_;
  Names names_;
  std::vector<LoadedSource> sources_;
  std::shared_ptr<Measurement> current_, initial_baseline_;
  std::string policy_name_ = "plumbline";
  Context quiet_;          // of the cases of a suite
  bool accepted_ = false;  // the baseline is its measurement's accepted entry
};

}  // namespace

Expected<core::DiffResult> diff_suite(const DiffRequest& request, const Arguments& arguments, const Context& context,
                                      const SuiteInput& input) {
  return Differ(request, arguments, context).judge_suite(input);
}

Expected<core::DiffResult> diff_cells(const DiffRequest& request, const Arguments& arguments, const Context& context) {
  return Differ(request, arguments, context).judge_cells();
}

Expected<Outcome> run_diff(const Arguments& arguments, const Context& context) {
  auto request = parse_diff(arguments, context);
  if (!request) return core::fail(request.error());
  return Differ(std::move(*request), arguments, context).run();
}

}  // namespace plumbline::verbs
