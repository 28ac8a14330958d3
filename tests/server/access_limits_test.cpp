// Rate and number of calls per principal, in a table that cannot grow.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/access/limits.hpp"

namespace plumbline::server::access {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Why = Limits::Refusal::Why;

class LimitsTest : public testing::Test {
 protected:
  Limits& make(LimitOptions options) {
    return limits_.emplace(options, [this] { return now_; });
  }
  // "" when let in (and out again at once), else what is said.
  std::string call(std::string_view who) {
    const auto ticket = limits_->enter(who);
    return ticket ? "" : ticket.error().message;
  }

  std::chrono::steady_clock::time_point now_{};
  std::optional<Limits> limits_;
};

TEST_F(LimitsTest, LetABurstInAndThenTheRate) {
  Limits& limits = make({2, 3, 0, 10});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call("ci"), "");
  const auto refused = limits.enter("ci");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().why, Why::rate);
  EXPECT_EQ(refused.error().message, "a client may make 2 calls a second");
  EXPECT_EQ(refused.error().retry_after, seconds(1));
  now_ += milliseconds(499);
  EXPECT_NE(call("ci"), "");
  now_ += milliseconds(1);
  EXPECT_EQ(call("ci"), "") << "a refused call costs nothing";
  EXPECT_NE(call("ci"), "");
  now_ += seconds(1000);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call("ci"), "") << "a pause earns no more than a burst";
  EXPECT_NE(call("ci"), "");
}

TEST_F(LimitsTest, SayHowLongToWaitInWholeSeconds) {
  Limits& limits = make({0.1, 1, 0, 10});
  EXPECT_EQ(call("ci"), "");
  EXPECT_EQ(limits.enter("ci").error().retry_after, seconds(10));
  now_ += milliseconds(2500);
  EXPECT_EQ(limits.enter("ci").error().retry_after, seconds(8));
  now_ += milliseconds(7400);
  EXPECT_EQ(limits.enter("ci").error().retry_after, seconds(1));
}

TEST_F(LimitsTest, NameNoWaitBeyondAnHour) {
  Limits& limits = make({1e-9, 1, 0, 10});
  EXPECT_EQ(call("ci"), "");
  EXPECT_EQ(limits.enter("ci").error().retry_after, seconds(3600));
}

TEST_F(LimitsTest, AreEachPrincipalsOwn) {
  make({1, 1, 0, 10});
  EXPECT_EQ(call("token:ci"), "");
  EXPECT_NE(call("token:ci"), "");
  EXPECT_EQ(call("token:desk"), "");
  EXPECT_EQ(call("oauth:ci"), "");
}

TEST_F(LimitsTest, CountTheCallsThatRunUntilTheirTicketsEnd) {
  Limits& limits = make({0, 1, 2, 10});
  auto first = limits.enter("ci");
  auto second = limits.enter("ci");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(limits.running(), 2U);
  const auto third = limits.enter("ci");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().why, Why::concurrency);
  EXPECT_EQ(third.error().message, "2 calls are running for this client, more are not served at a time");
  EXPECT_EQ(call("desk"), "");

  Limits::Ticket moved = std::move(*first);
  EXPECT_NE(call("ci"), "") << "moving a ticket ends nothing";
  moved = Limits::Ticket();
  EXPECT_EQ(call("ci"), "");
  EXPECT_EQ(limits.running(), 1U);
  *second = Limits::Ticket();
  EXPECT_EQ(limits.running(), 0U);
}

TEST_F(LimitsTest, DoNotChargeACallThatCouldNotRun) {
  Limits& limits = make({1, 2, 1, 10});
  auto running = limits.enter("ci");
  ASSERT_TRUE(running);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(limits.enter("ci").error().why, Why::concurrency);
  *running = Limits::Ticket();
  EXPECT_EQ(call("ci"), "");
  EXPECT_EQ(call("ci"), "a client may make 1 calls a second");
}

TEST_F(LimitsTest, OfZeroAreNone) {
  Limits& limits = make({0, 0, 0, 10});
  std::vector<tl::expected<Limits::Ticket, Limits::Refusal>> tickets;
  for (int i = 0; i < 1000; ++i) tickets.push_back(limits.enter("ci"));
  EXPECT_EQ(limits.running(), 1000U);
}

TEST_F(LimitsTest, ForgetWhoHasBeenQuietLongest) {
  Limits& limits = make({1, 1, 0, 3});
  EXPECT_EQ(call("a"), "");
  EXPECT_EQ(call("b"), "");
  EXPECT_EQ(call("c"), "");
  EXPECT_NE(call("a"), "");  // asked last: now b is the quietest
  EXPECT_EQ(call("d"), "");
  EXPECT_EQ(limits.known(), 3U);
  EXPECT_NE(call("a"), "");
  EXPECT_NE(call("c"), "");
  EXPECT_EQ(call("b"), "") << "forgotten, and therefore new";
}

TEST_F(LimitsTest, NeverForgetWhoHasACallRunning) {
  Limits& limits = make({0, 1, 1, 2});
  auto a = limits.enter("a");
  auto b = limits.enter("b");
  ASSERT_TRUE(a && b);
  const auto c = limits.enter("c");
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().why, Why::crowd);
  EXPECT_EQ(c.error().message, "2 clients have calls running, more are not served at a time");
  *b = Limits::Ticket();
  EXPECT_EQ(call("c"), "");
  EXPECT_EQ(limits.enter("a").error().why, Why::concurrency);
}

TEST_F(LimitsTest, KeepATableThatAFloodOfNamesCannotGrow) {
  Limits& limits = make({1, 1, 1, 64});
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(call(std::to_string(i) + std::string(10'000, 'x')), "");
  EXPECT_EQ(limits.known(), 64U);
  EXPECT_NE(call("9999" + std::string(10'000, 'x')), "") << "long names are told apart and known again";
}

TEST_F(LimitsTest, HoldWithManyThreads) {
  Limits& limits = make({0, 1, 3, 8});
  std::atomic<int> together{0};
  std::atomic<bool> exceeded{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const auto other = limits.enter(std::to_string(t) + "/" + std::to_string(i));
        const auto ticket = limits.enter("ci");
        if (!ticket) continue;
        if (++together > 3) exceeded = true;
        --together;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(limits.running(), 0U);
  EXPECT_LE(limits.known(), 8U);
}

}  // namespace
}  // namespace plumbline::server::access
