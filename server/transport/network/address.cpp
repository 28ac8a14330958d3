#include "server/transport/network/address.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::server::transport::network {
namespace {

using base::Descriptor;
using core::ErrorCode;

constexpr int kBacklog = 1024;
constexpr const char* kForms = "for example 127.0.0.1:4711, [::1]:4711, or localhost:0 to have a free port chosen";

tl::unexpected<core::Error> cannot_listen(const std::string& name, int error, std::string hint = {}) {
  return core::fail(ErrorCode::environment, fmt::format("cannot listen on {}: {}", name, std::generic_category().message(error)),
                    std::move(hint), name);
}

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET6) {
    const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
    inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
    return fmt::format("[{}]:{}", text.data(), ntohs(six->sin6_port));
  }
  const auto* four = reinterpret_cast<const sockaddr_in*>(address);
  inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
  return fmt::format("{}:{}", text.data(), ntohs(four->sin_port));
}

// Whoever has one address of IPv6 has the other 2^64 of its network too.
std::string place_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family != AF_INET6) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text.data(), text.size());
    return text.data();
  }
  in6_addr network = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&network)) {
    inet_ntop(AF_INET, &network.s6_addr[12], text.data(), text.size());
    return text.data();
  }
  std::fill(network.s6_addr + 8, network.s6_addr + 16, std::uint8_t{0});
  inet_ntop(AF_INET6, &network, text.data(), text.size());
  return std::string(text.data()) + "/64";
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET6) {
    const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
  }
  return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24U) == 127;
}

void set_port(sockaddr* address, std::uint16_t port) {
  if (address->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = htons(port);
  }
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port
                                           : reinterpret_cast<sockaddr_in&>(bound).sin_port);
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// A socket file that nobody accepts on any more is left by a server that was killed: it is removed. Anything else stays.
core::Status clear_the_place(const std::string& path, const sockaddr_un& address) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};
    return cannot_listen(path, errno);
  }
  if (!S_ISSOCK(info.st_mode))
    return core::fail(ErrorCode::usage, path + " exists and is not a socket: it is left as it is", {}, path);
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN) {
    return core::fail(ErrorCode::environment, "another server listens on " + path, "stop it, or choose another path", path);
  }
  if (errno != ECONNREFUSED) return cannot_listen(path, errno);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return cannot_listen(path, errno);
  return {};
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

core::Expected<AddressList> resolve(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int problem = getaddrinfo(host.c_str(), "0", &wanted, &found); problem != 0) {
    return core::fail(ErrorCode::usage, fmt::format("{} is no address of this machine: {}", host, gai_strerror(problem)), kForms,
                      host);
  }
  return AddressList(found, freeaddrinfo);
}

core::Expected<ListeningSocket> listen_at(const std::string& path) {
  const sockaddr_un address = unix_address(path);
  // Two servers that start at once must not both take the place of a third: the folder is locked meanwhile. Where somebody
  // else holds that lock, for reasons of their own, we do without.
  const Descriptor folder(open(std::filesystem::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return cannot_listen(path, errno);
  flock(folder.get(), LOCK_EX | LOCK_NB);
  if (auto clear = clear_the_place(path, address); !clear) return core::fail(clear.error());

  Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // On Linux bind() gives the file the socket's own mode: there is no moment at which others could connect.
  if (made.get() < 0 || fchmod(made.get(), S_IRUSR | S_IWUSR) != 0 ||
      bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return cannot_listen(path, errno);
  }
  ListeningSocket listening(made.release(), path, true, path);
  if (listen(listening.fd(), kBacklog) != 0) return cannot_listen(path, errno);
  return listening;
}

// The error is errno's.
tl::expected<ListeningSocket, int> listen_tcp(const sockaddr* address, socklen_t size) {
  Descriptor made(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (made.get() < 0 || setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(made.get(), address, size) != 0 || listen(made.get(), kBacklog) != 0) {
    return tl::unexpected(errno);
  }
  sockaddr_storage bound{};
  std::memcpy(&bound, address, size);
  set_port(reinterpret_cast<sockaddr*>(&bound), bound_port(made.get()));
  return ListeningSocket(made.release(), text_of(reinterpret_cast<const sockaddr*>(&bound)), is_loopback(address));
}

}  // namespace

core::Expected<Address> parse_host_port(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return core::fail(ErrorCode::usage, fmt::format("{} is not HOST:PORT: {}", core::cited(text), why), kForms,
                      std::string(text));
  };
  Address address;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse("there is no port");
  std::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    in6_addr six{};
    if (inet_pton(AF_INET6, std::string(host).c_str(), &six) != 1) return refuse("between the brackets there is no IPv6 address");
  } else if (host.find(':') != std::string_view::npos) {
    return refuse("an IPv6 address needs brackets");
  }
  if (host.empty()) return refuse("there is no host; 0.0.0.0 means every IPv4 address of this machine");
  const std::string_view port = text.substr(colon + 1);
  const auto number = port.find_first_not_of("0123456789") == std::string_view::npos ? core::parse_int(port) : std::nullopt;
  if (!number || *number > 65535) return refuse("a port is a number from 0 to 65535");
  address.host = core::to_lower(host);
  address.port = static_cast<std::uint16_t>(*number);
  return address;
}

core::Expected<Address> parse_socket_path(std::string_view path) {
  constexpr std::size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
  if (path.empty() || path.back() == '/' || path.find('\0') != std::string_view::npos) {
    return core::fail(ErrorCode::usage, fmt::format("{} is not the path of a socket", core::cited(path)),
                      "for example /run/user/1000/plumbline.sock");
  }
  Address address;
  address.path = std::filesystem::absolute(path).lexically_normal().string();
  if (address.path.size() > kMost) {
    return core::fail(
        ErrorCode::usage,
        fmt::format("the path of a socket has at most {} bytes, {} has {}", kMost, address.path, address.path.size()),
        "choose a shorter one, under /run/user or /tmp for example", address.path);
  }
  return address;
}

ListeningSocket::ListeningSocket(int fd, std::string name, bool loopback, std::string path)
    : fd_(fd), name_(std::move(name)), loopback_(loopback), path_(std::move(path)), unix_(!path_.empty()) {
  struct stat info {};
  if (path_.empty() || lstat(path_.c_str(), &info) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

core::Expected<ListeningSocket> ListeningSocket::adopt(int fd, const std::string& name) {
  const auto refuse = [&](std::string_view why) {
    return core::fail(ErrorCode::usage,
                      fmt::format("the socket {} that was handed over (descriptor {}) {}", core::cited(name), fd, why),
                      "a socket unit hands over streams that listen: ListenStream=", name);
  };
  int listens = 0, type = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return refuse("is no socket");
  size = sizeof listens;
  if (type != SOCK_STREAM || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return refuse("does not listen for streams");
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  sockaddr_storage bound{};
  size = sizeof bound;
  const auto* address = reinterpret_cast<const sockaddr*>(&bound);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return refuse("has no address");
  if (address->sa_family == AF_INET || address->sa_family == AF_INET6) {
    return ListeningSocket(fd, text_of(address), plumbline::server::transport::network::is_loopback(address));
  }
  if (address->sa_family != AF_UNIX) return refuse("is neither of TCP nor a Unix socket");
  const auto& local = reinterpret_cast<const sockaddr_un&>(bound);
  const std::size_t length = size > offsetof(sockaddr_un, sun_path) ? size - offsetof(sockaddr_un, sun_path) : 0;
  std::string path(local.sun_path, length);
  if (!path.empty() && path.front() == '\0') {
    path.front() = '@';
  } else {
    path = path.c_str();
  }
  ListeningSocket adopted(fd, path, true);
  adopted.unix_ = true;
  return adopted;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : fd_(other.release()),
      name_(std::move(other.name_)),
      loopback_(other.loopback_),
      path_(std::exchange(other.path_, {})),
      unix_(other.unix_),
      device_(other.device_),
      inode_(other.inode_) {}

ListeningSocket::~ListeningSocket() {
  struct stat info {};
  if (!path_.empty() && lstat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_)
    unlink(path_.c_str());
  if (fd_ >= 0) close(fd_);
}

core::Expected<std::vector<ListeningSocket>> listen_on(const Address& address) {
  std::vector<ListeningSocket> sockets;
  if (!address.path.empty()) {
    auto made = listen_at(address.path);
    if (!made) return core::fail(made.error());
    sockets.push_back(std::move(*made));
    return sockets;
  }
  const bool localhost = address.host == "localhost";
  std::uint16_t port = address.port;
  for (const std::string& host :
       localhost ? std::vector<std::string>{"127.0.0.1", "::1"} : std::vector<std::string>{address.host}) {
    const auto found = resolve(host);
    if (!found) return core::fail(found.error());
    for (addrinfo* each = found->get(); each != nullptr; each = each->ai_next) {
      set_port(each->ai_addr, port);
      auto made = listen_tcp(each->ai_addr, each->ai_addrlen);
      if (!made) {
        const bool no_ipv6 = made.error() == EADDRNOTAVAIL || made.error() == EAFNOSUPPORT;
        if (localhost && no_ipv6 && !sockets.empty()) continue;
        return cannot_listen(text_of(each->ai_addr), made.error(),
                             made.error() == EADDRINUSE ? "another program listens there; port 0 has a free one chosen" : "");
      }
      port = bound_port(made->fd());
      sockets.push_back(std::move(*made));
    }
  }
  return sockets;
}

bool is_unix_socket(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) == 0 && bound.ss_family == AF_UNIX;
}

std::string bound_name(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  const bool tcp = getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) == 0 &&
                   (bound.ss_family == AF_INET || bound.ss_family == AF_INET6);
  return tcp ? text_of(reinterpret_cast<const sockaddr*>(&bound)) : "";
}

std::optional<Peer> peer_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return std::nullopt;
  if (address.ss_family != AF_UNIX) {
    const auto* from = reinterpret_cast<const sockaddr*>(&address);
    return Peer{text_of(from), place_of(from), is_loopback(from), std::nullopt};
  }
  ucred who{};
  socklen_t who_size = sizeof who;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_size) != 0) return std::nullopt;
  return Peer{fmt::format("pid {}", who.pid), "unix", true, who.uid};
}

}  // namespace plumbline::server::transport::network
