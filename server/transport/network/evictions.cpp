#include "server/transport/network/evictions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/text.hpp"

namespace plumbline::server::transport::network {
namespace {

std::string seconds_of(std::chrono::steady_clock::duration time) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(time).count());
}

}  // namespace

void Evictions::note(std::chrono::steady_clock::duration idle_for, const std::string& why) {
  longest_ = count_ == 0 ? idle_for : std::max(longest_, idle_for);
  shortest_ = count_ == 0 ? idle_for : std::min(shortest_, idle_for);
  why_ = why;
  ++count_;
  if (!quiet_) tell();
}

void Evictions::tell() {
  const std::size_t count = std::exchange(count_, 0);
  quiet_ = count > 0;
  if (!quiet_) return;
  const std::string idle = count == 1 ? seconds_of(longest_) : seconds_of(shortest_) + " to " + seconds_of(longest_);
  if (tell_) {
    tell_(fmt::format("{} closed to let others in, idle for {} ({})", core::counted(count, "connection was", "connections were"),
                      idle, why_));
  }
  timer_.start(between_, [this] { tell(); });
}

void Evictions::end() {
  timer_.cancel();
  tell();
  timer_.cancel();
  tell_ = nullptr;
}

}  // namespace plumbline::server::transport::network
