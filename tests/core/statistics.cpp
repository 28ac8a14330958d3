// The statistical core against R (goldens.R beside this file) and against its own definitions.
#include "core/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <string>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

using Samples = std::vector<double>;

Samples numbers(std::string_view text) {
  Samples out;
  for (const std::string_view part : split(text, ',')) out.push_back(parse_double(part).value());
  return out;
}
std::size_t whole(std::string_view text) { return static_cast<std::size_t>(parse_double(text).value()); }

// Calls `check` with the fields of every golden of one kind; says how many there were.
template <class Check>
int for_goldens(std::string_view kind, Check check) {
  std::ifstream file(PLUMBLINE_TESTS "/core/goldens.tsv");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const auto fields = split(line, '\t');
    if (fields[0] != kind) continue;
    SCOPED_TRACE(line.substr(0, 200));
    check(fields);
    ++count;
  }
  return count;
}

void expect_near_relative(double actual, double expected, double relative) {
  EXPECT_NEAR(actual, expected, relative * std::max(1e-300, std::abs(expected)));
}

TEST(Goldens, location_and_spread) {
  const int count = for_goldens("location", [](const auto& f) {
    const Samples x = numbers(f[1]), expected = numbers(f[2]);
    expect_near_relative(mean(x), expected[0], 1e-14);
    EXPECT_NEAR(sample_stddev(x), expected[1], 1e-12);
    EXPECT_DOUBLE_EQ(median(x), expected[2]);
    EXPECT_NEAR(robust_spread(x), expected[3], 1e-12);
  });
  EXPECT_EQ(count, 9);
}

TEST(Goldens, median_interval) {
  const int count = for_goldens("median_interval", [](const auto& f) {
    const auto interval = median_interval(numbers(f[1]), *parse_double(f[2]));
    if (f[3] == "none") {
      EXPECT_FALSE(interval);
      return;
    }
    const Samples expected = numbers(f[3]);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->low, expected[0]);
    EXPECT_EQ(interval->high, expected[1]);
    expect_near_relative(interval->confidence, expected[2], 1e-12);
  });
  EXPECT_EQ(count, 24);
}

TEST(Goldens, rank_bound) {
  const int count = for_goldens("rank_bound", [](const auto& f) {
    EXPECT_EQ(rank_bound(whole(f[1]), whole(f[2]), *parse_double(f[3])), whole(f[4]));
    EXPECT_EQ(rank_bound(whole(f[2]), whole(f[1]), *parse_double(f[3])), whole(f[4]));
  });
  EXPECT_EQ(count, 48);
}

TEST(Goldens, hodges_lehmann) {
  const int count = for_goldens("hodges_lehmann", [](const auto& f) {
    const ShiftEstimate estimate = hodges_lehmann(numbers(f[1]), numbers(f[2]), .05);
    EXPECT_NEAR(estimate.shift, *parse_double(f[3]), 1e-14);
    const Samples bounds = numbers(f[4]);
    ASSERT_TRUE(estimate.lower && estimate.upper);
    EXPECT_EQ(*estimate.lower, bounds[0]);
    EXPECT_EQ(*estimate.upper, bounds[1]);
  });
  EXPECT_EQ(count, 8);
}

TEST(Goldens, mann_whitney_greater) {
  const int count = for_goldens("mann_whitney", [](const auto& f) {
    expect_near_relative(mann_whitney_greater(numbers(f[1]), numbers(f[2]), *parse_double(f[3])), *parse_double(f[4]), 1e-10);
  });
  EXPECT_EQ(count, 39);
}

TEST(Goldens, binomial_quantile) {
  const int count = for_goldens("binomial_quantile", [](const auto& f) {
    EXPECT_EQ(binomial_quantile(whole(f[1]), *parse_double(f[2]), *parse_double(f[3])), whole(f[4]));
  });
  EXPECT_EQ(count, 96);
}

TEST(Goldens, benjamini_hochberg) {
  const int count = for_goldens("benjamini_hochberg", [](const auto& f) {
    const std::vector<bool> survives = benjamini_hochberg(numbers(f[1]), *parse_double(f[2]));
    const Samples expected = numbers(f[3]);
    ASSERT_EQ(survives.size(), expected.size());
    for (std::size_t i = 0; i < survives.size(); ++i) EXPECT_EQ(survives[i], expected[i] == 1) << i;
  });
  EXPECT_EQ(count, 6);
}

// ---- plain values -------------------------------------------------------------------------------------------------------

TEST(Location, of_nothing_and_of_one) {
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(sample_stddev({}), 0);
  EXPECT_EQ(robust_spread({}), 0);
  const Samples one = {42};
  EXPECT_EQ(mean(one), 42);
  EXPECT_EQ(median(one), 42);
  EXPECT_EQ(sample_stddev(one), 0);
  EXPECT_EQ(robust_spread(one), 0);
}

TEST(Location, median_of_even_counts_is_the_mean_of_the_middle_two_without_overflow) {
  EXPECT_EQ(median(Samples{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(Samples{1.7e308, 1.7e308}), 1.7e308);
  EXPECT_EQ(mean(Samples{1.7e308, 1.7e308, 1.7e308}), 1.7e308);
}

TEST(Location, robust_spread_ignores_one_wild_value) { EXPECT_DOUBLE_EQ(robust_spread(Samples{1, 2, 3, 4, 1e9}), 1.4826); }

TEST(RankBound, is_that_of_the_header_at_five_percent) {
  const std::pair<std::size_t, std::uint64_t> cases[] = {{3, 1}, {4, 2}, {5, 5}, {6, 8}, {8, 16}, {10, 28}, {20, 139}};
  for (const auto& [n, k] : cases) EXPECT_EQ(rank_bound(n, n, .05), k) << n;
  EXPECT_EQ(rank_bound(2, 2, .05), 0);
  EXPECT_EQ(rank_bound(0, 3, .05), 0);
  EXPECT_EQ(rank_bound(3, 3, 0), 0);
}

TEST(RankBound, normal_approximation_continues_the_exact_values) {
  // 50 v 50 is the last exact one; the approximation of its neighbours must lie between and grow.
  std::uint64_t last = rank_bound(50, 50, .05);
  for (std::size_t n = 51; n <= 80; ++n) {
    const std::uint64_t k = rank_bound(n, n, .05);
    EXPECT_GT(k, last) << n;
    EXPECT_LT(k, n * n / 2) << n;
    last = k;
  }
  EXPECT_GT(rank_bound(100'000, 100'000, .05), 4'900'000'000U);
}

TEST(HodgesLehmann, two_trials_give_an_estimate_without_bounds) {
  const ShiftEstimate estimate = hodges_lehmann(Samples{1, 2}, Samples{11, 12}, .05);
  EXPECT_EQ(estimate.shift, 10);
  EXPECT_FALSE(estimate.lower);
  EXPECT_FALSE(estimate.upper);
}

TEST(HodgesLehmann, three_against_three_is_bounded_by_the_extreme_differences) {
  const ShiftEstimate estimate = hodges_lehmann(Samples{10, 11, 12}, Samples{20, 22, 24}, .05);
  EXPECT_EQ(estimate.shift, 11);
  EXPECT_EQ(estimate.lower, 8);
  EXPECT_EQ(estimate.upper, 14);
}

TEST(HodgesLehmann, of_nothing_is_zero_without_bounds) {
  EXPECT_EQ(hodges_lehmann({}, Samples{1}, .05).shift, 0);
  EXPECT_FALSE(hodges_lehmann(Samples{1}, {}, .05).lower);
}

TEST(HodgesLehmann, many_pairs_are_selected_without_forming_them_and_agree_with_sorting_all) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise;
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{17, 16}, {33, 40}, {100, 3}, {120, 90}}) {
    Samples a(n), b(m), all;
    for (double& x : a) x = std::round(noise(random) * 20) / 8 - 1;  // coarse, so that differences tie and cross zero
    for (double& y : b) y = noise(random);
    for (const double y : b) {
      for (const double x : a) all.push_back(y - x);
    }
    std::sort(all.begin(), all.end());
    const ShiftEstimate estimate = hodges_lehmann(a, b, .05);
    const std::uint64_t k = rank_bound(n, m, .05);
    EXPECT_EQ(estimate.shift, median(all));
    EXPECT_EQ(*estimate.lower, all[k - 1]);
    EXPECT_EQ(*estimate.upper, all[all.size() - k]);
  }
}

// ---- Mann-Whitney -------------------------------------------------------------------------------------------------------

TEST(MannWhitney, complete_separation_of_three_and_three_is_one_in_twenty) {
  EXPECT_DOUBLE_EQ(mann_whitney_greater(Samples{1, 2, 3}, Samples{4, 5, 6}), .05);
  EXPECT_DOUBLE_EQ(mann_whitney_greater(Samples{4, 5, 6}, Samples{1, 2, 3}), 1);
}

TEST(MannWhitney, complete_ties_and_empty_arms_say_nothing) {
  EXPECT_EQ(mann_whitney_greater(Samples{5, 5, 5}, Samples{5, 5, 5}), 1);
  EXPECT_EQ(mann_whitney_greater({}, Samples{5}), 1);
  EXPECT_EQ(mann_whitney_greater(Samples{5}, {}), 1);
  EXPECT_EQ(mann_whitney_greater(Samples(500, 5.0), Samples(500, 5.0)), 1);
}

TEST(MannWhitney, asymmetric_ties_are_exact_where_benchstat_prints_zero) {
  EXPECT_DOUBLE_EQ(mann_whitney_greater(Samples{1, 1, 1, 1, 1}, Samples{2, 1, 3, 5}), 6.0 / 126);
}

TEST(MannWhitney, a_change_of_exactly_the_shift_ties) {
  // ln(105) - ln(100) and ln(1.05) differ in the last bits; that is no evidence.
  Samples a, b;
  for (const double x : {100.0, 101.0, 102.0, 103.0}) {
    a.push_back(std::log(x));
    b.push_back(std::log(x * 1.05));
  }
  const double tied = mann_whitney_greater(Samples{1, 2, 3, 4}, Samples{1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(mann_whitney_greater(a, b, std::log(1.05)), tied);
}

// Independent enumerator: every subset of positions, midranks, counted one by one.
double enumerated(const Samples& a, const Samples& b) {
  Samples all = a;
  all.insert(all.end(), b.begin(), b.end());
  const std::size_t size = all.size();
  std::vector<int> doubled_rank(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) doubled_rank[i] += all[j] < all[i] ? 2 : all[j] == all[i] ? 1 : 0;
  }
  int observed = 0;
  for (std::size_t i = a.size(); i < size; ++i) observed += doubled_rank[i];
  std::uint64_t total = 0, at_least = 0;
  for (std::uint64_t subset = 0; subset < (std::uint64_t{1} << size); ++subset) {
    if (static_cast<std::size_t>(__builtin_popcountll(subset)) != b.size()) continue;
    int sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += (subset >> i & 1U) != 0 ? doubled_rank[i] : 0;
    ++total;
    at_least += sum >= observed ? 1 : 0;
  }
  return static_cast<double>(at_least) / static_cast<double>(total);
}

TEST(MannWhitney, agrees_with_enumeration_of_every_arrangement) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    Samples a(1 + random() % 6), b(1 + random() % 6);
    const std::uint64_t values = 2 + random() % 12;
    for (double& x : a) x = static_cast<double>(random() % values);
    for (double& y : b) y = static_cast<double>(random() % values);
    EXPECT_NEAR(mann_whitney_greater(a, b), enumerated(a, b), 1e-13) << round;
  }
}

TEST(MannWhitney, both_tails_share_the_observed_value) {
  // P(W >= w) + P(W <= w) = 1 + P(W = w): at least 1, and the two tails are each other's swap.
  std::mt19937_64 random(13);
  for (int round = 0; round < 200; ++round) {
    Samples a(3 + random() % 20), b(3 + random() % 20);
    for (double& x : a) x = static_cast<double>(random() % 15);
    for (double& y : b) y = static_cast<double>(random() % 15);
    EXPECT_GE(mann_whitney_greater(a, b) + mann_whitney_greater(b, a), 1 - 1e-12);
  }
}

TEST(MannWhitney, unequal_arms_take_either_road_to_the_same_p) {
  // 3 against 60 with ties is exact by the smaller arm. The values -x swapped are the same question.
  std::mt19937_64 random(17);
  Samples a(3), b(60);
  for (double& x : a) x = static_cast<double>(random() % 9);
  for (double& y : b) y = static_cast<double>(random() % 9);
  Samples minus_a = a, minus_b = b;
  for (double& x : minus_a) x = -x;
  for (double& y : minus_b) y = -y;
  EXPECT_NEAR(mann_whitney_greater(a, b), mann_whitney_greater(minus_b, minus_a), 1e-12);
}

// ---- properties ---------------------------------------------------------------------------------------------------------

TEST(Properties, swapping_the_sides_negates_the_shift_and_its_bounds) {
  std::mt19937_64 random(19);
  std::lognormal_distribution<double> values(3, .2);
  for (int round = 0; round < 200; ++round) {
    Samples a(1 + random() % 40), b(1 + random() % 40);
    for (double& x : a) x = values(random);
    for (double& y : b) y = values(random);
    const ShiftEstimate forth = hodges_lehmann(a, b, .05), back = hodges_lehmann(b, a, .05);
    EXPECT_EQ(forth.shift, -back.shift);
    ASSERT_EQ(forth.lower.has_value(), back.upper.has_value());
    if (forth.lower) {
      EXPECT_EQ(*forth.lower, -*back.upper);
      EXPECT_EQ(*forth.upper, -*back.lower);
      EXPECT_LE(*forth.lower, forth.shift);
      EXPECT_LE(forth.shift, *forth.upper);
    }
  }
}

TEST(Properties, a_common_factor_moves_no_shift_of_logs_and_no_p) {
  std::mt19937_64 random(23);
  std::lognormal_distribution<double> values(3, .2);
  for (int round = 0; round < 100; ++round) {
    Samples a(3 + random() % 8), b(3 + random() % 8), log_a, log_b, scaled_a, scaled_b;
    for (double& x : a) x = values(random);
    for (double& y : b) y = values(random);
    for (const double x : a) log_a.push_back(std::log(x)), scaled_a.push_back(std::log(x * 1000));
    for (const double y : b) log_b.push_back(std::log(y)), scaled_b.push_back(std::log(y * 1000));
    EXPECT_NEAR(hodges_lehmann(log_a, log_b, .05).shift, hodges_lehmann(scaled_a, scaled_b, .05).shift, 1e-12);
    EXPECT_EQ(mann_whitney_greater(log_a, log_b, .03), mann_whitney_greater(scaled_a, scaled_b, .03));
  }
}

TEST(Properties, the_bound_and_the_test_are_the_same_decision) {
  // lower > d exactly when the untied test of shift d rejects at alpha.
  std::mt19937_64 random(29);
  std::normal_distribution<double> noise(0, 1);
  for (int round = 0; round < 300; ++round) {
    Samples a(3 + random() % 10), b(3 + random() % 10);
    for (double& x : a) x = noise(random);
    for (double& y : b) y = noise(random) + 1.2;
    const ShiftEstimate estimate = hodges_lehmann(a, b, .05);
    ASSERT_TRUE(estimate.lower);
    EXPECT_EQ(*estimate.lower > .25, mann_whitney_greater(a, b, .25) <= .05 * (1 + 1e-12)) << round;
  }
}

// ---- counts, corrections, power -----------------------------------------------------------------------------------------

TEST(BinomialQuantile, edges) {
  EXPECT_EQ(binomial_quantile(0, .5, .999), 0);
  EXPECT_EQ(binomial_quantile(10, 0, .999), 0);
  EXPECT_EQ(binomial_quantile(10, 1, .999), 10);
  EXPECT_EQ(binomial_quantile(10, .5, 1), 10);
  EXPECT_EQ(binomial_quantile(10, .5, 0), 0);
  EXPECT_EQ(binomial_quantile(1, .5, .5), 0);  // P(X <= 0) is exactly one half
}

TEST(BenjaminiHochberg, a_larger_p_can_carry_a_smaller_one) {
  EXPECT_EQ(benjamini_hochberg(Samples{.04, .03}, .05), (std::vector<bool>{true, true}));
  EXPECT_EQ(benjamini_hochberg(Samples{.06, .03}, .05), (std::vector<bool>{false, false}));
  EXPECT_TRUE(benjamini_hochberg({}, .05).empty());
}

TEST(BenjaminiHochberg, exactly_at_the_line_survives) {
  EXPECT_EQ(benjamini_hochberg(Samples{1.0 / 20}, .05), std::vector<bool>{true});
  EXPECT_EQ(benjamini_hochberg(Samples{1.0 / 20, 1.0 / 20, 1.0 / 20}, .05), (std::vector<bool>{true, true, true}));
}

TEST(Power, mde_follows_the_simulated_table) {
  EXPECT_FALSE(mde80(2, 1));
  EXPECT_FALSE(mde80(3, -1));
  EXPECT_FALSE(mde80(3, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_DOUBLE_EQ(*mde80(3, 1), 2.58);
  EXPECT_DOUBLE_EQ(*mde80(10, 2), 2.44);
  EXPECT_DOUBLE_EQ(*mde80(30, 1), .67);
  EXPECT_DOUBLE_EQ(*mde80(100, 1), .366);
  EXPECT_NEAR(*mde80(7, 1), 1.5081577, 1e-7);  // 1.63 * (1.41 / 1.63)^(ln(7/6) / ln(8/6))
  for (std::size_t n = 3; n < 200; ++n) EXPECT_GT(*mde80(n, 1), *mde80(n + 1, 1)) << n;
}

TEST(Power, trials_needed_is_the_smallest_number_that_detects_the_effect) {
  EXPECT_EQ(trials_needed(2.58, 1), 3);
  EXPECT_EQ(trials_needed(2.57, 1), 4);
  EXPECT_EQ(trials_needed(1.22, 1), 10);
  EXPECT_EQ(trials_needed(5, 0), 3);
  EXPECT_FALSE(trials_needed(0, 1));
  EXPECT_FALSE(trials_needed(.01, 1));
  EXPECT_EQ(trials_needed(3.66 / std::sqrt(1000.0), 1), 1000);
}

TEST(Power, a_plan_for_what_lies_at_the_edge_is_for_a_change_twice_the_tolerance) {
  const auto near_edge = plan_trials(0.001, 1.22, 1);
  ASSERT_TRUE(near_edge);
  EXPECT_EQ(near_edge->trials, 10U);
  EXPECT_TRUE(near_edge->coarse);
  const auto clear = plan_trials(1.22, 0.5, 1);
  ASSERT_TRUE(clear);
  EXPECT_EQ(clear->trials, 10U);
  EXPECT_FALSE(clear->coarse);
  const auto hundred = plan_trials(.366, 5, 1);
  ASSERT_TRUE(hundred);
  EXPECT_EQ(hundred->trials, 100U) << "as many as are planned for what was seen";
  EXPECT_FALSE(hundred->coarse);
  EXPECT_TRUE(plan_trials(.365, 5, 1)->coarse);
  const auto far = plan_trials(.2, .1, 1);
  ASSERT_TRUE(far);
  EXPECT_FALSE(far->coarse) << "further than no change lies: what was seen is planned for";
  EXPECT_FALSE(plan_trials(.001, .001, 1)) << "more than a thousand either way";
}

TEST(MedianInterval, needs_six_values_for_95_percent) {
  EXPECT_FALSE(median_interval(Samples{1, 2, 3, 4, 5}, .95));
  const auto interval = median_interval(Samples{6, 5, 4, 3, 2, 1}, .95);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, 6);
  EXPECT_DOUBLE_EQ(interval->confidence, 1 - 2.0 / 64);
  EXPECT_FALSE(median_interval({}, .95));
  EXPECT_FALSE(median_interval(Samples{1, 2, 3, 4, 5, 6}, 1));
  EXPECT_FALSE(median_interval(Samples{1, 2, 3, 4, 5, 6}, 0));
}

TEST(ShortestHalf, is_the_tighter_part) {
  const std::vector<double> x = {0, 0.1, 0.2, 5, 9, 14};
  EXPECT_DOUBLE_EQ(shortest_half(x).middle, 0.1);
  EXPECT_DOUBLE_EQ(shortest_half(x).spread, 1.4826 * 0.1);
  EXPECT_EQ(shortest_half({}).spread, 0);
}

}  // namespace
}  // namespace plumbline::core
