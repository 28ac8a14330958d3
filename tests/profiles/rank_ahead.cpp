// Captures of ranks read ahead: in order, small ones on several threads, large ones one at a time and not before their turn.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "profiles/ranks/ahead.hpp"

namespace plumbline::profiles {
namespace {

class Reading {
 public:
  core::Expected<Profile> read(std::size_t i) {
    const int now = ++at_once;
    for (int most = most_at_once; now > most && !most_at_once.compare_exchange_weak(most, now);) {
    }
    for (std::size_t turn = 0; turn < 1000 * (i % 3); ++turn) std::this_thread::yield();  // later ones are done before
    --at_once;
    if (i == failing) return core::fail(core::ErrorCode::invalid_input, "damaged");
    Profile profile;
    profile.rank = static_cast<std::int64_t>(i);
    return profile;
  }
  std::atomic<int> at_once = 0, most_at_once = 0;
  std::size_t failing = 1'000'000;
};

TEST(RanksAhead, ComeInOrder) {
  constexpr std::size_t kCount = 100;
  Reading reading;
  Ahead ahead(
      kCount, [](std::size_t i) { return i % 7 != 0; }, [&](std::size_t i) { return reading.read(i); });
  for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(ahead.next()->rank, static_cast<std::int64_t>(i));
  EXPECT_LE(reading.most_at_once, 9);
}

TEST(RanksAhead, LargeOnesAreReadOneAtATimeWhenTheirTurnComes) {
  Reading reading;
  std::size_t taken = 0, begun_early = 0;
  Ahead ahead(
      20, [](std::size_t) { return false; },
      [&](std::size_t i) {
        begun_early += i == taken ? 0 : 1;
        return reading.read(i);
      });
  for (; taken < 20; ++taken) EXPECT_TRUE(ahead.next());
  EXPECT_EQ(reading.most_at_once, 1);
  EXPECT_EQ(begun_early, 0U);
}

TEST(RanksAhead, AnErrorComesWhereItsFileIsAndNothingIsLeftRunning) {
  Reading reading;
  reading.failing = 5;
  {
    Ahead ahead(
        50, [](std::size_t) { return true; }, [&](std::size_t i) { return reading.read(i); });
    for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(ahead.next());
    EXPECT_EQ(ahead.next().error().message, "damaged");
  }
  EXPECT_EQ(reading.at_once, 0);
}

}  // namespace
}  // namespace plumbline::profiles
