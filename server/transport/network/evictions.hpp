// Tells the operator that idle connections were closed to let others in: the first at once, and those of the next seconds in
// one line together, so that a flood of connections is no flood of lines. Belongs to the reactor's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "server/transport/network/reactor.hpp"

namespace plumbline::server::transport::network {

class Evictions {
 public:
  using Tell = std::function<void(const std::string& line)>;

  // `tell` may be empty.
  Evictions(Reactor& reactor, std::chrono::milliseconds between, Tell tell)
      : timer_(reactor), between_(between), tell_(std::move(tell)) {}

  // `why`: which bound was reached.
  void note(std::chrono::steady_clock::duration idle_for, const std::string& why);
  // Tells what has not been told yet, and nothing after that.
  void end();

 private:
  void tell();

  Timer timer_;
  const std::chrono::milliseconds between_;
  Tell tell_;
  std::size_t count_ = 0;
  std::chrono::steady_clock::duration longest_{0}, shortest_{0};
  std::string why_;
  bool quiet_ = false;  // a line was written a moment ago
};

}  // namespace plumbline::server::transport::network
