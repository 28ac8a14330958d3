// What an operator learns of one upload: a line of the audit, and counters. While it runs it takes one of its client's places, as
// a tool call does. Told at its answer, or when its client leaves without one. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "server/access/limits.hpp"
#include "server/mcp/host.hpp"
#include "server/transport/http/exchange.hpp"
#include "server/transport/http/metrics.hpp"
#include "server/transport/http/uploads.hpp"

namespace plumbline::server::transport::http {

class UploadWatch {
 public:
  // The host and the metrics outlive it.
  UploadWatch(mcp::Host& host, Metrics& metrics, const Request& head, access::Principal who);
  ~UploadWatch();
  UploadWatch(const UploadWatch&) = delete;
  UploadWatch& operator=(const UploadWatch&) = delete;

  // Takes the place; the answer of whoever gets none.
  [[nodiscard]] std::optional<Refusal> enter();
  void came(std::uint64_t bytes) { bytes_ += bytes; }
  void answered(int status);

 private:
  void tell(access::Outcome outcome, const std::string& code);

  mcp::Host& host_;
  Metrics& metrics_;
  const access::Principal who_;
  const std::string peer_, method_, target_;
  const std::chrono::steady_clock::time_point began_;
  access::Limits::Ticket ticket_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<bool> told_ = false;
};

// The exchange and the sink with the watch beside them.
[[nodiscard]] std::shared_ptr<Exchange> watched(std::shared_ptr<Exchange> exchange, std::shared_ptr<UploadWatch> watch);
[[nodiscard]] std::unique_ptr<BodySink> watched(std::unique_ptr<BodySink> sink, std::shared_ptr<UploadWatch> watch);

}  // namespace plumbline::server::transport::http
