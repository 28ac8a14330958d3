// Waivers: what they excuse and what not, and the laws of docs/methodology.md, "Waived rows", on drawn measurements (rapidcheck).
#include <algorithm>
#include <memory>
#include <string>

#include "tests/support/drawn.hpp"
#include "tests/verdict/judged_case.hpp"

namespace plumbline::verdict {
namespace {

using core::Direction;
using core::WaiverState;
using testing::RowSpec;

struct Terms {
  std::string ceiling = "20%", until = "2026-12-31";
  bool gate = false;
};
std::shared_ptr<const core::Waiver> waiver_of(const std::string& key, const Terms& terms = {}) {
  auto out = std::make_shared<core::Waiver>();
  out->line = 4;
  out->keys = {key};
  out->ceiling = *core::parse_tolerance(terms.ceiling);
  out->until = terms.until;
  out->reason = "known";
  out->gate = terms.gate;
  return out;
}

struct Drawn {
  std::vector<RowSpec> before, after;
  bool with_headline = false;
};

constexpr const char* kToday = "2026-11-23";

Judgement judged(const Drawn& drawn, const core::Waivers& waivers, const char* today = kToday) {
  Case one(drawn.before, drawn.after);
  if (drawn.with_headline) one.rules.key_rules.push_back(headline("row0"));
  one.input.waivers = waivers;
  one.input.today = today;
  return one.judge();
}

// Rows of one metric a row or of one for all, moved by up to 15 %, with one to five trials.
Drawn draw() {
  Drawn out;
  const auto trials = *rc::gen::element<std::size_t>(1, 2, 3, 5);
  // Of single runs the scatter is measured on the rows themselves: fewer than five have no class.
  const auto rows = *rc::gen::inRange<std::size_t>(1, trials < 3 ? 5 : 13);
  const Direction direction = *rc::gen::element(Direction::lower, Direction::higher);
  for (std::size_t i = 0; i < rows; ++i) {
    RowSpec row{"row" + std::to_string(i), *testing::quiet_trials(trials), direction,
                direction == Direction::lower ? "ms" : "GB/s"};
    out.before.push_back(row);
    const double move = 1 + *rc::gen::inRange(-15, 16) / 100.0;
    for (double& value : row.values) value *= move;
    out.after.push_back(std::move(row));
  }
  out.with_headline = *rc::gen::arbitrary<bool>();
  return out;
}

core::Waivers some_waivers(std::size_t rows) {
  core::Waivers out;
  for (std::size_t i = 0; i < rows; ++i) {
    if (*rc::gen::arbitrary<bool>())
      out.push_back(waiver_of("row" + std::to_string(i), {std::to_string(*rc::gen::inRange(1, 25)) + "%"}));
  }
  return out;
}

void make_worse(RowSpec& row, int percent) {
  const double factor = 1 + percent / 100.0;
  for (double& value : row.values) value = row.direction == Direction::lower ? value * factor : value / factor;
}

// ---- laws ----

RC_GTEST_PROP(Waivers, change_no_row, ()) {
  const Drawn drawn = draw();
  const core::Waivers waivers = some_waivers(drawn.before.size());
  Case with(drawn.before, drawn.after), without(drawn.before, drawn.after);
  with.input.waivers = waivers;
  with.input.today = kToday;
  const Judgement is = with.judge(), was = without.judge();
  for (std::size_t i = 0; i < with.comparison.deltas.size(); ++i) {
    const core::Delta &a = with.comparison.deltas[i], &b = without.comparison.deltas[i];
    RC_ASSERT(a.state == b.state && a.baseline == b.baseline && a.current == b.current && a.used == b.used);
    RC_ASSERT(is.marks.suspect(i) == was.marks.suspect(i));
  }
  RC_ASSERT(is.counts.regressed == was.counts.regressed && is.counts.suspect == was.counts.suspect);
}

RC_GTEST_PROP(Waivers, never_make_the_verdict_worse, ()) {
  const Drawn drawn = draw();
  RC_ASSERT(judged(drawn, some_waivers(drawn.before.size())).verdict <= judged(drawn, {}).verdict);
}

RC_GTEST_PROP(Waivers, a_worse_value_never_improves_the_verdict, ()) {
  const Drawn drawn = draw();
  const core::Waivers waivers = some_waivers(drawn.before.size());
  Drawn worse = drawn;
  make_worse(worse.after[*rc::gen::inRange<std::size_t>(0, worse.after.size())], *rc::gen::inRange(1, 200));
  RC_ASSERT(judged(worse, waivers).verdict >= judged(drawn, waivers).verdict);
}

// A row that nobody waived counts beside waived ones as it does beside sound ones.
RC_GTEST_PROP(Waivers, waived_rows_excuse_no_others, ()) {
  Drawn drawn = draw();
  const auto waived = *rc::gen::inRange<std::size_t>(0, drawn.after.size());
  drawn.with_headline = false;
  const core::Waivers waivers = {waiver_of("row" + std::to_string(waived), {"30%"})};
  drawn.after[waived] = drawn.before[waived];
  Drawn worse = drawn;
  make_worse(worse.after[waived], *rc::gen::inRange(6, 25));
  RC_ASSERT(judged(worse, waivers).verdict >= judged(drawn, {}).verdict);
}

RC_GTEST_PROP(Waivers, expired_are_as_none, ()) {
  const Drawn drawn = draw();
  const Judgement is = judged(drawn, {waiver_of("*", {"90%", "2026-11-22"})}), was = judged(drawn, {});
  RC_ASSERT(is.verdict == std::max(was.verdict, core::Verdict::yellow));
  Codes with = codes(is);
  RC_ASSERT(std::erase(with, "waiver_expired") == 1);
  RC_ASSERT(with == codes(was));
}

// ---- cases ----

std::vector<RowSpec> three_rows(double first) {
  return {
      {"row0", {first}, Direction::lower, "ms"}, {"row1", {20}, Direction::lower, "ms"}, {"row2", {30}, Direction::lower, "ms"}};
}
Drawn one_slow(double current) { return {three_rows(10), three_rows(current), true}; }

TEST(Waiver, HoldsUpToItsCeilingAndOnItsLastDay) {
  const core::Waivers waivers = {waiver_of("row0", {"12%"})};
  EXPECT_EQ(judged(one_slow(11.1), {}).verdict, core::Verdict::red);
  const Judgement held = judged(one_slow(11.2), waivers, "2026-12-31");
  EXPECT_EQ(held.verdict, core::Verdict::green);
  EXPECT_EQ(held.counts.waived, 1U);
  EXPECT_EQ(held.marks.waiver(0)->state, WaiverState::holds);
  EXPECT_EQ(codes(judged(one_slow(11.21), waivers)), (Codes{"headline_regressed", "waiver_exceeded"}));
  EXPECT_EQ(codes(judged(one_slow(11.1), waivers, "2027-01-01")), (Codes{"headline_regressed", "waiver_expired"}));
}

TEST(Waiver, ThatIsGreenIsNoVerdict) {
  Drawn drawn;
  for (const double level : {10.0, 20.0, 30.0}) {
    RowSpec row{"row" + std::to_string(drawn.before.size()), {}, Direction::lower, "ms"};
    for (int t = 0; t < 8; ++t) row.values.push_back(level * (1 + 0.001 * t));
    drawn.before.push_back(row);
    drawn.after.push_back(row);
  }
  make_worse(drawn.after[0], 10);
  drawn.with_headline = true;
  const Judgement held = judged(drawn, {waiver_of("row0")});
  EXPECT_EQ(held.verdict, core::Verdict::green);
  EXPECT_EQ(held.tier, core::Tier::draft);
  EXPECT_NE(
      std::find(held.promote.begin(), held.promote.end(),
                "waivers: 1 row is worse and excused (plumbline.yaml:4 until 2026-12-31); a GREEN that rests on a waiver is "
                "not proven"),
      held.promote.end());
}

TEST(Waiver, OfGatesSaysSo) {
  Case one({{"wrong", {0}, Direction::lower, ""}, {"row1", {20}, Direction::lower, "ms"}},
           {{"wrong", {3}, Direction::lower, ""}, {"row1", {20}, Direction::lower, "ms"}});
  core::KeyRule gate = headline("wrong");
  gate.headline.reset();
  gate.gate = true;
  one.rules.key_rules.push_back(gate);
  one.input.today = kToday;
  one.input.waivers = {waiver_of("*", {"5abs"})};
  EXPECT_EQ(codes(one.judge()), Codes{"gate_failed"});
  one.input.waivers = {waiver_of("*", {"5abs", "2026-12-31", true})};
  EXPECT_EQ(codes(one.judge()), Codes{});
  one.input.waivers = {waiver_of("*", {"2abs", "2026-12-31", true})};
  EXPECT_EQ(codes(one.judge()), (Codes{"gate_failed", "waiver_exceeded"}));
}

TEST(Waiver, OfABetterDirectionIsNeverExceeded) {
  std::vector<RowSpec> before = {{"row0", {100}, Direction::higher, "GB/s"}},
                       after = {{"row0", {300}, Direction::higher, "GB/s"}};
  const Judgement better = judged({before, after, false}, {waiver_of("row0", {"1%"})});
  EXPECT_EQ(better.verdict, core::Verdict::green);
  EXPECT_EQ(better.marks.waiver(0), nullptr);
  after[0].values = {90};
  EXPECT_EQ(judged({before, after, false}, {waiver_of("row0", {"10%"})}).verdict, core::Verdict::green);
  after[0].values = {89};
  EXPECT_EQ(judged({before, after, false}, {waiver_of("row0", {"10%"})}).verdict, core::Verdict::red);
}

}  // namespace
}  // namespace plumbline::verdict
