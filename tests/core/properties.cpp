// Laws of the arithmetic, on drawn inputs (rapidcheck): what holds of every measurement, not of the examples beside it.
// RC_PARAMS="seed=…" draws others; CTest gives the seed, so that a failure is the same for everybody.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/comparison.hpp"
#include "core/statistics.hpp"
#include "tests/support/drawn.hpp"

namespace plumbline::core {
namespace {

using testing::RowSpec;
using Values = std::vector<double>;

struct Sides {
  std::shared_ptr<StringPool> pool = std::make_shared<StringPool>();
  Measurement baseline, current;
  Sides(const std::vector<RowSpec>& b, const std::vector<RowSpec>& c)
      : baseline(testing::make_measurement(pool, b)), current(testing::make_measurement(pool, c)) {}
  [[nodiscard]] Comparison forth(const CompareRules& rules = {}) const { return compare(baseline, current, rules); }
  [[nodiscard]] Comparison back(const CompareRules& rules = {}) const { return compare(current, baseline, rules); }
};

CompareRules within(ToleranceKind kind, double value) {
  CompareRules rules;
  rules.default_tolerance.kind = kind;
  rules.default_tolerance.value = value;
  return rules;
}

Delta one_row(Direction direction, const Values& baseline, const Values& current, const CompareRules& rules = {}) {
  const Sides sides({{"x", baseline, direction}}, {{"x", current, direction}});
  return sides.forth(rules).deltas.at(0);
}

State mirrored(State state) {
  if (state == State::regressed) return State::improved;
  if (state == State::improved) return State::regressed;
  if (state == State::missing) return State::added;
  if (state == State::added) return State::missing;
  return state;
}

// ---- swapping the sides

RC_GTEST_PROP(Swapped, every_delta_negates, ()) {
  std::vector<RowSpec> before, after;
  const auto rows = *rc::gen::inRange(1, 8);
  for (int i = 0; i < rows; ++i) {
    RowSpec row{std::string(1, static_cast<char>('a' + i)), {}, *testing::known_direction()};
    const int sides = *rc::gen::inRange(0, 6);  // 0: only before, 1: only after, else both
    if (sides != 1) row.values = *testing::trials(1, 5), before.push_back(row);
    if (sides != 0) row.values = *testing::trials(1, 5), after.push_back(row);
  }
  const Sides sides(before, after);
  const Comparison forth = sides.forth(), back = sides.back();
  RC_ASSERT(forth.deltas.size() == back.deltas.size());
  for (const Delta& there : forth.deltas) {
    const auto here = std::find_if(back.deltas.begin(), back.deltas.end(), [&](const Delta& d) { return d.key == there.key; });
    RC_ASSERT(here != back.deltas.end());
    RC_ASSERT(here->baseline_row == there.current_row && here->current_row == there.baseline_row);
    RC_ASSERT((here->state == State::missing) == (there.state == State::added));
    RC_ASSERT((here->state == State::added) == (there.state == State::missing));
    if (there.state == State::missing || there.state == State::added) continue;
    RC_ASSERT(here->delta == -there.delta);
    RC_ASSERT(here->baseline == there.current && here->current == there.baseline);
    RC_ASSERT(std::signbit(here->delta_pct) != std::signbit(there.delta_pct) || there.delta == 0);
  }
}

// So that the sign of the percentage is the delta's, also below zero.
RC_GTEST_PROP(Percent, is_of_the_baselines_magnitude, ()) {
  const double sign = *rc::gen::element(1.0, -1.0), base = sign * *testing::value(), now = sign * *testing::value();
  const Delta delta = one_row(Direction::lower, {base}, {now});
  RC_ASSERT(delta.delta == now - base);
  RC_ASSERT(std::abs(delta.delta_pct - 100 * (now - base) / std::abs(base)) <= 1e-12 * std::abs(delta.delta_pct));
}

// Of single values under an absolute tolerance nothing tells the sides apart, so the answer turns round as a whole.
RC_GTEST_PROP(Swapped, an_absolute_tolerance_mirrors_the_state, ()) {
  const Direction direction = *rc::gen::element(Direction::lower, Direction::higher);
  const CompareRules rules = within(ToleranceKind::absolute, *testing::value());
  const double a = *testing::value(), b = *testing::value();
  RC_ASSERT(one_row(direction, {b}, {a}, rules).state == mirrored(one_row(direction, {a}, {b}, rules).state));
}

RC_GTEST_PROP(Swapped, the_other_direction_gives_the_mirrored_state, ()) {
  const double a = *testing::value(), b = *testing::value();
  const CompareRules rules = within(ToleranceKind::percent, *rc::gen::inRange(0, 50));
  RC_ASSERT(one_row(Direction::higher, {a}, {b}, rules).state == mirrored(one_row(Direction::lower, {a}, {b}, rules).state));
}

// ---- the edge of the tolerance

RC_GTEST_PROP(Edge, an_absolute_tolerance_holds_its_edge_and_no_more, ()) {
  const double base = *testing::value(), tolerance = *testing::value(), sign = *rc::gen::element(1.0, -1.0);
  const Tolerance absolute{ToleranceKind::absolute, tolerance, Source::flag, {}};
  RC_ASSERT(!exceeds(absolute, change_on_scale(absolute, base, base + sign * tolerance, "ms")));
  RC_ASSERT(exceeds(absolute, change_on_scale(absolute, base, base + sign * (tolerance + 1 / 64.0), "ms")));
}

RC_GTEST_PROP(Edge, a_percent_tolerance_holds_its_edge_and_no_more, ()) {
  const double base = *testing::value(), percent = *rc::gen::inRange(1, 90), sign = *rc::gen::element(1.0, -1.0);
  const Tolerance tolerance{ToleranceKind::percent, percent, Source::flag, {}};
  const double edge = base * (1 + sign * percent / 100);
  RC_ASSERT(!exceeds(tolerance, change_on_scale(tolerance, base, edge, "ms")));
  RC_ASSERT(exceeds(tolerance, change_on_scale(tolerance, base, edge + sign * base * 1e-6, "ms")));
}

RC_GTEST_PROP(Edge, one_side_only_is_adverse, ()) {
  const double base = *testing::value(), percent = *rc::gen::inRange(1, 50);
  const CompareRules rules = within(ToleranceKind::percent, percent);
  const double over = base * (1 + percent / 100 + 1e-6), under = base * (1 - percent / 100 - 1e-6);
  RC_ASSERT(one_row(Direction::lower, {base}, {over}, rules).state == State::regressed);
  RC_ASSERT(one_row(Direction::lower, {base}, {under}, rules).state == State::improved);
  RC_ASSERT(one_row(Direction::two_sided, {base}, {over}, rules).state == State::regressed);
  RC_ASSERT(one_row(Direction::two_sided, {base}, {under}, rules).state == State::regressed);
}

// ---- getting worse

int badness(State state) { return state == State::improved ? 0 : state == State::regressed ? 2 : 1; }

RC_GTEST_PROP(Worse, no_single_value_looks_better, ()) {
  const Direction direction = *rc::gen::element(Direction::lower, Direction::higher);
  const double base = *testing::value(), now = *testing::value(), factor = 1 + *rc::gen::inRange(0, 500) / 100.0;
  const CompareRules rules = within(ToleranceKind::percent, *rc::gen::inRange(0, 30));
  const double worse = direction == Direction::lower ? now * factor : now / factor;
  RC_ASSERT(badness(one_row(direction, {base}, {worse}, rules).state) >= badness(one_row(direction, {base}, {now}, rules).state));
}

RC_GTEST_PROP(Worse, no_trials_look_better_when_all_are_worse, ()) {
  const Direction direction = *rc::gen::element(Direction::lower, Direction::higher);
  const auto n = *rc::gen::inRange<std::size_t>(3, 9), m = *rc::gen::inRange<std::size_t>(3, 9);
  const Values base = *testing::quiet_trials(n);
  Values now = *testing::quiet_trials(m);
  const double level = median(base) / median(now) * (1 + *rc::gen::inRange(-20, 21) / 100.0);
  for (double& each : now) each *= level;
  const double factor = 1 + *rc::gen::inRange(0, 100) / 100.0;
  Values worse = now;
  for (double& each : worse) each = direction == Direction::lower ? each * factor : each / factor;
  RC_ASSERT(badness(one_row(direction, base, worse).state) >= badness(one_row(direction, base, now).state));
}

// ---- merging trials

RC_GTEST_PROP(MergedTrials, one_by_one_is_all_at_once, ()) {
  const std::vector<std::string> names = {"a", "b", "c"};
  std::vector<std::vector<RowSpec>> files(3);
  const auto rows = *rc::gen::inRange(1, 6);
  for (std::vector<RowSpec>& file : files) {
    for (int i = 0; i < rows; ++i) file.push_back({std::string(1, static_cast<char>('a' + i)), *testing::trials(1, 4)});
  }
  const auto pool = std::make_shared<StringPool>();
  const auto made = [&](std::size_t i) { return testing::make_measurement(pool, files[i]); };
  Measurement at_once = made(0), left = made(0), right = made(0), tail = made(1);
  RC_ASSERT(!merge_trials(at_once, {made(1), made(2)}, names));
  RC_ASSERT(!merge_trials(left, {made(1)}, names) && !merge_trials(left, {made(2)}, names));  // (a + b) + c
  RC_ASSERT(!merge_trials(tail, {made(2)}, names) && !merge_trials(right, {tail}, names));    // a + (b + c)
  for (std::size_t i = 0; i < at_once.rows().size(); ++i) {
    const auto values = [&](const Measurement& m) { return Values(m.values(m.rows()[i]).begin(), m.values(m.rows()[i]).end()); };
    RC_ASSERT(values(left) == values(at_once));
    RC_ASSERT(values(right) == values(at_once));
  }
}

// ---- statistics

RC_GTEST_PROP(Statistics, the_median_has_as_many_values_on_either_side, ()) {
  Values x = *testing::trials(1, 30);
  const double middle = median(x);
  const auto below = std::count_if(x.begin(), x.end(), [&](double v) { return v < middle; });
  const auto above = std::count_if(x.begin(), x.end(), [&](double v) { return v > middle; });
  RC_ASSERT(2 * below <= static_cast<std::ptrdiff_t>(x.size()) && 2 * above <= static_cast<std::ptrdiff_t>(x.size()));
  std::sort(x.begin(), x.end());
  if (x.size() % 2 == 0) RC_ASSERT(2 * middle == x[x.size() / 2 - 1] + x[x.size() / 2]);
  std::reverse(x.begin(), x.end());
  RC_ASSERT(median(x) == middle);
}

RC_GTEST_PROP(Statistics, the_shift_of_swapped_samples_is_negated, ()) {
  const Values a = *testing::trials(1, 10), b = *testing::trials(1, 10);
  const ShiftEstimate forth = hodges_lehmann(a, b, 0.05), back = hodges_lehmann(b, a, 0.05);
  RC_ASSERT(forth.shift == -back.shift);
  RC_ASSERT(forth.lower.has_value() == back.upper.has_value());
  if (forth.lower) RC_ASSERT(*forth.lower == -*back.upper && *forth.upper == -*back.lower);
}

RC_GTEST_PROP(Statistics, one_of_two_samples_may_be_greater_or_neither, ()) {
  const Values a = *testing::trials(1, 8), b = *testing::trials(1, 8);
  const double greater = mann_whitney_greater(a, b), less = mann_whitney_greater(b, a);
  RC_ASSERT(greater > 0 && greater <= 1 + 1e-12 && less > 0 && less <= 1 + 1e-12);
  RC_ASSERT(greater + less >= 1 - 1e-12);  // what was seen counts in both tails
}

rc::Gen<Values> p_values() {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, 30), [](std::size_t n) {
    return rc::gen::container<Values>(n, rc::gen::map(rc::gen::inRange(1, 2001), [](int i) { return i * i / 4e6; }));
  });
}

// Written down from the papers once more, the slow way: the i-th smallest p of n against alpha / (n - i + 1) (Holm, until the
// first that fails) and i q / n (Benjamini & Hochberg, up to the last that passes).
double of_rank(Values p, std::size_t rank) {
  std::sort(p.begin(), p.end());
  return p[rank - 1];
}

RC_GTEST_PROP(Statistics, holm_steps_down_and_stops, ()) {
  const Values p = *p_values();
  const double alpha = 0.05;
  double highest = -1;
  for (std::size_t i = 1; i <= p.size(); ++i) {
    if (of_rank(p, i) > alpha / static_cast<double>(p.size() - i + 1) * (1 + 1e-12)) break;
    highest = of_rank(p, i);
  }
  const std::vector<bool> survives = holm(p, alpha);
  for (std::size_t i = 0; i < p.size(); ++i) RC_ASSERT(survives[i] == (p[i] <= highest));
}

RC_GTEST_PROP(Statistics, benjamini_hochberg_steps_up_to_the_last_that_passes, ()) {
  const Values p = *p_values();
  const double q = 0.05;
  double highest = -1;
  for (std::size_t i = 1; i <= p.size(); ++i) {
    if (of_rank(p, i) <= q * static_cast<double>(i) / static_cast<double>(p.size()) * (1 + 1e-12)) highest = of_rank(p, i);
  }
  const std::vector<bool> survives = benjamini_hochberg(p, q), strict = holm(p, q);
  for (std::size_t i = 0; i < p.size(); ++i) {
    RC_ASSERT(survives[i] == (p[i] <= highest));
    RC_ASSERT(survives[i] || !strict[i]);  // what Holm keeps, Benjamini and Hochberg keep
  }
}

}  // namespace
}  // namespace plumbline::core
