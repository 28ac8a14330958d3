#include "profiles/readers/nsys/run_helper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/spawn.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kKept = 4096;
constexpr int kPollMs = 50;

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
  const base::Descriptor reading(ends[0]);
  base::Descriptor writing(ends[1]);
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
  // Its own group, so that its children end with it.
  const base::Program program{.argv = arguments, .out = writing.get(), .err = writing.get(), .own_group = true};
  pid_t child = -1;
  const int code = base::spawn(program, child);
  writing.reset();
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
