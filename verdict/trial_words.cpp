#include "verdict/trial_words.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::verdict {

void say_moderated(const core::ModeratedRows& moderated, std::vector<core::Warning>& warnings) {
  if (moderated.rows == 0) return;
  warnings.push_back(
      {"variance_shrunk", core::counted(moderated.rows, "row") +
                              " with fewer than ten trials: the detectable change and the trials needed "
                              "take a spread drawn towards that of " +
                              (moderated.by_history && moderated.by_class ? "the history and of the other rows of its unit"
                               : moderated.by_history                     ? "the history"
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
