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
constexpr char kHangup = 'h';
std::atomic<unsigned> grace_seconds{3};

void put(char reason) {
  const int saved = errno;
  const int fd = wake_fd.load();
  if (fd >= 0 && write(fd, &reason, 1) < 0) {
    // The pipe is full: the reader is about to wake anyway.
  }
  errno = saved;
}

void on_end(int) {
  alarm(grace_seconds);
  put(kEnd);
}

void on_hangup(int) { put(kHangup); }

// PR_SET_PDEATHSIG fires when the *thread* that started us ends, which need not be the parent's end: ask() looks.
void on_parent(int) { put(kParent); }

void on_alarm(int) { _exit(0); }

}  // namespace

ProcessEnd::ProcessEnd(ProcessEndOptions options) : options_(std::move(options)) {
  if (pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  if (!options_.signals) return;
  wake_fd = pipe_[1];
  grace_seconds = static_cast<unsigned>(options_.grace.count());
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
      case SIGHUP:
        action.sa_handler = options_.on_hangup ? on_hangup : on_end;
        break;
      default:
        action.sa_handler = on_end;
    }
    sigaction(kSignals[i], &action, &former_[i]);
  }
  if (!options_.parent) return;
  parent_ = getppid();
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
  if (getppid() != parent_) put(kParent);  // it died in between
}

ProcessEnd::~ProcessEnd() {
  if (options_.signals) {
    if (options_.parent) prctl(PR_SET_PDEATHSIG, 0);
    alarm(0);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &former_[i], nullptr);
    wake_fd = -1;
  }
  close(pipe_[0]);
  close(pipe_[1]);
}

void ProcessEnd::end_within(std::chrono::seconds time) const {
  if (options_.signals) alarm(static_cast<unsigned>(time.count()));
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
      if (reasons[static_cast<std::size_t>(i)] == kHangup) options_.on_hangup();
      if (reasons[static_cast<std::size_t>(i)] == kParent && getppid() != parent_) {
        ended_ = true;
        alarm(grace_seconds);
      }
    }
  }
  return ended_;
}

}  // namespace plumbline::server::transport
