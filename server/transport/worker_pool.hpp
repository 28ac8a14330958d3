// A few threads that run tool calls, started when the first one is needed, so that an idle server has only its reader.
// submit() from any thread. stop() drops what has not begun and waits for what has.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
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
  void submit(std::function<void()> task) override;
  void stop() override;
  [[nodiscard]] std::size_t threads() const;

 private:
  void work();

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace plumbline::server::transport
