// Runs a command once and measures it: wall, processor time, peak memory, how it ended, what it printed. For trials of a
// benchmark: what the command leaves behind is ended and named, output is bounded, time is bounded, and a request to stop is
// heard at once. One call at a time in a process: orphans of the command become this process's children while it runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace plumbline::machine {

struct Command {
  std::vector<std::string> argv;             // the first is a path
  std::vector<std::string> environment;      // "NAME=value", added to this process's own
  std::string folder;                        // where it runs; "" = here
  double timeout_s = 0;                      // 0: none
  std::uint64_t output_bytes = 64ULL << 20;  // of standard output; more ends the command
};

// A text for `sh -c`, or its words where the shell would do nothing with it but split it: then no shell is started, whose start
// would be measured too.
[[nodiscard]] core::Expected<std::vector<std::string>> argv_of(std::string_view text);

enum class Ended : std::uint8_t { exited, signalled, timed_out, too_much_output, stopped };

struct CommandRun {
  Ended ended = Ended::exited;
  int status = 0;  // exit status, or the signal's number
  std::int64_t wall_ns = 0, user_ns = 0, system_ns = 0;
  // Of its largest process. A process is born with the peak of the one that starts it, so no less than `own_peak_bytes` can be
  // seen: a figure that small says nothing.
  std::int64_t peak_bytes = 0, own_peak_bytes = 0;
  std::uint64_t waited = 0, preempted = 0, major_faults = 0;  // voluntary and involuntary context switches
  std::string output;                                         // standard output, at most output_bytes
  std::string error_tail;                                     // the last 4 KiB of standard error
  std::vector<std::string> left_running;                      // names of processes that it left, which were ended
  [[nodiscard]] bool ok() const { return ended == Ended::exited && status == 0; }
};

// Errors (missing_helper, environment) where it cannot be started at all. `look` is called some four times a second while it
// runs.
[[nodiscard]] core::Expected<CommandRun> run_command(const Command& command, const std::atomic<bool>* stop,
                                                     const std::function<void()>& look = {});

// "exited with 3", "was ended by SIGSEGV", "ran longer than 30 s and was ended", …
[[nodiscard]] std::string ending_text(const CommandRun& run, const Command& command);

}  // namespace plumbline::machine
