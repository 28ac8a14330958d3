#include "server/access/small_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace plumbline::server::access {
namespace {

using core::ErrorCode;

tl::unexpected<core::Error> cannot_read(const std::string& path, int error) {
  return core::fail(error == ENOENT ? ErrorCode::not_found : ErrorCode::environment,
                    fmt::format("cannot read {}: {}", path, std::generic_category().message(error)), {}, path);
}

core::Expected<std::string> read_open(int fd, const std::string& path, Privacy privacy) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return cannot_read(path, errno);
  if (!S_ISREG(info.st_mode)) return core::fail(ErrorCode::usage, path + " is not a regular file", {}, path);
  const mode_t forbidden = privacy == Privacy::secret ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH;
  if ((info.st_mode & forbidden) != 0) {
    return core::fail(ErrorCode::usage,
                      fmt::format("{} can be {} by other accounts (mode {:04o})", path,
                                  privacy == Privacy::secret ? "read or changed" : "changed", info.st_mode & 07777U),
                      fmt::format("chmod {} {}", privacy == Privacy::secret ? "600" : "go-w", path), path);
  }
  if (privacy == Privacy::own && info.st_uid != geteuid() && info.st_uid != 0) {
    return core::fail(ErrorCode::usage, fmt::format("{} belongs to another account (user {})", path, info.st_uid),
                      "make a copy of your own, after reading it", path);
  }
  std::string text(kSmallFileBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(fd, text.data() + size, text.size() - size);
    if (got == 0) break;
    if (got > 0) {
      size += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      return cannot_read(path, errno);
    }
  }
  if (size > kSmallFileBytes) {
    return core::fail(ErrorCode::limit_exceeded, fmt::format("{} has more than {} bytes", path, kSmallFileBytes), {}, path);
  }
  text.resize(size);
  return text;
}

}  // namespace

core::Expected<std::string> read_small_file(const std::string& path, Privacy privacy) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return cannot_read(path, errno);
  auto text = read_open(fd, path, privacy);
  close(fd);
  return text;
}

}  // namespace plumbline::server::access
