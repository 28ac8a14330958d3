#include "server/service_manager.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <ctime>

#include "base/descriptor.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::server {
namespace {

constexpr int kFirst = 3;  // the descriptors follow standard error
constexpr int kMost = 64;

std::string taken(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  unsetenv(name);
  return text;
}

}  // namespace

core::Expected<std::vector<PassedSocket>> passed_sockets() {
  const std::string pid = taken("LISTEN_PID"), count = taken("LISTEN_FDS"), names = taken("LISTEN_FDNAMES");
  std::vector<PassedSocket> sockets;
  if (count.empty() || core::parse_int(pid) != getpid()) return sockets;
  const auto there = core::parse_int(count);
  if (!there || *there < 0 || *there > kMost) {
    return core::fail(core::ErrorCode::usage,
                      fmt::format("LISTEN_FDS is no number of sockets from 0 to {}: {}", kMost, core::cited(count)));
  }
  const auto called = core::split(names, ':');
  for (int i = 0; i < *there; ++i) {
    const int fd = kFirst + i;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
      return core::fail(core::ErrorCode::usage,
                        fmt::format("LISTEN_FDS promises {} sockets, but descriptor {} is not open", *there, fd));
    }
    const auto at = static_cast<std::size_t>(i);
    sockets.push_back({fd, at < called.size() ? std::string(called[at]) : std::string()});
  }
  return sockets;
}

ServiceManager::ServiceManager() : address_(taken("NOTIFY_SOCKET")) {}

void ServiceManager::tell(std::string_view text) const {
  sockaddr_un to{};
  if (address_.empty() || address_.size() >= sizeof to.sun_path) return;
  to.sun_family = AF_UNIX;
  address_.copy(to.sun_path, sizeof to.sun_path - 1);
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';  // a name without a file
  const base::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  static_cast<void>(sendto(socket.get(), text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), size));
}

void ServiceManager::ready(std::string_view status) const { tell(fmt::format("READY=1\nSTATUS={}\n", status)); }

void ServiceManager::reloading() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  tell(fmt::format("RELOADING=1\nMONOTONIC_USEC={}\n", now.tv_sec * 1'000'000LL + now.tv_nsec / 1000));
}

void ServiceManager::stopping() const { tell("STOPPING=1\n"); }

}  // namespace plumbline::server
