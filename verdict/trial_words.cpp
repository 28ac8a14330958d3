#include "verdict/trial_words.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verdict/known_noise.hpp"

namespace plumbline::verdict {

namespace {

constexpr std::size_t kPriorRows = 8;     // so many rows of a class with trials tell each other's variance
constexpr double kPriorDegrees = 4;       // which then counts as much as three trials a side
constexpr std::uint32_t kFewTrials = 10;  // from here on a row's own variance is good enough
constexpr double kFloorSpreads = 3;       // of a step, in the noise floor of a history

}  // namespace

void shrink_variances(const JudgeInput& in, std::span<const std::uint32_t> tested, std::vector<core::Warning>& warnings) {
  core::Comparison& c = *in.comparison;
  std::map<std::pair<core::Id, core::Direction>, std::vector<std::uint32_t>> classes;
  for (const std::uint32_t i : tested) {
    const core::Delta& d = c.deltas[i];
    if (c.statistics[d.statistics].sigma < 0) continue;
    classes[{c.baseline->metric_class(c.baseline->rows()[d.baseline_row]).unit, d.direction}].push_back(i);
  }
  std::uint64_t shrunk = 0;
  bool by_class = false;
  bool by_history = false;
  std::vector<double> variances;
  for (const auto& [key, rows] : classes) {
    variances.clear();
    for (const std::uint32_t i : rows) variances.push_back(std::pow(c.statistics[c.deltas[i].statistics].sigma, 2));
    const double of_class = std::sqrt(core::median(variances));
    for (const std::uint32_t i : rows) {
      const core::Delta& d = c.deltas[i];
      core::RowStatistics& s = c.statistics[d.statistics];
      const std::uint32_t n = std::min(s.n_baseline, s.n_current);
      const std::optional<double> floor = history_floor_pct(in, d);
      const bool history = floor.has_value();
      if (n >= kFewTrials || (!history && rows.size() < kPriorRows)) continue;
      const double degrees = s.paired ? n - 1.0 : s.n_baseline + s.n_current - 2.0;
      const double prior = history ? std::log1p(*floor / 100) / kFloorSpreads / std::sqrt(2.0) : of_class;
      s.sigma = core::moderated_sigma(s.sigma, degrees, prior, kPriorDegrees);
      if (const auto detectable = core::mde80(n, s.sigma)) s.mde_pct = 100 * std::expm1(*detectable);
      if (d.state == core::State::inconclusive) {
        s.trials_needed.reset();
        if (const auto need = core::trials_needed(s.room, s.sigma)) {
          s.trials_needed = std::max(static_cast<std::uint32_t>(*need), n + 1);
        }
      }
      ++shrunk;
      (history ? by_history : by_class) = true;
    }
  }
  if (shrunk == 0) return;
  warnings.push_back({"variance_shrunk", core::counted(shrunk, "row") +
                                             " with fewer than ten trials: the detectable change and the trials needed "
                                             "take a spread drawn towards that of " +
                                             (by_history && by_class ? "the history and of the other rows of its unit"
                                              : by_history           ? "the history"
                                                                     : "the other rows of its unit") +
                                             "; no state rests on it"});
}

void say_outliers(const core::Comparison& c, std::span<const std::uint32_t> tested, std::vector<core::Warning>& warnings) {
  std::uint64_t rows = 0;
  std::uint32_t first = core::kNoRow;
  std::map<std::pair<bool, std::uint32_t>, std::uint64_t> of_trial;  // (of the current side, trial)
  for (const std::uint32_t i : tested) {
    const core::RowStatistics& s = c.statistics[c.deltas[i].statistics];
    if (s.baseline.outlier == core::kNoRow && s.current.outlier == core::kNoRow) continue;
    if (rows++ == 0) first = i;
    if (s.baseline.outlier != core::kNoRow) ++of_trial[{false, s.baseline.outlier}];
    if (s.current.outlier != core::kNoRow) ++of_trial[{true, s.current.outlier}];
  }
  if (rows == 0) return;
  const auto said = [](const std::pair<bool, std::uint32_t>& trial) {
    return "trial " + std::to_string(trial.second + 1) + " of the " + (trial.first ? "current" : "baseline") + " side";
  };
  const core::RowStatistics& s = c.statistics[c.deltas[first].statistics];
  const bool current = s.baseline.outlier == core::kNoRow;
  std::string text = core::counted(rows, "row") + (rows == 1 ? " has" : " have") +
                     " a trial far from the others of its side, which was kept: first " +
                     core::cited(c.baseline->pool().view(c.deltas[first].key)) + ", " +
                     said({current, current ? s.current.outlier : s.baseline.outlier});
  const auto most =
      std::max_element(of_trial.begin(), of_trial.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (rows >= 3 && 2 * most->second > rows) {
    text += "; in " + std::to_string(most->second) + " of them it is " + said(most->first) + ": look at that run";
  }
  warnings.push_back({"outlier_trial", std::move(text)});
}

}  // namespace plumbline::verdict
