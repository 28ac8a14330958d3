// What ends a run with exit status 1, word by word, and what --strict stands for.
#include "verbs/calling/fail_on.hpp"

#include <gtest/gtest.h>

namespace plumbline::verbs {
namespace {

using Words = std::vector<std::string>;

core::DiffResult quiet() {
  core::DiffResult result;
  result.verdict = core::Verdict::green;
  result.tier = core::Tier::verdict;
  return result;
}

TEST(FailOn, nothing_asked_for_trips_on_nothing) {
  core::DiffResult result = quiet();
  result.verdict = core::Verdict::red;
  result.counts.regressed = 3;
  EXPECT_EQ(tripped(*fail_words({}, false), result), std::nullopt);
  EXPECT_EQ(tripped(*fail_words({"never"}, false), result), std::nullopt);
}

TEST(FailOn, strict_is_red_and_every_row_that_is_worse_or_lost) {
  EXPECT_EQ(*fail_words({}, true), (Words{"red", "regressed", "missing", "invalid", "gate_failed"}));
  const Words strict = *fail_words({}, true);
  EXPECT_EQ(tripped(strict, quiet()), std::nullopt);

  core::DiffResult red = quiet(), regressed = quiet(), missing = quiet(), invalid = quiet(), gate = quiet();
  red.verdict = core::Verdict::red;
  regressed.counts.regressed = 1;
  missing.counts.missing = 2;
  invalid.counts.invalid = 1;
  gate.reasons.push_back({"gate_failed", "1 gate failed", {}, 1});
  EXPECT_EQ(tripped(strict, red), "verdict RED (--fail-on red)");
  EXPECT_EQ(tripped(strict, regressed), "1 regressed row (--fail-on regressed)");
  EXPECT_EQ(tripped(strict, missing), "2 missing rows (--fail-on missing)");
  EXPECT_EQ(tripped(strict, invalid), "1 invalid row (--fail-on invalid)");
  EXPECT_EQ(tripped(strict, gate), "gate_failed: 1 gate failed");

  core::DiffResult yellow = quiet();  // a doubt is no failure, nor is what is new or better
  yellow.verdict = core::Verdict::yellow;
  yellow.tier = core::Tier::draft;
  yellow.counts.added = yellow.counts.improved = yellow.counts.inconclusive = yellow.counts.unclassified = 1;
  EXPECT_EQ(tripped(strict, yellow), std::nullopt);
}

TEST(FailOn, each_word_trips_on_its_own) {
  core::DiffResult result = quiet();
  result.verdict = core::Verdict::yellow;
  result.tier = core::Tier::draft;
  result.counts.added = 1;
  result.reasons.push_back({"row_missing", "a row", {}, 1});
  EXPECT_EQ(tripped({"red"}, result), std::nullopt);
  EXPECT_EQ(tripped({"yellow"}, result), "verdict YELLOW (--fail-on yellow)");
  EXPECT_EQ(tripped({"draft"}, result), "tier DRAFT (--fail-on draft)");
  EXPECT_EQ(tripped({"added"}, result), "1 added row (--fail-on added)");
  EXPECT_EQ(tripped({"row_missing"}, result), "row_missing: a row");
  EXPECT_EQ(tripped({"row_invalid"}, result), std::nullopt);
  result.verdict = core::Verdict::red;
  EXPECT_EQ(tripped({"yellow"}, result), "verdict RED (--fail-on yellow)");
}

TEST(FailOn, words_are_listed_in_any_case_and_checked) {
  EXPECT_EQ(*fail_words({" Red, missing", "class_shift"}, false), (Words{"red", "missing", "class_shift"}));
  const auto unknown = fail_words({"misssing"}, false);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "--fail-on does not know \"misssing\"");
  EXPECT_EQ(unknown.error().hint, "did you mean \"missing\"?");
}

}  // namespace
}  // namespace plumbline::verbs
