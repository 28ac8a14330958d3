// Who called what and how it ended: one JSON object a line, to standard error or to a file (--audit-log). Of the arguments only
// a digest is kept. Lines are ASCII (everything else is escaped), at most 4096 bytes, and each is one write(2) that never waits;
// a line that cannot be written is counted and lost, the call it tells of goes on. Thread-safe.
//
//   {"time":"2026-11-20T12:00:00.000Z","who":"ci","how":"token","peer":"10.0.0.7:4711","tool":"perf_baseline_diff",
//    "arguments_sha256":"…","outcome":"error","code":"not_found","duration_ms":12.3,"bytes":512}
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "server/access/principal.hpp"

namespace plumbline::server::access {

enum class Outcome : std::uint8_t {
  ok,
  error,           // the tool said so (isError)
  protocol_error,  // answered by a JSON-RPC error
  cancelled,
  refused  // not let in: permission, rate, number of calls
};

[[nodiscard]] std::string_view to_string(Outcome outcome);

struct AuditedCall {
  std::chrono::system_clock::time_point at;  // when it ended
  Principal who;
  std::string_view peer;       // "10.0.0.7:4711"; "" = there is no address
  std::string_view tool;       // or the method
  std::string_view arguments;  // as received; only their digest is written
  Outcome outcome = Outcome::ok;
  std::string_view code;  // what failed: "not_found", "-32602"; "" = nothing
  std::chrono::microseconds duration{0};
  std::uint64_t bytes = 0;  // of the answer
};

// The line, with its newline.
[[nodiscard]] std::string audit_line(const AuditedCall& call);

class Audit {
 public:
  explicit Audit(int fd = 2) : fd_(fd) {}  // does not own it
  // Appends to `path`; a new file is 0600.
  [[nodiscard]] static core::Expected<std::unique_ptr<Audit>> open(std::string path);
  ~Audit();
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;

  void write(const AuditedCall& call) noexcept;
  // After the file was moved away: goes on in a new one of the same name. When that fails the old one stays in use.
  [[nodiscard]] core::Status reopen();
  [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  Audit(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  const std::string path_;  // "" = a descriptor that is not ours
  std::mutex mutex_;        // guards fd_, torn_
  int fd_;
  bool torn_ = false;  // the last line lacks its end
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace plumbline::server::access
