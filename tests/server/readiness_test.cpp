// Looks at what may hang: shared, never on the asking thread, and given up.
#include "server/readiness.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace plumbline::server {
namespace {

TEST(RootLook, SharesOneLookAndDoesNotWaitForItHere) {
  std::latch looking(1), go_on(1), answered(3);
  std::atomic<int> looks = 0;
  Readiness readiness([&] {
    if (++looks == 1) {
      looking.count_down();
      go_on.wait();
    }
    return std::string("no root");
  });
  const auto note = [&](const std::string& problem) {
    EXPECT_EQ(problem, "no root");
    answered.count_down();
  };
  readiness.ask(note);
  looking.wait();
  readiness.ask(note);
  readiness.ask(note);
  go_on.count_down();
  answered.wait();
  EXPECT_EQ(looks, 1);
  std::latch again(1);
  readiness.ask([&](const std::string&) { again.count_down(); });
  again.wait();
  EXPECT_EQ(looks, 2);
}

}  // namespace
}  // namespace plumbline::server
