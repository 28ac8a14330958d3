#include "server/transport/stdio.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "server/transport/process_end.hpp"
#include "server/transport/worker_pool.hpp"

namespace plumbline::server::transport {
namespace {

constexpr std::size_t kReadBytes = 64U << 10;

// Whole lines, unbuffered. The first failure is the last write: half a message must not be followed by another.
class FdWriter final : public LineWriter {
 public:
  FdWriter(int fd, const ProcessEnd& end) : fd_(fd), end_(end) {}

  bool write_line(std::string_view line) override {
    if (gone_) return false;
    char newline = '\n';
    std::array<iovec, 2> parts{iovec{const_cast<char*>(line.data()), line.size()}, iovec{&newline, 1}};
    std::size_t first = 0;
    while (first < parts.size()) {
      const ssize_t wrote = writev(fd_, &parts[first], static_cast<int>(parts.size() - first));
      if (wrote < 0) {
        if (errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {  // somebody who shares the descriptor made it non-blocking
          pollfd ready{fd_, POLLOUT, 0};
          poll(&ready, 1, -1);
          continue;
        }
        gone_ = true;
        end_.wake();
        return false;
      }
      auto left = static_cast<std::size_t>(wrote);
      while (first < parts.size() && left >= parts[first].iov_len) left -= parts[first++].iov_len;
      if (first < parts.size()) {
        parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + left;
        parts[first].iov_len -= left;
      }
    }
    return true;
  }

  [[nodiscard]] bool gone() const { return gone_; }

 private:
  int fd_;
  const ProcessEnd& end_;
  std::atomic<bool> gone_ = false;
};

enum class Ended { input, stopped };

Ended read_lines(int fd, LineSplitter& splitter, const FdWriter& writer, ProcessEnd& end) {
  std::string chunk(kReadBytes, '\0');
  while (true) {
    std::array<pollfd, 2> ready{pollfd{fd, POLLIN, 0}, pollfd{end.fd(), POLLIN, 0}};
    if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return Ended::input;
    if (end.ask() || writer.gone()) return Ended::stopped;
    if (ready[0].revents == 0) continue;
    const ssize_t got = read(fd, chunk.data(), chunk.size());
    if (got > 0) {
      splitter.feed({chunk.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) {
      splitter.finish();
      return Ended::input;
    }
  }
}

// Calls under way may still be answered, for as long as somebody is there to read.
void drain(mcp::Session& session, const FdWriter& writer, ProcessEnd& end, std::chrono::milliseconds at_most) {
  constexpr std::chrono::milliseconds kStep{20};  // how late a signal or a closed output is noticed meanwhile
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (!session.wait_idle(kStep)) {
    if (end.ask() || writer.gone() || std::chrono::steady_clock::now() >= until) return;
  }
}

}  // namespace

int serve_lines(const mcp::Server& server, const StdioOptions& options) {
  ProcessEnd end(options.own_process);
  FdWriter writer(options.out, end);
  WorkerPool pool(options.threads);
  mcp::Session session(server, writer, pool, options.session);
  LineSplitter splitter(options.session.bounds.line_bytes, {[&session](std::string_view line) { session.on_line(line); },
                                                            [&session](std::size_t bound) { session.on_oversized_line(bound); }});
  if (read_lines(options.in, splitter, writer, end) == Ended::input) drain(session, writer, end, options.drain);
  session.cancel_all();
  if (!session.wait_idle(options.stop) && options.own_process) _exit(0);
  return 0;
}

}  // namespace plumbline::server::transport
