#include "server/line_file.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

namespace plumbline::server {

std::size_t write_line(int fd, std::string_view line) {
  // Between poll and write no other thread may take the room that poll has found. A pipe that is ready has room for a line.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  pollfd ready{fd, POLLOUT, 0};
  if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return 0;
  ssize_t written = -1;
  do {
    written = write(fd, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  return written < 0 ? 0 : static_cast<std::size_t>(written);
}

}  // namespace plumbline::server
