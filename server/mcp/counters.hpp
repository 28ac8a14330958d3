// How many tool calls ended how, for the operator's metrics. Bounded by what it is asked to count: names come from the
// catalogue, never from a client. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline::server::mcp {

class Counters {
 public:
  // `outcome`: as the audit names it: "ok", "error" (isError), "protocol_error", "cancelled", "refused".
  void call_ended(std::string_view tool, std::string_view outcome) {
    const std::lock_guard lock(mutex_);
    ++calls_[{std::string(tool), std::string(outcome)}];
  }
  [[nodiscard]] std::map<std::pair<std::string, std::string>, std::uint64_t> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> calls_;
};

}  // namespace plumbline::server::mcp
