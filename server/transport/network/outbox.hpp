// What waits to be sent on one connection: filled by any thread, emptied by the reactor's. Answers are always taken, for they are
// owed; what may be left out is refused once more than the high-water mark waits. Whoever fills it may outlive the connection.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::server::transport::network {

class Outbox {
 public:
  // `wake` is called under the lock when there is something to take, once until it has been taken; it must not call back.
  Outbox(std::size_t high_water, std::function<void()> wake) : high_water_(high_water), wake_(std::move(wake)) {}

  // False when the bytes were not taken: the connection is closed, or `optional` ones found too much waiting.
  bool put(std::string bytes, bool optional = false);
  [[nodiscard]] bool above_mark() const;
  [[nodiscard]] bool empty() const;  // all that was put has been sent
  // Runs `what` under the lock, unless the connection is closed: what must not happen after its end.
  void while_open(const std::function<void()>& what);

  // For the connection. What is taken counts as waiting until it has been sent.
  [[nodiscard]] std::vector<std::string> take();
  void sent(std::size_t bytes);
  // Nothing is taken any more and nobody is woken.
  void close();

 private:
  const std::size_t high_water_;
  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::vector<std::string> waiting_;
  std::size_t bytes_ = 0;
  bool open_ = true;
};

}  // namespace plumbline::server::transport::network
