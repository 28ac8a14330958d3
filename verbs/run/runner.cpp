#include "verbs/run/runner.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/citing.hpp"
#include "core/evidence/row_evidence.hpp"
#include "core/experiment/confirmation.hpp"
#include "core/experiment/looks.hpp"
#include "core/experiment/order_effect.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"
#include "reports/verbs/run.hpp"
#include "verbs/all.hpp"
#include "verbs/diff/again.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/run/bench.hpp"
#include "verbs/run/nodes.hpp"
#include "verbs/run/order.hpp"
#include "verbs/run/worktrees.hpp"

namespace plumbline::verbs {
namespace {

namespace fs = std::filesystem;

void take_interval(const core::DiffResult& result, core::RunLook& look) {
  const core::Comparison* rows = result.comparison();
  if (rows == nullptr) return;
  for (const core::Delta& delta : rows->deltas) {
    if (!delta.headline || delta.statistics == core::kNoRow) continue;
    look.low_pct = rows->statistics[delta.statistics].interval_low_pct;
    look.high_pct = rows->statistics[delta.statistics].interval_high_pct;
    return;
  }
}

// The fewest trials that the baseline has of a row which both sides judge; none without such rows.
std::optional<std::uint32_t> trials_of_baseline(const core::Comparison& rows) {
  std::optional<std::uint32_t> fewest;
  for (const core::Delta& delta : rows.deltas) {
    if (delta.gate || delta.baseline_row == core::kNoRow || delta.current_row == core::kNoRow) continue;
    const core::Row& row = rows.baseline->rows()[delta.baseline_row];
    const core::MetricClass& klass = rows.baseline->metric_class(row);
    if (klass.role != core::Role::judged || klass.exact || row.value_count == 0) continue;
    fewest = std::min(fewest.value_or(row.value_count), row.value_count);
  }
  return fewest;
}

// Why further trials of the current side would leave it a DRAFT; "" where they may help.
std::string why_hopeless(const core::DiffResult& result, bool recorded, std::uint32_t most, double alpha) {
  if (result.tier == core::Tier::verdict) return {};
  const core::Comparison* rows = result.comparison();
  const auto baseline = recorded && rows != nullptr ? trials_of_baseline(*rows) : std::nullopt;
  if (baseline && *baseline < core::kLeastTrials) {
    return "the baseline has " + core::counted(*baseline, "trial") + ", and a VERDICT needs " +
           std::to_string(core::kLeastTrials) + " or more of each side; record it again with -n " + std::to_string(kDefaultRuns);
  }
  if (baseline) {
    const auto reaches = [&](std::uint32_t last) {
      return core::fewest_to_confirm(core::Design::ranks, true, alpha, 1, *baseline, last).has_value();
    };
    if (!reaches(most)) {
      std::uint32_t enough = most;
      while (++enough <= kMostRuns && !reaches(enough)) continue;
      return "against the " + std::to_string(*baseline) + " trials of the baseline nothing can be decided in " +
             std::to_string(most) + (enough <= kMostRuns ? "; it takes --max-runs " + std::to_string(enough) + " or more" : "");
    }
  }
  const bool waits = std::any_of(result.promote.begin(), result.promote.end(), [](const std::string& lacking) {
    return lacking.starts_with("trials: ") || lacking.starts_with("proof: ") || lacking.starts_with("decision: ") ||
           (lacking.starts_with("quiet machine: ") && !lacking.starts_with("quiet machine: the baseline was recorded"));
  });
  return waits || result.promote.empty() ? "" : "what it lacks is no trial: " + result.promote.front();
}

void take(const Outcome& part, Outcome& out) {
  out.links.insert(out.links.end(), part.links.begin(), part.links.end());
  out.warnings.insert(out.warnings.end(), part.warnings.begin(), part.warnings.end());
  if (!part.report_text.empty()) out.report_text = part.report_text;
  if (part.gate_tripped && !out.gate_tripped) out.gate_message = part.gate_message;
  out.gate_tripped = out.gate_tripped || part.gate_tripped;
}

}  // namespace

Expected<Outcome> Runner::run() {
  if (request_.confirm && request_.confirm->look->rows.empty()) return nothing_in_doubt();
  if (auto ok = measure(); !ok) return core::fail(ok.error());
  if (!request_.judge_when_stopped && context_.stop_asked()) return core::fail(cancelled_error());
  return conclude();
}

Status Runner::measure() {
  if (auto ok = check_out(); !ok) return ok;
  if (auto ok = make_folder(); !ok) return ok;
  if (!request_.revisions.empty()) {
    auto trees = make_revisions(request_, context_);
    if (!trees) return core::fail(trees.error());
    trees_.emplace(std::move(*trees));
  }
  if (auto ok = choose_baseline(); !ok) return ok;
  bench_.emplace(request_, context_, folder_);
  if (auto ok = bench_->begin(); !ok) return ok;
  plan_confirm();
  auto ready = bench_->warm_up();
  if (!ready) return core::fail(ready.error());
  if (!*ready) return core::fail(cancelled_error());
  if (auto ok = run_trials(); !ok) return ok;
  bench_->result().elapsed_s = bench_->elapsed_s();
  return {};
}

Expected<core::DiffResult> Runner::verdict() { return judged(comparisons().front()); }

// How few trials can confirm a row at all. Against a baseline that depends on its trials, which nobody has read yet.
void Runner::plan_confirm() {
  if (!request_.confirm) return;
  core::RunConfirm& confirm = *request_.confirm;
  if (request_.sides.size() > 1)
    confirm.least = core::fewest_to_confirm(core::Design::pairs, request_.automatic, confirm.look->alpha, confirm.look->family, 0,
                                            request_.automatic ? request_.max_runs : 0);
  bench_->result().confirm = confirm;
}

// What is GREEN is not run again.
Expected<Outcome> Runner::nothing_in_doubt() {
  bench_.emplace(request_, context_, folder_);
  core::RunResult& result = bench_->result();
  for (const RunRequest::Side& side : request_.sides) result.sides.push_back({side.label, side.command, {}});
  result.confirm = request_.confirm;
  result.stop = core::RunStop::no_doubt;
  result.began_at_utc = registry::utc_text(context_.now());
  Outcome out;
  out.text = reports::run_table(result, true, context_.width);
  out.json = reports::run_result_json(result, {});
  return out;
}

std::string Runner::out_folder() const { return absolute(context_, asked_.text("out")); }

// Several comparisons have a folder each below it.
Status Runner::check_out() {
  if (!asked_.has("out")) return {};
  if (auto ok = registry::check_out_folder(out_folder(), path_limits(context_)); !ok) return ok;
  if (request_.sides.size() < 3) return {};
  std::error_code error;
  fs::create_directories(out_folder(), error);
  if (!error) return {};
  return core::fail(ErrorCode::environment, "cannot make " + core::cited_path(out_folder()) + ": " + error.message());
}

Status Runner::make_folder() {
  if (!request_.keep.empty()) {
    if (auto ok = registry::check_out_folder(request_.keep, path_limits(context_)); !ok) return ok;
    std::error_code error;
    fs::create_directories(request_.keep, error);
    if (error)
      return core::fail(ErrorCode::environment, "cannot make " + core::cited_path(request_.keep) + ": " + error.message());
    folder_ = request_.keep;
    return {};
  }
  if (!request_.folder.empty()) {
    folder_ = request_.folder;
    return {};
  }
  auto scratch = ScratchFolder::make(context_);
  if (!scratch) return core::fail(scratch.error());
  scratch_.emplace(std::move(*scratch));
  folder_ = scratch_->path();
  return {};
}

// --auto-baseline: what is there is compared with; where nothing is, the trials are recorded.
Status Runner::choose_baseline() {
  if (request_.auto_baseline.empty()) return {};
  const auto root = root_of(asked_, context_);
  if (!root) return core::fail(root.error());
  const auto store = open_store(*root, context_);
  const auto known = knows(*store, *parse_named_reference(request_.auto_baseline));
  if (!known) return core::fail(known.error());
  if (*known) {
    request_.against = request_.auto_baseline;
    return {};
  }
  request_.record = request_.auto_baseline;
  request_.automatic = false;
  return {};
}

// ---- trials ----

std::uint32_t Runner::trials() {
  std::size_t fewest = SIZE_MAX;
  for (const core::RunSide& side : bench_->result().sides) fewest = std::min(fewest, side.files.size());
  return static_cast<std::uint32_t>(fewest);
}

Status Runner::run_trials() {
  std::uint32_t wanted = request_.automatic ? request_.max_runs : request_.runs;
  const core::Design design = request_.sides.size() > 1 ? core::Design::pairs : core::Design::ranks;
  std::uint32_t next = core::next_look(design, 0, request_.max_runs);
  core::RunResult& result = bench_->result();
  result.stop = request_.automatic ? core::RunStop::max_runs : core::RunStop::planned;
  // Blocks with a failed trial do not count, but neither do they go on for ever.
  for (std::uint32_t block = 1; trials() < wanted && block <= 2 * wanted; ++block) {
    show(block, wanted);
    auto through = bench_->run_block(block);
    if (!through) return core::fail(through.error());
    if (!*through) {
      result.stop = bench_->asked_to_stop() ? core::RunStop::asked : core::RunStop::budget;
      return {};
    }
    if (!request_.automatic || trials() < next) continue;
    next = core::next_look(design, trials(), request_.max_runs);
    auto decided = look();
    if (!decided) return core::fail(decided.error());
    if (*decided) {
      result.stop = result.stop_reason.empty() ? core::RunStop::decided : core::RunStop::hopeless;
      return {};
    }
    if (!request_.automatic) wanted = request_.runs;
  }
  return {};
}

// --auto-baseline: entries of its name are there, and none fits this machine or setting.
void Runner::record_instead(const Error& nothing_fits) {
  recorded_instead_ = "no_matching_baseline: " + nothing_fits.message + "; these trials are recorded as one";
  request_.record = request_.auto_baseline;
  request_.against.clear();
  request_.automatic = false;
  bench_->result().anytime = false;
  bench_->result().stop = core::RunStop::planned;
}

void Runner::show(std::uint32_t block, std::uint32_t wanted) {
  std::string text = "trial " + std::to_string(block) + (request_.automatic ? " of at most " : " of ") + std::to_string(wanted);
  if (!bench_->result().looks.empty()) {
    const core::RunLook& look = bench_->result().looks.back();
    text += ": " + look.verdict + " " + look.tier;
    if (look.low_pct && look.high_pct)
      text += ", change " + core::short_number(*look.low_pct, 3) + " .. " + core::short_number(*look.high_pct, 3) + " %";
    if (request_.confirm) {
      text += ", " + std::to_string(look.open) + " of " + core::counted(request_.confirm->look->rows.size(), "row") +
              " in doubt still open";
    }
  }
  double share = static_cast<double>(block - 1) / wanted;
  if (request_.budget_s > 0) share = std::max(share, bench_->elapsed_s() / request_.budget_s);
  show_progress(context_, std::min(share, 1.0), text);
}

Expected<bool> Runner::look() {
  bool decided = true;
  std::string hopeless;
  for (const Arguments& question : comparisons()) {
    auto result = judged(question);
    if (!result && result.error().code == ErrorCode::no_matching_baseline && !request_.auto_baseline.empty()) {
      record_instead(result.error());
      return false;
    }
    if (!result) return core::fail(result.error());
    bool verdict = result->tier == core::Tier::verdict && result->verdict != core::Verdict::yellow;
    verdict = verdict || (request_.enough && request_.enough(*result));
    if (!verdict && !result->second) {
      const double alpha = question.number("alpha").value_or(0.05);
      const std::string why = why_hopeless(*result, !request_.against.empty(), request_.max_runs, alpha);
      if (hopeless.empty()) hopeless = why;
      verdict = !why.empty();
    }
    // A second look answers each row, whatever the verdict rests on already.
    const std::uint64_t open = result->second ? result->second->count(core::SecondAnswer::undecided) : 0;
    decided = decided && (result->second ? open == 0 : verdict);
    core::RunLook look{trials(), std::string(to_string(result->verdict)), std::string(to_string(result->tier)), {}, {}, open};
    take_interval(*result, look);
    bench_->result().looks.push_back(std::move(look));
  }
  if (decided) bench_->result().stop_reason = hopeless;
  return decided;
}

// What was measured before it was asked to stop is judged all the same, unless the request says otherwise.
Context Runner::quiet() const {
  Context out = context_;
  if (request_.judge_when_stopped) out.cancelled = nullptr;
  out.progress = {};
  return out;
}

Expected<core::DiffResult> Runner::judged(const Arguments& question) {
  if (auto ok = write_journal(); !ok) return core::fail(ok.error());
  return diff_again(question, quiet());
}

// ---- what is asked of diff and record ----

Status Runner::write_journal() {
  registry::PathLimits limits = path_limits(quiet());
  limits.allowed_roots.clear();  // our own folder, where it is written again at each look
  return registry::write_report(journal_path(), reports::run_journal_json(bench_->result()), limits);
}

// Each side against the first, or the one against what --against names. Several comparisons share alpha (Bonferroni).
std::vector<Arguments> Runner::comparisons() {
  std::vector<Arguments> out;
  const std::vector<core::RunSide>& sides = bench_->result().sides;
  if (!request_.against.empty()) {
    std::vector<std::string> baseline = {request_.against};
    baseline.insert(baseline.end(), request_.against_trials.begin(), request_.against_trials.end());
    out.push_back(question(std::move(baseline), sides.front().files, 1));
    return out;
  }
  for (std::size_t i = 1; i < sides.size(); ++i) out.push_back(question(sides.front().files, sides[i].files, sides.size() - 1));
  return out;
}

Arguments Runner::question(std::vector<std::string> baseline, std::vector<std::string> current, std::size_t share) {
  Arguments out;
  for (const char* name : {"tolerance", "tolerance_percent", "headline", "direction", "varying", "fail_on", "strict", "no_bundle",
                           "out", "sign", "repo_root", "format", "tier", "report", "md_limit"}) {
    if (const auto at = asked_.all().find(name); at != asked_.all().end()) out.set(name, at->second);
  }
  const double alpha = asked_.number("alpha").value_or(0.05);
  if (share > 1 || asked_.has("alpha")) out.set("alpha", alpha / static_cast<double>(share));
  if (request_.confirm) out.set("alpha", request_.confirm->look->alpha);
  out.set("baseline", std::move(baseline));
  out.set("current", std::move(current));
  out.set("context", context_words());
  out.set("journal", journal_path());
  return out;
}

// What the machine says, then what the caller says, who knows better.
std::vector<std::string> Runner::context_words() {
  core::Context context = bench_->result().machine;
  std::vector<std::string> out;
  for (const std::string& word : asked_.list("context")) {
    context.erase(word.substr(0, word.find('=')));
    out.push_back(word);
  }
  for (const auto& [key, value] : context) out.push_back(key + "=" + value);
  return out;
}

Expected<Outcome> Runner::record() {
  const std::vector<std::string>& files = bench_->result().sides.front().files;
  const auto name = parse_named_reference(request_.record);
  Arguments out;
  for (const char* parameter : {"tolerance", "headline", "direction", "sign", "repo_root", "format", "reason"}) {
    if (const auto at = asked_.all().find(parameter); at != asked_.all().end()) out.set(parameter, at->second);
  }
  out.set("family", name->family);
  out.set("measurement", name->measurement);
  out.set("source", files.front());
  if (files.size() > 1) out.set("trials", std::vector<std::string>(files.begin() + 1, files.end()));
  out.set("context", context_words());
  out.set("run_journal", journal_path());
  out.set("passing_source", request_.keep.empty());
  return run_record(out, quiet());
}

// ---- the answer ----

Expected<Outcome> Runner::conclude() {
  core::RunResult& result = bench_->result();
  if (trials() == 0) {
    if (context_.stop_asked()) return core::fail(cancelled_error());
    return core::fail(ErrorCode::invalid_input, "no trial counts: " + first_problem(),
                      "run the command by hand until it ends with 0");
  }
  Outcome out;
  reports::RunAnswers answers;
  out.text = reports::run_table(result, true, context_.width);
  if (auto ok = write_journal(); !ok) return core::fail(ok.error());
  if (auto ok = compare(answers, out); !ok) return core::fail(ok.error());
  if (!recorded_instead_.empty()) out.warnings.push_back(recorded_instead_);
  if (!request_.auto_note.empty()) out.warnings.push_back(request_.auto_note);
  if (!request_.record.empty()) {
    auto recorded = record();
    if (!recorded) return core::fail(recorded.error());
    answers.record_json = recorded->json;
    out.text += "\n" + recorded->text;
    take(*recorded, out);
  }
  if (!request_.keep.empty()) answers.journal_path = journal_path();
  out.json = reports::run_result_json(result, answers);
  return out;
}

Status Runner::compare(reports::RunAnswers& answers, Outcome& out) {
  std::vector<Arguments> questions = comparisons();
  if (auto ok = warn_of_order(questions); !ok) return ok;
  for (const core::Warning& warning : bench_->result().warnings)
    out.warnings.push_back(std::string(warning.code.text()) + ": " + warning.message);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (questions.size() > 1 && asked_.has("out"))
      questions[i].set("out", out_folder() + "/" + bench_->result().sides[i + 1].label);
    auto answer = run_diff(questions[i], quiet());
    if (!answer && answer.error().code == ErrorCode::no_matching_baseline && !request_.auto_baseline.empty()) {
      record_instead(answer.error());
      return {};
    }
    if (!answer) return core::fail(answer.error());
    const std::string label = request_.against.empty() ? bench_->result().sides[i + 1].label : request_.against;
    answers.comparisons.push_back({label, answer->json});
    out.text +=
        "\n" + (questions.size() > 1 ? label + " against " + bench_->result().sides.front().label + "\n" : "") + answer->text;
    take(*answer, out);
  }
  return {};
}

// Whether it matters which command of a block comes first: what one run leaves behind meets the next. Said in the journal, so
// before it is bound into a bundle.
Status Runner::warn_of_order(const std::vector<Arguments>& questions) {
  core::RunResult& result = bench_->result();
  if (result.sides.size() < 2 || trials() < core::kLeastBlocksForOrder) return {};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto compared = judged(questions[i]);
    if (!compared) return core::fail(compared.error());
    auto warning = order_warning(*compared, result, static_cast<std::uint32_t>(i + 1));
    if (warning) result.warnings.push_back(std::move(*warning));
  }
  return result.warnings.empty() ? Status{} : write_journal();
}

std::string Runner::first_problem() {
  for (const core::RunTrial& trial : bench_->result().trials) {
    if (!trial.ok) return core::cited_word(request_.sides[trial.side].command) + " " + trial.problem;
  }
  return "the time was over before the first one ended";
}

namespace {

constexpr const char* kComparing[] = {"against", "ab", "ab_rev", "auto_baseline", "confirm_diff"};

// How often to run, where the tier of plumbline.yaml says it and no flag does.
Expected<Arguments> with_settings_of_tier(Arguments arguments, const Context& context) {
  const std::string name = tier_asked(arguments, context);
  if (name.empty()) return arguments;
  auto root = root_if_any(arguments, context);
  if (!root) return core::fail(root.error());
  auto file = read_project_file(*root, context);
  if (!file) return core::fail(file.error());
  file = with_tier(std::move(*file), name);
  if (!file) return core::fail(file.error());
  const ProjectTier& tier =
      *std::find_if(file->tiers.begin(), file->tiers.end(), [&](const ProjectTier& one) { return one.name == name; });
  arguments.set("tier", name);
  const bool compares =
      std::any_of(std::begin(kComparing), std::end(kComparing), [&](const char* flag) { return arguments.has(flag); });
  // A tier's `auto` is meant where something is compared, and leaves the default where nothing is.
  if (tier.runs && !arguments.has("runs") && (compares || *tier.runs != "auto")) arguments.set("runs", *tier.runs);
  if (tier.budget && !arguments.has("budget")) arguments.set("budget", *tier.budget);
  if (tier.max_runs && !arguments.has("max_runs")) arguments.set("max_runs", *tier.max_runs);
  return arguments;
}

}  // namespace

Expected<Outcome> run_run(const Arguments& arguments, const Context& context) {
  if (context.read_only) return core::fail(ErrorCode::path_not_allowed, "nothing is run: this server is read-only");
  auto tiered = with_settings_of_tier(arguments, context);
  if (!tiered) return core::fail(tiered.error());
  if (tiered->has("nodes")) return run_on_nodes(*tiered, context);
  if (tiered->has("launcher")) {
    return core::fail(ErrorCode::usage, "--launcher starts a command on nodes, and there is no --nodes",
                      "`--nodes n1,n2 --launcher 'ssh {node}'`");
  }
  auto request = parse_run(*tiered, context);
  if (!request) return core::fail(request.error());
  return Runner(std::move(*request), *tiered, context).run();
}

}  // namespace plumbline::verbs
