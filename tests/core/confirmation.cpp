// The error of a second look (core/experiment/confirmation.hpp): Holm against its definition, and its promise by simulation, also
// where the baseline that raised the suspicion is used again.
#include "core/experiment/confirmation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

TEST(Confirmation, HolmStepsDown) {
  const std::vector<double> p = {.011, .9, .004, .02};
  EXPECT_EQ(holm_survivors(p, .05, 4), (std::vector<bool>{true, false, true, true}));   // .0125, .0167, .025, .05
  EXPECT_EQ(holm_survivors(p, .05, 5), (std::vector<bool>{true, false, true, false}));  // .01, .0125, .0167
  EXPECT_EQ(holm_survivors(p, .05, 60), (std::vector<bool>{false, false, false, false}));
  // One that fails ends it, whatever comes behind.
  EXPECT_EQ(holm_survivors(std::vector<double>{.03, .03}, .05, 2), (std::vector<bool>{false, false}));
  EXPECT_TRUE(holm_survivors({}, .05, 3).empty());
  // A family smaller than what is given is none.
  EXPECT_EQ(holm_survivors(std::vector<double>{.03, .03}, .05, 1), (std::vector<bool>{false, false}));
  // Exactly the threshold is enough.
  EXPECT_EQ(holm_survivors(std::vector<double>{.02 / 3}, .02, 3), (std::vector<bool>{true}));
}

TEST(Confirmation, FewestTrials) {
  EXPECT_EQ(fewest_to_confirm(Design::pairs, false, .02, 1), 6U);    // 1/64 = .0156
  EXPECT_EQ(fewest_to_confirm(Design::pairs, false, .02, 60), 12U);  // 1/4096 = .00024, and .02/60 = .00033
  EXPECT_EQ(fewest_to_confirm(Design::pairs, true, .02, 1), 9U);     // 1/512 = .0020, and .02 * 4/32 = .0025
  EXPECT_EQ(fewest_to_confirm(Design::pairs, true, .02, 60), 16U);
  EXPECT_EQ(fewest_to_confirm(Design::ranks, false, .02, 60, 10), 5U);  // 1/3003 = .00033
  EXPECT_EQ(fewest_to_confirm(Design::ranks, false, .02, 60, 3), 25U);  // 1/3276
  EXPECT_EQ(fewest_to_confirm(Design::ranks, true, .02, 1'000'000'000, 3), std::nullopt);
  for (std::uint64_t family = 1; family < 1'000'000; family *= 3)
    EXPECT_LE(*fewest_to_confirm(Design::pairs, false, .02, family), *fewest_to_confirm(Design::pairs, false, .02, 3 * family));
}

// Rows of which nothing is true, chosen because their first trials looked worst, against a tolerance of none: what the second
// look confirms is wrong. `same`: the baseline that raised the suspicion is used again.
double wrong_share(bool same, bool corrected_for_all, int repetitions) {
  constexpr int kRows = 40;
  constexpr int kTrials = 6;
  std::mt19937_64 generator(11);
  std::normal_distribution<> noise;
  const auto draw = [&](std::vector<double>& values) {
    values.resize(kTrials);
    for (double& value : values) value = noise(generator);
  };
  int wrong = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    struct Row {
      std::vector<double> baseline, current;
      double p = 1;
    };
    std::vector<Row> rows(kRows);
    for (Row& row : rows) {
      draw(row.baseline);
      draw(row.current);
      row.p = mann_whitney_greater(row.baseline, row.current);
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.p < b.p; });
    rows.resize(5);
    std::vector<double> second;
    for (Row& row : rows) {
      if (!same) draw(row.baseline);
      draw(row.current);
      second.push_back(mann_whitney_greater(row.baseline, row.current));
    }
    const std::vector<bool> survive = holm_survivors(second, .05, corrected_for_all ? kRows : rows.size());
    wrong += std::find(survive.begin(), survive.end(), true) != survive.end() ? 1 : 0;
  }
  return static_cast<double>(wrong) / repetitions;
}

TEST(Confirmation, FreshTrialsOfBothSidesOweNothingToTheChoice) {
  EXPECT_LE(wrong_share(false, false, 4000), .05);
  // The baseline that made rows suspicious makes them suspicious again: correcting for the chosen alone does not hold there,
  // correcting for all that the first look judged does.
  EXPECT_GT(wrong_share(true, false, 4000), .08);
  EXPECT_LE(wrong_share(true, true, 4000), .05);
}

}  // namespace
}  // namespace plumbline::core
