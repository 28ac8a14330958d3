// One budget for all that unpack at the same time: who is let go on, who waits, and who is refused because waiting would not
// help.
#include "base/memory_budget.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace plumbline::base {
namespace {

using Answer = MemoryBudget::Answer;
using Lease = MemoryBudget::Lease;

TEST(MemoryBudget, is_given_back_by_whoever_held_it) {
  MemoryBudget budget(100);
  {
    Lease first(budget);
    EXPECT_EQ(first.take(60), Answer::taken);
    EXPECT_EQ(first.take(41), Answer::too_much);
    EXPECT_EQ(first.take(40), Answer::taken);
    first.give_back(30);
    Lease moved = std::move(first);
    EXPECT_EQ(moved.bytes(), 70U);
    EXPECT_EQ(budget.held(), 70U);
    Lease other(budget);
    EXPECT_EQ(other.take(31), Answer::too_much) << "what one thread holds in two leases it need not wait for";
    moved = std::move(other);
    EXPECT_EQ(budget.held(), 0U);
  }
  EXPECT_EQ(budget.held(), 0U);
}

TEST(MemoryBudget, without_a_bound_gives_all) {
  MemoryBudget budget;
  Lease lease(budget), none;
  EXPECT_EQ(lease.take(UINT64_C(1) << 60), Answer::taken);
  EXPECT_EQ(none.take(1), Answer::taken);
  EXPECT_EQ(none.bytes(), 0U);
}

TEST(MemoryBudget, is_waited_for) {
  MemoryBudget budget(100);
  std::latch asks(1);
  Lease held(budget);
  ASSERT_EQ(held.take(80), Answer::taken);
  std::thread waiting([&] {
    Lease lease(budget);
    EXPECT_EQ(lease.take(50,
                         [&] {  // asked while it waits
                           asks.count_down();
                           return false;
                         }),
              Answer::taken);
  });
  asks.wait();
  held.give_back(80);
  waiting.join();
  EXPECT_EQ(budget.held(), 0U);
}

// Both hold some, and each wants what the other has: one of them is refused, gives back, and the other goes on.
TEST(MemoryBudget, does_not_let_all_wait_for_each_other) {
  MemoryBudget budget(100);
  std::latch both(2);
  std::atomic<int> taken = 0, busy = 0;
  const auto reader = [&] {
    Lease lease(budget);
    EXPECT_EQ(lease.take(40), Answer::taken);
    both.arrive_and_wait();
    const Answer answer = lease.take(50);
    ++(answer == Answer::taken ? taken : busy);
    EXPECT_TRUE(answer == Answer::taken || answer == Answer::busy);
  };
  std::thread one(reader), other(reader);
  one.join();
  other.join();
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(busy, 1);
  EXPECT_EQ(budget.held(), 0U);
}

TEST(MemoryBudget, is_not_waited_for_without_end) {
  MemoryBudget budget(100, std::chrono::milliseconds(1));
  Lease held(budget);
  ASSERT_EQ(held.take(80), Answer::taken);
  std::thread waiting([&] {
    Lease lease(budget);
    EXPECT_EQ(lease.take(50), Answer::busy);
  });
  waiting.join();
  std::thread stopped([&] {
    MemoryBudget patient(100);
    Lease lease(patient);
    EXPECT_EQ(lease.take(100), Answer::taken);
    std::thread other([&] {
      Lease second(patient);
      EXPECT_EQ(second.take(1, [] { return true; }), Answer::stopped);
    });
    other.join();
  });
  stopped.join();
}

TEST(MemoryBudget, is_never_exceeded) {
  MemoryBudget budget(1000);
  std::atomic<std::uint64_t> seen = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        Lease lease(budget);
        for (int step = 0; step < 4; ++step) {
          if (lease.take(static_cast<std::uint64_t>(50 + 30 * i)) != Answer::taken) break;
          const std::uint64_t now = budget.held();
          if (now > seen) seen = now;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(seen, 1000U);
  EXPECT_EQ(budget.held(), 0U);
}

}  // namespace
}  // namespace plumbline::base
