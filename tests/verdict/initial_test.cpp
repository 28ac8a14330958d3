#include "verdict/initial.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plumbline::verdict {
namespace {

using core::Verdict;

Judgement judgement(Verdict verdict, std::vector<core::Reason> reasons, std::string action) {
  Judgement out;
  out.verdict = verdict;
  out.reasons = std::move(reasons);
  out.recommendation.action = std::move(action);
  return out;
}

std::vector<std::string> codes(const Judgement& of) {
  std::vector<std::string> out;
  for (const core::Reason& one : of.reasons) out.emplace_back(one.code.text());
  return out;
}

using Codes = std::vector<std::string>;
const core::Reason kRed{"gate_failed"}, kYellow{"noisy"};

TEST(Initial, WeighsWhatTheOlderComparisonDoes) {
  const auto red = judgement(Verdict::red, {kRed}, "bisect"), yellow = judgement(Verdict::yellow, {kYellow}, "repeat");
  const auto green = judgement(Verdict::green, {}, "none");

  auto joined = with_initial(yellow, red, "s");
  EXPECT_EQ(joined.verdict, Verdict::red);
  EXPECT_EQ(codes(joined), (Codes{"drift_from_initial", "noisy"}));
  EXPECT_EQ(joined.recommendation.action, "bisect");  // of what decides

  joined = with_initial(red, yellow, "s");
  EXPECT_EQ(joined.verdict, Verdict::red);
  EXPECT_EQ(codes(joined), (Codes{"gate_failed", "drift_from_initial"}));
  EXPECT_EQ(joined.recommendation.action, "bisect");

  joined = with_initial(yellow, yellow, "s");
  EXPECT_EQ(codes(joined), (Codes{"noisy", "drift_from_initial"}));
  EXPECT_EQ(joined.recommendation.action, "repeat");

  joined = with_initial(green, yellow, "s");
  EXPECT_EQ(codes(joined), (Codes{"drift_from_initial"}));
  EXPECT_EQ(joined.recommendation.action, "repeat");
  EXPECT_TRUE(codes(with_initial(yellow, green, "s")) == Codes{"noisy"});
}

}  // namespace
}  // namespace plumbline::verdict
