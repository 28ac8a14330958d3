#include "profiles/readers/nsys/run_helper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

extern char** environ;

namespace plumbline::profiles {
namespace {

constexpr std::size_t kKept = 4096;
constexpr int kPollMs = 50;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

core::Error spawn_error(const std::string& program, int code) {
  const bool absent = code == ENOENT || code == EACCES || code == ENOEXEC;
  return {absent ? core::ErrorCode::missing_helper : core::ErrorCode::environment,
          "the helper program cannot be started: " + std::system_category().message(code),
          {},
          program};
}

}  // namespace

core::Expected<HelperResult> run_helper(const std::vector<std::string>& arguments, std::uint32_t timeout_s,
                                        const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return core::fail(spawn_error(arguments.front(), errno));
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Its own group, so that its children end with it; signals that a server blocks or ignores are its own again.
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int code = ::posix_spawn(&child, arguments.front().c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  writing.close();
  if (code != 0) return core::fail(spawn_error(arguments.front(), code));

  HelperResult result;
  const auto deadline = Clock::now() + std::chrono::seconds(timeout_s);
  bool open = true;
  bool killed = false;
  for (;;) {
    if (open) {
      pollfd waiting{reading.get(), POLLIN, 0};
      ::poll(&waiting, 1, kPollMs);
      std::array<char, 4096> buffer{};
      for (;;) {
        const ssize_t got = ::read(reading.get(), buffer.data(), buffer.size());
        if (got > 0) {
          result.output.append(buffer.data(), static_cast<std::size_t>(got));
          if (result.output.size() > 2 * kKept) result.output.erase(0, result.output.size() - kKept);
          continue;
        }
        open = !(got == 0 || (errno != EAGAIN && errno != EINTR));
        break;
      }
    } else {
      ::poll(nullptr, 0, kPollMs);
    }
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) {
      result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      break;
    }
    if (ended < 0 && errno != EINTR) {
      result.status = 127;
      break;
    }
    if (killed) continue;
    result.timed_out = Clock::now() >= deadline;
    result.stopped = stop && stop();
    if (result.timed_out || result.stopped) {
      ::kill(-child, SIGKILL);
      killed = true;
    }
  }
  // What was written just before the end.
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; open && (got = ::read(reading.get(), buffer.data(), buffer.size())) > 0;)
    result.output.append(buffer.data(), static_cast<std::size_t>(got));
  if (result.output.size() > kKept) result.output.erase(0, result.output.size() - kKept);
  return result;
}

}  // namespace plumbline::profiles
