// Where a server listens and who has come: addresses as the operator writes them, the sockets bound to them, and what the kernel
// says about the other side of a connection. POSIX only, no event loop.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace plumbline::server::transport::network {

struct Address {
  std::string path;        // of a Unix socket, absolute; "" = TCP
  std::string host;        // without brackets
  std::uint16_t port = 0;  // 0 = the kernel chooses
};

// "HOST:PORT", "[::1]:PORT". Names are resolved when the socket is bound.
[[nodiscard]] core::Expected<Address> parse_host_port(std::string_view text);
[[nodiscard]] core::Expected<Address> parse_socket_path(std::string_view path);

// A socket that listens, non-blocking and closed on exec. A Unix socket is 0600 from its first moment and its file is removed
// with the object, unless somebody has replaced it since.
class ListeningSocket {
 public:
  // Takes over `fd`, and the file at `path` when that is not empty.
  ListeningSocket(int fd, std::string name, bool loopback, std::string path = {});
  // Takes over a socket that listens already, bound by somebody who keeps it when we have gone: its file stays. `name`: what the
  // operator calls it.
  [[nodiscard]] static core::Expected<ListeningSocket> adopt(int fd, const std::string& name);
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }   // the descriptor's new owner closes it
  [[nodiscard]] const std::string& name() const { return name_; }  // "127.0.0.1:4711", "[::1]:4711", "/run/plumbline.sock"
  [[nodiscard]] bool is_unix() const { return unix_; }
  [[nodiscard]] bool is_loopback() const { return loopback_; }  // nobody beyond this machine can reach it

 private:
  int fd_;
  std::string name_;
  bool loopback_;
  std::string path_;  // of our own file
  bool unix_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// A name may stand for several addresses; `localhost` is 127.0.0.1 and, where there is IPv6, ::1, whatever the resolver says.
// All of them are bound, to the same port, or none.
[[nodiscard]] core::Expected<std::vector<ListeningSocket>> listen_on(const Address& address);

[[nodiscard]] bool is_unix_socket(int fd);
// "127.0.0.1:4711"; "" when it is no socket of TCP.
[[nodiscard]] std::string bound_name(int fd);

struct Peer {
  std::string name;              // "127.0.0.1:50123", "pid 4711"
  std::string place;             // who shares what one may have: "127.0.0.1", "2001:db8::/64", "unix"
  bool loopback = false;         // an address of this machine that no other can have
  std::optional<uid_t> account;  // Unix sockets
};
// Nothing when the other side has left already.
[[nodiscard]] std::optional<Peer> peer_of(int fd);

}  // namespace plumbline::server::transport::network
