#include "verdict/advising/advice.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "core/citing.hpp"
#include "core/results/sol_words.hpp"
#include "core/text.hpp"
#include "verdict/advising/culprit_words.hpp"
#include "verdict/advising/sequential.hpp"
#include "verdict/row_text.hpp"
#include "verdict/rows/waiving.hpp"

namespace plumbline::verdict {

namespace {

using core::Delta;
using core::State;
using core::Verdict;

constexpr std::size_t kOrdered = 1000;

int rank_of(const Delta& d, bool suspect, bool waived) {
  if (d.state == State::regressed) return waived ? 3 : suspect ? 1 : 0;
  if (d.state == State::missing || d.state == State::invalid) return 2;
  if (d.state == State::added) return 5;
  return 4;
}

double size_of_change(const Delta& d) {
  if (std::isfinite(d.delta_pct)) return std::fabs(d.delta_pct);
  return d.delta != 0 ? HUGE_VAL : 0;
}

constexpr std::size_t kLevers = 4;  // the best and what comes after it
constexpr double kWall = 95;        // percent of a ceiling from which there is nothing to win below it
constexpr double kOtherBound = 5;   // percent below which another limit holds
constexpr double kSpreads = 3;      // noise of a single comparison, in standard deviations of a ratio

bool hides_configuration(const Judgement& j) {
  return std::any_of(j.warnings.begin(), j.warnings.end(), [](const auto& w) { return w.code == "hidden_configuration"; });
}

std::string percent(double value) { return core::short_number(value, 3) + " %"; }

// What a row lost, in percent of its baseline: a range where trials or a known noise give one, else its upper end only.
struct Loss {
  std::optional<double> low;
  double high = 0;
};

// Candidates for the next step, each from something that the diff holds. First what undoes a loss, then what decides an open
// question, then what makes smaller changes visible, then room below a ceiling.
class Levers {
 public:
  Levers(const JudgeInput& in, const Judgement& j) : in_(in), j_(j), c_(*in.comparison) {}

  std::optional<core::NextLever> best() {
    if (!comparable()) return std::nullopt;  // an invalid run, or another question: the recommendation says what to mend
    for (const std::uint32_t i : j_.order) {
      const Delta& d = c_.deltas[i];
      if (j_.marks.waived(i)) continue;
      const bool suspect = j_.marks.suspect(i);
      if (d.state == State::regressed && (!suspect && shown_or_red(d))) lost_.push_back(i);
      if (d.state == State::inconclusive || (d.state == State::regressed && (suspect || !shown_or_red(d)))) open_.push_back(i);
    }
    if (!lost_.empty()) {
      put_back();
      restore();
    }
    if (!open_.empty()) decide();
    quieten();
    close_gaps();
    if (levers_.empty()) return std::nullopt;
    core::NextLever first = std::move(levers_.front());
    for (std::size_t i = 1; i < std::min(levers_.size(), kLevers); ++i) first.others.push_back(std::move(levers_[i]));
    return first;
  }

 private:
  [[nodiscard]] bool comparable() const {
    for (const core::Reason& reason : j_.reasons) {
      if (reason.code == "gate_failed" || reason.code == "gate_missing" || reason.code == "headline_missing" ||
          reason.code == "unit_mismatch" || reason.code == "unequal_work") {
        return false;
      }
    }
    return std::none_of(in_.context_differences.begin(), in_.context_differences.end(), [](const auto& difference) {
      return !difference.declared && difference.severity == core::Severity::fatal;
    });
  }

  [[nodiscard]] const core::RowStatistics* statistics_of(const Delta& d) const {
    return d.statistics == core::kNoRow ? nullptr : &c_.statistics[d.statistics];
  }
  [[nodiscard]] bool shown_or_red(const Delta& d) const {
    const core::RowStatistics* s = statistics_of(d);
    return j_.verdict == Verdict::red || (s != nullptr && s->statistical);
  }
  [[nodiscard]] std::string key(const Delta& d) const { return core::cited(c_.baseline->pool().view(d.key)); }

  // The noise of a single comparison of this row, percent: its own history, the measurement's, the class's; none is known to
  // some.
  [[nodiscard]] std::optional<double> noise_of(const Delta& d) const {
    if (in_.key_floors_pct != nullptr) {
      if (const auto it = in_.key_floors_pct->find(d.key); it != in_.key_floors_pct->end()) return it->second;
    }
    if (in_.registry_floor_pct) return in_.registry_floor_pct;
    if (in_.class_noise_pct) {
      if (const auto cv = in_.class_noise_pct(c_.baseline->pool().view(d.key))) return kSpreads * std::sqrt(2.0) * *cv;
    }
    return std::nullopt;
  }

  [[nodiscard]] Loss loss_of(const Delta& d) const {
    Loss loss;
    loss.high = std::fabs(d.delta_pct);
    const core::RowStatistics* s = statistics_of(d);
    if (s != nullptr && s->interval_low_pct && s->interval_high_pct) {
      const bool up = d.direction == core::Direction::lower || (d.direction != core::Direction::higher && d.delta > 0);
      const double low = up ? *s->interval_low_pct : -*s->interval_high_pct;
      const double high = up ? *s->interval_high_pct : -*s->interval_low_pct;
      if (std::isfinite(low) && std::isfinite(high)) return {std::max(0.0, low), std::max(0.0, high)};
    }
    if (const auto noise = noise_of(d)) loss.low = std::max(0.0, loss.high - *noise);
    return loss;
  }

  // "3.4 to 12.1 % of the baseline on 8 rows": from the least to the most that the rows show.
  [[nodiscard]] std::string range_of(const std::vector<std::uint32_t>& rows) const {
    std::optional<double> least, low;
    double high = 0;
    std::size_t counted = 0;
    for (const std::uint32_t i : rows) {
      const Delta& d = c_.deltas[i];
      if (!std::isfinite(d.delta_pct)) continue;
      const Loss loss = loss_of(d);
      ++counted;
      const double size = std::fabs(d.delta_pct);
      least = least ? std::min(*least, size) : size;
      if (loss.low) low = low ? std::min(*low, *loss.low) : *loss.low;
      high = std::max(high, loss.high);
    }
    if (counted == 0) return {};
    const std::string where =
        counted == 1 ? " of the baseline on that row" : " of the baseline on " + core::counted(counted, "row");
    if (low && *low < high) return core::short_number(*low, 3) + " to " + percent(high) + where;
    if (counted > 1 && *least < high)
      return core::short_number(*least, 3) + " to " + percent(high) + where + ", as single trials show it";
    return "up to " + percent(high) + where + (low ? "" : " (a single trial does not show how much of it is noise)");
  }

  // A change of the surroundings beside a loss is the cheapest thing to try: put it back and measure again.
  void put_back() {
    const std::string range = range_of(lost_);
    if (range.empty()) return;
    std::size_t named = 0;
    for (const core::Severity severity : {core::Severity::weakening, core::Severity::informative}) {
      for (const core::ContextDifference& difference : in_.context_differences) {
        if (difference.severity != severity || !difference.baseline_known || !difference.current_known || named == 2) continue;
        const bool node = difference.key == "environment.hostname";
        if (difference.key.starts_with("environment.") && !node) continue;  // digests, labels, times of the run
        ++named;
        core::NextLever lever;
        lever.lever = node ? "measure on the baseline's node " + core::cited(difference.baseline) + " again (now " +
                                 core::cited(difference.current) + ")"
                           : "put " + core::cited_word(difference.key) + " back to " + core::cited(difference.baseline) +
                                 " (now " + core::cited(difference.current) + ")";
        lever.expected_unlock = "0 to all of what was lost: " + range;
        lever.gate = "with only that changed, " + key(c_.deltas[lost_.front()]) +
                     " is within tolerance of this baseline: then it is the cause; if not, it is acquitted";
        levers_.push_back(std::move(lever));
      }
    }
  }

  // The part that regressed and holds this row; null where there is none.
  [[nodiscard]] const core::Culprit* part_of(std::uint32_t delta) const {
    const auto holds = [&](const core::Culprit& one) { return std::binary_search(one.rows.begin(), one.rows.end(), delta); };
    const auto at = std::find_if(j_.parts.culprits.begin(), j_.parts.culprits.end(), holds);
    return at == j_.parts.culprits.end() ? nullptr : &*at;
  }

  void restore() {
    const std::string range = range_of(lost_);
    if (range.empty()) return;
    const core::Culprit* part = part_of(lost_.front());
    core::NextLever lever;
    lever.lever = "restore " + key(c_.deltas[lost_.front()]);
    if (part != nullptr) {
      lever.lever += " (with the other rows of " + core::cited(part->predicate) + ")";
    } else if (lost_.size() > 1) {
      lever.lever += " and " + core::counted(lost_.size() - 1, "other regressed row");
    }
    lever.expected_unlock = range;
    lever.gate = "the same diff against this baseline is GREEN";
    // Where most rows are half as fast the builds are not the likeliest cause.
    if (!hides_configuration(j_)) lever.gate += "; a bisect between the two builds names the change";
    levers_.push_back(std::move(lever));
  }

  void decide() {
    const Delta& d = c_.deltas[open_.front()];
    const std::optional<std::uint32_t> trials = trials_that_decide(in_, j_.marks);
    core::NextLever lever;
    lever.lever = "decide " + key(d) + (open_.size() > 1 ? " and " + core::counted(open_.size() - 1, "other open row") : "") +
                  " with " + (trials ? std::to_string(*trials) : std::string("three or more")) +
                  " trials a side, interleaved A B A B";
    const core::RowStatistics* s = statistics_of(d);
    if (s != nullptr && s->interval_low_pct && s->interval_high_pct && std::isfinite(*s->interval_low_pct) &&
        std::isfinite(*s->interval_high_pct)) {
      lever.expected_unlock = "at stake: a change of " + core::signed_number(*s->interval_low_pct, 3) + " to " +
                              core::signed_number(*s->interval_high_pct, 3) + " %";
    } else if (const std::string range = range_of(open_); !range.empty()) {
      lever.expected_unlock = "at stake: " + range;
    } else {
      return;
    }
    lever.gate = "the trials call each of these rows regressed or within tolerance, and none inconclusive";
    levers_.push_back(std::move(lever));
  }

  // Noise above the tolerance hides what the tolerance is there to see.
  void quieten() {
    const Delta* noisiest = nullptr;
    double floor = 0, tolerance = 0;
    for (const std::uint32_t i : j_.order) {
      const Delta& d = c_.deltas[i];
      const core::Tolerance& allowed = c_.tolerances[d.tolerance];
      if (allowed.kind != core::ToleranceKind::percent) continue;
      std::optional<double> own = in_.registry_floor_pct;
      if (in_.key_floors_pct != nullptr) {
        if (const auto it = in_.key_floors_pct->find(d.key); it != in_.key_floors_pct->end()) own = it->second;
      }
      if (!own || !(*own > allowed.value) || !(*own - allowed.value > floor - tolerance)) continue;
      noisiest = &d;
      floor = *own;
      tolerance = allowed.value;
    }
    if (noisiest == nullptr) return;
    core::NextLever lever;
    lever.lever = "quieten " + key(*noisiest) + ": its history scatters by " + percent(floor) + ", its tolerance is " +
                  percent(tolerance) + " (clocks, warm-up, other jobs, one node)";
    lever.expected_unlock = "changes between " + core::short_number(tolerance, 3) + " and " + percent(floor) + " become visible";
    lever.gate = "the noise floor that `plumbline history` shows is at most " + percent(tolerance) + " after five more entries";
    levers_.push_back(std::move(lever));
  }

  // Per ceiling the row that came closest: it shows what the path can do; rows of small sizes are bound by something else.
  void close_gaps() {
    struct Gap {
      const core::SolLine* line;
      double share;  // percent; of one direction where the ceiling counts both
    };
    std::map<std::string_view, Gap> by_ceiling;
    for (const core::SolLine& line : in_.sol) {
      const double whole = line.current_pct + core::headroom_pp(line);
      if (!(line.current_pct > 0) || !(whole > 0)) continue;
      const double share = 100 * line.current_pct / whole;
      auto [it, fresh] = by_ceiling.try_emplace(line.ceiling_key, Gap{&line, share});
      if (!fresh && share > it->second.share) it->second = {&line, share};
    }
    std::vector<Gap> gaps;
    for (const auto& [ceiling, gap] : by_ceiling) {
      if (gap.share >= kOtherBound && gap.share < kWall) gaps.push_back(gap);
    }
    std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.share < b.share; });
    for (const Gap& gap : gaps) {
      core::NextLever lever;
      lever.lever = "close the gap of " + core::cited(gap.line->row_key) + " to " + core::cited(gap.line->ceiling_key);
      lever.expected_unlock =
          "x1 to x" + core::short_number(100 / gap.share, 3) + " (" + percent(gap.share) + " of the ceiling now)";
      lever.gate = "a diff against this baseline that shows " + core::cited(gap.line->row_key) + " improved beyond its tolerance";
      levers_.push_back(std::move(lever));
    }
  }

  const JudgeInput& in_;
  const Judgement& j_;
  const core::Comparison& c_;
  std::vector<std::uint32_t> lost_, open_;
  std::vector<core::NextLever> levers_;
};

// A GREEN: what was proven is said as proven, and the rest as not found.
core::Recommendation nothing_worse(const core::Comparison& c, const Judgement& j) {
  core::Recommendation r;
  r.action = "none";
  if (j.counts.waived > 0) {
    r.message = core::counted(j.counts.waived, "row is", "rows are") + " worse and waived (" + waivers_text(j.waivers) +
                "); nothing else is worse by more than tolerance";
    return r;
  }
  const auto better = static_cast<std::uint64_t>(std::count_if(c.deltas.begin(), c.deltas.end(), [&](const Delta& d) {
    return d.state == State::improved && d.statistics != core::kNoRow && c.statistics[d.statistics].statistical;
  }));
  if (better > 0 && j.counts.regressed == 0) {
    r.action = "re-baseline";
    r.message = core::counted(better, "row") +
                " improved beyond tolerance by their trials: if that is meant to stay, record the new level and accept it";
    return r;
  }
  if (j.tier == core::Tier::verdict) {
    r.message = "no regression: within tolerance is proven; no action needed";
    return r;
  }
  r.message = "nothing is worse by more than tolerance, which is not yet proof";
  if (!j.promote.empty()) r.message += " (" + j.promote.front() + ")";
  if (j.counts.improved > 0)
    r.message += "; " + core::counted(j.counts.improved, "row") + " better beyond tolerance, by too few runs to prove it";
  return r;
}

}  // namespace

std::vector<std::uint32_t> advice_order(const core::Comparison& c, const core::RowMarks& marks) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const Delta& x = c.deltas[a];
    const Delta& y = c.deltas[b];
    const int rx = rank_of(x, marks.suspect(a), marks.waived(a));
    const int ry = rank_of(y, marks.suspect(b), marks.waived(b));
    if (rx != ry) return rx < ry;
    if (rx <= 1 || rx == 3) {
      if (x.headline != y.headline) return x.headline;
      if (x.used != y.used) return x.used > y.used;
    }
    const double sx = size_of_change(x);
    const double sy = size_of_change(y);
    if (sx != sy) return sx > sy;
    return a < b;
  };
  // A heap with the last of those kept on top: of a million rows nearly all are turned away by one comparison.
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < c.deltas.size(); ++i) {
    if (c.deltas[i].state == State::context) continue;
    if (order.size() < kOrdered) {
      order.push_back(i);
      std::push_heap(order.begin(), order.end(), before);
    } else if (before(i, order.front())) {
      std::pop_heap(order.begin(), order.end(), before);
      order.back() = i;
      std::push_heap(order.begin(), order.end(), before);
    }
  }
  std::sort_heap(order.begin(), order.end(), before);
  return order;
}

core::Recommendation recommend(const JudgeInput& in, const Judgement& j) {
  const core::Comparison& c = *in.comparison;
  core::Recommendation r;
  const std::uint64_t standing = j.counts.regressed - waived_rows(c, j.marks, State::regressed);
  const auto has = [&](core::ReasonCode code) {
    return std::any_of(j.reasons.begin(), j.reasons.end(), [&](const core::Reason& reason) { return reason.code == code; });
  };
  const auto worst = [&]() -> std::string { return j.order.empty() ? std::string() : row_text(c, c.deltas[j.order.front()]); };
  if (j.verdict == Verdict::green) {
    return nothing_worse(c, j);
  }
  if (has("gate_failed") || has("gate_missing") || has("headline_missing")) {
    r.action = "fix_gate";
    r.message = "the run itself is not valid or not complete; fix that before reading its timings: " + j.reasons.front().message;
    r.suspects = j.reasons.front().keys;
    return r;
  }
  const bool fatal_context =
      std::any_of(in.context_differences.begin(), in.context_differences.end(),
                  [](const auto& difference) { return !difference.declared && difference.severity == core::Severity::fatal; });
  if (fatal_context) {
    r.action = "compare_like_with_like";
    r.message =
        "the two sides do not measure the same thing; choose a baseline with the same context or declare the change with "
        "--varying";
    for (const auto& difference : in.context_differences) {
      if (!difference.declared && difference.severity == core::Severity::fatal) r.suspects.push_back(difference.key);
    }
    return r;
  }
  if (j.verdict == Verdict::red && (hides_configuration(j) || has("unit_mismatch"))) {
    r.action = "investigate";
    r.message = worst() + (has("unit_mismatch") ? ": check first that both sides are in one unit"
                                                : ": compare first how the two runs were started (environment, transport, "
                                                  "placement, clocks), then look for a change of the code");
    return r;
  }
  if (j.verdict == Verdict::red) {
    r.action = "bisect";
    if (in.shape == core::Shape::scalar) {
      r.message = worst() + ": bisect between the two builds? (absolute change " +
                  core::signed_number(c.deltas[j.order.front()].delta) + ")";
      return r;
    }
    if (!j.parts.culprits.empty()) {
      r.message = where_it_regressed(j.parts) + ": look there first";
      r.suspects = predicates(j.parts);
      return r;
    }
    r.message = "bisect on the worst row: " + worst();
    if (j.parts.all_rows) r.message = "all rows regressed alike, so look at what all of them share; " + r.message;
    if (!j.parts.exact.empty()) {
      r.message = "look first at " + j.parts.exact +
                  ", which holds all that regressed and nothing else (so few rows do not exclude chance); " + r.message;
    } else if (!j.parts.all_rows && standing > 2) {
      r.message = "no part of the rows holds the regressions; " + r.message;
    }
    return r;
  }
  if (has("context_differs") && j.reasons.size() == 1) {
    r.action = "declare_context";
    r.message = "numbers are within tolerance, but the context changed; declare what was changed on purpose with --varying KEY";
    r.suspects = j.reasons.front().keys;
    return r;
  }
  if (has("row_missing") || has("row_invalid")) {
    r.action = "investigate";
    r.message = "a baseline row has no counterpart: check that the run was complete, then diff again";
    return r;
  }
  if (has("direction_unknown") && standing == 0) {
    r.action = "investigate";
    r.message = "say which way is better for these rows (--direction KEY=DIR, or plumbline.yaml), then diff again";
    return r;
  }
  // What trials have shown needs no other run to be believed; what single numbers say does.
  const bool shown =
      standing > 0 && std::all_of(c.deltas.begin(), c.deltas.end(), [&](const Delta& d) {
        return d.state != State::regressed || j.marks.waived(c.index(d)) ||
               (!j.marks.suspect(c.index(d)) && d.statistics != core::kNoRow && c.statistics[d.statistics].statistical);
      });
  if (shown) {
    r.action = "investigate";
    r.message = "the trials show it: " + worst() + "; look at what changed for " +
                (standing == 1 ? std::string("that row") : core::counted(standing, "row")) +
                ", or accept the new level with a reason";
    for (const std::uint32_t i : j.order) {
      if (c.deltas[i].state == State::regressed && !j.marks.waived(i))
        r.suspects.emplace_back(c.baseline->pool().view(c.deltas[i].key));
    }
    return r;
  }
  r.action = "rerun";
  const std::uint64_t spots = standing;
  if (!j.parts.culprits.empty()) {
    r.message = where_it_regressed(j.parts) + ", which chance does not explain; ";
  } else if (spots > 0) {
    r.message = "spot regression on " + core::counted(spots, "key") + "; ";
  }
  r.message += more_trials(in, j.marks);
  r.suspects = predicates(j.parts);
  return r;
}

std::optional<core::NextLever> next_lever(const JudgeInput& in, const Judgement& j) { return Levers(in, j).best(); }

}  // namespace plumbline::verdict
