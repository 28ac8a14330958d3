// Rates of failures and successes as gates: the exact test against counted goldens (more_failures_golden.py beside this file),
// the boundaries of the rules, and laws on drawn counts.
#include "core/gates/rate_gates.hpp"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "tests/support/drawn.hpp"

namespace plumbline::core {
namespace {

using testing::RowSpec;

TEST(MoreFailures, p_is_the_tail_counted_in_whole_numbers) {
  std::ifstream file(PLUMBLINE_TESTS "/core/more_failures.tsv");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    SCOPED_TRACE(line);
    const auto fields = split(line, '\t');
    const auto count = [&](std::size_t i) { return static_cast<std::uint64_t>(parse_int(fields[i]).value()); };
    const double p = parse_double(fields[4]).value();
    EXPECT_NEAR(more_failures_p({count(0), count(1)}, {count(2), count(3)}), p, 1e-300 + 1e-9 * p);
  }
  EXPECT_EQ(lines, 192);
}

TEST(MoreFailures, large_counts_end_and_nothing_to_count_says_nothing) {
  EXPECT_EQ(more_failures_p({0, 0}, {5, 5}), 1);
  EXPECT_EQ(more_failures_p({0, 5}, {0, 0}), 1);
  EXPECT_EQ(more_failures_p({0, 5}, {0, 5}), 1);
  constexpr std::uint64_t kMany = 1'000'000'000;
  EXPECT_LT(more_failures_p({1'000'000, kMany}, {1'010'000, kMany}), 1e-9);
  EXPECT_NEAR(more_failures_p({1'000'000, kMany}, {1'000'000, kMany}), 0.5, 0.001);
  EXPECT_LT(more_failures_p({0, kMany}, {kMany, kMany}), 1e-300);
}

// ---- the gate

TallyOf by_name() {
  return [](std::string_view name) -> Tally {
    if (name == "requests") return {TallyKind::attempts, 0};
    if (name == "n") return {TallyKind::attempts, 1};
    if (name == "completed") return {TallyKind::successes, 0};
    if (name == "failed") return {TallyKind::failures, 0};
    return {};
  };
}

RowSpec rate(const std::string& key, std::vector<double> values, Direction direction = Direction::lower, const char* unit = "") {
  return {key, std::move(values), direction, unit, Role::gate, ValueState::number, false, Share::reliability};
}
RowSpec total(const std::string& key, std::vector<double> values) {
  return {key, std::move(values), Direction::unknown, "", Role::context};
}
RowSpec failed(std::vector<double> values) {
  return {"failed", std::move(values), Direction::lower, "", Role::gate, ValueState::number, true};
}

struct Decided {
  std::shared_ptr<StringPool> pool = std::make_shared<StringPool>();
  Measurement baseline, current;
  CompareRules rules;
  Comparison result;
  Decided(const std::vector<RowSpec>& b, const std::vector<RowSpec>& c, std::vector<KeyRule> keys = {})
      : baseline(testing::make_measurement(pool, b)), current(testing::make_measurement(pool, c)) {
    rules.tally_of = by_name();
    rules.key_rules = std::move(keys);
    result = compare(baseline, current, rules);
  }
  [[nodiscard]] State state(std::size_t i = 0) const { return result.deltas.at(i).state; }
  [[nodiscard]] std::string note(std::uint32_t i = 0) const {
    const auto at = result.notes.find(i);
    return at == result.notes.end() ? "" : at->second;
  }
};

State of_rates(double before, double now, Direction direction = Direction::lower, const char* unit = "") {
  return Decided({rate("r", {before}, direction, unit)}, {rate("r", {now}, direction, unit)}).state();
}

TEST(RateGate, without_counts_a_percentage_point_is_within_and_more_fails) {
  EXPECT_EQ(of_rates(0.02, 0.03), State::unchanged);
  EXPECT_EQ(of_rates(0.02, 0.030001), State::regressed);
  EXPECT_EQ(of_rates(2, 3, Direction::lower, "%"), State::unchanged);
  EXPECT_EQ(of_rates(2, 3.001, Direction::lower, "%"), State::regressed);
  EXPECT_EQ(of_rates(0.98, 0.97, Direction::higher), State::unchanged);
  EXPECT_EQ(of_rates(0.98, 0.9699, Direction::higher), State::regressed);
  EXPECT_EQ(of_rates(1, 0.96, Direction::higher), State::regressed);
  EXPECT_EQ(of_rates(0.96, 1, Direction::higher), State::improved);
  EXPECT_EQ(of_rates(0.03, 0.02), State::unchanged);
}

TEST(RateGate, the_first_failures_are_never_unchanged) {
  EXPECT_EQ(of_rates(0, 1e-6), State::inconclusive);
  EXPECT_EQ(of_rates(0, 0.01), State::inconclusive);
  EXPECT_EQ(of_rates(0, 0.0101), State::regressed);
  EXPECT_EQ(of_rates(1, 0.999, Direction::higher), State::inconclusive);
  EXPECT_EQ(of_rates(100, 99.9, Direction::higher, "%"), State::inconclusive);
  EXPECT_EQ(of_rates(0, 1e-15), State::unchanged);  // a rounding
  EXPECT_EQ(of_rates(0, 0), State::unchanged);
}

TEST(RateGate, without_a_unit_the_baseline_tells_fractions_from_percentages) {
  EXPECT_EQ(of_rates(0.5, 1.2), State::regressed);  // 70 points: were it percent, 0.7
  EXPECT_EQ(of_rates(1.5, 2.4), State::unchanged);
  EXPECT_EQ(of_rates(1.5, 2.6), State::regressed);
  EXPECT_EQ(of_rates(0, 1.5), State::regressed);
}

TEST(RateGate, the_worst_trial_speaks_where_there_are_no_counts) {
  const Decided one_bad({rate("r", {0, 0, 0, 0, 0})}, {rate("r", {0, 0, 0, 0, 1})});
  EXPECT_EQ(one_bad.state(), State::regressed);
  EXPECT_EQ(one_bad.note(), "100 percentage points worse; of how many is not known");
}

TEST(RateGate, known_counts_are_held_against_chance) {
  const auto of = [](double before, double now) {
    return Decided({rate("r", {before / 1000}), total("requests", {1000})}, {rate("r", {now / 1000}), total("requests", {1000})});
  };
  EXPECT_EQ(of(3, 13).state(), State::unchanged);  // p = 0.0104, one point
  EXPECT_EQ(of(3, 14).state(), State::regressed);  // p = 0.0062
  EXPECT_EQ(of(0, 6).state(), State::inconclusive);
  EXPECT_EQ(of(0, 7).state(), State::regressed);         // p = 0.0077, within a point
  EXPECT_EQ(of(100, 115).state(), State::inconclusive);  // beyond a point, p = 0.15
  EXPECT_EQ(of(14, 3).state(), State::improved);
  EXPECT_EQ(of(3, 12).note(), "12 of 1000 failed, 3 of 1000 before, p = 0.0172 (exact)");
}

TEST(RateGate, a_run_in_which_all_failed_and_nothing_did_before_needs_no_test) {
  const auto of = [](double before, double now) {
    return Decided({rate("r", {before}), total("requests", {2})}, {rate("r", {now}), total("requests", {2})}).state();
  };
  EXPECT_EQ(of(0, 1), State::regressed);
  EXPECT_EQ(of(0, 0.5), State::inconclusive);
  EXPECT_EQ(of(0.5, 1), State::inconclusive);
}

TEST(RateGate, counts_of_trials_add_up) {
  const Decided all({rate("r", {0, 0, 0}), total("requests", {100, 100, 100})},
                    {rate("r", {0.03, 0.02, 0.03}), total("requests", {100, 100, 100})});
  EXPECT_EQ(all.note(), "8 of 300 failed, 0 of 300 before, p = 0.00373 (exact)");
  EXPECT_EQ(all.state(), State::regressed);
  // One total beside several trials: of all together.
  const Decided one({rate("r", {0, 0, 0}), total("requests", {300})}, {rate("r", {0.03, 0.02, 0.03}), total("requests", {300})});
  EXPECT_EQ(one.note(), all.note());
  const Decided other_sizes({rate("r", {0, 0}), total("requests", {100, 300})},
                            {rate("r", {0.5, 0}), total("requests", {10, 390})});
  EXPECT_EQ(other_sizes.note().substr(0, 17), "5 of 400 failed, ");
}

TEST(RateGate, several_gates_with_counts_are_corrected_by_holm) {
  const auto of = [](std::vector<double> now) {
    std::vector<RowSpec> b, c;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const std::string point = "p" + std::to_string(i) + ".";
      for (auto* side : {&b, &c}) {
        RowSpec one = rate(point + "rate", {side == &b ? 0 : now[i] / 1000});
        RowSpec all = total(point + "requests", {1000});
        side->push_back(one);
        side->push_back(all);
      }
    }
    return std::pair(b, c);
  };
  const auto state = [&](std::vector<double> now, std::size_t i) {
    auto [b, c] = of(std::move(now));
    const auto pool = std::make_shared<StringPool>();
    const auto make = [&](const std::vector<RowSpec>& specs) {
      Measurement m = testing::make_measurement(pool, specs);
      for (Row& row : m.rows()) row.metric = pool->intern(m.key(row).substr(3));
      return m;
    };
    const Measurement before = make(b), now_side = make(c);
    CompareRules rules;
    rules.tally_of = by_name();
    return compare(before, now_side, rules).deltas.at(2 * i).state;
  };
  EXPECT_EQ(state({7, 0}, 0), State::inconclusive);  // .0077 > .01 / 2
  EXPECT_EQ(state({8, 0}, 0), State::regressed);     // .0039
  EXPECT_EQ(state({8, 7}, 1), State::regressed);     // the second is held against .01
  EXPECT_EQ(state({7, 7}, 1), State::inconclusive);
}

TEST(CountGate, failures_of_a_known_total_are_a_rate_and_others_fail_with_the_first) {
  const auto of = [](double before, double now, const char* beside) {
    return Decided({failed({before}), total(beside, {1000})}, {failed({now}), total(beside, {1000})}).state();
  };
  EXPECT_EQ(of(0, 6, "requests"), State::inconclusive);
  EXPECT_EQ(of(0, 7, "requests"), State::regressed);
  EXPECT_EQ(of(3, 12, "requests"), State::unchanged);
  EXPECT_EQ(of(3, 4, "latency"), State::regressed);
  EXPECT_EQ(of(0, 7, "completed"), State::regressed);     // 7 of 1007
  EXPECT_EQ(of(0, 6, "completed"), State::inconclusive);  // 6 of 1006
  EXPECT_EQ(of(0, 2000, "requests"), State::regressed);   // more than there were requests: of something else
}

TEST(CountGate, the_total_may_be_a_dimension_and_successes_may_be_what_is_counted) {
  const auto pool = std::make_shared<StringPool>();
  const auto side = [&](double completed) {
    Measurement m = testing::make_measurement(
        pool, {{"completed", {completed}, Direction::higher, "", Role::gate, ValueState::number, true}});
    const std::pair<Id, Id> dim(pool->intern("n"), pool->intern("1000"));
    m.rows().front().dims = m.add_dims({&dim, 1});
    return m;
  };
  const auto state = [&](double before, double now) {
    const Measurement b = side(before), c = side(now);
    CompareRules rules;
    rules.tally_of = by_name();
    return compare(b, c, rules).deltas.at(0).state;
  };
  EXPECT_EQ(state(1000, 994), State::inconclusive);
  EXPECT_EQ(state(1000, 993), State::regressed);
  EXPECT_EQ(state(997, 988), State::unchanged);
}

KeyRule tolerance(const char* glob, ToleranceKind kind, double value) {
  KeyRule rule;
  rule.glob = glob;
  rule.source = Source::flag;
  rule.tolerance = Tolerance{kind, value, Source::flag, ""};
  return rule;
}

TEST(RateGate, a_tolerance_of_its_own_stands_and_one_of_all_rows_does_not) {
  const std::vector<RowSpec> before = {rate("r", {0.0})}, now = {rate("r", {0.05})};
  EXPECT_EQ(Decided(before, now, {tolerance("r", ToleranceKind::points, 5)}).state(), State::unchanged);
  EXPECT_EQ(Decided(before, now, {tolerance("*", ToleranceKind::points, 5)}).state(), State::regressed);
}

TEST(QualityShare, one_point_is_the_default_and_any_other_tolerance_outranks_it) {
  const auto row = [](double value, const char* unit = "") {
    return RowSpec{"accuracy", {value}, Direction::higher, unit, Role::judged, ValueState::number, false, Share::quality};
  };
  const auto state = [&](double before, double now, std::vector<KeyRule> keys = {}, const char* unit = "") {
    return Decided({row(before, unit)}, {row(now, unit)}, std::move(keys)).state();
  };
  EXPECT_EQ(state(0.99, 0.98), State::unchanged);
  EXPECT_EQ(state(0.99, 0.9799), State::regressed);
  EXPECT_EQ(state(99, 98, {}, "%"), State::unchanged);
  EXPECT_EQ(state(99, 97.9), State::regressed);
  EXPECT_EQ(state(0.1, 0.091), State::unchanged);
  EXPECT_EQ(state(0.99, 0.9405, {tolerance("*", ToleranceKind::percent, 5)}), State::unchanged);
  EXPECT_EQ(state(4000, 3900), State::unchanged);  // no share: 5 % like other rows
  EXPECT_EQ(state(4000, 3700), State::regressed);
  const Decided told({row(0.99)}, {row(0.9405)});
  const Tolerance& said = told.result.tolerances[told.result.deltas[0].tolerance];
  EXPECT_EQ(tolerance_text(said), "1 pp");
  EXPECT_EQ(said.source, Source::name_rule);
}

// ---- laws

int weight(State state) { return state == State::regressed ? 2 : state == State::inconclusive ? 1 : 0; }

State of_counts(int before, int attempts_before, int now, int attempts_now) {
  return Decided({failed({double(before)}), total("requests", {double(attempts_before)})},
                 {failed({double(now)}), total("requests", {double(attempts_now)})})
      .state();
}

RC_GTEST_PROP(RateGateLaw, a_worse_value_never_improves_the_state, ()) {
  const int before_n = *rc::gen::inRange(1, 2000), now_n = *rc::gen::inRange(2, 2000);
  const int before = *rc::gen::inRange(0, before_n + 1);
  const int now = *rc::gen::inRange(0, now_n);
  const int worse = *rc::gen::inRange(now + 1, now_n + 1);
  RC_ASSERT(weight(of_counts(before, before_n, now, now_n)) <= weight(of_counts(before, before_n, worse, now_n)));
  const double share_before = before / static_cast<double>(before_n), share = now / static_cast<double>(now_n);
  RC_ASSERT(weight(of_rates(share_before, share)) <= weight(of_rates(share_before, worse / static_cast<double>(now_n))));
}

RC_GTEST_PROP(RateGateLaw, more_requests_of_the_same_truth_never_weaken_it, ()) {
  const int n = *rc::gen::inRange(1, 500), times = *rc::gen::inRange(2, 8);
  const int before = *rc::gen::inRange(0, n + 1), now = *rc::gen::inRange(0, n + 1);
  RC_ASSERT(weight(of_counts(before, n, now, n)) <= weight(of_counts(before * times, n * times, now * times, n * times)));
}

RC_GTEST_PROP(RateGateLaw, swapped_sides_negate_the_change_and_never_both_fail, ()) {
  const int n = *rc::gen::inRange(1, 500);
  const int before = *rc::gen::inRange(0, n + 1), now = *rc::gen::inRange(0, n + 1);
  const auto specs = [&](int count) { return std::vector<RowSpec>{failed({double(count)}), total("requests", {double(n)})}; };
  const Decided forth(specs(before), specs(now)), back(specs(now), specs(before));
  RC_ASSERT(forth.result.deltas[0].delta == -back.result.deltas[0].delta);
  RC_ASSERT(weight(forth.state()) == 0 || weight(back.state()) == 0);
  RC_ASSERT((forth.state() == State::regressed) <= (back.state() == State::improved) || before == 0);
}

}  // namespace
}  // namespace plumbline::core
