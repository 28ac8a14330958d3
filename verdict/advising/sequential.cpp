#include "verdict/advising/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/statistics.hpp"
#include "core/text.hpp"

namespace plumbline::verdict {

namespace {

using core::State;

constexpr std::uint32_t kMostTrials = 1000;
constexpr std::uint32_t kManyTrials = 100;  // from here on less noise is likely to be cheaper

// The second look has half of alpha left: at 80 % power that costs (z(.025) + z(.8))^2 / (z(.05) + z(.8))^2 trials.
constexpr double kSecondLook = 1.27;

struct Need {
  std::uint32_t now = 0;     // trials a side, the fewest of the rows in question
  std::uint32_t trials = 0;  // that decide all of them
  std::uint64_t rows = 0;
  std::uint64_t hopeless = 0;  // rows that no number of trials up to kMostTrials decides
  bool coarse = false;         // for a row that lies too close to its tolerance, see core::plan_trials
};

void ask(Need& need, const core::RowStatistics& s, std::uint32_t trials) {
  const std::uint32_t now = std::min(s.n_baseline, s.n_current);
  need.now = need.rows == 0 ? now : std::min(need.now, now);
  ++need.rows;
  if (trials == 0 || trials > kMostTrials) {
    ++need.hopeless;
  } else {
    need.trials = std::max(need.trials, trials);
  }
}

// A row worse by more than tolerance that its trials did not decide.
bool is_open(const core::Delta& d) { return d.state == State::inconclusive && (d.headline || (d.exceeds && d.adverse)); }

Need trials_needed(const JudgeInput& in, const core::RowMarks& marks) {
  const core::Comparison& c = *in.comparison;
  if (c.statistics.empty()) return {};
  std::uint64_t tested = 0, regressed = 0;
  bool open_headline = false;
  const auto counts = [&](const core::Delta& d) {
    return d.statistics != core::kNoRow && c.statistics[d.statistics].statistical && !d.gate;
  };
  for (const core::Delta& d : c.deltas) {
    if (!counts(d)) continue;
    ++tested;
    regressed += d.state == State::regressed ? 1 : 0;
    open_headline = open_headline || (d.headline && d.state == State::inconclusive && !marks.waived(c.index(d)));
  }
  Need need;
  for (const core::Delta& d : c.deltas) {
    if (!counts(d) || marks.waived(c.index(d))) continue;
    const core::RowStatistics& s = c.statistics[d.statistics];
    // An open headline is what the verdict waits for; without one, the rows that chance may have moved.
    if (open_headline ? d.headline && d.state == State::inconclusive : is_open(d)) {
      ask(need, s, s.trials_needed ? static_cast<std::uint32_t>(std::ceil(kSecondLook * *s.trials_needed)) : 0);
      need.coarse = need.coarse || (s.trials_needed && s.trials_coarse);
    } else if (!open_headline && d.state == State::regressed && marks.suspect(c.index(d))) {
      const auto enough = core::trials_for_p(in.alpha / 2 * static_cast<double>(regressed) / static_cast<double>(tested));
      const std::uint32_t more = std::min(s.n_baseline, s.n_current) + 1;
      ask(need, s, enough ? std::max(static_cast<std::uint32_t>(*enough), more) : 0);
    }
  }
  if (need.trials == 0) return need;
  const auto fewest = static_cast<std::uint32_t>(core::trials_for_p(in.alpha / 2).value_or(3));
  need.trials = std::max({need.trials, fewest, need.now + 1});
  return need;
}

}  // namespace

std::optional<std::uint32_t> trials_that_decide(const JudgeInput& in, const core::RowMarks& marks) {
  const Need need = trials_needed(in, marks);
  return need.trials == 0 ? std::nullopt : std::optional(need.trials);
}

std::string more_trials(const JudgeInput& in, const core::RowMarks& marks) {
  const Need need = trials_needed(in, marks);
  if (need.rows == 0) {
    return "measure again on the same node (three or more trials a side, interleaved A B A B) to rule out noise, then diff again "
           "with all files of each side";
  }
  if (need.trials == 0) {
    return core::counted(need.rows, "row") + " would not be decided by " + std::to_string(kMostTrials) +
           " trials a side: less noise is needed (fixed clocks, an idle node, longer runs), or a wider tolerance, on purpose";
  }
  return "measure again on the same node: " + core::counted(need.trials - need.now, "more trial") + " a side, " +
         std::to_string(need.trials) + " in all, interleaved A B A B" +
         (need.trials > kManyTrials ? " (less noise is likely to be cheaper: fixed clocks, an idle node, longer runs)" : "") +
         (need.coarse
              ? ", which tell a change twice the tolerance, or none, from the tolerance; one that lies as close to it as this "
                "may stay open"
              : "") +
         "; then record the baseline's trials together and give --current all files. Fix that number now: looking until it turns "
         "green is no test. The second look spends the other half: --alpha " +
         core::short_number(in.alpha / 2, 4) +
         (need.hopeless > 0 ? " (" + core::counted(need.hopeless, "row") + " need less noise rather than more trials)" : "");
}

}  // namespace plumbline::verdict
