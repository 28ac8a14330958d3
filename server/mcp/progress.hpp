// Progress of one call on its way to the client: only what grows, and not more often than a client can use. The first ten
// go at once, afterwards ten a second (a bucket that refills), and the last step (progress = total) always. The clock is
// handed in. Used by the one thread that runs the call.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace plumbline::server::mcp {

using Clock = std::function<std::chrono::steady_clock::time_point()>;

class ProgressGate {
 public:
  explicit ProgressGate(Clock clock) : clock_(std::move(clock)), last_(clock_()) {}
  // True when this step is to be sent; it then counts as sent.
  [[nodiscard]] bool admit(double progress, double total);

 private:
  Clock clock_;
  std::chrono::steady_clock::time_point last_;
  double tokens_ = 10;
  bool any_ = false;
  double highest_ = 0;
};

// params of notifications/progress. `token` is a JSON text; a total that is no positive number is left out.
[[nodiscard]] std::string progress_params(std::string_view token, double progress, double total, std::string_view message);

}  // namespace plumbline::server::mcp
