// Rows that a first look left in doubt: they alone are judged, each has an answer, and their p are corrected for as many as the
// look says.
#include "verdict/rows/second_look.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/verdict/judged_case.hpp"

namespace plumbline::verdict {
namespace {

using core::SecondAnswer;
using core::Verdict;

// So many pairs around `middle`, all unlike each other.
std::vector<double> around(double middle, int count = 9) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(middle * (1 + 0.0007 * ((i * 5) % 9)));
  return out;
}

struct Second : Case {
  core::SecondLook look;
  Second(const std::vector<testing::RowSpec>& b, const std::vector<testing::RowSpec>& c, const std::vector<std::string>& keys)
      : Case(b, c) {
    for (const std::string& key : keys) look.rows.push_back({key, "suspect", {}, {}});
    look.family = keys.size();
    look.alpha = 0.02;
    rules.paired = true;
    rules.alpha = input.alpha = look.alpha;
    input.same_host = true;
  }
  Judgement judge_again() {
    input.second_look = &look;
    core::Comparison rows = core::compare(baseline, current, rules);
    pass_over_others(look, rows);
    comparison = find("plumbline")->decide(std::move(rows), input);
    input.comparison = &comparison;
    return find("plumbline")->judge(input);
  }
};

TEST(SecondLook, OneRowIsEnoughForRedAndOthersAreContext) {
  Second c({{"a", around(100)}, {"b", around(100)}, {"c", around(100)}},
           {{"a", around(120)}, {"b", around(100)}, {"c", around(200)}}, {"a", "b"});
  const Judgement j = c.judge_again();
  EXPECT_EQ(j.verdict, Verdict::red);
  EXPECT_EQ(codes(j), Codes{"headline_regressed"});
  EXPECT_EQ(j.reasons[0].message.substr(0, 66), "1 row of 2 in doubt regressed again when measured anew: \"a\" 100.28");
  EXPECT_EQ(j.answers, (std::vector<SecondAnswer>{SecondAnswer::confirmed, SecondAnswer::not_confirmed}));
  EXPECT_EQ(j.counts.compared, 2U);
  EXPECT_EQ(j.counts.context, 1U);
  EXPECT_EQ(c.comparison.notes.at(2), "not in doubt at the first look: not judged again");
  EXPECT_EQ(j.tier, core::Tier::verdict) << (j.promote.empty() ? "" : j.promote.front());
}

TEST(SecondLook, AllProvenWithinToleranceIsAGreenVerdict) {
  Second c({{"a", around(100)}, {"b", around(100)}}, {{"a", around(101)}, {"b", around(80)}}, {"a", "b"});
  const Judgement j = c.judge_again();
  EXPECT_EQ(j.verdict, Verdict::green);
  EXPECT_EQ(j.tier, core::Tier::verdict) << (j.promote.empty() ? "" : j.promote.front());
  EXPECT_EQ(j.answers, (std::vector<SecondAnswer>{SecondAnswer::not_confirmed, SecondAnswer::not_confirmed}));
}

// Nine pairs reach 1/512: enough for ten rows at 2 %, not for eleven.
TEST(SecondLook, IsCorrectedForItsFamily) {
  for (const auto& [family, verdict, answer] :
       {std::tuple{10, Verdict::red, SecondAnswer::confirmed}, {11, Verdict::yellow, SecondAnswer::undecided}}) {
    Second c({{"a", around(100)}}, {{"a", around(120)}}, {"a"});
    c.look.family = static_cast<std::uint64_t>(family);
    const Judgement j = c.judge_again();
    EXPECT_EQ(j.verdict, verdict) << family;
    EXPECT_EQ(j.answers, std::vector<SecondAnswer>{answer}) << family;
    if (verdict == Verdict::yellow) {
      EXPECT_EQ(codes(j), Codes{"suspects"});
    }
  }
}

TEST(SecondLook, WhatIsOpenOrGoneIsYellow) {
  // "b" lies on the tolerance, "c" is nowhere, "d" on one side alone.
  Second c({{"a", around(100)}, {"b", around(100)}, {"d", around(100)}},
           {{"a", around(100)}, {"b", {103, 107, 104, 106, 105, 103, 107, 104, 106}}}, {"a", "b", "c", "d"});
  const Judgement j = c.judge_again();
  EXPECT_EQ(j.verdict, Verdict::yellow);
  EXPECT_EQ(j.answers, (std::vector<SecondAnswer>{SecondAnswer::not_confirmed, SecondAnswer::undecided, SecondAnswer::gone,
                                                  SecondAnswer::gone}));
  EXPECT_EQ(codes(j), (Codes{"undecided", "row_missing"}));
  EXPECT_EQ(j.reasons[1].message, "2 rows in doubt are not in the new trials of both sides, first \"c\"");
}

TEST(SecondLook, TwoTrialsAnswerNothing) {
  Second c({{"a", {100, 101}}, {"b", {100, 101}}}, {{"a", {150, 151}}, {"b", {100, 101}}}, {"a", "b"});
  const Judgement j = c.judge_again();
  EXPECT_EQ(j.verdict, Verdict::yellow);
  EXPECT_EQ(j.tier, core::Tier::draft);
  EXPECT_EQ(j.answers, (std::vector<SecondAnswer>{SecondAnswer::undecided, SecondAnswer::undecided}));
}

TEST(SecondLook, GatesAndExactCountsAreNoMatterOfChance) {
  using core::Direction;
  using core::Role;
  Second c({{"errors", {0, 0, 0}, Direction::lower, "", Role::gate}, {"a", around(100, 3)}},
           {{"errors", {0, 3, 0}, Direction::lower, "", Role::gate}, {"a", around(100, 3)}}, {"errors"});
  const Judgement j = c.judge_again();
  EXPECT_EQ(codes(j), Codes{"gate_failed"});
  EXPECT_EQ(j.answers, std::vector<SecondAnswer>{SecondAnswer::confirmed});
}

}  // namespace
}  // namespace plumbline::verdict
