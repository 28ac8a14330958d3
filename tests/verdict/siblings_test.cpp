// Which sibling is out, and when none is. How often, and with noise, is bench_sibling_points' to show.
#include "verdict/siblings/siblings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "core/evidence/crowd.hpp"
#include "tests/support/fleets.hpp"
#include "verdict/siblings/splitting.hpp"

namespace plumbline::verdict {
namespace {

using core::SiblingState;
using testing::FleetOf;
using Names = std::vector<std::string>;

std::string node(std::size_t s) { return (s < 10 ? "n00" : "n0") + std::to_string(s); }

// Ten sizes on each of so many nodes, with a ripple of tenths of a percent; `factor` makes one slower in a row.
FleetOf nodes(std::size_t count, const std::function<double(std::size_t s, std::size_t row)>& factor, std::size_t trials = 1) {
  FleetOf fleet;
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t row = 0; row < 10; ++row) {
      std::vector<double> values;
      for (std::size_t t = 0; t < trials; ++t) {
        values.push_back((300 + 10.25 * static_cast<double>(row)) * factor(s, row) *
                         (1 + 0.001 * static_cast<double>((7 * s + 3 * row + 5 * t) % 5)));
      }
      fleet.add(node(s), row < 5 ? "all_reduce" : "alltoall", {{"size", std::to_string(1024 << (row % 5))}}, values);
    }
  }
  return fleet;
}

double slow(bool is_slow) { return is_slow ? 0.88 : 1; }

bool has(const core::OutliersResult& result, core::ReasonCode code) {
  return std::any_of(result.reasons.begin(), result.reasons.end(), [&](const core::Reason& one) { return one.code == code; });
}

SiblingState state_of(const core::OutliersResult& result, const std::string& name) {
  for (const core::Sibling& one : result.siblings) {
    if (one.name == name) return one.state;
  }
  ADD_FAILURE() << "no sibling " << name;
  return SiblingState::within;
}

Names sorted_drain(const core::OutliersResult& result) {
  Names out = result.drain;
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Siblings, NameTheSlowOneAndNoOther) {
  const auto result = nodes(10, [](std::size_t s, std::size_t) { return slow(s == 6); }).judge();
  EXPECT_EQ(result.drain, Names{"n006"});
  EXPECT_EQ(result.verdict, core::Verdict::red);
  EXPECT_EQ(result.tier, core::Tier::draft);
  ASSERT_EQ(result.reasons.size(), 1U);
  EXPECT_EQ(result.reasons.front().code, core::ReasonCode("outlier"));
  const core::Sibling& worst = result.siblings.front();
  EXPECT_NEAR(worst.classes.front().change_pct, -12, 0.3);
  EXPECT_EQ(worst.rows_worse, 10U);
}

TEST(Siblings, AreAllWithinWhereNothingDiffers) {
  const auto result = nodes(10, [](std::size_t, std::size_t) { return 1; }).judge();
  EXPECT_TRUE(result.drain.empty());
  EXPECT_EQ(result.verdict, core::Verdict::green);
}

TEST(Siblings, ThatAreWithinToleranceAreNotOutHoweverQuietTheOthersAre) {
  EXPECT_TRUE(nodes(10, [](std::size_t s, std::size_t) { return s == 6 ? 0.97 : 1; }).judge().drain.empty());
}

TEST(Siblings, ThatAreSlowTogetherDoNotHideEachOther) {
  for (const std::size_t many : {2, 3, 4}) {
    const auto result = nodes(10, [&](std::size_t s, std::size_t) { return slow(s < many); }).judge();
    EXPECT_EQ(result.drain.size(), many);
  }
}

TEST(Siblings, ThatAreSlowByUnlikeAmountsAreAllNamed) {
  const auto result = nodes(12, [](std::size_t s, std::size_t) { return s == 1 ? 0.5 : s == 4 ? 0.88 : 1; }).judge();
  EXPECT_EQ(result.drain, (Names{"n001", "n004"}));
}

TEST(Siblings, OfTwoHalvesNeitherIsNamed) {
  const auto result = nodes(10, [](std::size_t s, std::size_t) { return slow(s % 2 == 0); }).judge();
  EXPECT_TRUE(result.drain.empty());
  EXPECT_TRUE(has(result, "two_groups"));
  EXPECT_EQ(result.verdict, core::Verdict::yellow);
}

TEST(Siblings, ThatAreAllSlowCannotTell) {
  EXPECT_EQ(nodes(10, [](std::size_t, std::size_t) { return 0.88; }).judge().verdict, core::Verdict::green);
}

TEST(Siblings, TwoOfThemCannotTellWhichIsSlow) {
  const auto result = nodes(2, [](std::size_t s, std::size_t) { return slow(s == 1); }).judge();
  EXPECT_TRUE(result.drain.empty());
  ASSERT_TRUE(has(result, "too_few_siblings"));
  EXPECT_EQ(result.reasons.front().message, "2 siblings gave results: which of them is slow cannot be told; it takes three");
}

TEST(Siblings, AFastOneIsSaidAndNotDrained) {
  const auto result = nodes(10, [](std::size_t s, std::size_t) { return s == 3 ? 1.2 : 1; }).judge();
  EXPECT_TRUE(result.drain.empty());
  EXPECT_TRUE(has(result, "outlier_fast"));
  EXPECT_EQ(state_of(result, "n003"), SiblingState::fast);
  EXPECT_EQ(result.verdict, core::Verdict::yellow);
}

TEST(Siblings, OneWithoutAResultIsOut) {
  FleetOf fleet = nodes(9, [](std::size_t, std::size_t) { return 1; });
  fleet.add_failed("n009", "no format fits");
  const auto result = fleet.judge();
  EXPECT_EQ(result.drain, Names{"n009"});
  EXPECT_EQ(state_of(result, "n009"), SiblingState::failed);
  EXPECT_EQ(result.siblings.front().why, "it gave no result: no format fits");
}

TEST(Siblings, OneWhoseGateFailedIsOut) {
  FleetOf fleet = nodes(5, [](std::size_t, std::size_t) { return 1; });
  for (std::size_t s = 0; s < 5; ++s) {
    fleet.add(node(s), "all_reduce", {}, {s == 2 ? 7.0 : 0.0}, "#wrong", core::Direction::lower, core::Role::gate, true);
  }
  const auto result = fleet.judge();
  EXPECT_EQ(result.drain, Names{"n002"});
  EXPECT_EQ(result.siblings.front().why, "1 gate worse than on the others, like \"all_reduce.#wrong\"");
}

TEST(Siblings, SayWhereOneIsSlowInAPart) {
  const auto result = nodes(10, [](std::size_t s, std::size_t row) { return slow(s == 4 && row >= 5); }).judge();
  EXPECT_EQ(result.drain, Names{"n004"});
}

TEST(Siblings, SayWhatThoseOutHaveInCommonWhereNamesTell) {
  FleetOf fleet;
  for (std::size_t s = 0; s < 32; ++s) {
    const std::string name = "sw" + std::to_string(s / 4) + "-" + node(s);
    fleet.add(name, "stream", {}, {(1000.25 + static_cast<double>(s % 3)) * slow(s / 4 == 5)}, "bandwidth");
  }
  const auto result = fleet.judge();
  const Names switch_5 = {"sw5-n020", "sw5-n021", "sw5-n022", "sw5-n023"};
  EXPECT_EQ(sorted_drain(result), switch_5);
  ASSERT_EQ(result.groups.size(), 1U);
  EXPECT_EQ(result.groups.front().siblings, switch_5);
}

TEST(Siblings, ARowThatOneLacksIsSaid) {
  FleetOf fleet = nodes(5, [](std::size_t, std::size_t) { return 1; });
  for (std::size_t s = 0; s < 4; ++s) fleet.add(node(s), "broadcast", {{"size", "8"}}, {50.5});
  const auto result = fleet.judge();
  ASSERT_TRUE(has(result, "row_missing"));
  EXPECT_EQ(result.verdict, core::Verdict::yellow);
  EXPECT_EQ(result.reasons.front().message, "\"n004\" lacks rows that the others have, like \"broadcast[size=8].busbw\"");
}

TEST(Siblings, AnotherDriverStandsBesideTheSlowOne) {
  FleetOf fleet = nodes(6, [](std::size_t s, std::size_t) { return slow(s == 2); });
  for (std::size_t s = 0; s < 6; ++s)
    fleet.of(node(s)).context = {{"hardware.driver", s == 2 ? "535" : "550"}, {"environment.hostname", node(s)}};
  auto result = fleet.judge();
  ASSERT_EQ(result.siblings.front().differs.size(), 1U);
  EXPECT_EQ(result.siblings.front().differs.front().key, "hardware.driver");
  ASSERT_TRUE(has(result, "context_differs"));
  EXPECT_EQ(result.reasons.back().message, "\"n002\" has hardware.driver \"535\" where the others have \"550\"");
  fleet.question.varying = {"hardware.driver"};
  EXPECT_FALSE(has(fleet.judge(), "context_differs"));
}

TEST(Siblings, ThreeTrialsEachMakeAVerdict) {
  const auto red = nodes(
                       4, [](std::size_t s, std::size_t) { return slow(s == 2); }, 3)
                       .judge();
  EXPECT_EQ(red.drain, Names{"n002"});
  EXPECT_EQ(red.tier, core::Tier::verdict);
  const auto green = nodes(
                         4, [](std::size_t, std::size_t) { return 1; }, 3)
                         .judge();
  EXPECT_EQ(green.verdict, core::Verdict::green);
  EXPECT_EQ(green.tier, core::Tier::verdict);
}

// ---- laws -------------------------------------------------------------------------------------------------------------------

struct Drawn {
  std::vector<std::vector<double>> values;  // by sibling and row
};
Drawn draw(std::mt19937_64& random, std::size_t siblings, std::size_t rows) {
  std::normal_distribution<double> normal;
  Drawn out;
  const double cv = 0.002 + 0.001 * static_cast<double>(random() % 20);
  for (std::size_t s = 0; s < siblings; ++s) {
    const double own = random() % 5 == 0 ? 0.88 : 1;
    auto& values = out.values.emplace_back();
    for (std::size_t r = 0; r < rows; ++r) values.push_back(200 * own * (1 + cv * normal(random)));
  }
  return out;
}
FleetOf fleet_of(const Drawn& drawn, const std::vector<std::size_t>& order) {
  FleetOf fleet;
  for (const std::size_t s : order) {
    for (std::size_t r = 0; r < drawn.values[s].size(); ++r) {
      fleet.add(node(s), "all_reduce", {{"size", std::to_string(8 << r)}}, {drawn.values[s][r]});
    }
  }
  return fleet;
}
std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = i;
  return out;
}

TEST(SiblingLaws, TheOrderOfTheFilesChangesNothing) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    const Drawn drawn = draw(random, 3 + random() % 12, 1 + random() % 8);
    std::vector<std::size_t> order = in_order(drawn.values.size());
    const auto before = fleet_of(drawn, order).judge();
    std::shuffle(order.begin(), order.end(), random);
    const auto after = fleet_of(drawn, order).judge();
    EXPECT_EQ(before.drain, after.drain);
    EXPECT_EQ(before.verdict, after.verdict);
  }
}

TEST(SiblingLaws, ASlowerValueNeverMakesASiblingLessOut) {
  std::mt19937_64 random(2);
  std::size_t seen = 0;
  for (int i = 0; i < 120; ++i) {
    Drawn drawn = draw(random, 5 + random() % 12, 1 + random() % 6);
    const auto before = fleet_of(drawn, in_order(drawn.values.size())).judge();
    if (before.drain.empty()) continue;
    const std::size_t s = static_cast<std::size_t>(std::stoul(before.drain.front().substr(1)));
    for (double& value : drawn.values[s]) value *= 1 - 0.01 * static_cast<double>(1 + random() % 30);
    const Names after = sorted_drain(fleet_of(drawn, in_order(drawn.values.size())).judge());
    EXPECT_TRUE(std::binary_search(after.begin(), after.end(), before.drain.front())) << i;
    ++seen;
  }
  EXPECT_GT(seen, 30U);
}

TEST(SiblingLaws, OneMoreThatIsLikeTheOthersNamesNoOther) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 80; ++i) {
    Drawn drawn = draw(random, 6 + random() % 10, 1 + random() % 6);
    const Names before = sorted_drain(fleet_of(drawn, in_order(drawn.values.size())).judge());
    std::vector<double> middle;
    for (std::size_t r = 0; r < drawn.values.front().size(); ++r) {
      std::vector<double> column;
      for (const auto& values : drawn.values) column.push_back(values[r]);
      std::nth_element(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2), column.end());
      middle.push_back(column[column.size() / 2]);
    }
    const std::size_t added = drawn.values.size();
    drawn.values.push_back(std::move(middle));
    const Names after = sorted_drain(fleet_of(drawn, in_order(drawn.values.size())).judge());
    EXPECT_FALSE(std::binary_search(after.begin(), after.end(), node(added))) << i;
  }
}

// ---- siblings inside of one measurement ---------------------------------------------------------------------------------------

TEST(Splitting, TakesTheGpusOfAFileApart) {
  FleetOf one;
  for (int gpu = 0; gpu < 8; ++gpu) {
    one.add("n000", "gemm", {{"gpu", std::to_string(gpu)}, {"n", "8192"}}, {gpu == 5 ? 600.5 : 700.25 + gpu}, "tflops");
  }
  const siblings::Split split = siblings::split_by_itself(one.of("n000"));
  EXPECT_EQ(split.kind, "gpu");
  ASSERT_EQ(split.parts.size(), 8U);
  EXPECT_EQ(split.parts[5].first, "5");
  EXPECT_EQ(split.parts[5].second->key(split.parts[5].second->rows().front()), "gemm[n=8192].tflops");
  FleetOf fleet;
  fleet.question.kind = split.kind;
  for (const auto& [name, measurement] : split.parts) fleet.question.siblings.push_back({name, {}, measurement, {}});
  EXPECT_EQ(fleet.judge().drain, Names{"5"});
}

core::OutliersResult judge_pairs(const std::function<double(int a, int b)>& factor) {
  FleetOf one;
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) {
      const double value = (180.25 + 0.125 * ((3 * a + 5 * b) % 7)) * factor(a, b);
      one.add("pairs", "sendrecv", {{"src", node(a)}, {"dst", node(b)}}, {value});
    }
  }
  const siblings::Split split = siblings::split_by_itself(one.of("pairs"));
  EXPECT_TRUE(split.pairs);
  FleetOf fleet;
  fleet.question.kind = split.kind;
  fleet.question.pairs = split.pairs;
  for (const auto& [name, measurement] : split.parts) fleet.question.siblings.push_back({name, {}, measurement, {}});
  return fleet.judge();
}

TEST(Splitting, OfPairsFindsTheCommonEnd) {
  EXPECT_EQ(judge_pairs([](int a, int b) { return slow(a == 3 || b == 3); }).drain, Names{"n003"});
}

TEST(Splitting, OfPairsTellsALinkFromItsEnds) {
  const auto result = judge_pairs([](int a, int b) { return a == 2 && b == 6 ? 0.4 : 1.0; });
  EXPECT_TRUE(result.drain.empty());
  EXPECT_EQ(result.links, Names{"\"n002\" and \"n006\""});
}

// ---- the crowd ----------------------------------------------------------------------------------------------------------------

TEST(Crowd, NamesNothingAmongFewerThanThree) {
  EXPECT_EQ(core::chance_apart(std::vector<double>{1, 9}), (std::vector<double>{1, 1}));
}

TEST(Crowd, DoesNotTellNumbersApartThatWereRoundedToOneDigit) {
  const std::vector<double> whole = {8, 8, 8, 8, 8, 8, 8, 9};
  EXPECT_EQ(core::chance_apart(whole, 0.5).back(), 1);
  EXPECT_LT(core::chance_apart(whole, 0.005).back(), 1e-4);
}

TEST(Crowd, HoldsItsBoundForHeavyTails) {
  std::mt19937_64 random(7);
  std::student_t_distribution<double> t3(3);
  for (const std::size_t n : {3, 4, 5, 7, 10, 16, 32, 100}) {
    std::size_t named = 0;
    constexpr std::size_t kDraws = 4000;
    for (std::size_t i = 0; i < kDraws; ++i) {
      std::vector<double> values(n);
      for (double& value : values) value = t3(random);
      const std::vector<double> p = core::chance_apart(values);
      named += std::any_of(p.begin(), p.end(), [](double one) { return one <= 0.02; }) ? 1 : 0;
    }
    EXPECT_LE(named, kDraws * 0.02 + 2 * std::sqrt(kDraws * 0.02)) << n;
    EXPECT_GE(named, kDraws * 0.001) << n << ": a bound that names nothing is no bound";
  }
}

TEST(Crowd, OfTwoHalvesIsNone) {
  EXPECT_TRUE(core::two_groups(std::vector<double>{1, 1.1, 0.9, 5, 5.1, 4.9}).has_value());
  EXPECT_FALSE(core::two_groups(std::vector<double>{1, 1.1, 0.9, 1.05, 5.1, 4.9}).has_value());
  EXPECT_FALSE(core::two_groups(std::vector<double>{1, 2, 3, 4, 5, 6}).has_value());
}

}  // namespace
}  // namespace plumbline::verdict
