// A file descriptor that is closed when its owner goes. Not thread-safe.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace plumbline::base {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  // Gives it away: whoever takes it closes it.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  // close() with its result: network file systems report a full disk only here. 0 or an errno.
  [[nodiscard]] int close_checked() {
    const int fd = release();
    if (fd < 0) return 0;
    // Linux frees the descriptor even when close is interrupted: never repeat it.
    return ::close(fd) == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int fd_ = -1;
};

}  // namespace plumbline::base
