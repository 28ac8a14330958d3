// How many tool calls ended how and how long they took, for the operator's metrics. Bounded by what it is asked to count: names
// come from the catalogue, never from a client. Thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline::server::mcp {

class Counters {
 public:
  // Seconds; most calls end within milliseconds, a diff of gigabytes takes minutes.
  static constexpr std::array<double, 12> kBounds = {0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 60, 600};

  struct Durations {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // up to each bound, and beyond the last
    double sum = 0;                                          // seconds
  };

  // `outcome`: as the audit names it: "ok", "error" (isError), "protocol_error", "cancelled", "refused". The time runs from when
  // the call had come, waiting for a thread included.
  void call_ended(std::string_view tool, std::string_view outcome, std::chrono::steady_clock::duration took) {
    const double seconds = std::chrono::duration<double>(took).count();
    std::size_t bucket = 0;
    while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
    const std::lock_guard lock(mutex_);
    ++calls_[{std::string(tool), std::string(outcome)}];
    Durations& durations = durations_[std::string(tool)];
    ++durations.counts[bucket];
    durations.sum += seconds;
  }
  [[nodiscard]] std::map<std::pair<std::string, std::string>, std::uint64_t> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  [[nodiscard]] std::map<std::string, Durations> durations() const {
    const std::lock_guard lock(mutex_);
    return durations_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> calls_;
  std::map<std::string, Durations> durations_;
};

}  // namespace plumbline::server::mcp
