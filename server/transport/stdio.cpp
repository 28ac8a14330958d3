#include "server/transport/stdio.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>

#include "server/transport/transport.hpp"

namespace plumbline::server::transport {
namespace {

constexpr std::size_t kReadBytes = 64U << 10;
// A client that has just been answered often asks again at once; going to sleep and being woken costs more than looking out.
constexpr std::chrono::microseconds kAwake{100};
constexpr std::size_t kPieceBytes = 4096;  // PIPE_BUF: a pipe that polls writable takes that much at once

// Whole lines, unbuffered. The first failure is the last write: half a message must not be followed by another. Calls may
// outlive the conversation, so it can be closed.
class FdOutlet final : public mcp::Outlet {
 public:
  FdOutlet(int in, int out, const ProcessEnd& end) : in_(in), fd_(out), end_(end) {}

  void send(std::string line) override {
    const std::lock_guard lock(mutex_);
    if (!gone_ && !line.empty()) write_line(std::move(line));
  }
  void answer(std::string line, int /*status*/) override { send(std::move(line)); }
  void close() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
  }
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  void write_line(std::string line) {
    line += '\n';
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t wrote = has_room() ? write(fd_, rest.data(), std::min(rest.size(), kPieceBytes)) : -1;
      if (wrote >= 0) {
        rest.remove_prefix(static_cast<std::size_t>(wrote));
      } else if (gone_ || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) {
        gone_ = true;
        end_.wake();
        return;
      }
    }
  }

  // Waits until a piece can be written without blocking. A client may take its time, but one that has ended its side of the
  // conversation and takes nothing more will never read.
  bool has_room() {
    constexpr int kPatienceMs = 2000;
    while (true) {
      std::array<pollfd, 2> ready{pollfd{fd_, POLLOUT, 0}, pollfd{in_, 0, 0}};
      const int seen = poll(ready.data(), ready.size(), -1);
      if (ready[0].revents != 0 || (seen < 0 && errno != EINTR)) return true;
      if (seen <= 0 || ready[1].revents == 0) continue;
      const int later = poll(ready.data(), 1, kPatienceMs);
      if (later > 0) return true;
      if (later == 0) {
        gone_ = true;
        return false;
      }
    }
  }

  std::mutex mutex_;
  int in_, fd_;
  const ProcessEnd& end_;
  std::atomic<bool> gone_ = false;
};

enum class Ended { input, stopped };

Ended read_lines(int fd, LineSplitter& splitter, const FdOutlet& writer, ProcessEnd& end) {
  const auto chunk = std::make_unique_for_overwrite<char[]>(kReadBytes);  // pages nobody wrote to cost nothing
  auto busy_until = std::chrono::steady_clock::now();
  while (true) {
    std::array<pollfd, 2> ready{pollfd{fd, POLLIN, 0}, pollfd{end.fd(), POLLIN, 0}};
    const bool busy = std::chrono::steady_clock::now() < busy_until;
    const int seen = poll(ready.data(), ready.size(), busy ? 0 : -1);
    if (seen < 0 && errno != EINTR) return Ended::input;
    if (writer.gone() || (ready[1].revents != 0 && end.ask())) return Ended::stopped;
    if (seen <= 0 || ready[0].revents == 0) continue;
    const ssize_t got = read(fd, chunk.get(), kReadBytes);
    if (got > 0) {
      splitter.feed({chunk.get(), static_cast<std::size_t>(got)});
      busy_until = std::chrono::steady_clock::now() + kAwake;
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) {
      splitter.finish();
      return Ended::input;
    }
  }
}

// Calls under way may still be answered, for as long as somebody is there to read.
void drain(mcp::Session& session, const FdOutlet& writer, ProcessEnd& end, std::chrono::milliseconds at_most) {
  constexpr std::chrono::milliseconds kStep{20};  // how late a signal or a closed output is noticed meanwhile
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (!session.wait_idle(kStep)) {
    if (end.ask() || writer.gone() || std::chrono::steady_clock::now() >= until) return;
  }
}

}  // namespace

void serve_lines(mcp::Host& host, ProcessEnd& end, const StdioOptions& options) {
  const auto outlet = std::make_shared<FdOutlet>(options.in, options.out, end);
  mcp::Session session(host, options.session);
  session.attach(outlet);
  const jsonrpc::Bounds& bounds = options.session.bounds;
  LineSplitter splitter(bounds.line_bytes, {[&](std::string_view line) { session.handle(jsonrpc::read(line, bounds), outlet); },
                                            [&](std::size_t bound) { session.handle(jsonrpc::oversized(bound), outlet); }});
  const Ended ended = read_lines(options.in, splitter, *outlet, end);
  session.close_subscriptions();
  end.end_within(std::chrono::ceil<std::chrono::seconds>(options.drain + options.stop) + std::chrono::seconds(3));
  if (ended == Ended::input) drain(session, *outlet, end, options.drain);
  session.cancel_all();
  if (!session.wait_idle(options.stop) && options.own_process) _exit(0);
  outlet->close();
}

}  // namespace plumbline::server::transport
