// What a server process is told that does not come through its input: SIGTERM, SIGINT, SIGHUP, and the death of the parent
// (a wrapper may hold our stdin open for ever; servers nobody talks to any more are the commonest complaint about stdio).
// Wakes a poll() through a pipe. At most one object at a time; it restores the former handlers when destroyed.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>

namespace plumbline::server::transport {

struct ProcessEndOptions {
  bool signals = true;              // false: only a pipe that wake() writes to
  bool parent = true;               // the parent's death is an end
  std::function<void()> on_hangup;  // SIGHUP: called by ask(); empty = it is an end
  std::chrono::seconds grace{3};    // after a signal the process is gone this much later, whatever it is stuck in
};

class ProcessEnd {
 public:
  explicit ProcessEnd(ProcessEndOptions options);
  ProcessEnd(const ProcessEnd&) = delete;
  ProcessEnd& operator=(const ProcessEnd&) = delete;
  ~ProcessEnd();

  [[nodiscard]] int fd() const { return pipe_[0]; }  // readable when there is something to ask()
  void wake() const;                                 // from any thread
  // Whatever still goes on, the process is gone this much later (only with `signals`). The object's end lifts it.
  void end_within(std::chrono::seconds time) const;
  // Drains the pipe. True when the process is to end (a signal, or the parent is gone).
  [[nodiscard]] bool ask();

 private:
  static constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP, SIGUSR2, SIGALRM, SIGPIPE};

  ProcessEndOptions options_;
  bool ended_ = false;
  pid_t parent_ = 0;
  std::array<int, 2> pipe_{-1, -1};
  std::array<struct sigaction, kSignals.size()> former_{};
};

}  // namespace plumbline::server::transport
