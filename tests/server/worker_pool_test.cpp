// Whose turn it is: clients with much to do and clients with little, on few threads.
#include "server/transport/worker_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <string>

namespace plumbline::server::transport {
namespace {

// What ran, in order, once everything was waiting.
class Turns {
 public:
  explicit Turns(std::size_t threads) : pool_(threads) {
    pool_.submit(
        [this] {
          started_.count_down();
          begin_.wait();
        },
        "first");
    started_.wait();
  }
  void ask(const std::string& owner, int calls) {
    asked_ += calls;
    for (int i = 0; i < calls; ++i) {
      pool_.submit(
          [this, owner] {
            const std::lock_guard lock(mutex_);
            ran_.push_back(owner);
            if (ran_.size() == static_cast<std::size_t>(asked_)) all_.count_down();
          },
          owner);
    }
  }
  std::vector<std::string> run() {
    begin_.count_down();
    all_.wait();
    const std::lock_guard lock(mutex_);
    return ran_;
  }

 private:
  std::latch started_{1}, begin_{1}, all_{1};
  std::mutex mutex_;
  std::vector<std::string> ran_;
  int asked_ = 0;
  WorkerPool pool_;  // ends first
};

TEST(WorkerPool, LetsClientsTakeTurns) {
  Turns turns(1);
  turns.ask("many", 256);
  turns.ask("few", 3);
  turns.ask("other", 2);
  const auto ran = turns.run();
  ASSERT_EQ(ran.size(), 261U);
  EXPECT_EQ(std::vector<std::string>(ran.begin(), ran.begin() + 9),
            (std::vector<std::string>{"many", "other", "few", "many", "other", "few", "many", "few", "many"}));
}

TEST(WorkerPool, LeavesAThreadToOthers) {
  std::latch two(2), release(1), done(3), third(1), other(1);
  WorkerPool pool(3);  // ends before what its threads touch
  const auto hold = [&] {
    two.count_down();
    release.wait();
    done.count_down();
  };
  for (int i = 0; i < 2; ++i) pool.submit(hold, "many");
  two.wait();
  pool.submit(
      [&] {
        third.count_down();
        done.count_down();
      },
      "many");
  pool.submit([&] { other.count_down(); }, "other");
  other.wait();
  EXPECT_FALSE(third.try_wait()) << "the third call of one client waits though a thread was free";
  release.count_down();
  done.wait();
  EXPECT_EQ(pool.threads(), 3U);
}

TEST(WorkerPool, WithOneThreadServesOneClientToo) {
  Turns turns(1);
  turns.ask("only", 5);
  EXPECT_EQ(turns.run(), std::vector<std::string>(5, "only"));
}

}  // namespace
}  // namespace plumbline::server::transport
