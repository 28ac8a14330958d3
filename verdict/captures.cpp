#include "verdict/captures.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/diff/findings.hpp"
#include "profiles/diff/gaps.hpp"
#include "profiles/diff/metrics.hpp"
#include "profiles/diff/words.hpp"
#include "profiles/ranks/telling.hpp"
#include "verdict/capture_work.hpp"

namespace plumbline::verdict {
namespace {

using profiles::Profile;

constexpr double kSlack = 1e-12;          // relative, so that a change exactly at a bound is judged the same everywhere
constexpr double kWallNoticePct = 2;      // below, one capture a side says nothing
constexpr double kOffsettingSumPct = 10;  // of the baseline's kernel time
constexpr double kOffsettingNetPct = 2;
constexpr double kLowComparability = 0.5;
constexpr double kShareMovedPoints = 5;  // of a function in a profile of the host
constexpr double kChanceDeviations = 3;  // standard errors
constexpr double kSharesOnly = 0.8;      // comparability of two profiles of which only the spread can be compared
constexpr double kVanishedPct = 10;      // of the baseline's kernel time
constexpr double kSlowerPct = 2;         // per call, to be named
constexpr std::size_t kNamed = 3;

bool at_least(double value, double bound) { return value >= bound - kSlack * std::abs(bound); }
std::string percent(double value) { return core::signed_number(value, 3) + " %"; }
double real(std::int64_t value) { return static_cast<double>(value); }

struct Work {
  double fresh = 0, gone = 0;  // kernel time of new and vanished names
  double matched0 = 0, matched1 = 0, total0 = 0, total1 = 0;
  double moved = 0, net = 0;  // sum |change|, |sum of changes|, for the same work
};

bool paired(const core::ProfileRow& row) { return row.state == "matched" || row.state == "switched"; }

Work measure(const std::vector<core::ProfileRow>& kernels, double scale) {
  Work work;
  for (const core::ProfileRow& row : kernels) {
    const double change = real(row.candidate_ns) / scale - real(row.baseline_ns);
    work.total0 += real(row.baseline_ns);
    work.total1 += real(row.candidate_ns);
    work.moved += std::abs(change);
    work.net += change;
    if (row.state == "new") work.fresh += real(row.candidate_ns);
    if (row.state == "vanished") work.gone += real(row.baseline_ns);
    if (!paired(row)) continue;
    work.matched0 += real(row.baseline_ns);
    work.matched1 += real(row.candidate_ns);
  }
  work.net = std::abs(work.net);
  return work;
}

const core::ContextDifference* difference(const core::ProfileDiff& diff, std::string_view key) {
  for (const core::ContextDifference& each : diff.environment_differences) {
    if (each.key == key && !each.declared && each.baseline_known && each.current_known) return &each;
  }
  return nullptr;
}

class Judge {
 public:
  explicit Judge(const CaptureInput& in)
      : baseline_(in.baseline),
        candidate_(in.candidate),
        wall_(in.evidence.wall),
        frames_(in.evidence.frames),
        diff_(in.evidence.diff),
        same_content_(in.same_content),
        trials_(in.trials),
        work_(measure(diff_.kernels, wall_.scale)) {}

  CaptureJudgement run() {
    if (same_content_) {
      identical();
      return std::move(out_);
    }
    find_comparability();
    out_.work_ratio = wall_.work_ratio;
    out_.work_basis = wall_.work.told_by;
    out_.wall_basis = wall_.basis;
    out_.wall_delta_pct = wall_.delta_pct;
    if (replayed()) {
      judge_replayed();
    } else {
      if (growth_explains(wall_, diff_.gate_pct)) {
        // said below: a wall of more work is held against no gate
      } else if (has_walls()) {
        judge_trials();
      } else {
        judge_wall();
      }
      judge_work();
    }
    judge_vanished();
    judge_host();
    judge_context();
    judge_ranks();
    if (!hidden() && work_.total0 > 0 && at_least(100 * work_.moved / work_.total0, kOffsettingSumPct) &&
        100 * work_.net / work_.total0 < kOffsettingNetPct) {
      say("offsetting_moves", "kernel times for the same work moved by " +
                                  core::short_number(100 * work_.moved / work_.total0, 3) +
                                  " % of the baseline's in sum while their total changed by " +
                                  core::short_number(100 * work_.net / work_.total0, 3) + " %");
    }
    promote();
    recommend();
    return std::move(out_);
  }

 private:
  void say(core::ReasonCode code, std::string message, std::vector<std::string> keys = {}) {
    out_.verdict = std::max(out_.verdict, code.weight());
    core::Reason reason{code};
    reason.message = std::move(message);
    reason.keys_count = keys.size();
    if (keys.size() > 20) keys.resize(20);
    reason.keys = std::move(keys);
    out_.reasons.push_back(std::move(reason));
  }

  void identical() {
    out_.comparability = 1;
    if (!wall_.basis.empty()) {
      out_.work_ratio = 1;
      out_.wall_delta_pct = 0;
      out_.wall_basis = wall_.basis;
    }
    out_.warnings.push_back({"identical_captures", "both sides have the same content: nothing was compared with anything else"});
    out_.promote = {"a capture of the changed program: both sides are the same file"};
    out_.recommendation = {"none", "give two different captures", {}};
  }

  // What of the content has a counterpart: of kernels by their time, of functions by their cost, of metrics by their number.
  void find_shared() {
    const double total = work_.total0 + work_.total1;
    std::string what = "kernels found on both sides hold ";
    std::string of = " % of the kernel time of both sides";
    double shared = 0;
    double most = 1;
    if (total > 0) {
      shared = (work_.matched0 + work_.matched1) / total;
    } else if (!diff_.frames.empty()) {
      most = frames_.basis == "amount" ? 1 : frames_.basis == "share" ? kSharesOnly : 0;
      what = "functions found on both sides hold ";
      of = " % of the cost of both sides";
      // Halves of the two shares: sides of unlike length weigh the same.
      for (const core::ProfileFrame& frame : diff_.frames) {
        if (frame.state == "matched") shared += (frame.baseline_share_pct + frame.candidate_share_pct) / 200;
      }
    } else if (!diff_.metrics.empty()) {
      const auto matched = std::count_if(diff_.metrics.begin(), diff_.metrics.end(),
                                         [](const core::ProfileMetric& metric) { return metric.state == "matched"; });
      shared = static_cast<double>(matched) / static_cast<double>(diff_.metrics.size());
      what = "";
      of = " % of the metrics are on both sides";
    }
    out_.comparability = shared * most;
    if (shared < 0.995 && most > 0) out_.comparability_notes.push_back(what + core::short_number(100 * shared, 3) + of);
  }

  void find_comparability() {
    find_shared();
    gpu_ = difference(diff_, "hardware.gpu");
    if (gpu_ != nullptr) {
      out_.comparability *= 0.5;
      out_.comparability_notes.push_back("different GPUs: " + core::cited(gpu_->baseline) + " and " + core::cited(gpu_->current));
    }
    graph_ = difference(diff_, "regime.cuda_graph_trace");
    if (graph_ != nullptr) {
      out_.comparability *= 0.5;
      out_.comparability_notes.push_back("CUDA graphs were traced as " + core::cited(graph_->baseline) + " and as " +
                                         core::cited(graph_->current));
    }
    if (!baseline_.devices.empty() && !candidate_.devices.empty() && baseline_.devices.size() != candidate_.devices.size()) {
      out_.comparability_notes.push_back(core::counted(baseline_.devices.size(), "device") + " on one side, " +
                                         std::to_string(candidate_.devices.size()) + " on the other");
    }
    if (has(Kind::totals)) out_.comparability_notes.push_back("a side has totals only: no wall time, no idle time");
    if (has(Kind::host) && (kind_of(baseline_) != Kind::host || kind_of(candidate_) != Kind::host))
      out_.comparability_notes.push_back("one side is a profile of the host, the other is none");
  }

  enum class Kind { timeline, totals, host, replayed };
  static Kind kind_of(const Profile& profile) {
    if (!profile.devices.empty()) return Kind::timeline;
    if (profile.info.format == profiles::kNcuFormat) return Kind::replayed;
    return profile.kernels.empty() && !profile.frames.empty() ? Kind::host : Kind::totals;
  }
  [[nodiscard]] bool has(Kind kind) const { return kind_of(baseline_) == kind || kind_of(candidate_) == kind; }

  void judge_wall() {
    if (!wall_.delta_pct || wall_.basis == "total_kernel_time") return;
    if (wall_.basis == "step_wall") {
      judge_steps();
      return;
    }
    const double change = *wall_.delta_pct;
    const bool totals = wall_.basis == "work_normalised_kernel_time";
    const std::string what =
        (totals ? "kernel time for the same work" : "wall time for the same work") + (" changed by " + percent(change));
    if (at_least(change, diff_.gate_pct)) {
      say(totals ? core::ReasonCode("kernel_time_regressed") : "wall_regressed", what + ", " + gate(), slower_names());
    } else if (at_least(change, kWallNoticePct)) {
      say("near_gate", what + ", below the gate of " + core::short_number(diff_.gate_pct, 3) + " %", slower_names());
    }
  }

  // The typical step, the mean step and the whole window: a regression of every third step moves no typical one, and one
  // between the steps moves neither. What grew by the gate in any of them is never GREEN.
  void judge_steps() {
    const core::ProfileSteps& steps = *diff_.steps;
    const double typical = *wall_.delta_pct;
    const double mean = steps.mean_delta_pct.value_or(typical);
    const std::string what = "the wall time of a step changed by " + percent(typical);
    const bool both = steps.interval_lo_pct && steps.interval_hi_pct;
    if (at_least(typical, diff_.gate_pct) && beyond_noise()) {
      say("wall_regressed", what + ", " + gate(), slower_names());
    } else if (at_least(mean, diff_.gate_pct) && steps.mean_lo_pct && *steps.mean_lo_pct > 0) {
      say("wall_regressed",
          "the mean step changed by " + percent(mean) + ", the typical one by " + percent(typical) +
              ": some steps got much slower; " + gate(),
          slower_names());
    } else if (at_least(typical, kWallNoticePct) && !beyond_noise()) {
      say("wall_inconclusive",
          what +
              (both ? ", but the steps within each capture scatter as much: the shift lies between " +
                          percent(*steps.interval_lo_pct) + " and " + percent(*steps.interval_hi_pct) + "; "
                    : ", but " + std::to_string(steps.baseline.steps) + " and " + std::to_string(steps.candidate.steps) +
                          " whole steps that overlap are too few to tell it from chance; ") +
              gate(),
          slower_names());
    } else if (at_least(mean, diff_.gate_pct)) {
      say("wall_inconclusive",
          "the mean step changed by " + percent(mean) + " and the typical one by " + percent(typical) +
              ": a few slow steps, which may be chance; " + gate(),
          slower_names());
    } else if (wall_.window_pct && at_least(*wall_.window_pct, diff_.gate_pct)) {
      say("outside_steps", "a step changed by " + percent(typical) + ", but the whole window for the same work by " +
                               percent(*wall_.window_pct) +
                               ": time was spent outside of the whole steps (start, end, between them); " + gate());
    } else if (at_least(typical, kWallNoticePct)) {
      say("near_gate", what + ", below the gate of " + core::short_number(diff_.gate_pct, 3) + " %", slower_names());
    }
  }

  [[nodiscard]] bool has_walls() const { return trials_ != nullptr && !trials_->walls.basis.empty(); }
  [[nodiscard]] bool has_steps() const { return trials_->walls.basis == "step_wall"; }

  template <class F>
  static std::vector<double> of_each(const std::vector<profiles::TrialWall>& side, F&& value) {
    std::vector<double> values;
    values.reserve(side.size());
    for (const profiles::TrialWall& each : side) values.push_back(value(each));
    return values;
  }
  template <class F>
  [[nodiscard]] WallDecision decided(F&& value) const {
    return decide_wall(of_each(trials_->walls.baseline, value), of_each(trials_->walls.candidate, value), diff_.gate_pct,
                       *trials_, diff_.environment_differences);
  }

  // Of several captures a side: as judge_wall, with their scatter in place of that of the steps within one.
  void judge_trials() {
    WallDecision typical = decided([](const profiles::TrialWall& each) { return each.wall_ns; });
    // A regression of every third step moves no typical one.
    const WallDecision mean =
        has_steps() ? decided([](const profiles::TrialWall& each) { return each.mean_step_ns; }) : WallDecision{};
    const std::string what = wall_words() + " changed by " + percent(typical.delta_pct) + between(typical);
    const std::string both = "the mean step changed by " + percent(mean.delta_pct) + between(mean) + ", the typical one by " +
                             percent(typical.delta_pct) + ": ";
    if (typical.worse && (typical.tested || !has_steps() || beyond_noise())) {
      say(totals() ? core::ReasonCode("kernel_time_regressed") : "wall_regressed", what + ", " + gate(), slower_names());
    } else if (mean.tested && mean.worse) {
      say("wall_regressed", both + "some steps got much slower; " + gate(), slower_names());
    } else if (typical.open || typical.worse) {
      say("wall_inconclusive",
          what +
              (typical.tested ? ": the captures neither show nor exclude growth by the gate; "
                              : ": too few captures to tell it from chance; ") +
              gate(),
          slower_names());
    } else if (has_steps() && at_least(mean.delta_pct, diff_.gate_pct)) {
      say("wall_inconclusive", both + "a few slow steps, which may be chance; " + gate(), slower_names());
      typical.told.needed = mean.told.needed;
    } else if (const double grown = window_growth(); at_least(grown, diff_.gate_pct)) {
      say("outside_steps", "a step changed by " + percent(typical.delta_pct) + ", but the whole window for the same work by " +
                               percent(grown) + ": time was spent outside of the whole steps (start, end, between them); " +
                               gate());
    } else if (!typical.tested && at_least(typical.delta_pct, kWallNoticePct)) {
      say("near_gate", what + ", below the gate of " + core::short_number(diff_.gate_pct, 3) + " %", slower_names());
    }
    out_.wall_basis = trials_->walls.basis;
    out_.wall_delta_pct = typical.delta_pct;
    out_.wall_trials = typical.told;
    out_.warnings.insert(out_.warnings.end(), typical.warnings.begin(), typical.warnings.end());
    lacking_ = std::move(typical.lacking);
  }

  [[nodiscard]] bool totals() const { return trials_->walls.basis == "work_normalised_kernel_time"; }
  [[nodiscard]] std::string wall_words() const {
    if (has_steps()) return "the wall time of a step";
    return totals() ? "kernel time for the same work" : "wall time for the same work";
  }
  // " (between +1 % and +9 %, 3 and 3 captures)"
  static std::string between(const WallDecision& decision) {
    const core::ProfileWallTrials& told = decision.told;
    std::string text = " (";
    if (told.interval_lo_pct && told.interval_hi_pct)
      text += "between " + percent(*told.interval_lo_pct) + " and " + percent(*told.interval_hi_pct) + ", ";
    return text + std::to_string(told.baseline) + " and " + core::counted(told.candidate, "capture") + ")";
  }

  // Of the whole windows, where steps decided and every window says its work; else none.
  [[nodiscard]] double window_growth() const {
    if (!has_steps()) return 0;
    for (const auto* side : {&trials_->walls.baseline, &trials_->walls.candidate}) {
      if (std::any_of(side->begin(), side->end(), [](const profiles::TrialWall& each) { return !each.window_ns; })) return 0;
    }
    return decided([](const profiles::TrialWall& each) { return *each.window_ns; }).delta_pct;
  }

  [[nodiscard]] std::string gate() const { return "the gate is " + core::short_number(diff_.gate_pct, 3) + " %"; }
  [[nodiscard]] std::vector<std::string> slower_names() const {
    std::vector<std::string> keys;
    for (const core::ProfileRow* row : slower()) keys.push_back(row->name);
    return keys;
  }

  // A kernel profiler replays each kernel with caches flushed and clocks locked: its times are the kernels', not the program's.
  [[nodiscard]] bool replayed() const {
    return baseline_.info.format == profiles::kNcuFormat || candidate_.info.format == profiles::kNcuFormat;
  }

  void judge_replayed() {
    out_.wall_basis = "replayed_kernels";
    out_.wall_delta_pct = profiles::duration_change_pct(diff_.metrics);
    if (!out_.wall_delta_pct || !at_least(*out_.wall_delta_pct, kWallNoticePct)) return;
    std::vector<std::string> keys;
    for (const core::ProfileRow* row : slower()) keys.push_back(row->name);
    say("replayed_kernels_slower",
        "kernels measured one by one changed by " + percent(*out_.wall_delta_pct) +
            "; replayed under locked clocks they say nothing of the program's wall time",
        std::move(keys));
  }

  void judge_host() {
    if (diff_.frames.empty()) return;
    for (const std::string& note : frames_.notes) out_.comparability_notes.push_back(note);
    if (frames_.basis == "none") {
      return;  // judge_context says low_comparability, with the notes
    }
    if (wall_.basis.empty() && frames_.change_pct) {
      out_.wall_basis = "host_cost";
      out_.wall_delta_pct = frames_.change_pct;
    }
    if (frames_.change_pct && at_least(*frames_.change_pct, diff_.gate_pct)) {
      say("host_cost_grew", "the profile's sum changed by " + percent(*frames_.change_pct) + " (" + frames_.unit +
                                "): slower if both sides did the same work, which a profile does not say");
    }
    std::vector<std::string> keys;
    std::string most;
    for (const core::ProfileFrame& frame : diff_.frames) {
      const double moved = frame.candidate_share_pct - frame.baseline_share_pct;
      if (!at_least(moved, kShareMovedPoints)) continue;
      const auto z = profiles::share_deviation(frame, baseline_, candidate_);
      if (z && *z < kChanceDeviations) continue;
      if (keys.empty()) {
        most = profiles::short_name(frame.name) + " has " + core::short_number(frame.candidate_share_pct, 3) +
               " % of the profile, " + core::short_number(frame.baseline_share_pct, 3) + " % before";
      }
      keys.push_back(frame.name);
    }
    if (!keys.empty()) say("host_share_moved", std::move(most), std::move(keys));
  }

  // Whether the steps within the captures leave no doubt that the candidate is slower. Too few for an interval: only when the
  // fastest of the candidate is slower than the slowest of the baseline.
  [[nodiscard]] bool beyond_noise() const {
    const core::ProfileSteps& steps = *diff_.steps;
    if (steps.interval_lo_pct && steps.interval_hi_pct) return *steps.interval_lo_pct > 0;
    return steps.candidate.min_ns > steps.baseline.max_ns;
  }

  void judge_work() {
    if (has_walls()) judge_work_of_trials();
    if (is_unequal(wall_)) say("unequal_work", unequal_words(wall_));
    if (wall_.work.growth) say("unequal_work", growth_words(*wall_.work.growth), wall_.work.growth->kernels);
  }
  // Captures of one side that hold other work than the one in the middle.
  void judge_work_of_trials() {
    std::vector<std::string> keys;
    const auto look = [&keys](const std::vector<profiles::TrialWall>& side, std::size_t middle,
                              const std::vector<std::string>& names) {
      for (std::size_t i = 0; i < side.size(); ++i) {
        if (!side[i].device_work || !side[middle].device_work) continue;
        if (is_unequal_ratio(*side[i].device_work / *side[middle].device_work)) keys.push_back(names[i]);
      }
    };
    look(trials_->walls.baseline, trials_->walls.baseline_middle, trials_->baseline_names);
    look(trials_->walls.candidate, trials_->walls.candidate_middle, trials_->candidate_names);
    if (keys.empty()) return;
    unlike_trials_ = true;
    std::string message = core::counted(keys.size(), "capture") + (keys.size() == 1 ? " holds" : " hold") +
                          " another amount of work than the one in the middle of its side: " + core::cited_list(keys);
    say("unequal_work", std::move(message), std::move(keys));
  }
  // Faster because something is not done any more is no improvement until somebody says that it need not be done.
  void judge_vanished() {
    if (hidden() || work_.total0 <= 0 || !at_least(100 * work_.gone / work_.total0, kVanishedPct)) return;
    double gone = 0;
    std::vector<std::string> keys;
    const auto fused = [this](const std::string& name) {
      const std::optional<profiles::FusedCalls>& calls = wall_.work.fused;
      return calls && calls->answered && std::find(calls->gone.begin(), calls->gone.end(), name) != calls->gone.end();
    };
    const std::vector<profiles::MovedCalls> moved = profiles::moved_calls(diff_.kernels, wall_.scale);
    for (const core::ProfileRow& row : diff_.kernels) {
      if (row.state != "vanished" || fused(row.name)) continue;
      if (std::any_of(moved.begin(), moved.end(), [&row](const profiles::MovedCalls& each) { return each.gone == &row; }))
        continue;
      gone += real(row.baseline_ns);
      keys.push_back(row.name);
    }
    if (!at_least(100 * gone / work_.total0, kVanishedPct)) return;
    say("kernels_vanished",
        "kernels with " + core::short_number(100 * gone / work_.total0, 3) +
            " % of the baseline's kernel time are not in the candidate, and nothing that answers to them: is their work still "
            "done?",
        std::move(keys));
  }

  void judge_context() {
    if (gpu_ != nullptr)
      say("gpu_differs",
          "the captures are from different GPUs: " + core::cited(gpu_->baseline) + " and " + core::cited(gpu_->current),
          {gpu_->key});
    if (hidden()) {
      say("graph_mode_differs", replay_words(wall_.work));
    } else if (graph_ != nullptr) {
      say("graph_mode_differs",
          "CUDA graphs were traced as " + core::cited(graph_->baseline) + " and as " + core::cited(graph_->current) +
              ": kernels inside graphs are missing on one side",
          {graph_->key});
    }
    if (out_.comparability < kLowComparability) {
      say("low_comparability",
          "comparability is " + core::short_number(out_.comparability, 2) + ": " + core::listed(out_.comparability_notes));
    }
    std::vector<std::string> keys;
    for (const core::ContextDifference& each : diff_.environment_differences) {
      if (each.declared || each.severity == core::Severity::informative || &each == gpu_ || &each == graph_) continue;
      keys.push_back(each.key);
    }
    if (!keys.empty()) {
      std::string message = "the captures differ in " + core::listed(keys);
      if (std::find(keys.begin(), keys.end(), "hardware.gpu_count") != keys.end() && wall_.device_ratio != 1) {
        message += ": sums over " + core::counted(count_of(baseline_), "device") + " and over " +
                   std::to_string(count_of(candidate_)) + " differ by that alone";
      }
      say("context_differs", std::move(message), std::move(keys));
    }
  }

  // The slowest rank may be the one that is missing. Where both sides have the same ones, of a job of more, that was a choice.
  void judge_ranks() {
    const core::ProfileRanksSide* before = diff_.baseline_job.get();
    const core::ProfileRanksSide* after = diff_.candidate_job.get();
    const auto harmed = [](const core::ProfileRanksSide* side) {
      return side != nullptr && !(side->failed.empty() && side->cut.empty());
    };
    const bool unlike = before != nullptr && after != nullptr && before->missing != after->missing;
    if (!unlike && !harmed(before) && !harmed(after)) return;
    std::string message;
    for (const auto& [name, side] : {std::pair("baseline", before), std::pair("candidate", after)}) {
      if (side == nullptr || side->whole()) continue;
      message += (message.empty() ? "the " : "; the ") + std::string(name) + " rests on " + profiles::ranks_told(*side);
    }
    say("ranks_missing", std::move(message));
    out_.promote.push_back("captures of all ranks on both sides");
  }

  // Replays of CUDA graphs hide the kernels of one side.
  [[nodiscard]] bool hidden() const { return !wall_.work.replayed.empty(); }

  static std::size_t count_of(const Profile& profile) {
    return profile.devices.empty() ? profile.info.ranks.size() : profile.devices.size();
  }

  void promote() {
    promote_trials();
    if (is_unequal(wall_) || unlike_trials_) out_.promote.push_back("the same number of steps in both captures");
    if (gpu_ != nullptr) out_.promote.push_back("both captures on the same kind of GPU");
    if (graph_ != nullptr || hidden()) out_.promote.push_back("both captures with --cuda-graph-trace=node");
    if (wall_.work.growth) out_.promote.push_back("the same batch and sequence lengths on both sides");
    if (wall_.device_ratio != 1) out_.promote.push_back("as many devices on both sides, or one rank of each with --rank");
    promote_kinds();
    // A capture of each side decided nothing by itself, however little is lacking.
    const bool tested = out_.wall_trials && out_.wall_trials->tested;
    out_.tier = tested && out_.promote.empty() ? core::Tier::verdict : core::Tier::draft;
  }

  void promote_trials() {
    if (trials_ == nullptr) {
      out_.promote.push_back("three or more captures of each side: one capture a side shows no spread");
      return;
    }
    const std::size_t fewest = std::min(trials_->baseline.size(), trials_->candidate.size());
    if (fewest < 3) {
      out_.promote.push_back("three or more captures of each side: " + std::to_string(trials_->baseline.size()) + " and " +
                             std::to_string(trials_->candidate.size()) + " are too few for a test");
    } else if (!has_walls()) {
      out_.promote.push_back("captures whose walls are of the same work: nothing that all of them have tells it");
    } else if (out_.wall_trials && waits_for_captures()) {
      out_.promote.push_back(out_.wall_trials->needed
                                 ? std::to_string(*out_.wall_trials->needed) + " captures of each side: the " +
                                       std::to_string(fewest) + " do not tell a change from chance"
                                 : "less noise or a wider gate: no number of captures tells so little from the gate");
    }
    if (trials_->identical > 0) {
      out_.promote.push_back("captures of further runs: " + core::counted(trials_->identical, "capture") +
                             (trials_->identical == 1 ? " is a copy" : " are copies") + " of another of its side");
    }
    out_.promote.insert(out_.promote.end(), lacking_.begin(), lacking_.end());
  }
  [[nodiscard]] bool waits_for_captures() const {
    return std::any_of(out_.reasons.begin(), out_.reasons.end(),
                       [](const core::Reason& reason) { return reason.code == "wall_inconclusive"; });
  }

  // What would carry more than what was given, by what was given.
  void promote_kinds() {
    if (has(Kind::replayed)) {
      out_.promote.push_back(
          "a capture of the program itself, not of its kernels replayed one by one: a timeline of Nsight Systems, PyTorch or "
          "JAX");
    }
    bool nsys = false, rocprof = false, other = false;
    for (const Profile* side : {&baseline_, &candidate_}) {
      if (kind_of(*side) != Kind::totals) continue;
      const std::string& format = side->info.format;
      (format.starts_with("nsys") ? nsys : format.starts_with("roc") ? rocprof : other) = true;
    }
    if (nsys) out_.promote.push_back("the captures themselves (SQLite or .nsys-rep) in place of totals");
    if (rocprof) out_.promote.push_back("traces of rocprofv3 (--kernel-trace, or its database) in place of its statistics");
    if (other) out_.promote.push_back("captures with a timeline in place of totals");
    if (!has(Kind::host)) return;
    if (kind_of(baseline_) != kind_of(candidate_)) {
      out_.promote.push_back("profiles of one kind on both sides");
    } else if (frames_.basis == "none") {
      out_.promote.push_back("profiles that count the same thing on both sides");
    } else if (frames_.basis == "share") {
      out_.promote.push_back("profiles that cover equally long windows and say so, or that count time, over the same work");
    } else {
      out_.promote.push_back("the time of the same work measured beside the profiles: a profile does not say what was done");
    }
  }

  // Kernels that take longer per call by enough to be named, most time lost first.
  [[nodiscard]] std::vector<const core::ProfileRow*> slower() const {
    std::vector<const core::ProfileRow*> rows;
    for (const core::ProfileRow& row : diff_.kernels) {
      if (!paired(row) || row.duration_effect_ns <= 0 || row.baseline->avg <= 0) continue;
      if (100 * (row.candidate->avg / row.baseline->avg - 1) < kSlowerPct) continue;
      if (real(row.duration_effect_ns) < 0.001 * work_.total0) continue;
      rows.push_back(&row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto* a, const auto* b) { return a->duration_effect_ns > b->duration_effect_ns; });
    return rows;
  }

  void recommend() {
    std::vector<std::string> parts;
    core::Recommendation& advice = out_.recommendation;
    const std::vector<const core::ProfileRow*> rows = slower();
    for (const core::ProfileRow* row : rows) {
      if (advice.suspects.size() < 5) advice.suspects.push_back(row->name);
      if (parts.size() >= kNamed) continue;
      parts.push_back(profiles::short_name(row->name) + " takes " + profiles::time_text(row->candidate->avg) + " per call, " +
                      profiles::time_text(row->baseline->avg) + " before (" +
                      percent(100 * (row->candidate->avg / row->baseline->avg - 1)) + ", " +
                      profiles::time_text(real(row->duration_effect_ns)) + " in all)");
    }
    std::vector<std::string> idle;
    double idle_ns = 0;
    const double work = wall_.scale / wall_.device_ratio;  // of a device
    for (const core::DeviceBuckets& row : diff_.buckets) {
      if (!row.baseline || !row.candidate) continue;
      const double grown = real(row.candidate->idle_ns) / work - real(row.baseline->idle_ns);
      if (grown <= 0 || grown < 0.01 * real(row.baseline->span_ns)) continue;
      idle_ns += grown;
      idle.push_back("by " + profiles::time_text(grown) + " on device " + std::to_string(row.device));
    }
    if (!idle.empty()) {  // before the kernels, where it is more than what any of them lost
      const bool first = rows.empty() || idle_ns > real(rows.front()->duration_effect_ns);
      parts.insert(first ? parts.begin() : parts.end(),
                   "idle time grew " + core::listed(idle) + profiles::most_of_growth(diff_.gaps));
    }
    std::vector<const core::ProfileRow*> fresh;
    for (const core::ProfileRow& row : diff_.kernels) {
      if (row.state == "new" && real(row.candidate_ns) >= 0.01 * work_.total1) fresh.push_back(&row);
    }
    if (!fresh.empty())
      parts.push_back(profiles::short_name(fresh.front()->name) + " is new and takes " +
                      profiles::time_text(real(fresh.front()->candidate_ns)));

    const bool unlike = gpu_ != nullptr || graph_ != nullptr || wall_.work.growth || out_.comparability < kLowComparability;
    if (out_.verdict == core::Verdict::green) {
      advice.action = "none";
    } else if (unlike) {
      advice.action = "compare_like_with_like";
    } else if (out_.verdict == core::Verdict::red || !parts.empty()) {
      advice.action = "investigate";
    } else {
      advice.action = is_unequal(wall_) ? "compare_like_with_like" : "rerun";
    }
    if (advice.action == "none") {
      advice.suspects.clear();
      return;
    }
    if (is_unequal(wall_)) parts.push_back("capture the same steps on both sides to settle it");
    for (const std::string& part : parts) advice.message += (advice.message.empty() ? "" : "; ") + part;
  }

  const Profile& baseline_;
  const Profile& candidate_;
  const profiles::Wall& wall_;
  const profiles::FramesComparison& frames_;
  const core::ProfileDiff& diff_;
  bool same_content_;
  const CaptureTrials* trials_;
  Work work_;
  const core::ContextDifference* gpu_ = nullptr;
  const core::ContextDifference* graph_ = nullptr;
  bool unlike_trials_ = false;        // captures of one side hold different amounts of work
  std::vector<std::string> lacking_;  // of what every VERDICT is asked for
  CaptureJudgement out_;
};

}  // namespace

CaptureJudgement judge_captures(const CaptureInput& input) { return Judge(input).run(); }

core::ProfileDiff judged(core::ProfileDiff diff, CaptureJudgement judgement) {
  diff.verdict = judgement.verdict;
  diff.tier = judgement.tier;
  diff.promote = std::move(judgement.promote);
  diff.reasons = std::move(judgement.reasons);
  diff.comparability = judgement.comparability;
  diff.comparability_notes = std::move(judgement.comparability_notes);
  diff.wall_delta_pct = judgement.wall_delta_pct;
  diff.wall_basis = std::move(judgement.wall_basis);
  diff.work_ratio = judgement.work_ratio;
  diff.work_basis = std::move(judgement.work_basis);
  diff.wall_trials = std::move(judgement.wall_trials);
  diff.recommendation = std::move(judgement.recommendation);
  diff.warnings.insert(diff.warnings.begin(), judgement.warnings.begin(), judgement.warnings.end());
  return diff;
}

}  // namespace plumbline::verdict
