// What an operator may want to know of a running server, as counters, gauges and histograms on a page that a scraper reads.
// Labels come from closed sets, so that no client can make the page grow. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/mcp/counters.hpp"
#include "server/transport/http/exposition.hpp"

namespace plumbline::server::transport::http {

// Another figure on the page.
struct Reading {
  std::string_view name, help;  // "plumbline_connections"; a counter's ends in _total
  std::uint64_t value = 0;
  std::string_view unit = {};  // "bytes", as in the name
};

class Metrics {
 public:
  explicit Metrics(std::chrono::steady_clock::time_point started) : started_(started) {}

  // One request answered, whoever answered it. A method that is none of HTTP's usual ones counts as "other".
  void answered(std::string_view method, int status);

  // `outcome` as the audit names it; `bytes` of its body that came.
  void upload_ended(std::string_view outcome, std::uint64_t bytes);

  std::atomic<std::uint64_t> sessions_opened = 0, sessions_expired = 0;
  std::atomic<std::uint64_t> dropped = 0;  // messages that no stream could take
  std::atomic<std::int64_t> streams = 0;   // event streams that are open now

  // The page. `sessions`: open now; `calls` may be null.
  [[nodiscard]] std::string text(Exposition form, std::string_view version, std::chrono::steady_clock::time_point now,
                                 std::size_t sessions, const mcp::Counters* calls, const std::vector<Reading>& readings) const;

 private:
  const std::chrono::steady_clock::time_point started_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string_view, int>, std::uint64_t> answers_;
  std::map<std::string, std::uint64_t> uploads_;  // by outcome
  std::uint64_t uploaded_ = 0;                    // bytes
};

}  // namespace plumbline::server::transport::http
