#include "core/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/citing.hpp"
#include "core/experiment/looks.hpp"
#include "core/gates/rate_gates.hpp"
#include "core/large_block.hpp"
#include "core/rules/rule_book.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace plumbline::core {

std::string_view to_string(State state) {
  static constexpr std::array<std::string_view, 9> kNames = {"regressed", "improved", "unchanged",    "inconclusive", "missing",
                                                             "added",     "invalid",  "unclassified", "context"};
  return kNames[static_cast<std::size_t>(state)];
}

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// A change away from exact zero that is smaller than this (in the metric's own unit) is rounding, not a change: percent of
// zero is undefined, and 0 -> 1e-300 must not be a regression.
constexpr double kZeroEpsilon = 1e-12;
constexpr double kSlack = 1e-12;  // relative, as for tolerances
constexpr double kOutlierSpreads = 6;
constexpr double kMostPercent = 100;
constexpr std::size_t kMostPairs = 1000;  // their averages are half a million

bool is_number(ValueState state) {
  return state == ValueState::number || state == ValueState::numeric_string || state == ValueState::boolean ||
         state == ValueState::big_integer;
}
bool is_broken(ValueState state) {
  return state == ValueState::not_finite || state == ValueState::duplicate || state == ValueState::failed;
}

std::string broken_note(std::string_view side, ValueState state) {
  switch (state) {
    case ValueState::not_finite:
      return std::string(side) + " is not a finite number";
    case ValueState::duplicate:
      return "the key appears more than once in the " + std::string(side);
    case ValueState::failed:
      return std::string(side) + " is not a valid result";
    case ValueState::null:
      return std::string(side) + " is null";
    case ValueState::text:
      return std::string(side) + " is not a number";
    default:
      return std::string(side) + " has no value";
  }
}

// Integers beyond 2^53 differ in their text before they differ as doubles: the difference is taken over 64-bit integers.
std::optional<double> exact_difference(std::string_view baseline, std::string_view current) {
  __extension__ using Wide = __int128;
  const auto parse = [](std::string_view text) -> std::optional<Wide> {
    if (text.empty()) return std::nullopt;
    const bool negative = text.front() == '-';
    if (negative) text.remove_prefix(1);
    if (text.empty() || text.size() > 30) return std::nullopt;
    Wide value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    return negative ? -value : value;
  };
  const auto b = parse(baseline);
  const auto c = parse(current);
  if (!b || !c) return std::nullopt;
  return static_cast<double>(*c - *b);
}

// What a value of zero or below counts as beside a positive baseline: less than any that is measured.
double smallest_beside(double baseline) {
  return std::max(std::min(1e-300, 1e-6 * baseline), std::numeric_limits<double>::denorm_min());
}

bool greater(double a, double b) {
  if (std::isinf(a) || std::isinf(b)) return a > b;  // an overflow is a difference, not a rounding
  return a > b + kSlack * std::max(std::fabs(a), std::fabs(b));
}

}  // namespace

void plan_more_trials(RowStatistics& statistics, double sigma, std::uint32_t n) {
  statistics.trials_needed.reset();
  const auto plan = plan_trials(statistics.room, statistics.width, sigma);
  if (!plan) return;
  statistics.trials_needed = std::max(plan->trials, n + 1);
  statistics.trials_coarse = plan->coarse;
}

namespace {

class Comparer {
 public:
  Comparer(const Measurement& baseline, const Measurement& current, const CompareRules& rules, Comparison& out)
      : baseline_(baseline), current_(current), rules_(rules), out_(out), book_(rules, baseline.pool(), out.tolerances) {}

  void run(const std::function<bool()>& stop) {
    say_direction_conflicts();
    const std::size_t keys = baseline_.pool().size();
    std::vector<std::uint32_t> current_row(keys, kNoRow);
    for (std::uint32_t i = 0; i < current_.rows().size(); ++i) {
      std::uint32_t& slot = current_row[current_.rows()[i].key];
      if (slot == kNoRow) slot = i;
    }
    std::vector<bool> seen(keys, false);
    reserve_large(out_.deltas, baseline_.rows().size() + 16);
    for (std::uint32_t i = 0; i < baseline_.rows().size(); ++i) {
      if ((i & 0xFFFU) == 0 && stop && stop()) return;
      const Id key = baseline_.rows()[i].key;
      if (seen[key]) continue;  // a reader that lets a key through twice has marked it duplicate already
      seen[key] = true;
      decide(key, i, current_row[key]);
    }
    for (std::uint32_t i = 0; i < current_.rows().size(); ++i) {
      if ((i & 0xFFFU) == 0 && stop && stop()) return;
      const Id key = current_.rows()[i].key;
      if (seen[key]) continue;
      seen[key] = true;
      decide(key, kNoRow, i);
    }
    judge_rate_gates(out_, rate_gates_, rules_.tally_of);
    book_.report_unused(out_.warnings);
    if (converted_ > 0) {
      out_.warnings.push_back({"unit_converted", counted(converted_, "row") + " converted to the baseline's unit, first " +
                                                     cited(baseline_.pool().view(first_converted_))});
    }
    if (pointless_ > 0) {
      out_.warnings.push_back({"points_not_applicable", "a tolerance in points does not fit the unit of " +
                                                            counted(pointless_, "row") +
                                                            ", which the tolerance of all rows judged instead, first " +
                                                            cited(baseline_.pool().view(first_pointless_))});
    }
    if (varying_counts_ > 0) {
      out_.warnings.push_back({"exact_varies", counted(varying_counts_, "row") +
                                                   " of counts or sizes differ between trials of one side and were judged by "
                                                   "their trials, first " +
                                                   cited(baseline_.pool().view(first_varying_count_))});
    }
    if (unpaired_ > 0) {
      out_.warnings.push_back({"pairs_not_used", counted(unpaired_, "row") +
                                                     " could not be judged in pairs, which takes five or more trials and as many "
                                                     "on both sides, first " +
                                                     cited(baseline_.pool().view(first_unpaired_))});
    }
    if (mismatched_ > 0) {
      out_.warnings.push_back({"unit_mismatch", counted(mismatched_, "row") +
                                                    " whose units do not measure the same thing, first " +
                                                    cited(baseline_.pool().view(first_mismatched_))});
    }
  }

 private:
  // A direction for all rows never overrules a row's own name: a latency would grow five-fold under "higher".
  void say_direction_conflicts() {
    if (!rules_.fallback_direction || baseline_.shape == Shape::scalar) return;
    const Direction asked = rules_.fallback_direction->direction;
    std::uint64_t conflicts = 0;
    std::string_view first;
    for (const Row& row : baseline_.rows()) {
      const MetricClass& klass = baseline_.metric_class(row);
      if (klass.role != Role::judged || klass.direction == Direction::unknown || klass.direction == asked) continue;
      if (conflicts++ == 0) first = baseline_.key(row);
    }
    if (conflicts == 0) return;
    out_.warnings.push_back({"direction_conflict", counted(conflicts, "row") + " kept the direction of " +
                                                       (conflicts == 1 ? "its" : "their") + " own name against " +
                                                       std::string(to_string(asked)) + ", first " + cited(first) +
                                                       "; name the key to overrule (--direction KEY=DIR)"});
  }

  // A rule's, else the class's (the baseline's side speaks first), else the one for rows that say nothing.
  void set_direction(Delta& d, const Resolved& r, const MetricClass& klass, const MetricClass& other) const {
    if (r.direction != nullptr) {
      d.direction = *r.direction->direction;
      d.direction_source = r.direction->source;
    } else if (klass.direction == Direction::unknown && rules_.fallback_direction) {
      d.direction = rules_.fallback_direction->direction;
      d.direction_source = rules_.fallback_direction->source;
    } else {
      const MetricClass& directed = klass.direction == Direction::unknown ? other : klass;
      d.direction = directed.direction;
      d.direction_source = directed.direction_source;
    }
  }

  void note(const std::string& text) { out_.notes[static_cast<std::uint32_t>(out_.deltas.size())] = text; }

  void decide(Id key, std::uint32_t baseline_index, std::uint32_t current_index) {
    const Row* b = baseline_index == kNoRow ? nullptr : &baseline_.rows()[baseline_index];
    const Row* c = current_index == kNoRow ? nullptr : &current_.rows()[current_index];
    Delta d;
    d.key = key;
    d.baseline_row = baseline_index;
    d.current_row = current_index;
    d.delta_pct = kNaN;

    const MetricClass& klass = b != nullptr ? baseline_.metric_class(*b) : current_.metric_class(*c);
    const MetricClass& other = c != nullptr ? current_.metric_class(*c) : klass;
    Resolved r;
    if (!book_.empty()) r = book_.resolve(key, baseline_.pool().view(key));
    d.tolerance = r.tolerance;
    set_direction(d, r, klass, other);
    d.headline = r.headline != nullptr && *r.headline->headline;
    if (d.headline) d.headline_source = r.headline->source;
    // A text where a number was is no reason not to judge: only numbers say what a row is.
    const auto says = [](const Row* row) {
      return row != nullptr && row->state != ValueState::text && row->state != ValueState::null;
    };
    Role role = says(c) && (klass.role == Role::judged || !says(b)) ? other.role : klass.role;
    if (rules_.judge_every_row) role = Role::judged;
    if (role == Role::gate && r.gate != nullptr && !*r.gate->gate) role = Role::judged;
    // A user who gives a row a direction, a headline or a gate wants it judged, whatever its name suggests. A format's own
    // headlines are globs that may take in its aggregates as well: those stay what they are.
    const auto means_this_row = [](const KeyRule& rule) { return rule.glob.find_first_of("*?") == std::string::npos; };
    if (role == Role::context) {
      d.headline = d.headline && (r.headline->source <= Source::project || means_this_row(*r.headline));
      if (d.headline || (r.direction != nullptr && r.direction->source <= Source::entry && means_this_row(*r.direction))) {
        role = Role::judged;
      }
    }
    if (r.gate != nullptr && *r.gate->gate) role = Role::gate;
    d.gate = role == Role::gate;
    if (d.gate && r.tolerance_rule == nullptr) d.tolerance = zero_tolerance();
    // Who declares a gate wants it to hold: without a direction, either way fails.
    if (d.gate && d.direction == Direction::unknown) d.direction = Direction::two_sided;

    if (b != nullptr && is_number(b->state)) d.baseline = median(baseline_.values(*b));
    if (c != nullptr && is_number(c->state)) d.current = median(current_.values(*c));
    if (d.gate) worst_of_gate(d, b, c);
    const Share share = klass.share != Share::none ? klass.share : other.share != Share::none ? other.share : rules_.share;
    if (share != Share::none && role == Role::judged && tolerance_is_default(r)) d.tolerance = of_shares(d, b, c, r);
    d.state = judge(d, b, c, role, (klass.exact || !says(b)) && other.exact);
    out_.deltas.push_back(d);
    if (d.gate) consider_rate(d, share, r);
  }

  [[nodiscard]] bool tolerance_is_default(const Resolved& r) const {
    return r.tolerance_rule == nullptr && rules_.default_tolerance.source == Source::defaulted;
  }

  // Gates that are decided anew once all rows are known. A tolerance that somebody gave this gate stands; one for all rows is
  // none.
  void consider_rate(const Delta& d, Share share, const Resolved& r) {
    if (d.state != State::regressed && d.state != State::improved && d.state != State::unchanged) return;
    if (d.baseline_row == kNoRow || d.current_row == kNoRow) return;
    if (r.tolerance_rule != nullptr && r.tolerance_rule->glob != "*") return;
    RateGate gate;
    gate.delta = static_cast<std::uint32_t>(out_.deltas.size() - 1);
    const Row& row = baseline_.rows()[d.baseline_row];
    gate.unit = r.unit != nullptr ? std::string_view(*r.unit->unit) : baseline_.unit(row);
    const auto& factors = out_.unit_factors;
    if (!factors.empty() && factors.back().first == gate.delta) gate.factor = factors.back().second;
    if (share == Share::reliability && (d.direction == Direction::lower || d.direction == Direction::higher)) {
      if (!points_per_unit(gate.unit, 0, 0)) return;
    } else {
      if (rules_.tally_of) gate.tally = rules_.tally_of(baseline_.metric(row));
      const bool counts = (gate.tally.kind == TallyKind::failures && d.direction == Direction::lower) ||
                          (gate.tally.kind == TallyKind::successes && d.direction == Direction::higher && d.current > 0);
      if (!counts) return;
    }
    rate_gates_.push_back(gate);
  }

  // Shares that are not gates: percentage points, where the unit has any and the values can be a share at all.
  std::uint32_t of_shares(const Delta& d, const Row* b, const Row* c, const Resolved& r) {
    const Row* row = b != nullptr ? b : c;
    const std::string_view unit =
        r.unit != nullptr ? std::string_view(*r.unit->unit) : (b != nullptr ? baseline_ : current_).unit(*row);
    if (!points_per_unit(unit, d.baseline, d.current) || std::fabs(d.baseline) > kMostPercent) return d.tolerance;
    if (share_tolerance_ == 0) {
      share_tolerance_ = static_cast<std::uint32_t>(out_.tolerances.size());
      out_.tolerances.push_back(share_tolerance());
    }
    return share_tolerance_;
  }

  // A gate holds in every run or it does not: one failed trial of three is not outvoted. The worst trial of each side speaks.
  static double worst_trial(std::span<const double> values, double middle, Direction direction) {
    if (values.size() < 2) return middle;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (direction == Direction::higher) return *low;
    if (direction == Direction::lower) return *high;
    return std::fabs(*low - middle) > std::fabs(*high - middle) ? *low : *high;
  }
  void worst_of_gate(Delta& d, const Row* b, const Row* c) const {
    if (b != nullptr && is_number(b->state)) d.baseline = worst_trial(baseline_.values(*b), d.baseline, d.direction);
    if (c != nullptr && is_number(c->state)) d.current = worst_trial(current_.values(*c), d.current, d.direction);
  }

  // A gate that says by itself that the run is no good, whatever it is compared with: a count of errors above zero, a "passed" of
  // zero. An ok rate says so only beside another.
  static bool fails_alone(const Delta& d, bool exact) {
    if (!d.gate || !exact) return false;
    return (d.direction == Direction::lower && d.current > 0) || (d.direction == Direction::higher && d.current <= 0);
  }
  State new_in_current(const Delta& d, bool exact, std::string_view why) {
    if (!fails_alone(d, exact)) return State::added;
    note(std::string(why) + ", and fails by itself");
    return State::regressed;
  }

  State judge(Delta& d, const Row* b, const Row* c, Role role, bool exact) {
    const bool context = role == Role::context || role == Role::noise;
    if (c == nullptr) {
      if (context) {
        note("not in the current measurement");
        return State::context;
      }
      return b->state == ValueState::null || b->state == ValueState::text ? State::context : State::missing;
    }
    if (b == nullptr) {
      if (context || c->state == ValueState::null || c->state == ValueState::text) return State::context;
      if (is_broken(c->state)) {
        note(broken_note("current", c->state) + "; the key is new");
        return State::invalid;
      }
      return new_in_current(d, exact, "not in the baseline");
    }
    if (!is_number(b->state) || !is_number(c->state)) {
      if (context || (b->state == ValueState::null && c->state == ValueState::null) ||
          (b->state == ValueState::text && c->state == ValueState::text)) {
        if (b->text != c->text) note("text differs");
        return State::context;
      }
      if ((b->state == ValueState::null || b->state == ValueState::text) && is_number(c->state)) {
        const std::string_view why = b->state == ValueState::null ? "null in the baseline" : "no number in the baseline";
        if (const State state = new_in_current(d, exact, why); state != State::added) return state;
        note(std::string(why));
        return State::added;
      }
      // Mended: there is nothing to compare with, and nothing is worse.
      if (b->state == ValueState::failed && is_number(c->state)) {
        if (const State state = new_in_current(d, exact, "the baseline is not a valid result"); state != State::added)
          return state;
        note("the baseline is not a valid result, and this is one");
        return State::added;
      }
      note(!is_number(c->state) ? broken_note("current", c->state) : broken_note("baseline", b->state));
      return State::invalid;
    }

    const double factor = unit_factor(d, b, c);
    if (std::isnan(factor)) return State::invalid;
    d.current *= factor;
    d.delta = d.current - d.baseline;
    if (b->state == ValueState::big_integer || c->state == ValueState::big_integer) {
      const auto digits = [](const Measurement& m, const Row& row) {
        return row.state == ValueState::big_integer ? std::string(m.pool().view(row.text)) : number_text(m.values(row)[0]);
      };
      if (const auto exactly = exact_difference(digits(baseline_, *b), digits(current_, *c)); exactly && factor == 1)
        d.delta = *exactly;
    }
    d.delta_pct = d.baseline != 0 ? 100 * d.delta / std::fabs(d.baseline) : (d.delta == 0 ? 0 : kNaN);
    if (context) return State::context;
    // Two runs that both failed their check are no two runs to compare. A count of errors that did not grow is let be.
    if (d.direction == Direction::higher && fails_alone(d, exact)) {
      if (d.baseline <= 0) note("failed on both sides");
      d.exceeds = d.adverse = true;
      return State::regressed;
    }

    const std::string_view unit = baseline_.unit(*b);
    if (out_.tolerances[d.tolerance].kind == ToleranceKind::points && !points_per_unit(unit, d.baseline, d.current)) {
      // Points of a time or a rate mean nothing: the tolerance of all rows stands, and that is said.
      if (pointless_++ == 0) first_pointless_ = d.key;
      d.tolerance = 0;
    }
    const Tolerance& tolerance = out_.tolerances[d.tolerance];
    double change = change_on_scale(tolerance, d.baseline, d.current, unit);
    // The exact integer difference outranks the rounded one.
    if (d.delta != 0 && d.current == d.baseline && tolerance.kind == ToleranceKind::absolute) change = d.delta;
    if (d.baseline == 0 && std::fabs(d.delta) < kZeroEpsilon && d.delta != 0) {
      note("a change from 0 below 1e-12 counts as none");
      change = 0;
    }
    d.used =
        tolerance.value > 0 ? std::fabs(change) / tolerance.value : (change == 0 ? 0 : std::numeric_limits<double>::infinity());
    d.exceeds = exceeds(tolerance, change);
    if (d.gate && tolerance.value == 0 && d.delta != 0 && d.current == d.baseline) d.exceeds = true;
    const double worse = d.direction == Direction::higher ? -d.delta : d.delta;
    const bool both_ways = d.direction == Direction::two_sided || d.direction == Direction::unknown;
    d.adverse = both_ways ? d.delta != 0 : worse > 0;

    State state = State::unchanged;
    if (d.exceeds) state = d.adverse ? State::regressed : State::improved;
    if (b->value_count > 1 || c->value_count > 1) state = with_trials(d, *b, *c, factor, exact, state, unit);
    if (d.direction == Direction::unknown) {
      if (d.statistics != kNoRow && out_.statistics[d.statistics].statistical) d.exceeds = state == State::regressed;
      return State::unclassified;
    }
    return state;
  }

  // Current's values times this are in the baseline's unit; NaN when the units do not measure the same thing.
  double unit_factor(Delta& d, const Row* b, const Row* c) {
    const Id from = current_.metric_class(*c).unit;
    const Id to = baseline_.metric_class(*b).unit;
    if (from == to || from == 0 || to == 0) return 1;
    const auto cached = factors_.find({from, to});
    double factor = 0;
    if (cached != factors_.end()) {
      factor = cached->second;
    } else {
      factor = conversion_factor(current_.pool().view(from), baseline_.pool().view(to)).value_or(kNaN);
      factors_.emplace(std::pair(from, to), factor);
    }
    if (std::isnan(factor)) {
      if (mismatched_++ == 0) first_mismatched_ = d.key;
      note("units do not measure the same thing: " + std::string(baseline_.pool().view(to)) + " and " +
           std::string(current_.pool().view(from)));
    } else if (factor != 1) {
      if (converted_++ == 0) first_converted_ = d.key;
      out_.unit_factors.emplace_back(static_cast<std::uint32_t>(out_.deltas.size()), factor);
      note("current converted from " + std::string(current_.pool().view(from)) + " to " + std::string(baseline_.pool().view(to)));
    }
    return factor;
  }

  // Three or more trials on both sides: regressed, proven within, or inconclusive by the Hodges-Lehmann shift and its
  // rank bounds (facts: statistics section 5; Hodges & Lehmann 1963). Fewer: the point estimate stands.
  State with_trials(Delta& d, const Row& b, const Row& c, double factor, bool exact, State by_point, std::string_view unit) {
    const auto bv = baseline_.values(b);
    current_values_.assign(current_.values(c).begin(), current_.values(c).end());
    if (factor != 1) {
      for (double& v : current_values_) v *= factor;
    }
    RowStatistics s;
    s.n_baseline = static_cast<std::uint32_t>(bv.size());
    s.n_current = static_cast<std::uint32_t>(current_values_.size());
    const auto side = [](std::span<const double> v, RowStatistics::Side& out) {
      out.mean = mean(v);
      out.stddev = sample_stddev(v);
      out.median = median(v);
      const auto [lo, hi] = std::minmax_element(v.begin(), v.end());
      out.min = *lo;
      out.max = *hi;
      if (v.size() >= 6) {
        if (const auto interval = median_interval(v, 0.95)) out.median_interval = {interval->low, interval->high};
      }
    };
    side(bv, s.baseline);
    side(current_values_, s.current);
    State state = by_point;
    // Counts and sizes are no samples of anything as long as they repeat exactly.
    const bool repeats = exact && s.baseline.min == s.baseline.max && s.current.min == s.current.max;
    if (s.n_baseline >= 3 && s.n_current >= 3 && !repeats && !d.gate) {
      state = three_way(d, bv, s, unit, by_point);
      if (exact && varying_counts_++ == 0) first_varying_count_ = d.key;
    }
    d.statistics = static_cast<std::uint32_t>(out_.statistics.size());
    out_.statistics.push_back(s);
    return state;
  }

  State three_way(Delta& d, std::span<const double> baseline, RowStatistics& s, std::string_view unit, State by_point) {
    s.statistical = true;
    const Tolerance& tolerance = out_.tolerances[d.tolerance];
    const auto positive = [](std::span<const double> v) {
      return std::all_of(v.begin(), v.end(), [](double x) { return x > 0; });
    };
    // Ratios to a positive baseline. A current value that fell to zero or below is the smallest of all: leaving the ratios for
    // it would widen the allowance just when a run died.
    const bool logs = tolerance.kind == ToleranceKind::percent && positive(baseline);
    a_.assign(baseline.begin(), baseline.end());
    b_ = current_values_;
    if (logs) {
      const double smallest = smallest_beside(*std::min_element(a_.begin(), a_.end()));
      for (double& x : a_) x = std::log(x);
      for (double& x : b_) x = std::log(std::max(x, smallest));
    }
    // How far up and how far down is still within, on the scale of the differences.
    double up = 0;
    double down = 0;
    if (logs) {
      up = std::log1p(tolerance.value / 100);
      down = tolerance.value < 100 ? -std::log1p(-tolerance.value / 100) : std::numeric_limits<double>::infinity();
    } else if (tolerance.kind == ToleranceKind::percent) {
      up = down = std::fabs(s.baseline.median) * tolerance.value / 100;
    } else {
      const double per_unit =
          tolerance.kind == ToleranceKind::points ? points_per_unit(unit, s.baseline.median, s.current.median).value_or(1) : 1;
      up = down = tolerance.value / per_unit;
    }
    s.anytime = rules_.anytime;
    s.paired = rules_.paired && a_.size() == b_.size() && a_.size() <= kMostPairs &&
               (s.anytime || signed_rank_bound(a_.size(), rules_.alpha) > 0);
    if (rules_.paired && !s.paired && unpaired_++ == 0) first_unpaired_ = d.key;
    if (s.paired) {
      differences_.resize(a_.size());
      std::transform(b_.begin(), b_.end(), a_.begin(), differences_.begin(), std::minus<>());
    }
    const ShiftEstimate shift = estimate_shift(s);
    if (!std::isfinite(shift.shift)) {  // differences beyond a double: there is nothing to invert, the medians decide
      s.statistical = false;
      return by_point;
    }
    const auto to_percent = [&](double x) {
      if (logs) return 100 * std::expm1(x);
      return s.baseline.median != 0 ? 100 * x / std::fabs(s.baseline.median) : kNaN;
    };
    if (shift.lower && shift.upper) {
      const double lo = to_percent(*shift.lower);
      const double hi = to_percent(*shift.upper);
      if (std::isfinite(lo) && std::isfinite(hi)) {
        s.interval_low_pct = lo;
        s.interval_high_pct = hi;
      }
    }
    // What moves both of a pair is no noise: of pairs the differences tell.
    const double pooled = s.paired ? sample_stddev(differences_) / std::sqrt(2.0)
                                   : std::sqrt((std::pow(sample_stddev(a_), 2) + std::pow(sample_stddev(b_), 2)) / 2);
    flag_outliers(s, std::min(up, down));
    const std::size_t n = std::min(s.n_baseline, s.n_current);
    if (const auto mde = mde80(n, pooled)) {
      const double pct = to_percent(*mde);
      if (std::isfinite(pct)) s.mde_pct = pct;
    }

    // P(worse by more than tolerance) in each direction that counts as worse.
    const double p_up = p_greater(s, up);  // grew by more than `up`
    for (auto* values : {&a_, &b_, &differences_}) {
      for (double& x : *values) x = -x;
    }
    const double p_down = std::isinf(down) ? 1 : p_greater(s, down);  // fell by more than `down`
    const bool two = d.direction == Direction::two_sided || d.direction == Direction::unknown;
    s.p = two ? std::min(1.0, 2 * std::min(p_up, p_down)) : (d.direction == Direction::higher ? p_down : p_up);

    State state = State::inconclusive;
    if (shift.lower && shift.upper) {
      const double lo = *shift.lower;
      const double hi = *shift.upper;
      const bool above = greater(lo, up);     // proven to have grown beyond tolerance
      const bool below = greater(-hi, down);  // proven to have fallen beyond tolerance
      const bool not_above = !greater(hi, up);
      const bool not_below = !greater(-lo, down);
      if (two) {
        if (above || below) {
          state = State::regressed;
        } else if (not_above && not_below) {
          state = State::unchanged;
        }
      } else {
        const bool higher = d.direction == Direction::higher;
        if (higher ? below : above) {
          state = State::regressed;
        } else if (higher ? above : below) {
          state = State::improved;
        } else if (higher ? not_below : not_above) {
          state = State::unchanged;
        }
      }
    }
    d.proven = state == State::unchanged || state == State::improved;
    if (logs) s.sigma = pooled;
    // How far the shift is from the edge that decides: the one on the worse side, of two the nearer.
    const double to_up = std::fabs(up - shift.shift);
    const double to_down = std::fabs(down + shift.shift);
    s.room = two ? std::min(to_up, to_down) : (d.direction == Direction::higher ? to_down : to_up);
    s.width = two ? std::min(up, down) : (d.direction == Direction::higher ? down : up);
    if (state == State::inconclusive) plan_more_trials(s, pooled, static_cast<std::uint32_t>(n));
    return state;
  }

  // Of a_ and b_, or of their differences where there are pairs.
  [[nodiscard]] ShiftEstimate estimate_shift(const RowStatistics& s) const {
    if (s.anytime)
      return s.paired ? pairs_at_any_stop(differences_, rules_.alpha, rules_.last_look)
                      : ranks_at_any_stop(a_, b_, rules_.alpha, rules_.last_look);
    return s.paired ? signed_rank(differences_, rules_.alpha) : hodges_lehmann(a_, b_, rules_.alpha);
  }
  [[nodiscard]] double p_greater(const RowStatistics& s, double shift) const {
    if (s.anytime)
      return s.paired ? pairs_greater_at_any_stop(differences_, shift, rules_.last_look)
                      : ranks_greater_at_any_stop(a_, b_, shift, rules_.last_look);
    return s.paired ? signed_rank_greater(differences_, shift) : mann_whitney_greater(a_, b_, shift);
  }

  // A trial that lies further from its side's median than both the tolerance and six robust spreads of all trials around their
  // own medians. With three trials a side the spread is a rough guess; the tolerance keeps it from crying wolf. On the scale
  // that was judged (a_ and b_).
  void flag_outliers(RowStatistics& s, double tolerance) {
    const double a_middle = median(a_);
    const double b_middle = median(b_);
    residuals_.clear();
    for (const double x : a_) residuals_.push_back(std::fabs(x - a_middle));
    for (const double x : b_) residuals_.push_back(std::fabs(x - b_middle));
    const auto farthest = [&](std::size_t first, std::size_t count) {
      const auto begin = residuals_.begin() + static_cast<std::ptrdiff_t>(first);
      return static_cast<std::size_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(count)) - begin);
    };
    const std::size_t a_far = farthest(0, a_.size());
    const std::size_t b_far = farthest(a_.size(), b_.size());
    const double a_size = residuals_[a_far];
    const double b_size = residuals_[a_.size() + b_far];
    if (!greater(std::max(a_size, b_size), tolerance)) return;
    const double limit = std::max(tolerance, kOutlierSpreads * 1.4826 * median(residuals_));
    if (greater(a_size, limit)) s.baseline.outlier = static_cast<std::uint32_t>(a_far);
    if (greater(b_size, limit)) s.current.outlier = static_cast<std::uint32_t>(b_far);
  }

  std::uint32_t zero_tolerance() {
    if (zero_ == 0) {
      Tolerance none;
      none.kind = ToleranceKind::absolute;
      none.value = 0;
      none.source = Source::format;
      none.note = "gate";
      zero_ = static_cast<std::uint32_t>(out_.tolerances.size());
      out_.tolerances.push_back(none);
    }
    return zero_;
  }

  const Measurement& baseline_;
  const Measurement& current_;
  const CompareRules& rules_;
  Comparison& out_;
  RuleBook book_;
  std::map<std::pair<Id, Id>, double> factors_;
  std::vector<double> current_values_, a_, b_, differences_, residuals_;
  std::uint64_t converted_ = 0, mismatched_ = 0, pointless_ = 0, varying_counts_ = 0, unpaired_ = 0;
  Id first_converted_ = 0, first_mismatched_ = 0, first_pointless_ = 0, first_varying_count_ = 0, first_unpaired_ = 0;
  std::uint32_t zero_ = 0, share_tolerance_ = 0;
  std::vector<RateGate> rate_gates_;
};

}  // namespace

Comparison compare(const Measurement& baseline, const Measurement& current, const CompareRules& rules,
                   const std::function<bool()>& stop) {
  Comparison out;
  out.baseline = &baseline;
  out.anytime = rules.anytime;
  out.last_look = rules.last_look;
  out.current = &current;
  Comparer(baseline, current, rules, out).run(stop);
  if (baseline.shape == Shape::scalar) {
    for (Delta& delta : out.deltas) {
      const Row* row = out.row(delta);
      if (row == nullptr) continue;
      if (delta.gate && rules.share == Share::reliability) continue;  // a gate is what it is for
      if (rules.judge_every_row || out.side(delta).metric_class(*row).role == Role::judged) delta.headline = true;
    }
  }
  return out;
}

}  // namespace plumbline::core
