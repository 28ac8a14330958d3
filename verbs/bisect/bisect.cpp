// bisect: judge the two ends first, then search among the commits between them (core/experiment/bisection.hpp). Each commit is
// measured in turn with the good end, so that a machine that slows down meanwhile does not point at the wrong one.
#include "reports/verbs/bisect.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/citing.hpp"
#include "core/experiment/bisection.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "verbs/all.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/run/runner.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::uint32_t kMostPairs = 1000;  // of the two ends

struct Asked {
  std::string good, bad, build, key, out;
  double probability = 0.98;
  std::uint32_t max_runs = 300;
  double budget_s = 0;
};

// What is common with `run`, for its own request.
Arguments common(const Arguments& arguments) {
  Arguments out;
  for (const char* name : {"command", "warmup", "timeout", "prepare", "cleanup", "seed", "measure", "result", "format",
                           "tolerance", "tolerance_percent", "headline", "direction", "alpha", "repo_root", "budget"}) {
    if (const auto at = arguments.all().find(name); at != arguments.all().end()) out.set(name, at->second);
  }
  return out;
}

Expected<Asked> parse_bisect(const Arguments& arguments, const Context& context) {
  Asked out;
  out.good = arguments.text("good");
  out.bad = arguments.text("bad", "HEAD");
  out.build = arguments.text("build");
  out.key = arguments.text("key");
  if (arguments.has("out")) out.out = absolute(context, arguments.text("out"));
  if (out.good.empty()) {
    return core::fail(ErrorCode::usage, "--good is missing",
                      "`plumbline bisect --good REV [--bad REV] [--build CMD] -- CMD`; `--step` is for `git bisect run`");
  }
  if (const auto probability = arguments.number("probability")) {
    if (!(*probability > 0.5 && *probability < 1))
      return core::fail(ErrorCode::usage, "--probability must lie between 0.5 and 1", "the default is 0.98");
    out.probability = *probability;
  }
  if (const auto runs = arguments.integer("max_runs")) {
    if (*runs < 20 || *runs > 100'000)
      return core::fail(ErrorCode::usage, "--max-runs must lie between 20 and 100000", "judging the two ends alone takes 16");
    out.max_runs = static_cast<std::uint32_t>(*runs);
  }
  if (arguments.has("budget")) out.budget_s = parse_duration(arguments.text("budget")).value_or(0);
  return out;
}

// One commit beside the good end. Made when it is first measured; address-stable, for its bench borrows the request.
struct Lab {
  RunRequest request;
  ScratchFolder scratch;
  std::optional<Bench> bench;
  std::uint32_t block = 0;
};

class Bisector {
 public:
  Bisector(Asked asked, const Arguments& arguments, const Context& context)
      : asked_(std::move(asked)), arguments_(arguments), context_(context) {}

  Expected<Outcome> run() {
    if (auto ok = list_commits(); !ok) return core::fail(ok.error());
    if (auto ok = judge_ends(); !ok) return core::fail(ok.error());
    if (result_.searched) {
      if (auto ok = search(); !ok) return core::fail(ok.error());
    }
    result_.elapsed_s = elapsed_s();
    Outcome out;
    out.json = reports::bisect_json(result_);
    out.text = reports::bisect_text(result_, true, context_.width);
    if (!asked_.out.empty()) {
      if (auto ok = registry::write_report(asked_.out, reports::bisect_markdown(result_), path_limits(context_)); !ok)
        return core::fail(ok.error());
    }
    return out;
  }

 private:
  Status list_commits() {
    auto trees = Worktrees::open("bisect", context_);
    if (!trees) return core::fail(trees.error());
    trees_.emplace(std::move(*trees));
    for (const std::string& end : {asked_.good, asked_.bad}) {
      if (trees_->git({"rev-parse", "--verify", "--quiet", end + "^{commit}"}, context_)) continue;
      return core::fail(ErrorCode::not_found, core::cited(end) + " is no commit of this repository",
                        "`git log --oneline` lists them");
    }
    if (!trees_->git({"merge-base", "--is-ancestor", asked_.good, asked_.bad}, context_)) {
      return core::fail(ErrorCode::usage, core::cited(asked_.good) + " is no ancestor of " + core::cited(asked_.bad),
                        "give the older revision as --good, the newer one as --bad");
    }
    auto listed =
        trees_->git({"log", "--first-parent", "--reverse", "--format=%H%x09%P%x09%s", asked_.good + ".." + asked_.bad}, context_);
    if (!listed) return core::fail(listed.error());
    for (const std::string_view line : core::split(*listed, '\n')) {
      const auto fields = core::split(line, '\t');
      if (fields.size() < 3) continue;
      core::BisectCommit commit;
      commit.sha = fields[0];
      commit.merge = fields[1].find(' ') != std::string_view::npos;
      commit.subject = line.substr(fields[0].size() + fields[1].size() + 2);
      result_.commits.push_back(std::move(commit));
    }
    if (result_.commits.empty()) {
      return core::fail(ErrorCode::usage, core::cited(asked_.good) + " and " + core::cited(asked_.bad) + " are the same commit",
                        "give an older one as --good");
    }
    result_.good = asked_.good;
    result_.bad = asked_.bad;
    return {};
  }

  // ---- the two ends ----

  Status judge_ends() {
    Arguments ends = common(arguments_);
    ends.set("ab_rev", asked_.good + ".." + asked_.bad);
    if (!asked_.build.empty()) ends.set("build", asked_.build);
    auto request = parse_run(ends, context_);
    if (!request) return core::fail(request.error());
    // As many as --max-runs allows: a difference that is near the tolerance takes more pairs than `run` gives it.
    const std::uint32_t pairs = (asked_.max_runs - std::min(asked_.max_runs, 2 * request->warmup)) / 2;
    request->max_runs = std::clamp(pairs, 3U, kMostPairs);
    request->enough = [this](const core::DiffResult& ends_now) { return worse_row(ends_now) != nullptr; };
    ends_arguments_ = std::move(ends);
    ends_.emplace(std::move(*request), ends_arguments_, context_);
    if (auto ok = ends_->measure(); !ok) return ok;
    auto judged = ends_->verdict();
    if (!judged) return core::fail(judged.error());
    result_.verdict = judged->verdict;
    result_.tier = judged->tier;
    result_.runs = static_cast<std::uint32_t>(ends_->result().trials.size());
    result_.searched = judged->verdict == core::Verdict::red || worse_row(*judged) != nullptr;
    return result_.searched ? take_key(*judged) : Status{};
  }

  // A row that is worse beyond chance, and by more than its tolerance as far as the trials tell. That it is worse by more than
  // tolerance beyond chance, as a verdict has it, is not needed to search for where it got worse. Of the row that --key names, of
  // the headlines, or of the only row: among many one would pass by chance. Null for none.
  [[nodiscard]] const core::Delta* worse_row(const core::DiffResult& judged) const {
    const core::Comparison* rows = judged.comparison();
    if (rows == nullptr) return nullptr;
    const auto is_judged = [](const core::Delta& delta) { return !delta.gate && delta.statistics != core::kNoRow; };
    const bool one = std::count_if(rows->deltas.begin(), rows->deltas.end(), is_judged) == 1;
    for (const core::Delta& delta : rows->deltas) {
      if (!is_judged(delta) || !delta.exceeds || !delta.adverse) continue;
      const bool meant = asked_.key.empty() ? delta.headline || one : rows->baseline->pool().view(delta.key) == asked_.key;
      const core::RowStatistics& s = rows->statistics[delta.statistics];
      const bool slower = s.interval_low_pct && *s.interval_low_pct > 0 && delta.direction == core::Direction::lower;
      const bool fewer = s.interval_high_pct && *s.interval_high_pct < 0 && delta.direction == core::Direction::higher;
      if (meant && (slower || fewer)) return &delta;
    }
    return nullptr;
  }

  // The row that is searched for, and how far apart the ends are in it.
  Status take_key(const core::DiffResult& judged) {
    const core::Comparison* rows = judged.comparison();
    const core::Delta* worst = judged.verdict == core::Verdict::red ? nullptr : worse_row(judged);
    for (const std::uint32_t i : judged.order()) {
      const core::Delta& delta = rows->deltas[i];
      const std::string_view key = rows->baseline->pool().view(delta.key);
      const bool meant = asked_.key.empty() ? delta.state == core::State::regressed && !delta.gate : key == asked_.key;
      if (worst == nullptr && meant && delta.baseline_row != core::kNoRow && delta.current_row != core::kNoRow) {
        worst = &delta;
        break;
      }
    }
    if (worst == nullptr) {
      return core::fail(ErrorCode::invalid_input,
                        asked_.key.empty() ? "the ends differ, but in no row that can be followed"
                                           : "no row is called " + core::cited(asked_.key),
                        "`plumbline run --ab-rev " + asked_.good + ".." + asked_.bad + "` shows what differs");
    }
    result_.key = rows->baseline->pool().view(worst->key);
    result_.change_pct = worst->delta_pct;
    higher_ = worst->direction == core::Direction::higher;
    ratios_ = worst->baseline > 0 && worst->current > 0;
    const std::vector<core::RunSide>& sides = ends_->result().sides;
    std::vector<double> differences;
    for (std::size_t i = 0; i < sides[0].files.size(); ++i) {
      auto difference = difference_of(ends_->bench(), sides[0].files[i], sides[1].files[i]);
      if (!difference) return core::fail(difference.error());
      differences.push_back(*difference);
    }
    const double shift = core::signed_rank(differences, 0.05).shift;
    const double sigma = std::max(core::sample_stddev(differences), 1e-3 * std::fabs(shift));
    if (!(shift > 0)) {
      return core::fail(ErrorCode::invalid_input, core::cited(result_.key) + " is not worse at " + core::cited(asked_.bad),
                        "name a row that is, by --key");
    }
    search_.emplace(result_.commits.size(), shift, sigma);
    return {};
  }

  // On a scale where + is worse.
  [[nodiscard]] Expected<double> difference_of(const Bench& bench, const std::string& before, const std::string& after) const {
    auto was = bench.number(before, result_.key);
    if (!was) return core::fail(was.error());
    auto is = bench.number(after, result_.key);
    if (!is) return core::fail(is.error());
    const double difference = ratios_ && *was > 0 && *is > 0 ? std::log(*is / *was) : *is - *was;
    return higher_ ? -difference : difference;
  }

  // ---- the search ----

  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  // Of the budget; 0 where there is none.
  [[nodiscard]] double left_s() const { return asked_.budget_s > 0 ? std::max(asked_.budget_s - elapsed_s(), 0.001) : 0; }
  [[nodiscard]] bool over() const {
    return context_.stop_asked() || result_.runs + 2 > asked_.max_runs || (asked_.budget_s > 0 && elapsed_s() > asked_.budget_s);
  }

  Status search() {
    while (search_->best().probability < asked_.probability && !over()) {
      const std::size_t commit = search_->next();
      if (commit == 0) break;
      show(commit);
      if (auto ok = measure(commit); !ok) return ok;
    }
    const core::Bisection::Answer best = search_->best();
    result_.first = best.first - 1;
    result_.last = best.last - 1;
    result_.probability = best.probability;
    result_.found = best.probability >= asked_.probability;
    for (std::size_t i = 0; i < result_.commits.size(); ++i) {
      result_.commits[i].probability = search_->probability(i + 1);
      if (const auto at = differences_.find(i + 1); at != differences_.end()) {
        const double middle = core::median(at->second);
        const double oriented = higher_ ? -middle : middle;
        result_.commits[i].pairs = static_cast<std::uint32_t>(at->second.size());
        if (ratios_) result_.commits[i].change_pct = 100 * std::expm1(oriented);
      }
    }
    return {};
  }

  void show(std::size_t commit) {
    const core::Bisection::Answer best = search_->best();
    show_progress(context_, std::min(1.0, best.probability / asked_.probability),
                  "run " + std::to_string(result_.runs + 1) + ", commit " + std::to_string(commit) + " of " +
                      std::to_string(result_.commits.size()) + "; likeliest " + result_.commits[best.last - 1].sha.substr(0, 12) +
                      " (" + core::short_number(100 * best.probability, 2) + " %)");
  }

  Status measure(std::size_t commit) {
    auto lab = lab_of(commit);
    if (!lab) return pass_over(commit, lab.error());
    const std::size_t before = (*lab)->bench->result().sides[1].files.size();
    auto through = (*lab)->bench->run_block(++(*lab)->block);
    result_.runs += 2;
    if (!through) return pass_over(commit, through.error());
    const std::vector<core::RunSide>& sides = (*lab)->bench->result().sides;
    if (!*through || sides[1].files.size() == before) return {};  // a failed run; three in a row are an error
    auto difference = difference_of(*(*lab)->bench, sides[0].files.back(), sides[1].files.back());
    if (!difference) return pass_over(commit, difference.error());
    search_->observe(commit, *difference);
    differences_[commit].push_back(*difference);
    return {};
  }

  // A commit that does not build or run says nothing; everything else that goes wrong ends the search.
  Status pass_over(std::size_t commit, const Error& error) {
    if (error.code != ErrorCode::invalid_input) return core::fail(error);
    search_->cannot_measure(commit);
    result_.commits[commit - 1].problem = error.message;
    return {};
  }

  Expected<Lab*> lab_of(std::size_t commit) {
    if (const auto at = labs_.find(commit); at != labs_.end()) return &at->second;
    const std::string& sha = result_.commits[commit - 1].sha;
    show_progress(context_, 0, "building " + sha.substr(0, 12));
    auto tree = trees_->check_out(sha, context_);
    if (!tree) return core::fail(tree.error());
    if (auto ok = trees_->build(*tree, sha.substr(0, 12), asked_.build, left_s(), context_); !ok) return core::fail(ok.error());
    auto scratch = ScratchFolder::make(context_);
    if (!scratch) return core::fail(scratch.error());
    RunRequest request = ends_->request();
    request.revisions.clear();
    RunRequest::Side side = unmoved();
    side.label = sha.substr(0, 12);
    trees_->move_into(*tree, side.start);
    request.sides[1] = std::move(side);
    request.budget_s = 0;
    Lab& lab = labs_.emplace(commit, Lab{std::move(request), std::move(*scratch), {}, 0}).first->second;
    lab.bench.emplace(lab.request, context_, lab.scratch.path());
    if (auto ok = lab.bench->begin(); !ok) return core::fail(ok.error());
    auto ready = lab.bench->warm_up();
    result_.runs += 2 * lab.request.warmup;
    if (!ready) return core::fail(ready.error());
    return &lab;
  }

  // The command as it was given, in no work tree yet.
  [[nodiscard]] RunRequest::Side unmoved() const {
    RunRequest::Side side = ends_->request().sides[1];
    const std::vector<std::string>& words = arguments_.list("command");
    if (words.front().find('/') != std::string::npos) side.start.argv.front() = words.front();
    return side;
  }

  Asked asked_;
  const Arguments& arguments_;
  const Context& context_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<Worktrees> trees_;
  Arguments ends_arguments_;
  std::optional<Runner> ends_;
  std::optional<core::Bisection> search_;
  std::map<std::size_t, Lab> labs_;
  std::map<std::size_t, std::vector<double>> differences_;
  bool higher_ = false, ratios_ = true;
  core::BisectResult result_;
};

// ---- --step: one work tree, for `git bisect run` ----

constexpr int kGood = 0, kBad = 1, kSkip = 125, kAbort = 255;

Outcome ended_with(int status, std::string text) {
  Outcome out;
  out.exit_status = status;
  out.json = reports::bisect_step_json(status, text);
  out.text = std::move(text);
  return out;
}

// Every status but those means something else to git: 2 would be "bad". So an error of the call ends the bisection.
Outcome step(const Arguments& arguments, const Context& context) {
  const auto abort = [](const Error& error) { return ended_with(kAbort, error_text(error)); };
  Arguments own = common(arguments);
  if (!arguments.has("against")) {
    return abort({ErrorCode::usage,
                  "--step needs --against REF: what the work tree is compared with",
                  "record the good revision: `plumbline run --record FAMILY/MEASUREMENT -n 10 -- CMD`",
                  {}});
  }
  own.set("against", arguments.text("against"));
  own.set("no_bundle", true);
  auto request = parse_run(own, context);
  if (!request)
    return request.error().code == ErrorCode::missing_helper ? ended_with(kSkip, error_text(request.error()))
                                                             : abort(request.error());
  const machine::Command build{
      .argv = {"/bin/sh", "-c", arguments.text("build")}, .environment = {}, .folder = {}, .timeout_s = request->budget_s};
  if (arguments.has("build")) {
    const auto built = machine::run_command(build, context.cancelled);
    if (!built) return abort(built.error());
    if (!built->ok()) return ended_with(kSkip, "cannot tell: --build " + machine::ending_text(*built, build) + "\n");
  }
  Runner runner(std::move(*request), own, context);
  if (auto ok = runner.measure(); !ok) {
    const bool of_the_tree = ok.error().code == ErrorCode::invalid_input;
    return of_the_tree ? ended_with(kSkip, "cannot tell: " + ok.error().message + "\n") : abort(ok.error());
  }
  auto judged = runner.verdict();
  if (!judged) return abort(judged.error());
  const std::string told = std::string(to_string(judged->verdict)) + " (" + std::string(to_string(judged->tier)) + ")";
  if (judged->verdict == core::Verdict::red) return ended_with(kBad, "bad: " + told + "\n");
  const bool good = judged->verdict == core::Verdict::green && judged->tier == core::Tier::verdict;
  return good ? ended_with(kGood, "good: " + told + "\n") : ended_with(kSkip, "cannot tell: " + told + "\n");
}

}  // namespace

Expected<Outcome> run_bisect(const Arguments& arguments, const Context& context) {
  if (context.read_only) return core::fail(ErrorCode::path_not_allowed, "nothing is run: this server is read-only");
  if (arguments.flag("step")) return step(arguments, context);
  auto asked = parse_bisect(arguments, context);
  if (!asked) return core::fail(asked.error());
  return Bisector(std::move(*asked), arguments, context).run();
}

}  // namespace plumbline::verbs
