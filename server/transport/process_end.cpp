#include "server/transport/process_end.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace plumbline::server::transport {
namespace {

// Written to by handlers only, which may run on any thread.
std::atomic<int> wake_fd{-1};
static_assert(std::atomic<int>::is_always_lock_free);

constexpr char kEnd = 'e';
constexpr char kParent = 'p';
constexpr char kWake = 'w';
// Whatever the process is stuck in, a full pipe or a call that does not stop, it is gone this long after the signal.
constexpr unsigned kGraceSeconds = 3;

void put(char reason) {
  const int saved = errno;
  const int fd = wake_fd.load();
  if (fd >= 0 && write(fd, &reason, 1) < 0) {
    // The pipe is full: the reader is about to wake anyway.
  }
  errno = saved;
}

void on_end(int) {
  alarm(kGraceSeconds);
  put(kEnd);
}

// PR_SET_PDEATHSIG fires when the *thread* that started us ends, which need not be the parent's end: ask() looks.
void on_parent(int) { put(kParent); }

void on_alarm(int) { _exit(0); }

}  // namespace

ProcessEnd::ProcessEnd(bool watch) : watch_(watch) {
  if (pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  if (!watch_) return;
  wake_fd = pipe_[1];
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    sigemptyset(&action.sa_mask);
    switch (kSignals[i]) {
      case SIGUSR2:
        action.sa_handler = on_parent;
        break;
      case SIGALRM:
        action.sa_handler = on_alarm;
        break;
      case SIGPIPE:
        action.sa_handler = SIG_IGN;  // a write error says it, in the place that can end cleanly
        break;
      default:
        action.sa_handler = on_end;
    }
    sigaction(kSignals[i], &action, &former_[i]);
  }
  parent_ = getppid();
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
  if (getppid() != parent_) put(kParent);  // it died in between
}

ProcessEnd::~ProcessEnd() {
  if (watch_) {
    prctl(PR_SET_PDEATHSIG, 0);
    alarm(0);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &former_[i], nullptr);
    wake_fd = -1;
  }
  close(pipe_[0]);
  close(pipe_[1]);
}

void ProcessEnd::wake() const {
  if (write(pipe_[1], &kWake, 1) < 0) {
    // Full: it will wake.
  }
}

bool ProcessEnd::ask() {
  std::array<char, 64> reasons{};
  ssize_t got = 0;
  while ((got = read(pipe_[0], reasons.data(), reasons.size())) > 0) {
    for (ssize_t i = 0; i < got; ++i) {
      if (reasons[static_cast<std::size_t>(i)] == kEnd) ended_ = true;
      if (reasons[static_cast<std::size_t>(i)] == kParent && getppid() != parent_) {
        ended_ = true;
        alarm(kGraceSeconds);
      }
    }
  }
  return ended_;
}

}  // namespace plumbline::server::transport
