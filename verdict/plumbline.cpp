// The default rule set (docs/methodology.md, CONTRACT section 5): rows decided by themselves, weighed all together
// (core/evidence), then RED, YELLOW or GREEN with the reasons in order of weight.
#include "verdict/plumbline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "base/beside.hpp"
#include "core/citing.hpp"
#include "core/evidence/scale.hpp"
#include "core/experiment/looks.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verdict/advising/advice.hpp"
#include "verdict/advising/sequential.hpp"
#include "verdict/evidence_of_rows.hpp"
#include "verdict/findings/findings.hpp"
#include "verdict/known_noise.hpp"
#include "verdict/plausibility.hpp"
#include "verdict/points.hpp"
#include "verdict/row_text.hpp"
#include "verdict/rows/second_look.hpp"
#include "verdict/rows/waiving.hpp"
#include "verdict/suite_effects.hpp"
#include "verdict/tier.hpp"
#include "verdict/trial_words.hpp"

namespace plumbline::verdict {

namespace {

using core::Comparison;
using core::Delta;
using core::kNoRow;
using core::State;
using core::Verdict;

constexpr std::size_t kManyPoints = 3;  // regressed ones, and the fewest judged of which not all have to be regressed
constexpr double kNearTolerance = 0.8;
constexpr std::size_t kReasonKeys = 20;

class Judge {
 public:
  explicit Judge(const JudgeInput& input)
      : in_(input), c_(*input.comparison), weighed_{ComparedRows(c_, input.alpha), {}, {}}, waiving_(input) {}

  Judgement run() {
    auto weighing = base::beside(c_.deltas.size() * sizeof(Delta), [this] { return weigh(in_); });
    // What needs no weighing, meanwhile.
    say_unit_doubts();
    look_at_rows();
    waiving_.mark(notable_, out_);
    auto hidden = hidden_configuration(c_, in_.context_differences);
    weighed_ = weighing.get();
    weigh_all();
    judge_noisy_rows();
    say_moderated(c_.moderated, out_.warnings);
    say_outliers(c_, tested_, out_.warnings);
    for (core::Warning& warning : trial_order_warnings(c_, weighed_)) out_.warnings.push_back(std::move(warning));
    say_class_noise();
    const bool both = out_.counts.missing > 0 && out_.counts.added > 0;
    for (auto finding : {grown_spread(c_, tested_), both ? renamed_rows(c_) : std::nullopt, wide_tolerance(c_)}) {
      if (finding) out_.warnings.push_back(std::move(*finding));
    }
    for (core::Warning& warning : cold_starts(c_)) out_.warnings.push_back(std::move(warning));
    for (const std::uint32_t i : notable_) {
      out_.counts.suspect += suspect(i) ? 1 : 0;
      out_.counts.waived_sound += waived(i) && !suspect(i) && c_.deltas[i].state == State::regressed ? 1 : 0;
    }
    if (in_.second_look != nullptr) out_.answers = answers_of(*in_.second_look, c_, out_.marks);
    collect_reasons();
    waiving_.warn(out_.warnings);
    if (hidden) out_.warnings.push_back(std::move(*hidden));
    out_.verdict = Verdict::green;
    for (const core::Reason& reason : out_.reasons) out_.verdict = std::max(out_.verdict, reason.code.weight());
    // Of a second look every row is proven where the verdict is GREEN.
    const bool asks = out_.verdict == Verdict::green && in_.second_look == nullptr;
    const Unproven open = asks ? unproven(c_, weighed_, out_.marks) : Unproven{};
    TierQuestion question{notable_, without_trials_, promotable_, &open};
    if (out_.verdict == Verdict::yellow) {
      question.undecided = static_cast<std::uint64_t>(
          std::count_if(notable_.begin(), notable_.end(), [this](std::uint32_t i) { return waits_for_trials(i); }));
      question.decide = trials_that_decide(in_, out_.marks);
    }
    out_.promote = lacking_for_verdict(in_, c_, question);
    if (out_.verdict == Verdict::green && out_.counts.waived > 0) out_.promote.push_back(waived_is_no_proof());
    out_.tier = out_.promote.empty() ? core::Tier::verdict : core::Tier::draft;
    out_.order = advice_order(c_, out_.marks);
    out_.parts = find_culprits(c_, out_.marks);
    out_.recommendation = recommend(in_, out_);
    out_.next_lever = next_lever(in_, out_);
    return std::move(out_);
  }

 private:
  void say_unit_doubts() {
    for (const core::UnitMismatch& one : c_.unit_mismatches) {
      core::Reason reason{"unit_mismatch"};
      reason.keys_count = one.rows.size();
      for (const std::uint32_t i : one.rows) {
        if (c_.deltas[i].state != State::regressed) mismatched_.insert(i);
        if (reason.keys.size() < kReasonKeys) reason.keys.emplace_back(c_.baseline->pool().view(c_.deltas[i].key));
      }
      reason.message = unit_doubt(one, worse_of(one));
      unit_reasons_.push_back(std::move(reason));
    }
  }

  [[nodiscard]] bool worse_of(const core::UnitMismatch& one) const {
    return std::any_of(one.rows.begin(), one.rows.end(), [&](std::uint32_t i) { return c_.deltas[i].state == State::regressed; });
  }

  static std::string unit_doubt(const core::UnitMismatch& one, bool worse) {
    const double factor = std::max(one.factor, 1 / one.factor);
    return (one.rows.size() == 1 ? "the only row" : "all " + core::counted(one.rows.size(), "row")) + " of " +
           core::cited(one.metric) + (one.factor > 1 ? " grew" : " shrank") + " by a factor of " + core::short_number(factor, 5) +
           ", as " + std::string(one.taken_for) + " differ: " +
           (worse ? "the unit may have changed; as long as that is not known, it counts as worse"
                  : "the unit is likelier to have changed than the speed") +
           (one.unit.empty() ? "" : "; the files say " + core::cited_word(one.unit) + " on both sides");
  }

  // The one pass over all rows (millions, mostly unchanged): counts them and tells apart what the rules go on with.
  void look_at_rows() {
    std::array<std::uint64_t, static_cast<std::size_t>(State::context) + 1> by_state{};
    for (std::uint32_t i = 0; i < c_.deltas.size(); ++i) {
      const Delta& d = c_.deltas[i];
      ++by_state[static_cast<std::size_t>(d.state)];
      const bool judged = is_decided(d);
      if (d.headline || is_notable(d) || (in_.second_look != nullptr && judged)) notable_.push_back(i);
      if (d.gate || !(judged || d.state == State::unclassified)) continue;
      const bool with_trials = has_tested_trials(c_, d);
      const core::MetricClass& klass = c_.baseline->metric_class(c_.baseline->rows()[d.baseline_row]);
      if (!klass.exact) {
        ++promotable_;
        without_trials_ += with_trials ? 0 : 1;
      }
      if (judged && with_trials) tested_.push_back(i);
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

  // Its trials left open what the verdict is YELLOW for.
  [[nodiscard]] bool waits_for_trials(std::uint32_t i) const {
    const Delta& d = c_.deltas[i];
    if (d.gate || !has_tested_trials(c_, d) || waived(i)) return false;
    return undecided_.contains(i) || (d.headline && d.state == State::inconclusive) ||
           (d.state == State::regressed && suspect(i));
  }

  // Rows that a reason may name, beside headlines: everything else is counted and done with.
  static bool is_notable(const Delta& d) {
    return d.state == State::regressed || d.state == State::inconclusive || d.state == State::missing ||
           d.state == State::invalid || (d.state == State::unclassified && d.exceeds);
  }

  // A GREEN that somebody's word stands behind.
  [[nodiscard]] std::string waived_is_no_proof() const {
    return "waivers: " + core::counted(out_.counts.waived, "row is", "rows are") + " worse and excused (" +
           waivers_text(out_.waivers) + "); a GREEN that rests on a waiver is not proven";
  }

  // ---- all rows together ----

  void weigh_all() {
    if (in_.second_look != nullptr) return weigh_second_look();
    for (std::size_t j = 0; j < weighed_.rows.deltas.size(); ++j) {
      const std::uint32_t i = weighed_.rows.deltas[j];
      const Delta& d = c_.deltas[i];
      const core::RowEvidence& row = weighed_.evidence.rows[j];
      if (d.state == State::regressed && row.suspect) {
        out_.marks.mark_suspect(i);
        if (!d.headline && is_explained_by_correlation(row)) explained_.insert(i);
      }
      if (d.state == State::inconclusive && !d.headline && is_open(d, row)) undecided_.insert(i);
    }
  }

  // Each row in doubt by itself: what its trials leave open is open.
  void weigh_second_look() {
    mark_unconfirmed(*in_.second_look, in_.alpha, c_, out_.marks);
    for (const std::uint32_t i : notable_) {
      const Delta& d = c_.deltas[i];
      if (d.state == State::regressed || !is_decided(d) || d.gate) continue;
      if (answer_of(c_, d, false) == core::SecondAnswer::undecided) undecided_.insert(i);
    }
  }

  // Ranks presume independent trials. Where neighbours resemble each other they call a row worse that the class, its trials
  // counted as the fewer that they are, explains: such a suspect asks for nothing.
  [[nodiscard]] bool is_explained_by_correlation(const core::RowEvidence& row) const {
    if (!row.trials) return false;
    const core::GroupEvidence& group = weighed_.evidence.groups[row.group];
    return group.correlated && group.proven && row.explained;
  }

  // Worse by more than tolerance and not decided: an open question, unless the scatter of the class shows as much somewhere among
  // so many rows and the class as a whole is proven within tolerance.
  [[nodiscard]] bool is_open(const Delta& d, const core::RowEvidence& row) const {
    if (!d.exceeds || !d.adverse) return false;
    return !row.trials || !row.explained || !weighed_.evidence.groups[row.group].proven;
  }

  // What the row's evidence says; null for rows that were not weighed.
  [[nodiscard]] const core::RowEvidence* evidence_of(std::uint32_t delta) const {
    const auto at = std::lower_bound(weighed_.rows.deltas.begin(), weighed_.rows.deltas.end(), delta);
    if (at == weighed_.rows.deltas.end() || *at != delta) return nullptr;
    return &weighed_.evidence.rows[static_cast<std::size_t>(at - weighed_.rows.deltas.begin())];
  }

  // A single run beyond tolerance, but no further than runs of so much noise known beforehand lie apart.
  [[nodiscard]] bool is_within(const Delta& d, double known_spread) const {
    const core::Tolerance& tolerance = c_.tolerances[d.tolerance];
    if (!(known_spread > 0) || has_tested_trials(c_, d) || tolerance.kind != core::ToleranceKind::percent) return false;
    if (!(d.baseline > 0) || !(d.current > 0)) return false;
    const double runs =
        1.0 / c_.baseline->rows()[d.baseline_row].value_count + 1.0 / c_.current->rows()[d.current_row].value_count;
    const double reach = known_spread * std::sqrt(runs) * core::known_spread_multiplier(weighed_.evidence.judged);
    const core::ToleranceLogs logs(tolerance.value / 100);
    const double ratio = oriented_log_ratio(d);
    if (d.direction == core::Direction::higher) return ratio <= logs.down + reach;
    return ratio >= 0 ? ratio <= logs.up + reach : -ratio <= logs.down + reach;
  }

  // A history that scatters more than the tolerance cannot keep it: a change within its floor is doubted, neither believed nor
  // forgiven, and the tolerance stays what it is. One beyond the floor is a regression like any other.
  void judge_noisy_rows() {
    if (!in_.registry_floor_pct && in_.key_floors_pct == nullptr) return;
    std::uint64_t silent = 0;
    std::uint32_t first = kNoRow;
    for (const std::uint32_t i : notable_) {
      const Delta& d = c_.deltas[i];
      if (d.gate || mismatched_.contains(i) || !is_decided(d)) continue;
      const std::optional<double> floor = history_floor_pct(in_, d);
      if (!floor) continue;
      if (d.state == State::regressed) {
        if (is_outside_history(in_, d)) continue;
        const bool by_itself = std::isfinite(d.delta_pct) && std::fabs(d.delta_pct) <= *floor * (1 + 1e-12);
        if (!by_itself && !(suspect(i) && is_within(d, history_spread(in_, d)))) continue;
        out_.marks.mark_suspect(i);
        noisy_.insert(i);
      } else if (d.headline && c_.tolerances[d.tolerance].kind == core::ToleranceKind::percent &&
                 *floor > c_.tolerances[d.tolerance].value) {
        if (silent++ == 0) first = i;
      }
    }
    if (silent == 0) return;
    out_.warnings.push_back({"noisy_history", core::counted(silent, "headline") +
                                                  " with a history that scatters more than the tolerance (" +
                                                  core::short_number(*history_floor_pct(in_, c_.deltas[first]), 3) +
                                                  " %, three robust spreads): a change of that size cannot be told from noise, " +
                                                  row_text(c_, c_.deltas[first])});
  }

  // A DRAFT on one number still says what such a number is worth.
  void say_class_noise() {
    if (!in_.class_noise_pct) return;
    std::uint64_t rows = 0;
    std::uint32_t first = kNoRow;
    for (const std::uint32_t i : notable_) {
      const Delta& d = c_.deltas[i];
      if (d.state != State::regressed || d.gate || !suspect(i) || !is_within(d, prior_spread(in_, d))) continue;
      if (rows++ == 0) first = i;
    }
    if (rows == 0) return;
    out_.warnings.push_back(
        {"within_class_noise", core::counted(rows, "row") +
                                   " beyond tolerance, but no further than single runs of this kind of benchmark scatter (" +
                                   core::short_number(100 * prior_spread(in_, c_.deltas[first]), 3) +
                                   " % from run to run): measure again before believing it, first " +
                                   core::cited(c_.baseline->pool().view(c_.deltas[first].key))});
  }

  // A reason over the notable rows that are wanted: how many, and the first of them in its order.
  template <class Predicate>
  core::Reason reason_over(core::ReasonCode code, Predicate&& wanted, bool worst_first = true) {
    core::Reason reason{code};
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

  [[nodiscard]] std::uint32_t index(const Delta& d) const { return c_.index(d); }
  [[nodiscard]] bool suspect(std::uint32_t delta) const { return out_.marks.suspect(delta); }
  [[nodiscard]] bool waived(std::uint32_t delta) const { return out_.marks.waived(delta); }
  // Of what is wanted what no waiver excuses.
  template <class Predicate>
  core::Reason reason_over_standing(core::ReasonCode code, Predicate&& wanted) {
    return reason_over(code, [&](const Delta& d) { return wanted(d) && !waived(index(d)); });
  }

  // By reference: the message may be made of the reason's own keys.
  void add(core::Reason& reason, const std::string& message) {
    reason.message = message;
    out_.reasons.push_back(std::move(reason));
  }
  [[nodiscard]] std::string worst_text() const { return worst_ == kNoRow ? std::string() : row_text(c_, c_.deltas[worst_]); }

  // Of trials whose number is decided while looking at them a look spends its share, as for rows. Between two looks, which is
  // where a budget or a request ends them, nothing is looked at again: the next look's share is left.
  [[nodiscard]] double alpha_of_runs() const {
    const core::RowStatistics* most = nullptr;
    for (const core::RowStatistics& one : c_.statistics) {
      if (one.anytime && (most == nullptr || one.n_current > most->n_current)) most = &one;
    }
    if (most == nullptr) return in_.alpha;
    const core::Design design = most->paired ? core::Design::pairs : core::Design::ranks;
    const auto share_at = [&](std::uint32_t trials) { return core::look_share(design, trials, c_.last_look); };
    const double share = share_at(most->n_current);
    return in_.alpha * (share > 0 ? share : share_at(core::next_look(design, most->n_current, c_.last_look)));
  }

  // A trial that failed is no number, but it is an answer.
  [[nodiscard]] bool runs_fail_more_often() const {
    return in_.current_runs.share() > in_.baseline_runs.share() &&
           core::more_failures_p(in_.baseline_runs, in_.current_runs) <= alpha_of_runs();
  }
  void failed_runs(core::ReasonCode code) {
    core::Reason reason{code};
    reason.message = "runs fail more often: " + std::to_string(in_.current_runs.failed) + " of " +
                     core::counted(in_.current_runs.attempts, "run") + ", " + std::to_string(in_.baseline_runs.failed) + " of " +
                     std::to_string(in_.baseline_runs.attempts) + " of the baseline";
    out_.reasons.push_back(std::move(reason));
  }

  void collect_reasons() {
    const bool scalar = in_.shape == core::Shape::scalar;

    if (auto r = reason_over_standing("gate_failed", [](const Delta& d) { return d.gate && d.state == State::regressed; });
        r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "gate") + " failed: " + worst_text() + worst_note());
    }
    if (runs_fail_more_often()) failed_runs("gate_failed");
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
    if (in_.second_look != nullptr) {
      confirmed_rows();
    } else if (auto r = reason_over(scalar ? core::ReasonCode("scalar_regressed") : "headline_regressed",
                                    [&](const Delta& d) { return d.headline && is_sound(d); });
               r.keys_count > 0) {
      add(r, worst_text() + caveat());
    }
    if (in_.second_look == nullptr) regressed_rows();
    if (auto r = reason_over("gate_doubtful", [&](const Delta& d) { return is_doubtful_gate(d); }); r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "gate") + " worse and not decided: worst " + worst_text() + worst_note());
    }
    if (in_.current_runs.share() > in_.baseline_runs.share() && !runs_fail_more_often()) failed_runs("gate_doubtful");
    if (auto r = reason_over_standing("suspects", [&](const Delta& d) { return is_plain_suspect(d); }); r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") + " worse by more than tolerance, as chance shows it somewhere among " +
                 core::counted(judged_rows(), "judged row") + ": worst " + worst_text());
    }
    if (auto r = reason_over_standing("noisy", [&](const Delta& d) { return noisy_.contains(index(d)); }); r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") +
                 " beyond tolerance, but no further than the measurement's own history scatters (" +
                 core::short_number(*history_floor_pct(in_, c_.deltas[worst_]), 3) + " %): worst " + worst_text());
    }
    for (core::Reason& reason : unit_reasons_) out_.reasons.push_back(std::move(reason));
    if (auto r = reason_over_standing("headline_inconclusive",
                                      [&](const Delta& d) {
                                        return d.headline && d.state == State::inconclusive && in_.second_look == nullptr &&
                                               !mismatched_.contains(index(d));
                                      });
        r.keys_count > 0) {
      add(r, "the trials neither show nor exclude a regression: " + worst_text() + out_of_reach());
    }
    if (auto r = reason_over_standing("undecided", [&](const Delta& d) { return undecided_.contains(index(d)); });
        r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") + (r.keys_count == 1 ? " is" : " are") +
                 (in_.second_look != nullptr ? " neither proven worse by more than tolerance nor proven within it: largest "
                                             : " worse by more than tolerance and not decided by the trials: worst ") +
                 worst_text() + out_of_reach());
    }
    if (in_.second_look != nullptr) rows_gone();
    const auto judged_gone = [&](State state) {
      return [&, state](const Delta& d) { return d.state == state && !((d.gate || d.headline) && gone(d)); };
    };
    if (auto r = reason_over("row_missing", judged_gone(State::missing), false); r.keys_count > 0 && in_.second_look == nullptr) {
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
    waiving_.say(counting(), out_.reasons);
    context_reason();
    if (auto r = reason_over("direction_unknown", [](const Delta& d) { return d.state == State::unclassified && d.exceeds; });
        r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") + " changed beyond tolerance with no known direction, largest " + worst_text() +
                 "; give --direction KEY=DIR");
    }
    near_tolerance();
  }

  // A second look: each row that is worse by itself, and classes where the first look found one.
  void confirmed_rows() {
    if (auto r = reason_over("headline_regressed", [&](const Delta& d) { return is_sound(d); }); r.keys_count > 0) {
      add(r, core::counted(r.keys_count, "row") + " of " + std::to_string(in_.second_look->rows.size()) +
                 " in doubt regressed again when measured anew" + (r.keys_count > 1 ? ": worst " : ": ") + worst_text());
    }
    if (!in_.second_look->classes) return;
    for (core::Reason& reason : suite_reasons(c_, weighed_, waiving_)) out_.reasons.push_back(std::move(reason));
  }

  // Rows in doubt that the trials do not hold any more, on one side or on both.
  void rows_gone() {
    core::Reason r{"row_missing"};
    for (std::size_t i = 0; i < out_.answers.size(); ++i) {
      if (out_.answers[i] != core::SecondAnswer::gone || is_invalid(in_.second_look->rows[i].key)) continue;
      if (r.keys_count++ < kReasonKeys) r.keys.push_back(in_.second_look->rows[i].key);
    }
    if (r.keys_count == 0) return;
    add(r, core::counted(r.keys_count, "row") + " in doubt " + (r.keys_count == 1 ? "is" : "are") +
               " not in the new trials of both sides, first " + core::cited(r.keys.front()));
  }
  [[nodiscard]] bool is_invalid(std::string_view key) const {
    return std::any_of(notable_.begin(), notable_.end(), [&](std::uint32_t i) {
      return c_.deltas[i].state == State::invalid && c_.baseline->pool().view(c_.deltas[i].key) == key;
    });
  }
  [[nodiscard]] std::uint64_t judged_rows() const {
    return in_.second_look != nullptr ? in_.second_look->family : weighed_.evidence.judged;
  }

  [[nodiscard]] bool is_sound(const Delta& d) const {
    return d.state == State::regressed && !d.gate && !suspect(index(d)) && !waived(index(d));
  }
  [[nodiscard]] bool is_plain_suspect(const Delta& d) const {
    const std::uint32_t i = index(d);
    return d.state == State::regressed && !d.gate && suspect(i) && !noisy_.contains(i) && !explained_.contains(i);
  }
  [[nodiscard]] bool is_doubtful_gate(const Delta& d) const {
    return d.gate && d.state == State::inconclusive && !mismatched_.contains(index(d)) && !waived(index(d));
  }
  // Rows that a reason was given for because they are worse.
  [[nodiscard]] std::vector<std::uint32_t> counting() const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t i : notable_) {
      const Delta& d = c_.deltas[i];
      const bool open = d.state == State::inconclusive && (d.headline || d.gate || undecided_.contains(i));
      if (open || (d.state == State::regressed && !explained_.contains(i))) out.push_back(i);
    }
    return out;
  }
  // How the worst row of the reason at hand was judged, where that is said.
  [[nodiscard]] std::string worst_note() const {
    const auto note = c_.notes.find(worst_);
    return note == c_.notes.end() ? std::string() : ": " + note->second;
  }

  // Rows that are regressed beyond chance, by the points that they are, and classes that are worse as a whole.
  void regressed_rows() {
    std::vector<std::uint32_t> sound, with_waived;
    for (const std::uint32_t i : notable_) {
      const Delta& d = c_.deltas[i];
      if (d.state != State::regressed || d.gate || suspect(i) || evidence_of(i) == nullptr) continue;
      with_waived.push_back(i);
      if (!waived(i)) sound.push_back(i);
    }
    const std::size_t worse = count_points(c_, sound);
    bool many = are_many(count_points(c_, with_waived), count_points(c_, weighed_.rows.deltas, kManyPoints));
    if (many && out_.counts.waived > 0) many = are_many(worse, count_points(c_, standing_rows(), kManyPoints));
    const auto others = [&](const Delta& d) { return is_sound(d) && !d.headline; };
    auto r = reason_over(many ? core::ReasonCode("many_regressed") : "few_regressed", others);
    const std::string text = core::counted(r.keys_count, "row") +
                             (worse < r.keys_count ? " at " + core::counted(worse, "point") : std::string()) +
                             " regressed beyond " + (many ? "tolerance and beyond chance" : "tolerance") +
                             (r.keys_count > 1 ? ", worst " : ": ") + worst_text() + caveat();
    if (many && r.keys_count > 0) add(r, text);
    for (core::Reason& reason : suite_reasons(c_, weighed_, waiving_)) out_.reasons.push_back(std::move(reason));
    if (!many && r.keys_count > 0) add(r, text);
  }

  static bool are_many(std::size_t worse, std::size_t judged) {
    return worse >= kManyPoints || (judged < kManyPoints && worse == judged);
  }
  // The rows beside those under waivers, and of these what counts all the same: what the others come to by themselves. Which
  // rows are left out must not depend on their values, else a worse one could make the others fewer.
  [[nodiscard]] std::vector<std::uint32_t> standing_rows() const {
    std::vector<std::uint32_t> out;
    std::copy_if(weighed_.rows.deltas.begin(), weighed_.rows.deltas.end(), std::back_inserter(out),
                 [this](std::uint32_t i) { return is_sound(c_.deltas[i]) || !waiving_.speaks_of(i); });
    return out;
  }

  // What one run a side cannot tell, of the worst row of the reason at hand; empty for rows with trials.
  [[nodiscard]] std::string caveat() const {
    const core::RowEvidence* row = worst_ == kNoRow ? nullptr : evidence_of(worst_);
    if (row == nullptr || row->trials) return {};
    const bool known = row->allowance > 0 || (row->group != core::kNoGroup && weighed_.evidence.groups[row->group].scatter >= 0);
    if (history_floor_pct(in_, c_.deltas[worst_]) && is_outside_history(in_, c_.deltas[worst_])) {
      return "; outside of all that its history holds";
    }
    if (!known) return "; nothing is known of the noise of one run, so the tolerance speaks alone";
    return "; one run cannot tell a change from noise that all its rows share";
  }

  // Ranks of few trials cannot be rarer than one arrangement of all.
  [[nodiscard]] std::string out_of_reach() const {
    if (worst_ == kNoRow || !has_tested_trials(c_, c_.deltas[worst_])) return {};
    const core::RowStatistics& s = c_.statistics[c_.deltas[worst_].statistics];
    const auto least = core::trials_for_p(in_.alpha);
    if (!least || std::min(s.n_baseline, s.n_current) >= *least) return {};
    return "; " + std::to_string(std::min(s.n_baseline, s.n_current)) +
           " trials a side cannot reach p = " + core::short_number(in_.alpha, 3) + ", " + std::to_string(*least) + " can";
  }

  // A log to which a further run was appended: its rows have keys of their own, which the baseline has not, and the newest run is
  // the one that nobody looked at.
  void runs_not_compared() {
    const auto& warnings = c_.current->warnings;
    if (out_.counts.added == 0 ||
        std::none_of(warnings.begin(), warnings.end(), [](const auto& w) { return w.code == "repeated_sections"; })) {
      return;
    }
    core::Reason r{"runs_not_compared"};
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
    core::Reason r{"context_differs"};
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
    core::Reason r{"near_tolerance_away_from_peak"};
    std::string text;
    for (const std::uint32_t i : notable_) {
      const Delta& d = c_.deltas[i];
      if (!d.headline || d.state != State::unchanged || d.proven || !d.adverse || d.exceeds ||
          d.used < kNearTolerance * (1 - 1e-12) || waiving_.covers(i))
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

  const JudgeInput& in_;
  const Comparison& c_;
  Judgement out_;
  std::vector<std::uint32_t> notable_;  // rows that a reason may name
  std::vector<std::uint32_t> tested_;   // rows decided by their trials
  WeighedRows weighed_;
  Waiving waiving_;
  std::unordered_set<std::uint32_t> mismatched_;  // rows that seem better because their unit changed
  std::unordered_set<std::uint32_t> noisy_;       // within the noise of their own history
  std::unordered_set<std::uint32_t> undecided_;   // worse by more than tolerance, as far as the trials go
  std::unordered_set<std::uint32_t> explained_;   // suspects that ask for nothing
  std::vector<core::Reason> unit_reasons_;
  std::uint64_t promotable_ = 0, without_trials_ = 0;  // rows that trials would help, and those that lack them
  std::uint32_t worst_ = kNoRow;
};

}  // namespace

Judgement judge_plumbline(const JudgeInput& input) { return Judge(input).run(); }

extern constinit const Policy plumbline_policy{"plumbline", "three-way rows, suspects, headline and gates; the default",
                                               &decide_plumbline, &judge_plumbline, true};

}  // namespace plumbline::verdict
