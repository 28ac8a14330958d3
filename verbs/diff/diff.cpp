// diff: open both sides (the baseline verified before it is believed), judge the pair or every case of a suite, and conclude.
// What a step does is in the file of its name (run.hpp). Nothing is ever written to the baselines.
#include <malloc.h>

#include <algorithm>
#include <future>

#include "base/beside.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/look.hpp"
#include "registry/open_store.hpp"
#include "systems/table.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/again.hpp"
#include "verbs/diff/bundle.hpp"
#include "verbs/diff/journal.hpp"
#include "verbs/diff/key_use.hpp"
#include "verbs/diff/native.hpp"
#include "verbs/diff/run.hpp"
#include "verbs/outliers/request.hpp"
#include "verbs/resolving/baseline_side.hpp"
#include "verbs/resolving/given_context.hpp"
#include "verbs/resolving/inputs.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/suite/case_requests.hpp"
#include "verbs/suite/shards.hpp"
#include "verbs/suite/suite.hpp"
#include "verdict/initial.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verbs {

namespace {

using core::Measurement;

// Rows that keep the measurements alive which they are of.
std::shared_ptr<const core::Comparison> with_sides(std::shared_ptr<const core::Comparison> rows,
                                                   std::shared_ptr<const Measurement> baseline,
                                                   std::shared_ptr<const Measurement> current) {
  struct Kept {
    std::shared_ptr<const core::Comparison> rows;
    std::shared_ptr<const Measurement> baseline, current;
  };
  const auto kept = std::make_shared<const Kept>(Kept{std::move(rows), std::move(baseline), std::move(current)});
  return {kept, kept->rows.get()};
}

// What reading has freed is held by the allocator for what comes. Of many rows it is better given back before they are judged.
void give_back_freed_memory([[maybe_unused]] const Measurement& read) {
#ifdef __GLIBC__
  constexpr std::size_t kManyRows = 100'000;
  if (read.rows().size() > kManyRows) ::malloc_trim(0);
#endif
}

// One or two numbers may be the same twice; a measurement of noise is not.
bool are_identical(const core::DiffResult& result) {
  constexpr std::size_t kFewRows = 2;
  return !result.current.sha256.empty() && result.baseline.sha256 == result.current.sha256 && result.comparison() != nullptr &&
         result.comparison()->deltas.size() > kFewRows;
}

core::Warning identical_sides(const core::DiffResult& result) {
  return {"identical_sides", "both sides are the same bytes (sha256 " + result.current.sha256.substr(0, 12) +
                                 "): nothing was measured again, so nothing was compared with anything else"};
}

// What the bundle is filed under.
std::string family_of(const Baseline& baseline) {
  return baseline.reference.kind == Reference::Kind::entry ? baseline.reference.entry.family : "adhoc";
}
std::string measurement_of(const Baseline& baseline) {
  return baseline.reference.kind == Reference::Kind::entry ? baseline.reference.entry.measurement : baseline.side.format.name;
}

constexpr std::uint64_t kLargeText = 16ULL << 20;

class Differ {
 public:
  Differ(DiffRequest request, const Context& context, Arguments asked = {})
      : run_{.request = std::move(request), .context = context, .asked = std::move(asked)} {}

  Status prepare() {
    run_.store = run_.request.root.empty() ? registry::absent_store(registry::no_root(run_.context.cwd))
                                           : open_store(run_.request.root, run_.context);
    auto project = read_project_file(run_.request.root, run_.context);
    if (!project) return core::fail(project.error());
    project = with_tier(std::move(*project), run_.request.tier);
    if (!project) return core::fail(project.error());
    run_.project = std::move(*project);
    run_.trusted = std::make_shared<const TrustedKeys>(TrustedKeys::pinned_in(run_.request.root, run_.project, run_.context));
    auto reading = reading_rules_for(run_.request.root, run_.context);
    if (!reading) return core::fail(reading.error());
    run_.reading = std::move(*reading);
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
    return compare(*baseline);
  }

  Expected<Outcome> run() {
    if (auto ok = load(); !ok) return core::fail(ok.error());
    if (has_captures()) return diff_captures(run_);

    keeps_ = true;
    auto result = measurements_result();
    if (!result) return core::fail(result.error());
    return conclude(run_, std::move(*result));
  }

  // Before anything is concluded.
  Expected<core::DiffResult> result() {
    if (auto ok = load(); !ok) return core::fail(ok.error());
    if (has_captures()) return captures_result(run_);
    auto result = measurements_result();
    if (result) omit_uneventful(*result);
    return result;
  }

 private:
  [[nodiscard]] bool has_captures() const {
    return std::any_of(run_.sources.begin(), run_.sources.end(), [](const intake::Opened& s) { return s.is_capture(); });
  }

  // A folder of baselines or a family against a folder of results, or one measurement against one.
  Expected<core::DiffResult> measurements_result() {
    if (run_.request.as == FolderIs::suite && run_.request.baseline.size() == 1) {
      auto suite = suite_input(run_.request.baseline.front(), run_.request.format, run_.sources, *run_.store, run_.context);
      if (!suite) return core::fail(suite.error());
      if (*suite) (*suite)->shards = shards_;
      if (*suite) return suite_result(**suite);
      if (!shards_.empty()) {
        return core::fail(
            ErrorCode::usage,
            "shards are compared as a suite, and the baseline is none: " + core::cited_path(run_.request.baseline.front()),
            "name a folder of baselines, or a family of the registry");
      }
    }
    auto baseline = open_sides();
    if (!baseline) return core::fail(baseline.error());
    if (keeps_) begin_bundle(*baseline);
    return pair_result(*baseline);
  }

  // Of a large file the bundle is begun here: it is copied, and the disk writes, while the rows are judged. Whoever is asked
  // first is asked before anything is written. An error comes up again when the bundle is published.
  void begin_bundle(const Baseline& baseline) {
    const DiffRequest& request = run_.request;
    const bool asks = static_cast<bool>(run_.context.confirm);
    if (!is_one_large_file() || asks || request.no_bundle || run_.context.read_only || request.root.empty() ||
        !request.initial.empty())
      return;
    auto begun =
        BegunBundle::begin({run_.store.get(), family_of(baseline), measurement_of(baseline), {}}, {request, run_.asked},
                           {run_.sources, baseline.side.sha256, run_.current_sha256}, BegunBundle::Threads::one, run_.context);
    if (begun) run_.begun = std::move(*begun);
  }

  Status load() {
    if (auto ok = prepare(); !ok) return ok;
    auto sources = load_side("current", run_.request.current, run_.request.as, run_.context);
    if (!sources) return core::fail(sources.error());
    run_.sources = std::move(*sources);
    if (run_.request.as == FolderIs::shards) {
      if (auto ok = unite(); !ok) return ok;
    }
    return take_journal(run_);
  }

  // From here on the shards are one folder, for the bundle, too.
  Status unite() {
    for (const intake::Opened& shard : run_.sources) shards_.push_back(shard.source.path);
    auto united = unite_shards(std::move(run_.sources), run_.request.shards);
    if (!united) return core::fail(united.error());
    run_.asked.set("current", std::vector<std::string>{united->source.path});
    run_.sources.clear();
    run_.sources.push_back(std::move(*united));
    run_.request.as = FolderIs::suite;
    return {};
  }

  // The current side, and the reference that answers to it.
  Expected<Baseline> open_sides() {
    std::string format = run_.request.format;
    // An entry that was recorded with --format is read with it again, on both sides.
    if (format.empty()) format = recorded_format();
    show_progress(run_.context, 0.05, "reading the measurement");
    look_ahead();
    std::future<std::string> digest = intake::digest_meanwhile(run_.sources.front());
    auto current = read_measurement(run_.sources, format, run_.pool, run_.context, run_.reading, true);
    if (!current) {
      // Say what the baseline is before saying that the other side cannot be read.
      if (current.error().code == ErrorCode::invalid_input) {
        auto reference =
            resolve_reference(run_.request.baseline.front(), *run_.store, nullptr, run_.context.cwd, path_limits(run_.context));
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
    run_.current_sha256 = digest.get();
    forget_large_text();
    if (auto ok = state_context(current->context, run_.request.context, run_.sources.front().source.name); !ok)
      return core::fail(ok.error());
    show_progress(run_.context, 0.3, "reading the baseline");
    auto baseline = open_reference(format, *current);
    if (!baseline) return core::fail(baseline.error());
    take_context(*baseline);
    if (baseline->capture) {
      return core::fail(
          ErrorCode::shape_mismatch,
          "baseline is a capture but --current is " + shape_text(current->shape) + ": " + run_.sources.front().source.name,
          "give a capture (.nsys-rep, its SQLite export, or a folder of nsys stats CSVs)");
    }
    take_current(std::make_shared<const Measurement>(std::move(*current)), *baseline);
    return baseline;
  }

  [[nodiscard]] bool is_one_large_file() const {
    const intake::Opened& first = run_.sources.front();
    return run_.sources.size() == 1 && !first.source.is_directory && first.source.bytes > kLargeText;
  }

  // While a large object of JSON becomes rows, the file that it is compared with is opened.
  void look_ahead() {
    if (!is_one_large_file() || !run_.sources.front().input().bytes.starts_with('{')) return;
    if (run_.request.baseline.size() != 1 || registry::is_shared_address(run_.request.baseline.front())) return;
    const registry::PathLimits limits = path_limits(run_.context);
    std::string path = absolute(run_.context, run_.request.baseline.front());
    if (registry::path_kind(path, limits) == registry::PathKind::file) ahead_ = intake::OpenedAhead(std::move(path), limits);
  }

  // What has become rows is needed once more for the bundle, which copies a file from where it lies (publish_diff).
  void forget_large_text() {
    if (is_one_large_file()) run_.sources.front().content = intake::Measured{};
  }

  // The last step of reading: of two scalars the current one is called after the measurement that it is compared with.
  void take_current(std::shared_ptr<const Measurement> current, const Baseline& baseline) {
    run_.current = std::move(current);
    if (run_.current->shape != core::Shape::scalar || baseline.measurement->shape != core::Shape::scalar) return;
    const std::string_view name = baseline.reference.kind == Reference::Kind::entry
                                      ? std::string_view(baseline.reference.entry.measurement)
                                      : baseline.measurement->key(baseline.measurement->rows().front());
    run_.current = std::make_shared<const Measurement>(named_scalar(*run_.current, name));
  }

  // What --baseline means: an entry, a file, the fitting file of a folder, or several files that are trials of one.
  Expected<Baseline> open_reference(const std::string& format, Measurement& current) {
    auto trials = baseline_trials(run_);
    if (!trials) return core::fail(trials.error());
    if (!trials->empty()) return baseline_of_trials(*trials, format, run_.pool, run_.reading, run_.context);
    const CaseRequests unused(run_.request);
    auto reference = baseline_in_folder(run_.request.baseline.front(), current, run_.sources.front().source.name,
                                        suite_tools(unused), current.warnings);
    if (!reference) return core::fail(reference.error());
    return open_baseline(*reference, *run_.store, &current.context, format, run_.pool, run_.reading, run_.context,
                         run_.request.varying, &ahead_);
  }

  // What --context says holds for files that do not say it; an entry says what was recorded.
  void take_context(Baseline& baseline) const {
    if (baseline.reference.kind == Reference::Kind::entry) return;
    for (const auto& [key, value] : run_.request.context) baseline.context.emplace(key, value);
  }

  std::string recorded_format() {
    if (run_.request.baseline.size() > 1) return {};
    const std::string& reference = run_.request.baseline.front();
    std::string directory = absolute(run_.context, reference);
    if (registry::is_shared_address(reference)) {
      const auto path = run_.store->path_of(reference);
      if (!path) return {};
      const auto entry = run_.store->open(*path, path_limits(run_.context));
      return entry ? entry->record.forced_format : std::string();
    }
    if (const auto named = parse_named_reference(reference); named && is_known(*run_.store, *named)) {
      auto located = locate_entry(*named, *run_.store, path_limits(run_.context));
      if (!located) return {};
      directory = *located;
    }
    const auto record = read_record(directory, path_limits(run_.context));
    return record ? record->forced_format : std::string();
  }

  // One pair, judged: everything of a result but the gate and the bundle.
  Expected<core::DiffResult> compare(Baseline& baseline) {
    const bool entry = baseline.reference.kind == Reference::Kind::entry;
    const std::string family = family_of(baseline);
    const std::string measurement = measurement_of(baseline);
    run_.accepted = baseline.reference.accepted;
    if (auto ok = check_trusted(run_, baseline); !ok) return core::fail(ok.error());
    if (auto ok = check_shapes(baseline, *run_.current, run_.sources.front().source.name); !ok) return core::fail(ok.error());
    if (run_.current->shape == core::Shape::scalar && run_.current->rows().front().value_count == 0) {
      return core::fail(ErrorCode::invalid_input, "current scalar value must be finite",
                        "the file does not hold a finite number: measure again", run_.sources.front().source.path);
    }
    show_progress(run_.context, 0.6, "comparing");
    give_back_freed_memory(*run_.current);
    auto judged = judge(run_, run_.request, baseline, family, measurement);
    if (!judged) return core::fail(judged.error());
    const std::string policy = run_.policy;
    auto older = initial(family, measurement);
    if (!older) return core::fail(older.error());

    core::DiffResult result;
    if (*older) {
      const core::DiffSide& side = (*older)->side;
      judged->judgement =
          verdict::with_initial(std::move(judged->judgement), (*older)->judgement, side.slug.empty() ? side.path : side.slug);
      result.initial = side;
    }
    result.family = family;
    result.measurement = measurement;
    result.project_tier = run_.project.tier;
    result.baseline = baseline.side;
    result.current = current_side();
    result.policy = policy;
    result.direction = overall_direction(baseline, run_.request);
    if (baseline.measurement->shape == core::Shape::scalar && result.direction == core::Direction::unknown) {
      result.direction = judged->comparison->deltas.front().direction;
    }
    result.tolerance_percent = percent_in_force(*judged->comparison);
    result.tolerance_absolute = run_.request.tolerance_absolute;
    result.verdict = judged->judgement.verdict;
    result.tier = judged->judgement.tier;
    result.promote = judged->judgement.promote;
    result.reasons = judged->judgement.reasons;
    result.counts = judged->judgement.counts;
    if (run_.request.second_look != nullptr)
      result.second = core::SecondAnswers{run_.request.second_look, judged->judgement.answers};
    result.waivers = judged->judgement.waivers;
    result.culprits = judged->judgement.parts.culprits;
    result.recommendation = judged->judgement.recommendation;
    result.next_lever = judged->judgement.next_lever;
    result.baseline_context = baseline.context;
    result.current_context = run_.current->context;
    result.context_differences = judged->differences;
    result.sol = judged->sol;
    result.history = judged->history;
    core::RowsResult rows;
    rows.shape = baseline.measurement->shape;
    rows.cells = systems::cases_of(*judged->comparison, judged->judgement.marks, judged->native.get());
    rows.comparison = with_sides(judged->comparison, baseline.measurement, run_.current);
    rows.marks = judged->judgement.marks;
    rows.order = judged->judgement.order;
    rows.native = judged->native;
    result.evidence = std::move(rows);
    result.all_rows = run_.request.all_rows;
    const auto add = [&](const std::vector<core::Warning>& more) {
      for (const core::Warning& w : more) {
        if (std::find(result.warnings.begin(), result.warnings.end(), w) == result.warnings.end()) result.warnings.push_back(w);
      }
    };
    add(baseline.reference.warnings);
    if (entry) add(baseline.reference.entry.warnings);
    add(baseline.measurement->warnings);
    add(run_.current->warnings);
    add(judged->comparison->warnings);
    add(judged->warnings);
    add(judged->judgement.warnings);
    if (are_identical(result)) add({identical_sides(result)});
    return result;
  }

  // Rules of keys are ours: other policies have their own.
  [[nodiscard]] bool judges_keys() const { return verdict::find(run_.policy)->judges_keys; }
  static void add_warnings(core::DiffResult& result, const std::vector<core::Warning>& more) {
    result.warnings.insert(result.warnings.end(), more.begin(), more.end());
  }

  [[nodiscard]] std::vector<core::Warning> idle_keys() const {
    if (systems::find(run_.policy) == nullptr) return {};
    return keys_without_effect(run_.request.flags.key_rules, run_.policy);
  }

  // One measurement against one.
  Expected<core::DiffResult> pair_result(Baseline& baseline) {
    auto result = compare(baseline);
    if (!result) return result;
    if (!judges_keys()) {
      add_warnings(*result, idle_keys());
      return result;
    }
    KeyUse keys(run_.request.flags.key_rules);
    keys.see(*result->comparison());
    add_warnings(*result, keys.warnings());
    return result;
  }

  Expected<core::DiffResult> suite_result(const SuiteInput& input) {
    if (!run_.request.initial.empty()) {
      return core::fail(ErrorCode::usage, "--initial goes with one measurement, not with a suite",
                        "compare the folder with the older folder by itself");
    }
    CaseRequests per_case(run_.request);
    auto result = compare_suite(input, suite_tools(per_case));
    if (!result) return result;
    if (auto ok = per_case.check(*result); !ok) return core::fail(ok.error());
    const auto& cases = result->cases()->cases;
    if (asks_for(run_.request.reports, ReportKind::native) &&
        std::none_of(cases.begin(), cases.end(), [](const auto& one) { return one.native != nullptr; })) {
      return core::fail(ErrorCode::usage,
                        "--report native prints another system's own report, and no case of the suite is a file of one",
                        "systems are " + systems::names());
    }
    result->project_tier = run_.project.tier;
    if (!shards_.empty()) result->current.label = core::counted(shards_.size(), "shard");
    result->family = input.family.empty() ? "adhoc" : input.family;
    result->measurement = "suite";
    result->policy = run_.policy;
    add_warnings(*result, judges_keys() ? per_case.warnings() : idle_keys());
    result->direction = core::Direction::unknown;
    result->tolerance_percent = percent_in_force(*result->comparison());
    result->tolerance_absolute = run_.request.tolerance_absolute;
    result->all_rows = run_.request.all_rows;
    return result;
  }

  SuiteTools suite_tools(const CaseRequests& per_case) {
    quiet_ = run_.context;
    quiet_.progress = {};  // the suite says how far it is
    const auto compare_one = [this, &per_case](const std::string& id, Baseline& baseline, std::vector<intake::Opened> sources,
                                               std::shared_ptr<const Measurement> current) {
      Differ one(per_case.request(id, *baseline.measurement, *current), quiet_);
      one.run_.store = run_.store;
      one.run_.project = run_.project;
      one.run_.reading = run_.reading;
      one.run_.trusted = run_.trusted;
      one.run_.pool = run_.pool;
      one.run_.sources = std::move(sources);
      one.take_current(std::move(current), baseline);
      one.take_context(baseline);
      auto result = one.compare(baseline);
      run_.policy = one.run_.policy;
      if (result && one.judges_keys()) per_case.see(id, *result->comparison());
      return result;
    };
    const auto native = [this, &per_case](const Measurement& baseline, const Measurement& current) {
      auto report = native_of(baseline, current, per_case.any(), "plumbline");
      return report ? *report : nullptr;
    };
    return {run_.context,
            *run_.store,
            run_.pool,
            run_.reading,
            run_.request.format,
            compare_one,
            native,
            run_.request.varying,
            run_.request.context,
            run_.project.tier,
            run_.project.cases};
  }

  // --initial: the same current against an older reference with its own tolerance; drift that no single step shows.
  struct Initial {
    core::DiffSide side;
    verdict::Judgement judgement;
  };
  Expected<std::optional<Initial>> initial(const std::string& family, const std::string& measurement) {
    if (run_.request.initial.empty()) return std::nullopt;
    auto older = open_baseline(run_.request.initial, *run_.store, &run_.current->context, run_.request.format, run_.pool,
                               run_.reading, run_.context);
    if (!older) return core::fail(older.error());
    if (auto ok = check_trusted(run_, *older); !ok) return core::fail(ok.error());
    if (older->capture)
      return core::fail(ErrorCode::shape_mismatch, "--initial is a capture but --current is " + shape_text(run_.current->shape),
                        "name an older measurement of the same kind");
    if (older->measurement->shape == core::Shape::scalar)
      older->measurement = std::make_shared<const Measurement>(named_scalar(*older->measurement, measurement));
    if (auto ok = check_shapes(*older, *run_.current, run_.sources.front().source.name); !ok) return core::fail(ok.error());
    DiffRequest request = run_.request;
    if (run_.request.initial_tolerance) request.tolerance = run_.request.initial_tolerance;
    auto judged = judge(run_, request, *older, family, measurement);
    if (!judged) return core::fail(judged.error());
    initial_baseline_ = older->measurement;
    return Initial{std::move(older->side), std::move(judged->judgement)};
  }

  core::DiffSide current_side() {
    core::DiffSide side;
    const intake::Opened& first = run_.sources.front();
    side.path = first.source.path;
    side.format = run_.current->format;
    side.trials = run_.current->trial_files;
    side.sha256 = run_.current_sha256.empty() ? digest_of(first) : run_.current_sha256;
    return side;
  }

  [[nodiscard]] double percent_in_force(const core::Comparison& comparison) const {
    if (run_.request.tolerance_percent) return *run_.request.tolerance_percent;
    const core::Tolerance& all = comparison.tolerances.front();
    return all.kind == core::ToleranceKind::percent ? all.value : 5.0;
  }

  bool keeps_ = false;  // a bundle is to be left behind
  // The rules for names are made of YAML, which takes as long as a small diff: meanwhile the files are found and opened.
  std::future<void> names_ = base::beside([] { configs::MetricNames::builtin(); });
  const registry::Look look_;  // one picture of the line for the reference, the noise floors and the diffs before
  DiffRun run_;
  std::vector<std::string> shards_;  // folders that the current side was united of
  intake::OpenedAhead ahead_;        // the baseline's file, while the current one is read
  std::shared_ptr<const Measurement> initial_baseline_;
  Context quiet_;  // of the cases of a suite
};

bool is_folder_of_files(const DiffRun& run, const std::string& reference) {
  const std::string path = absolute(run.context, reference);
  const registry::PathLimits limits = path_limits(run.context);
  if (registry::path_kind(path, limits) != registry::PathKind::folder ||
      registry::path_kind(path + "/baseline.json", limits) == registry::PathKind::file)
    return false;
  const auto named = parse_named_reference(reference);
  if (!named) return true;
  const auto known = knows(*run.store, *named);
  return known && !*known;  // a store that cannot be asked says so when the reference is resolved
}

Status check_no_entry(const DiffRun& run, const std::string& reference) {
  const auto resolved = resolve_reference(reference, *run.store, nullptr, run.context.cwd, path_limits(run.context));
  if (!resolved) return core::fail(resolved.error());
  if (resolved->kind == Reference::Kind::file) return {};
  return core::fail(
      ErrorCode::usage,
      "--baseline takes one entry, or several files that are trials of one measurement; an entry is " + core::cited(reference),
      "leave the others out: an entry has the trials it was recorded with");
}

// --as nodes of anything but two sides: the siblings are held against each other.
bool asks_for_outliers(const Arguments& arguments, const Context& context) {
  if (arguments.text("as") != "nodes") return false;
  const std::vector<std::string>& baseline = arguments.list("baseline");
  const std::vector<std::string>& current = arguments.list("current");
  if (baseline.size() != 1 || current.size() != 1) return true;
  const auto kind = registry::path_kind(absolute(context, current.front()), path_limits(context));
  return kind && kind != registry::PathKind::folder;
}

}  // namespace

Expected<std::vector<intake::Opened>> baseline_trials(const DiffRun& run) {
  const std::vector<std::string>& given = run.request.baseline;
  if (given.size() < 2 && !(run.request.as == FolderIs::trials && is_folder_of_files(run, given.front())))
    return std::vector<intake::Opened>{};
  for (const std::string& path : given) {
    if (auto ok = check_no_entry(run, path); !ok) return core::fail(ok.error());
  }
  return load_side("baseline", given, run.request.as, run.context);
}

Status check_trusted(const DiffRun& run, const Baseline& baseline) {
  if (run.trusted == nullptr || baseline.reference.kind != Reference::Kind::entry) return {};
  return run.trusted->check(baseline.reference.entry);
}

Expected<core::DiffResult> diff_suite(const DiffRequest& request, const Context& context, const SuiteInput& input) {
  return Differ(request, context).judge_suite(input);
}

Expected<core::DiffResult> diff_cells(const DiffRequest& request, const Context& context) {
  return Differ(request, context).judge_cells();
}

Expected<Outcome> run_diff(const Arguments& arguments, const Context& context) {
  if (asks_for_outliers(arguments, context)) {
    auto siblings = outliers_arguments(arguments);
    if (!siblings) return core::fail(siblings.error());
    return run_outliers(*siblings, context);
  }
  auto request = parse_diff(arguments, context);
  if (!request) return core::fail(request.error());
  Inputs inputs;
  Context noting = context;
  noting.inputs = &inputs;
  // The bundle keeps what was asked, wherever it was said.
  Arguments asked = arguments;
  if (!request->tier.empty()) asked.set("tier", request->tier);
  return Differ(std::move(*request), noting, std::move(asked)).run();
}

Expected<core::DiffResult> diff_again(const Arguments& arguments, const Context& context) {
  auto request = parse_diff(arguments, context);
  if (!request) return core::fail(request.error());
  return Differ(std::move(*request), context).result();
}

}  // namespace plumbline::verbs
