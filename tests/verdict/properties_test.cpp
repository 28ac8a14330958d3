// Laws of the verdict, on drawn measurements (rapidcheck): a value that gets worse never improves the answer, and an answer is
// the same for the same rows in another order.
#include <algorithm>
#include <random>
#include <string>
#include <type_traits>

#include "tests/support/drawn.hpp"
#include "tests/verdict/judged_case.hpp"

namespace plumbline::verdict {
namespace {

using core::Direction;
using testing::RowSpec;

static_assert(std::is_same_v<decltype(JudgeInput::comparison), const core::Comparison*>, "a verdict does not touch its evidence");

struct Drawn {
  std::vector<RowSpec> before, after;
};

// Rows of one to four metrics with as many trials each; the current side is the same truth, moved by up to 15 %.
Drawn draw(std::size_t most_rows) {
  Drawn out;
  const auto trials = *rc::gen::element<std::size_t>(1, 2, 3, 5);
  const auto rows = *rc::gen::inRange<std::size_t>(1, most_rows + 1);
  const Direction direction = *rc::gen::element(Direction::lower, Direction::higher);
  for (std::size_t i = 0; i < rows; ++i) {
    RowSpec row{"row" + std::to_string(i), *testing::quiet_trials(trials), direction,
                direction == Direction::lower ? "ms" : "GB/s"};
    out.before.push_back(row);
    const double move = 1 + *rc::gen::inRange(-15, 16) / 100.0;
    for (double& value : row.values) value *= move;
    out.after.push_back(std::move(row));
  }
  return out;
}

Judgement judged(const Drawn& drawn, bool with_headline) {
  Case one(drawn.before, drawn.after);
  if (with_headline) one.rules.key_rules.push_back(headline("row0"));
  return one.judge();
}

// From three trials on, and of fewer than five rows. What one or two runs of more rows scatter is measured on these rows
// themselves: WorseValue.OfSingleRuns says how often that matters.
RC_GTEST_PROP(WorseValue, never_improves_the_verdict, ()) {
  Drawn drawn = draw(12);
  if (drawn.before.front().values.size() < 3 && drawn.before.size() > 4) {
    drawn.before.resize(4);
    drawn.after.resize(4);
  }
  const bool with_headline = *rc::gen::arbitrary<bool>();
  Drawn worse = drawn;
  RowSpec& row = worse.after[*rc::gen::inRange<std::size_t>(0, worse.after.size())];
  const double factor = 1 + *rc::gen::inRange(1, 200) / 100.0;
  for (double& value : row.values) value = row.direction == Direction::lower ? value * factor : value / factor;
  const Judgement was = judged(drawn, with_headline), is = judged(worse, with_headline);
  RC_ASSERT(is.verdict >= was.verdict);
  RC_ASSERT(is.counts.regressed >= was.counts.regressed);
}

// Seeded comparisons in which one value gets worse: how many verdicts turn milder, and how many rows stop being regressed.
struct Milder {
  int verdicts = 0, regressed = 0;
};
struct Draws {
  std::size_t trials = 1;
  int least_rows = 1, most_rows = 1;
  bool at_the_edge = false;  // every row worse by 3 to 9 %, else moved by up to 15 % either way
};
constexpr int kDraws = 2000;

class SeededDraws {
 public:
  explicit SeededDraws(const Draws& draws) : draws_(draws) {}

  Milder count() {
    Milder out;
    for (int i = 0; i < kDraws; ++i) {
      const Drawn drawn = next();
      const bool with_headline = whole(0, 1) == 1;
      Drawn worse = drawn;
      RowSpec& row = worse.after[static_cast<std::size_t>(whole(0, static_cast<int>(worse.after.size()) - 1))];
      const double factor = 1 + (draws_.at_the_edge ? whole(10, 1000) / 10000.0 : whole(1, 200) / 100.0);
      for (double& value : row.values) value = row.direction == Direction::lower ? value * factor : value / factor;
      const Judgement was = judged(drawn, with_headline), is = judged(worse, with_headline);
      out.verdicts += is.verdict < was.verdict ? 1 : 0;
      out.regressed += is.counts.regressed < was.counts.regressed ? 1 : 0;
    }
    return out;
  }

 private:
  int whole(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  Drawn next() {
    Drawn out;
    const Direction direction = whole(0, 1) == 0 ? Direction::lower : Direction::higher;
    const int rows = whole(draws_.least_rows, draws_.most_rows);
    for (int i = 0; i < rows; ++i) {
      RowSpec row{"row" + std::to_string(i), {}, direction, direction == Direction::lower ? "ms" : "GB/s"};
      const double level = whole(1000, 1000000) / 100.0;
      for (std::size_t t = 0; t < draws_.trials; ++t) row.values.push_back(level * (1 + whole(-10, 10) / 1000.0));
      out.before.push_back(row);
      const double loss = draws_.at_the_edge ? whole(300, 900) / 10000.0 : whole(-15, 15) / 100.0;
      for (double& value : row.values) value *= direction == Direction::lower ? 1 + loss : 1 - loss;
      out.after.push_back(std::move(row));
    }
    return out;
  }

  Draws draws_;
  std::mt19937 random_{20261122};
};

// The figures of docs/methodology.md, "The edge".
TEST(WorseValue, OfSingleRunsRarelyTurnsTheVerdictMilder) {
  for (const std::size_t trials : {1, 2}) {
    for (const auto& [least, most] : {std::pair(5, 12), std::pair(13, 40)}) {
      SCOPED_TRACE(std::to_string(trials) + " trials, rows from " + std::to_string(least));
      const Milder edge = SeededDraws({trials, least, most, true}).count();
      const Milder elsewhere = SeededDraws({trials, least, most, false}).count();
      EXPECT_LE(edge.verdicts, kDraws * 2.5 / 100);
      EXPECT_LE(elsewhere.verdicts, kDraws * 0.2 / 100);
      EXPECT_EQ(edge.regressed + elsewhere.regressed, 0);
    }
  }
}

TEST(WorseValue, OfTrialsNeverTurnsTheVerdictMilder) {
  for (const std::size_t trials : {3, 5}) {
    for (const auto& [least, most] : {std::pair(1, 4), std::pair(5, 20)}) {
      SCOPED_TRACE(std::to_string(trials) + " trials, rows from " + std::to_string(least));
      const Milder edge = SeededDraws({trials, least, most, true}).count();
      EXPECT_EQ(edge.verdicts + edge.regressed, 0);
    }
  }
}

RC_GTEST_PROP(AllWorse, is_never_green, ()) {
  Drawn drawn = draw(12);
  drawn.after = drawn.before;
  for (RowSpec& row : drawn.after) {
    for (double& value : row.values) value *= row.direction == Direction::lower ? 2 : 0.5;
  }
  RC_ASSERT(judged(drawn, false).verdict != core::Verdict::green);
}

// A headline whose own trials are too few or too wide to exclude a regression is YELLOW even beside itself.
RC_GTEST_PROP(TheSame, has_not_regressed, ()) {
  Drawn drawn = draw(12);
  drawn.after = drawn.before;
  const bool with_headline = *rc::gen::arbitrary<bool>();
  const Judgement same = judged(drawn, with_headline);
  RC_ASSERT(same.verdict != core::Verdict::red);
  RC_ASSERT(with_headline || same.verdict == core::Verdict::green);
  RC_ASSERT(same.counts.regressed == 0U && same.counts.improved == 0U);
}

RC_GTEST_PROP(Order, of_the_rows_does_not_matter, ()) {
  const Drawn drawn = draw(12);
  Drawn turned = drawn;
  std::reverse(turned.before.begin(), turned.before.end());
  std::reverse(turned.after.begin(), turned.after.end());
  const Judgement forth = judged(drawn, true), back = judged(turned, true);
  RC_ASSERT(forth.verdict == back.verdict && forth.tier == back.tier);
  RC_ASSERT(forth.reasons.size() == back.reasons.size());
  for (std::size_t i = 0; i < forth.reasons.size(); ++i) RC_ASSERT(forth.reasons[i].code == back.reasons[i].code);
}

// Every byte of the rows and of their statistics.
std::string bytes_of(const core::Comparison& c) {
  std::string out(reinterpret_cast<const char*>(c.deltas.data()), c.deltas.size() * sizeof(core::Delta));
  out.append(reinterpret_cast<const char*>(c.statistics.data()), c.statistics.size() * sizeof(core::RowStatistics));
  for (const auto& [delta, note] : c.notes) out += std::to_string(delta) + note;
  return out;
}

RC_GTEST_PROP(Judging, twice_says_the_same_and_leaves_the_evidence_alone, ()) {
  const Drawn drawn = draw(40);
  const char* const name = *rc::gen::element("plumbline", "reference");
  Case one(drawn.before, drawn.after);
  const Judgement first = one.judge(name);
  const core::Comparison& evidence = one.comparison;
  const std::string before = bytes_of(evidence);
  const Judgement second = find(name)->judge(one.input);
  RC_ASSERT(bytes_of(evidence) == before);
  RC_ASSERT(second.verdict == first.verdict && second.marks == first.marks && second.order == first.order);
  RC_ASSERT(second.warnings == first.warnings && second.promote == first.promote);
  RC_ASSERT(second.reasons.size() == first.reasons.size());
  for (std::size_t i = 0; i < first.reasons.size(); ++i) RC_ASSERT(second.reasons[i].message == first.reasons[i].message);
}

}  // namespace
}  // namespace plumbline::verdict
