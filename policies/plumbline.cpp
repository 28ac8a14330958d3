// The default rule set (docs/methodology.md): rows decided by themselves, suspects by what chance explains, then RED,
// YELLOW or GREEN with the reasons in order of weight. Sources: Benjamini & Hochberg 1995 for the multiplicity of
// statistical rows, the exact binomial for the count test that speaks where BH cannot (with three trials a side the
// smallest p is .05), 1.4826 MAD (Hampel 1974) for what single trials of one class spread by themselves.
#include "policies/plumbline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_set>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "policies/advice.hpp"
#include "policies/plausibility.hpp"
#include "policies/row_text.hpp"
#include "policies/tier.hpp"

namespace plumbline::policies {

namespace {

using core::Comparison;
using core::Delta;
using core::Direction;
using core::kNoRow;
using core::State;
using core::Verdict;

constexpr std::size_t kClassRows = 20;  // a class this large shows its own spread
constexpr double kClassSpreads = 3;     // within so many robust spreads of the class's median is chance
constexpr std::size_t kManyRegressed = 3;
constexpr double kChanceQuantile = 0.999;
constexpr double kNearTolerance = 0.8;
constexpr std::size_t kReasonKeys = 20;
constexpr std::size_t kPriorRows = 8;     // so many rows of a class with trials tell each other's variance
constexpr double kPriorDegrees = 4;       // which then counts as much as three trials a side
constexpr std::uint32_t kFewTrials = 10;  // from here on a row's own variance is good enough

bool statistical(const Comparison& c, const Delta& d) { return d.statistics != kNoRow && c.statistics[d.statistics].statistical; }

bool decided(const Delta& d) {
  return d.state == State::regressed || d.state == State::improved || d.state == State::unchanged ||
         d.state == State::inconclusive;
}

// Log ratio oriented so that + is worse, of two positive medians.
double oriented_log_ratio(const Delta& d) {
  const double x = std::log(d.current / d.baseline);
  return d.direction == Direction::higher ? -x : x;
}

struct ClassShift {
  std::string name;
  double median_pct = 0;
  std::size_t rows = 0;
};

class Judge {
 public:
  explicit Judge(const JudgeInput& input) : in_(input), c_(*input.comparison) {}

  Judgement run() {
    set_unit_mismatches_aside();
    look_at_rows();
    judge_single_trials();
    judge_statistical();
    judge_noisy_rows();
    say_what_trials_show();
    for (const std::uint32_t i : notable_) out_.counts.suspect += c_.deltas[i].suspect ? 1 : 0;
    collect_reasons();
    if (auto hidden = hidden_configuration(c_, in_.context_differences)) out_.warnings.push_back(std::move(*hidden));
    out_.verdict = Verdict::green;
    for (const core::Reason& reason : out_.reasons) out_.verdict = std::max(out_.verdict, weight_of(reason.code));
    out_.promote = lacking_for_verdict(in_, c_, notable_, without_trials_, promotable_);
    out_.tier = out_.promote.empty() ? core::Tier::verdict : core::Tier::draft;
    out_.order = advice_order(c_);
    out_.recommendation = recommend(in_, out_);
    out_.next_lever = next_lever(in_, out_);
    return std::move(out_);
  }

 private:
  // The rows of one class: a unit and a direction.
  struct Class {
    core::Id unit = 0;
    Direction direction = Direction::unknown;
    std::vector<std::uint32_t> rows;
  };

  // A change that only another unit explains is neither a regression nor an improvement.
  void set_unit_mismatches_aside() {
    for (const UnitMismatch& one : unit_mismatches(c_)) {
      core::Reason reason;
      reason.code = "unit_mismatch";
      reason.keys_count = one.rows.size();
      for (const std::uint32_t i : one.rows) {
        c_.deltas[i].state = State::inconclusive;
        c_.notes.try_emplace(i, "changed by the factor between " + std::string(one.taken_for));
        mismatched_.insert(i);
        if (reason.keys.size() < kReasonKeys) reason.keys.emplace_back(c_.baseline->pool().view(c_.deltas[i].key));
      }
      const double factor = std::max(one.factor, 1 / one.factor);
      reason.message = (one.rows.size() == 1 ? "the only row" : "all " + core::counted(one.rows.size(), "row")) + " of " +
                       core::cited(one.metric) + (one.factor > 1 ? " grew" : " shrank") + " by a factor of " +
                       core::short_number(factor, 5) + ", as " + std::string(one.taken_for) +
                       " differ: the unit is likelier to have changed than the speed" +
                       (one.unit.empty() ? "" : "; the files say " + core::cited_word(one.unit) + " on both sides");
      unit_reasons_.push_back(std::move(reason));
    }
  }

  // The one pass over all rows (millions, mostly unchanged): counts them and tells apart what the rules go on with.
  void look_at_rows() {
    std::array<std::uint64_t, static_cast<std::size_t>(State::context) + 1> by_state{};
    Class* last = nullptr;
    for (std::uint32_t i = 0; i < c_.deltas.size(); ++i) {
      const Delta& d = c_.deltas[i];
      ++by_state[static_cast<std::size_t>(d.state)];
      const bool judged = decided(d);
      if (d.headline || is_notable(d)) notable_.push_back(i);
      if (d.gate || !(judged || d.state == State::unclassified)) continue;
      const bool with_trials = statistical(c_, d);
      const core::MetricClass& klass = c_.baseline->metric_class(c_.baseline->rows()[d.baseline_row]);
      if (!klass.exact) {
        ++promotable_;
        without_trials_ += with_trials ? 0 : 1;
      }
      if (!judged) continue;
      if (with_trials) {
        statistical_.push_back(i);
      } else if (d.baseline > 0 && d.current > 0) {
        if (last == nullptr || last->unit != klass.unit || last->direction != d.direction) {
          last = &classes_.try_emplace({klass.unit, d.direction}).first->second;
          last->unit = klass.unit;
          last->direction = d.direction;
        }
        last->rows.push_back(i);
      }
    }
    const auto of = [&](State state) { return by_state[static_cast<std::size_t>(state)]; };
    core::Counts& n = out_.counts;
    n.regressed = of(State::regressed);
    n.improved = of(State::improved);
    n.unchanged = of(State::unchanged);
    n.inconclusive = of(State::inconclusive);
    n.missing = of(State::missing);
    n.added = of(State::added);
    n.invalid = of(State::invalid);
    n.unclassified = of(State::unclassified);
    n.context = of(State::context);
    n.compared = n.regressed + n.improved + n.unchanged + n.inconclusive + n.unclassified;
  }

  // Rows that a reason may name, beside headlines: everything else is counted and done with.
  static bool is_notable(const Delta& d) {
    return d.state == State::regressed || d.state == State::inconclusive || d.state == State::missing ||
           d.state == State::invalid || (d.state == State::unclassified && d.exceeds);
  }

  // Rows without trials: where 20 or more share unit and direction, their own scatter says what chance does. The
  // format's class noise or the registry's floor widens it, never narrows it.
  void judge_single_trials() {
    double floor = 0;
    if (in_.registry_floor_pct) floor = std::log1p(*in_.registry_floor_pct / 100) / kClassSpreads;
    std::vector<double> ratios;
    for (const auto& [key, one] : classes_) {
      const std::vector<std::uint32_t>& rows = one.rows;
      if (rows.size() < kClassRows) continue;
      ratios.clear();
      ratios.reserve(rows.size());
      for (const std::uint32_t i : rows) ratios.push_back(oriented_log_ratio(c_.deltas[i]));
      double middle = core::median(ratios);
      double spread = core::robust_spread(ratios);
      // A class in two parts (half of it regressed) has its median between them and a MAD as wide as the regression itself:
      // then the tighter half says what scatter is.
      const core::HalfSample half = core::shortest_half(ratios);
      if (half.spread < spread / 2) {
        middle = half.middle;
        spread = half.spread;
      }
      spread = std::max(spread, floor);
      const double median = core::median(ratios);
      std::uint64_t beyond = 0;
      for (std::size_t j = 0; j < rows.size(); ++j) {
        Delta& d = c_.deltas[rows[j]];
        if (d.state == State::regressed) {
          const double away = std::fabs(ratios[j] - middle);
          d.suspect = away <= kClassSpreads * spread || away <= kClassSpreads * prior_spread(d);
        }
        beyond += d.state == State::regressed && (ratios[j] > 0) == (median > 0) ? 1 : 0;
      }
      // The median row itself tells whether the class moved beyond tolerance: it does when more than half of the rows did.
      if (2 * beyond > rows.size()) {
        const std::string unit(c_.baseline->pool().view(key.first));
        const double worse = std::expm1(median) * 100;
        shifts_.push_back({unit.empty() ? "rows without a unit" : "rows in " + core::cited_word(unit), worse, rows.size()});
      }
    }
    classes_.clear();
  }

  // Of the logarithm of a ratio of two single runs, as the class of benchmark is known to scatter; 0 where it is not.
  [[nodiscard]] double prior_spread(const Delta& d) const {
    if (!in_.class_noise_pct) return 0;
    return std::sqrt(2.0) * in_.class_noise_pct(c_.baseline->pool().view(d.key)).value_or(0) / 100;
  }

  void judge_statistical() {
    const std::vector<std::uint32_t>& rows = statistical_;
    if (rows.empty()) return;
    std::vector<double> p;
    p.reserve(rows.size());
    for (const std::uint32_t i : rows) p.push_back(c_.statistics[c_.deltas[i].statistics].p.value_or(1.0));
    const std::vector<bool> survive = core::benjamini_hochberg(p, in_.alpha);
    std::uint64_t regressed = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      Delta& d = c_.deltas[rows[j]];
      if (d.state != State::regressed) continue;
      ++regressed;
      if (!survive[j]) d.suspect = true;
    }
    if (in_.holm_headlines) correct_headlines();
    statistical_rows_ = rows.size();
    statistical_regressed_ = regressed;
    chance_limit_ = core::binomial_quantile(rows.size(), in_.alpha, kChanceQuantile);
  }

  // Asked for: headlines that do not survive Holm's correction among themselves are suspects like any other row.
  void correct_headlines() {
    std::vector<std::uint32_t> headlines;
    std::vector<double> p;
    for (const std::uint32_t i : statistical_) {
      if (!c_.deltas[i].headline) continue;
      headlines.push_back(i);
      p.push_back(c_.statistics[c_.deltas[i].statistics].p.value_or(1.0));
    }
    const std::vector<bool> survive = core::holm(p, in_.alpha);
    for (std::size_t j = 0; j < headlines.size(); ++j) {
      if (c_.deltas[headlines[j]].state == State::regressed && !survive[j]) excused_.insert(headlines[j]);
      c_.deltas[headlines[j]].suspect = excused_.contains(headlines[j]);
    }
  }

  // The noise floor that the history knows for a row: its own, or that of the measurement for its headlines.
  [[nodiscard]] std::optional<double> floor_of(const Delta& d) const {
    if (in_.key_floors_pct != nullptr) {
      if (const auto it = in_.key_floors_pct->find(d.key); it != in_.key_floors_pct->end()) return it->second;
    }
    return d.headline ? in_.registry_floor_pct : std::nullopt;
  }

  // A history that scatters more than the tolerance cannot keep it: a change within its floor is doubted, neither believed nor
  // forgiven, and the tolerance stays what it is. One beyond the floor is a regression like any other.
  void judge_noisy_rows() {
    if (!in_.registry_floor_pct && in_.key_floors_pct == nullptr) return;
    std::uint64_t silent = 0;
    std::uint32_t first = kNoRow;
    for (const std::uint32_t i : notable_) {
      Delta& d = c_.deltas[i];
      if (d.gate || mismatched_.contains(i) || !decided(d)) continue;
      const std::optional<double> floor = floor_of(d);
      if (!floor) continue;
      if (d.state == State::regressed) {
        if (!std::isfinite(d.delta_pct) || std::fabs(d.delta_pct) > *floor * (1 + 1e-12)) continue;
        d.suspect = true;
        excused_.erase(i);
        noisy_.insert(i);
      } else if (d.headline && c_.tolerances[d.tolerance].kind == core::ToleranceKind::percent &&
                 *floor > c_.tolerances[d.tolerance].value) {
        if (silent++ == 0) first = i;
      }
    }
    if (silent == 0) return;
    out_.warnings.push_back({"noisy_history", core::counted(silent, "headline") +
                                                  " with a history that scatters more than the tolerance (" +
                                                  core::short_number(*floor_of(c_.deltas[first]), 3) +
                                                  " %, three robust spreads): a change of that size cannot be told from noise, " +
                                                  row_text(c_, c_.deltas[first])});
  }

  void say_what_trials_show() {
    shrink_variances();
    say_outliers();
    say_class_noise();
    doubt_single_headlines();
  }

  // One number a side of a benchmark that is known to scatter (training to a quality target: a seed decides) is doubted as long
  // as it lies within three of its spreads; beyond them it is a regression like any other.
  void doubt_single_headlines() {
    for (const std::uint32_t i : notable_) {
      Delta& d = c_.deltas[i];
      if (!d.headline || d.gate || d.state != State::regressed || statistical(c_, d) || noisy_.contains(i)) continue;
      if (!(d.baseline > 0) || !(d.current > 0)) continue;
      if (std::fabs(oriented_log_ratio(d)) > kClassSpreads * prior_spread(d)) continue;
      d.suspect = true;
      excused_.insert(i);
    }
  }

  // Two or three values say little about their own spread: what other rows of the unit and direction scatter, or the history
  // of a headline, is weighed in. Only what is promised of further trials rests on it, no state does.
  void shrink_variances() {
    std::map<std::pair<core::Id, Direction>, std::vector<std::uint32_t>> classes;
    for (const std::uint32_t i : statistical_) {
      const Delta& d = c_.deltas[i];
      if (c_.statistics[d.statistics].sigma < 0) continue;
      classes[{c_.baseline->metric_class(c_.baseline->rows()[d.baseline_row]).unit, d.direction}].push_back(i);
    }
    std::uint64_t shrunk = 0;
    bool by_class = false;
    bool by_history = false;
    std::vector<double> variances;
    for (const auto& [key, rows] : classes) {
      variances.clear();
      for (const std::uint32_t i : rows) variances.push_back(std::pow(c_.statistics[c_.deltas[i].statistics].sigma, 2));
      const double of_class = std::sqrt(core::median(variances));
      for (const std::uint32_t i : rows) {
        const Delta& d = c_.deltas[i];
        core::RowStatistics& s = c_.statistics[d.statistics];
        const std::uint32_t n = std::min(s.n_baseline, s.n_current);
        const std::optional<double> floor = floor_of(d);
        const bool history = floor.has_value();
        if (n >= kFewTrials || (!history && rows.size() < kPriorRows)) continue;
        const double degrees = s.paired ? n - 1.0 : s.n_baseline + s.n_current - 2.0;
        const double prior = history ? std::log1p(*floor / 100) / kClassSpreads / std::sqrt(2.0) : of_class;
        s.sigma = core::moderated_sigma(s.sigma, degrees, prior, kPriorDegrees);
        if (const auto detectable = core::mde80(n, s.sigma)) s.mde_pct = 100 * std::expm1(*detectable);
        if (d.state == State::inconclusive) {
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
    out_.warnings.push_back({"variance_shrunk", core::counted(shrunk, "row") +
                                                    " with fewer than ten trials: the detectable change and the trials needed "
                                                    "take a spread drawn towards that of " +
                                                    (by_history && by_class ? "the history and of the other rows of its unit"
                                                     : by_history           ? "the history"
                                                                            : "the other rows of its unit") +
                                                    "; no state rests on it"});
  }

  void say_outliers() {
    std::uint64_t rows = 0;
    std::uint32_t first = kNoRow;
    std::map<std::pair<bool, std::uint32_t>, std::uint64_t> of_trial;  // (of the current side, trial)
    for (const std::uint32_t i : statistical_) {
      const core::RowStatistics& s = c_.statistics[c_.deltas[i].statistics];
      if (s.baseline.outlier == kNoRow && s.current.outlier == kNoRow) continue;
      if (rows++ == 0) first = i;
      if (s.baseline.outlier != kNoRow) ++of_trial[{false, s.baseline.outlier}];
      if (s.current.outlier != kNoRow) ++of_trial[{true, s.current.outlier}];
    }
    if (rows == 0) return;
    const auto said = [](const std::pair<bool, std::uint32_t>& trial) {
      return "trial " + std::to_string(trial.second + 1) + " of the " + (trial.first ? "current" : "baseline") + " side";
    };
    const core::RowStatistics& s = c_.statistics[c_.deltas[first].statistics];
    const bool current = s.baseline.outlier == kNoRow;
    std::string text = core::counted(rows, "row") + (rows == 1 ? " has" : " have") +
                       " a trial far from the others of its side, which was kept: first " +
                       core::cited(c_.baseline->pool().view(c_.deltas[first].key)) + ", " +
                       said({current, current ? s.current.outlier : s.baseline.outlier});
    const auto most =
        std::max_element(of_trial.begin(), of_trial.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (rows >= 3 && 2 * most->second > rows) {
      text += "; in " + std::to_string(most->second) + " of them it is " + said(most->first) + ": look at that run";
    }
    out_.warnings.push_back({"outlier_trial", std::move(text)});
  }

  // A DRAFT on one number still says what such a number is worth.
  void say_class_noise() {
    if (!in_.class_noise_pct) return;
    std::uint64_t rows = 0;
    std::uint32_t first = kNoRow;
    for (const std::uint32_t i : notable_) {
      const Delta& d = c_.deltas[i];
      if (d.state != State::regressed || d.gate || d.suspect || statistical(c_, d) || !(d.baseline > 0) || !(d.current > 0)) {
        continue;
      }
      if (std::fabs(oriented_log_ratio(d)) > kClassSpreads * prior_spread(d)) continue;
      if (rows++ == 0) first = i;
    }
    if (rows == 0) return;
    out_.warnings.push_back(
        {"within_class_noise", core::counted(rows, "row") +
                                   " beyond tolerance, but no further than single runs of this kind of benchmark scatter (" +
                                   core::short_number(*in_.class_noise_pct(c_.baseline->pool().view(c_.deltas[first].key)), 3) +
                                   " % from run to run): measure again before believing it, first " +
                                   core::cited(c_.baseline->pool().view(c_.deltas[first].key))});
  }

  // A reason over the notable rows that are wanted: how many, and the first of them in its order.
  template <class Predicate>
  core::Reason reason_over(std::string code, Predicate&& wanted, bool worst_first = true) {
    core::Reason reason;
    reason.code = std::move(code);
    const auto worse = [&](std::uint32_t a, std::uint32_t b) {
      const Delta& x = c_.deltas[a];
      const Delta& y = c_.deltas[b];
      if (worst_first && x.used != y.used) return x.used > y.used;
      return c_.baseline->pool().view(x.key) < c_.baseline->pool().view(y.key);
    };
    std::vector<std::uint32_t> shown;  // a heap with the last of those shown on top
    for (const std::uint32_t i : notable_) {
      if (!wanted(c_.deltas[i])) continue;
      ++reason.keys_count;
      if (shown.size() < kReasonKeys) {
        shown.push_back(i);
        std::push_heap(shown.begin(), shown.end(), worse);
      } else if (worse(i, shown.front())) {
        std::pop_heap(shown.begin(), shown.end(), worse);
        shown.back() = i;
        std::push_heap(shown.begin(), shown.end(), worse);
      }
    }
    std::sort_heap(shown.begin(), shown.end(), worse);
    for (const std::uint32_t i : shown) reason.keys.emplace_back(c_.baseline->pool().view(c_.deltas[i].key));
    worst_ = shown.empty() ? kNoRow : shown.front();
    return reason;
  }

  [[nodiscard]] std::uint32_t index(const Delta& d) const { return static_cast<std::uint32_t>(&d - c_.deltas.data()); }

  // By reference: the message may be made of the reason's own keys.
  void add(core::Reason& reason, const std::string& message) {
    reason.message = message;
    out_.reasons.push_back(std::move(reason));
  }
  [[nodiscard]] std::string worst_text() const { return worst_ == kNoRow ? std::string() : row_text(c_, c_.deltas[worst_]); }

  void collect_reasons() {
    const bool scalar = in_.shape == core::Shape::scalar;
    const auto plain = [](const Delta& d) { return d.state == State::regressed && !d.gate && !d.headline; };

    if (auto r = reason_over("gate_failed", [](const Delta& d) { return d.gate && d.state == State::regressed; });
        r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "gate") + " failed: " + worst_text());
    }
    // Vanished, or turned invalid: what was no valid number in the baseline either has not vanished.
    const auto gone = [&](const Delta& d) {
      if (d.state == State::missing) return true;
      if (d.state != State::invalid || d.baseline_row == kNoRow) return false;
      const core::Row& row = c_.baseline->rows()[d.baseline_row];
      return row.value_count > 0 && row.state != core::ValueState::duplicate && row.state != core::ValueState::failed;
    };
    if (auto r = reason_over("gate_missing", [&](const Delta& d) { return d.gate && gone(d); }); r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "gate") + " vanished or no longer valid, first " + core::cited(r.keys.front()));
    }
    if (auto r = reason_over("headline_missing", [&](const Delta& d) { return d.headline && !d.gate && gone(d); });
        r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "headline") + " vanished or no longer valid, first " + core::cited(r.keys.front()));
    }
    if (auto r = reason_over(scalar ? "scalar_regressed" : "headline_regressed",
                             [&](const Delta& d) {
                               return d.headline && !d.gate && d.state == State::regressed && !excused_.contains(index(d)) &&
                                      !noisy_.contains(index(d));
                             });
        r.keys_count > 0) {
      add(r, worst_text());
    }
    const auto sound = [&](const Delta& d) { return plain(d) && !d.suspect; };
    if (auto r = reason_over("many_regressed", sound); r.keys_count >= kManyRegressed) {
      add(r, core::counted(r.keys_count, "row") + " regressed beyond tolerance and beyond chance, worst " + worst_text());
    }
    if (statistical_rows_ > 0 && statistical_regressed_ > chance_limit_) {
      auto r = reason_over("more_regressions_than_chance",
                           [&](const Delta& d) { return d.state == State::regressed && !d.gate && statistical(c_, d); });
      add(r, std::to_string(statistical_regressed_) + " of " + core::counted(statistical_rows_, "row") +
                 " with trials regressed; without a change 99.9 % of comparisons show at most " + std::to_string(chance_limit_));
    }
    for (const ClassShift& shift : shifts_) {
      core::Reason r;
      r.code = "class_shift";
      add(r, "the median of " + core::counted(shift.rows, "row") + " (" + shift.name + ") moved by " +
                 core::short_number(std::fabs(shift.median_pct), 3) + " % for the worse");
    }
    if (auto r = reason_over("few_regressed", sound); r.keys_count > 0 && r.keys_count < kManyRegressed) {
      add(r, core::counted(r.keys_count, "row") + " regressed beyond tolerance: " + worst_text());
    }
    if (auto r = reason_over(
            "suspects",
            [&](const Delta& d) { return (plain(d) && d.suspect && !noisy_.contains(index(d))) || excused_.contains(index(d)); });
        r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") + " beyond tolerance, but within what chance explains: worst " + worst_text());
    }
    if (auto r = reason_over("noisy", [&](const Delta& d) { return noisy_.contains(index(d)); }); r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") +
                 " beyond tolerance, but no further than the measurement's own history scatters (" +
                 core::short_number(*floor_of(c_.deltas[worst_]), 3) + " %): worst " + worst_text());
    }
    for (core::Reason& reason : unit_reasons_) out_.reasons.push_back(std::move(reason));
    if (auto r = reason_over(
            "headline_inconclusive",
            [&](const Delta& d) { return d.headline && d.state == State::inconclusive && !mismatched_.contains(index(d)); });
        r.keys_count > 0) {
      add(r, "the trials neither show nor exclude a regression: " + worst_text());
    }
    const auto judged_gone = [&](State state) {
      return [&, state](const Delta& d) { return d.state == state && !((d.gate || d.headline) && gone(d)); };
    };
    if (auto r = reason_over("row_missing", judged_gone(State::missing), false); r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") + " of the baseline not in the current measurement, first " +
                 core::cited(r.keys.front()));
    }
    if (auto r = reason_over("row_invalid", judged_gone(State::invalid), false); r.keys_count > 0) {
      std::string why;
      if (worst_ != kNoRow && c_.notes.count(worst_) != 0) why = " (" + c_.notes.at(worst_) + ")";
      add(r, core::counted(r.keys_count, "row") + " without a valid number on both sides, first " + core::cited(r.keys.front()) +
                 why);
    }
    runs_not_compared();
    context_reason();
    if (auto r = reason_over("direction_unknown", [](const Delta& d) { return d.state == State::unclassified && d.exceeds; });
        r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") + " changed beyond tolerance with no known direction, largest " + worst_text() +
                 "; give --direction KEY=DIR");
    }
    near_tolerance();
  }

  // A log to which a further run was appended: its rows have keys of their own, which the baseline has not, and the newest run is
  // the one that nobody looked at.
  void runs_not_compared() {
    const auto& warnings = c_.current->warnings;
    if (out_.counts.added == 0 ||
        std::none_of(warnings.begin(), warnings.end(), [](const auto& w) { return w.code == "repeated_sections"; })) {
      return;
    }
    core::Reason r;
    r.code = "runs_not_compared";
    for (const Delta& d : c_.deltas) {
      if (d.state != State::added) continue;
      const std::string_view key = c_.baseline->pool().view(d.key);
      if (key.find("section=") == std::string_view::npos) continue;
      if (r.keys_count++ < kReasonKeys) r.keys.emplace_back(key);
    }
    if (r.keys_count == 0) return;
    add(r, core::counted(r.keys_count, "row") + " of a further run in the current file have no partner in the baseline, first " +
               core::cited(r.keys.front()) + ": give each run a file of its own");
  }

  void context_reason() {
    core::Reason r;
    r.code = "context_differs";
    std::string text;
    for (const core::ContextDifference& difference : in_.context_differences) {
      if (difference.declared || difference.severity == core::Severity::informative) continue;
      if (r.keys_count++ < kReasonKeys) r.keys.push_back(difference.key);
      if (r.keys_count <= 3) {
        text += (text.empty() ? "" : "; ") + core::cited_word(difference.key) + " " +
                (difference.baseline.empty() ? "(not given)" : core::cited(difference.baseline)) + " -> " +
                (difference.current.empty() ? "(not given)" : core::cited(difference.current)) + " (" +
                std::string(core::to_string(difference.severity)) + ")";
      }
    }
    if (r.keys_count == 0) return;
    add(r, "undeclared context differences: " + text);
  }

  void near_tolerance() {
    core::Reason r;
    r.code = "near_tolerance_away_from_peak";
    std::string text;
    for (const std::uint32_t i : notable_) {
      const Delta& d = c_.deltas[i];
      if (!d.headline || d.state != State::unchanged || d.proven || !d.adverse || d.exceeds ||
          d.used < kNearTolerance * (1 - 1e-12))
        continue;
      const std::string_view key = c_.baseline->pool().view(d.key);
      for (const core::SolLine& line : in_.sol) {
        if (line.row_key != key || !(line.delta_pp < 0)) continue;
        r.keys.emplace_back(key);
        ++r.keys_count;
        if (text.empty()) {
          text = "within tolerance but uses " + core::short_number(100 * d.used, 3) + " % of it, moving away from peak (" +
                 core::signed_number(line.delta_pp, 2) + " pp SoL): " + row_text(c_, d);
        }
      }
    }
    if (r.keys_count > 0) add(r, text);
  }

  static Verdict weight_of(std::string_view code) {
    for (const ReasonCode& known : reason_codes()) {
      if (known.code == code) return known.at_least;
    }
    return Verdict::yellow;
  }

  const JudgeInput& in_;
  Comparison& c_;
  Judgement out_;
  std::vector<std::uint32_t> notable_;      // rows that a reason may name
  std::vector<std::uint32_t> statistical_;  // rows decided by their trials
  std::map<std::pair<core::Id, Direction>, Class> classes_;
  std::vector<ClassShift> shifts_;
  std::unordered_set<std::uint32_t> mismatched_;  // rows whose unit seems to have changed
  std::unordered_set<std::uint32_t> excused_;     // headlines that a correction asked for does not let stand
  std::unordered_set<std::uint32_t> noisy_;       // headlines within the noise of their own history
  std::vector<core::Reason> unit_reasons_;
  std::uint64_t promotable_ = 0, without_trials_ = 0;  // rows that trials would help, and those that lack them
  std::uint64_t statistical_rows_ = 0, statistical_regressed_ = 0, chance_limit_ = 0;
  std::uint32_t worst_ = kNoRow;
};

}  // namespace

Judgement judge_plumbline(const JudgeInput& input) { return Judge(input).run(); }

}  // namespace plumbline::policies
