// A few threads that run tool calls, started when the first one is needed, so that an idle server has only its reader.
// Owners take turns, and none of them has all threads, so that one client's long calls never hold up
// another's short one. submit() from any thread. stop() drops what has not begun and waits for what has.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/transport/transport.hpp"

namespace plumbline::server::transport {

class WorkerPool final : public Executor {
 public:
  explicit WorkerPool(std::size_t threads = 4) : limit_(threads) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool() override { stop(); }
  void submit(std::function<void()> task, std::string_view owner = {}) override;
  void stop() override;
  [[nodiscard]] std::size_t threads() const;

 private:
  void work();

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  struct Owner {
    std::deque<std::function<void()>> tasks;
    std::size_t running = 0;
  };
  using Owners = std::map<std::string, Owner, std::less<>>;
  [[nodiscard]] Owners::iterator next();  // whose turn it is

  Owners owners_;            // those that run or wait
  std::string last_;         // who had the last turn
  std::size_t waiting_ = 0;  // tasks
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace plumbline::server::transport
