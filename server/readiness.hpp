// Whether this server should be sent work: looked at when somebody asks, on a thread of its own, since a file system that hangs
// must neither hold up the network's thread nor wait behind calls. Many who ask at once share one look. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server/transport/worker_pool.hpp"

namespace plumbline::server {

class Readiness {
 public:
  using Answer = std::function<void(std::string problem)>;  // "": it is ready

  // `look`: what is wrong, or "". It may block.
  explicit Readiness(std::function<std::string()> look) : look_(std::move(look)) {}
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;
  ~Readiness();

  // `answer` is called once, on this thread or another one.
  void ask(Answer answer);

 private:
  void look();

  const std::function<std::string()> look_;
  std::mutex mutex_;
  std::vector<Answer> asking_;
  bool looking_ = false;
  std::chrono::steady_clock::time_point since_;
  transport::WorkerPool thread_{1};  // ends first
};

}  // namespace plumbline::server
