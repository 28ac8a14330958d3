#include "verdict/capture_work.hpp"

#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/diff/words.hpp"

namespace plumbline::verdict {
namespace {

constexpr double kSlack = 1e-12;       // relative
constexpr double kUnequalWork = 0.03;  // work off by more than this is said

}  // namespace

bool is_unequal_ratio(double ratio) { return std::abs(ratio - 1) > kUnequalWork * (1 + kSlack); }

bool is_unequal(const profiles::Wall& wall) {
  const std::optional<double> work = wall.work_per_device();
  return work && wall.work.told_by != "steps" && is_unequal_ratio(*work);
}

std::string unequal_words(const profiles::Wall& wall) {
  const double off = *wall.work_per_device() - 1;
  return "the candidate's window holds " + core::short_number(100 * std::abs(off), 3) + " % " + (off < 0 ? "less" : "more") +
         " work than the baseline's" + (wall.device_ratio == 1 ? "" : " on each device") +
         (wall.work.told_by == "range" ? ", by how often " + core::cited(wall.work.range, 80) + " was entered"
                                       : ", by calls of the kernels both have");
}

bool growth_explains(const profiles::Wall& wall, double gate_pct) {
  if (!wall.work.growth || !wall.delta_pct) return false;
  if (wall.work.growth->other_phase) return true;
  if (wall.work.growth->factor <= 1) return false;
  return 1 + *wall.delta_pct / 100 <= wall.work.growth->factor * (1 + gate_pct / 100);
}

std::string growth_words(const profiles::WorkGrowth& growth) {
  const bool more = growth.factor > 1;
  const std::string times = core::short_number(more ? growth.factor : 1 / growth.factor, 3);
  if (!growth.before.empty()) {
    const std::string what = growth.marked.empty()
                                 ? std::string()
                                 : ": " + times + (more ? " times as many " : " times fewer ") + growth.marked + " a step";
    return "steps are marked as other work, " + growth.after + " for " + growth.before + what;
  }
  return "the same kernels are launched with " + times + (more ? " times as many threads" : " times fewer threads") + " (" +
         core::short_number(growth.share_pct, 3) + " % of the time of kernels that both have, first " +
         profiles::short_name(growth.kernels.front()) + "): a call does " + (more ? "more" : "less") +
         " work, as at another batch or sequence length";
}

std::string replay_words(const profiles::Work& work) {
  const bool candidate = work.replayed == "candidate";
  const double here = candidate ? work.candidate_replay_pct : work.baseline_replay_pct;
  const double there = candidate ? work.baseline_replay_pct : work.candidate_replay_pct;
  const std::string basis = work.told_by == "steps"   ? "; marked steps decide"
                            : work.told_by == "range" ? "; " + core::cited(work.range, 80) + ", which both entered, decides"
                                                      : "; neither steps nor a range that both share tell how much work was done";
  return "CUDA graph replays that were traced as a whole hold " + core::short_number(here, 3) + " % of the kernel time of the " +
         work.replayed + (there > 0 ? ", " + core::short_number(there, 3) + " % of the other's" : std::string()) +
         ", and their kernels are not in the capture" + basis + ". Capture both sides with --cuda-graph-trace=node";
}

}  // namespace plumbline::verdict
