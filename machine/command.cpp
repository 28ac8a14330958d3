#include "machine/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/characters.hpp"
#include "base/descriptor.hpp"
#include "base/spawn.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

extern char** environ;

namespace plumbline::machine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kErrorTail = 4096;
constexpr auto kGrace = std::chrono::milliseconds(500);  // between SIGTERM and SIGKILL
constexpr auto kBetweenLooks = std::chrono::milliseconds(250);
constexpr int kLookMs = 50;  // how late a request to stop is heard

std::int64_t nanoseconds(const timeval& time) { return (std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000; }

std::string name_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return name.empty() ? "a process" : name;
}

// The children of this process, orphans of the command among them.
std::vector<pid_t> children() {
  std::vector<pid_t> out;
  std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (pid_t child = 0; file >> child;) out.push_back(child);
  return out;
}

// Orphans come to this process instead of to init, so that none can hide.
class Adoption {
 public:
  Adoption() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
  ~Adoption() { ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); }
};

// One end of a pipe whose writer is the command.
class Stream {
 public:
  static core::Expected<Stream> make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      return core::fail(core::ErrorCode::environment, "no pipe: " + std::system_category().message(errno));
    Stream out;
    out.reading_.reset(ends[0]);
    out.writing_.reset(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return out;
  }
  [[nodiscard]] int writing() const { return writing_.get(); }
  void close_writing() { writing_.reset(); }
  [[nodiscard]] int reading() const { return reading_.get(); }
  // What is there now.
  template <class Take>
  void drain(Take take) {
    std::array<char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    while (reading_.valid()) {
      const ssize_t got = ::read(reading_.get(), buffer.data(), buffer.size());
      if (got > 0) {
        take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
      } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        reading_.reset();
      } else if (errno == EAGAIN) {
        return;
      }
    }
  }

 private:
  base::Descriptor reading_, writing_;
};

class Trial {
 public:
  Trial(const Command& command, const std::atomic<bool>* stop, const std::function<void()>& look)
      : command_(command), stop_(stop), look_(look) {}

  core::Expected<CommandRun> run() {
    auto out = Stream::make();
    if (!out) return core::fail(out.error());
    auto err = Stream::make();
    if (!err) return core::fail(err.error());
    out_ = std::move(*out);
    err_ = std::move(*err);
    if (auto ok = start(); !ok) return core::fail(ok.error());
    watch();
    end_what_is_left();
    drain();
    return std::move(result_);
  }

 private:
  core::Status start() {
    std::vector<std::string> environment;
    for (char** one = environ; *one != nullptr; ++one) environment.emplace_back(*one);
    environment.insert(environment.end(), command_.environment.begin(), command_.environment.end());
    began_ = Clock::now();
    next_look_ = began_ + kBetweenLooks / 5;
    const int code = base::spawn({.argv = command_.argv,
                                  .environment = &environment,
                                  .folder = command_.folder,
                                  .in = -1,
                                  .out = out_.writing(),
                                  .err = err_.writing(),
                                  .own_group = true,
                                  .ends_with_us = true},
                                 child_);
    out_.close_writing();
    err_.close_writing();
    if (code == 0) return {};
    const bool absent = code == ENOENT || code == EACCES || code == ENOEXEC;
    return core::fail(absent ? core::ErrorCode::missing_helper : core::ErrorCode::environment,
                      core::cited(command_.argv.front()) + " cannot be started: " + std::system_category().message(code),
                      absent ? "check the command's name; it is run as given, `sh -c '…'` runs a line of shell" : "");
  }

  void watch() {
    const base::Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child_, 0)));
    for (;;) {
      const bool full = result_.output.size() > command_.output_bytes;
      std::array<pollfd, 3> waiting{{{out_.reading(), POLLIN, 0}, {err_.reading(), POLLIN, 0}, {handle.get(), POLLIN, 0}}};
      ::poll(waiting.data(), waiting.size(), handle.valid() ? until_next() : 1);
      drain();
      if (ended()) return;
      if (look_ && Clock::now() >= next_look_) {
        next_look_ = Clock::now() + kBetweenLooks;
        look_();
      }
      if (full) end_it(Ended::too_much_output);
      if (is_late()) end_it(Ended::timed_out);
      if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) end_it(Ended::stopped);
    }
  }

  [[nodiscard]] bool is_late() const {
    return command_.timeout_s > 0 && Clock::now() - began_ >= std::chrono::duration<double>(command_.timeout_s);
  }
  // Milliseconds until something must be looked at though nothing happened.
  [[nodiscard]] int until_next() const {
    if (command_.timeout_s <= 0) return kLookMs;
    const std::chrono::duration<double, std::milli> left =
        std::chrono::duration<double>(command_.timeout_s) - (Clock::now() - began_);
    return std::clamp(static_cast<int>(left.count()) + 1, 1, kLookMs);
  }

  bool ended() {
    int status = 0;
    rusage used{};
    const pid_t got = ::wait4(child_, &status, WNOHANG, &used);
    if (got == 0 || (got < 0 && errno == EINTR)) return false;
    result_.wall_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began_).count();
    result_.user_ns = nanoseconds(used.ru_utime);
    result_.system_ns = nanoseconds(used.ru_stime);
    result_.peak_bytes = std::int64_t{used.ru_maxrss} * 1024;
    rusage own{};
    ::getrusage(RUSAGE_SELF, &own);
    result_.own_peak_bytes = std::int64_t{own.ru_maxrss} * 1024;
    result_.waited = static_cast<std::uint64_t>(used.ru_nvcsw);
    result_.preempted = static_cast<std::uint64_t>(used.ru_nivcsw);
    result_.major_faults = static_cast<std::uint64_t>(used.ru_majflt);
    if (asked_) return true;
    result_.ended = WIFSIGNALED(status) ? Ended::signalled : Ended::exited;
    result_.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return true;
  }

  // First politely: a benchmark may have to put clocks or files back.
  void end_it(Ended why) {
    if (!asked_) {
      asked_ = true;
      asked_at_ = Clock::now();
      result_.ended = why;
      ::kill(-child_, SIGTERM);
      ::kill(-child_, SIGCONT);
    } else if (Clock::now() - asked_at_ >= kGrace) {
      ::kill(-child_, SIGKILL);
    }
  }

  // Its group, and whoever left the group but not the family.
  void end_what_is_left() {
    if (::kill(-child_, 0) == 0) note_group();
    ::kill(-child_, SIGKILL);
    for (int round = 0; round < 100; ++round) {  // those that are ended may leave children of their own
      const std::vector<pid_t> orphans = children();
      if (orphans.empty()) return;
      for (const pid_t orphan : orphans) {
        int status = 0;
        if (::waitpid(orphan, &status, WNOHANG) == orphan) continue;  // ended by itself
        note(orphan);
        ::kill(orphan, SIGKILL);
        ::waitpid(orphan, &status, 0);
      }
    }
  }
  void note_group() {
    for (const pid_t orphan : children()) {
      if (::getpgid(orphan) == child_) note(orphan);
    }
  }
  void note(pid_t process) {
    constexpr std::size_t kNamed = 8;
    if (asked_ || result_.left_running.size() >= kNamed) return;  // who was told to stop leaves nothing behind on purpose
    char state = 0;
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    if (const auto at = text.rfind(") "); at != std::string::npos && at + 2 < text.size()) state = text[at + 2];
    if (state == 'Z' || state == 0) return;  // it has ended and only waits to be counted
    std::string name = name_of(process);
    if (std::find(result_.left_running.begin(), result_.left_running.end(), name) == result_.left_running.end())
      result_.left_running.push_back(std::move(name));
  }

  void drain() {
    out_.drain([&](std::string_view text) {
      const std::uint64_t room =
          command_.output_bytes + 1 - std::min<std::uint64_t>(command_.output_bytes + 1, result_.output.size());
      result_.output.append(text.substr(0, room));
    });
    err_.drain([&](std::string_view text) {
      result_.error_tail.append(text);
      if (result_.error_tail.size() > 2 * kErrorTail) result_.error_tail.erase(0, result_.error_tail.size() - kErrorTail);
    });
    if (result_.error_tail.size() > kErrorTail) result_.error_tail.erase(0, result_.error_tail.size() - kErrorTail);
  }

  const Command& command_;
  const std::atomic<bool>* stop_;
  const std::function<void()>& look_;
  Adoption adoption_;
  Stream out_, err_;
  pid_t child_ = -1;
  Clock::time_point began_, asked_at_, next_look_;
  bool asked_ = false;
  CommandRun result_;
};

// What the shell would act on. `~` and globs count, too.
bool needs_shell(std::string_view text) {
  return text.find_first_of("|&;<>()$`*?[]#~{}!\n") != std::string_view::npos || text.starts_with('=');
}

}  // namespace

core::Expected<std::vector<std::string>> argv_of(std::string_view text) {
  const std::vector<std::string> shell{"/bin/sh", "-c", std::string(text)};
  if (needs_shell(text)) return shell;
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\'' ? c == '\'' : quote == '"' && c == '"') {
      quote = 0;
    } else if (quote != '\'' && c == '\\') {
      return shell;  // rare, and its rules within double quotes are the shell's
    } else if (quote != 0) {
      word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0)
    return core::fail(core::ErrorCode::usage, "a quote is not closed in " + core::cited(text),
                      "close it, or write \\" + std::string(1, quote));
  if (in_word) words.push_back(std::move(word));
  if (words.empty()) return core::fail(core::ErrorCode::usage, "the command is empty", "name a program and its arguments");
  // VAR=value before the program is the shell's.
  if (words.front().find('=') != std::string::npos) return shell;
  return words;
}

core::Expected<CommandRun> run_command(const Command& command, const std::atomic<bool>* stop, const std::function<void()>& look) {
  return Trial(command, stop, look).run();
}

std::string ending_text(const CommandRun& run, const Command& command) {
  switch (run.ended) {
    case Ended::exited:
      return "exited with " + std::to_string(run.status);
    case Ended::signalled: {
      const char* name = ::sigabbrev_np(run.status);
      return "was ended by " + (name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(run.status));
    }
    case Ended::timed_out:
      return "ran longer than " + core::short_number(command.timeout_s, 3) + " s and was ended";
    case Ended::too_much_output:
      return "printed more than " + core::short_number(static_cast<double>(command.output_bytes) / (1 << 20), 3) +
             " MiB and was ended";
    case Ended::stopped:
      return "was stopped on request";
  }
  return {};
}

}  // namespace plumbline::machine
