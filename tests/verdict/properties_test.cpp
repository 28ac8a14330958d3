// Laws of the verdict, on drawn measurements (rapidcheck): a value that gets worse never improves the answer, and an answer is
// the same for the same rows in another order.
#include <algorithm>
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

RC_GTEST_PROP(WorseValue, never_improves_the_verdict, ()) {
  const Drawn drawn = draw(12);
  const bool with_headline = *rc::gen::arbitrary<bool>();
  Drawn worse = drawn;
  RowSpec& row = worse.after[*rc::gen::inRange<std::size_t>(0, worse.after.size())];
  const double factor = 1 + *rc::gen::inRange(1, 200) / 100.0;
  for (double& value : row.values) value = row.direction == Direction::lower ? value * factor : value / factor;
  const Judgement was = judged(drawn, with_headline), is = judged(worse, with_headline);
  RC_ASSERT(is.verdict >= was.verdict);
  RC_ASSERT(is.counts.regressed >= was.counts.regressed);
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
