// The other side of a network test: plain sockets that block, and TLS on them. Every wait is bounded, so that a failure is a
// failure and no hang; none is used to let time pass.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline::server::testing {

// Understands the addresses that Network::listen returns.
class Client {
 public:
  // A small `receive_buffer` makes a slow reader of it.
  explicit Client(std::string_view address, int receive_buffer = 0) {
    // OpenSSL writes with write(2): a server that has closed meanwhile would end the tests without a word.
    std::signal(SIGPIPE, SIG_IGN);
    const bool local = address.substr(0, 5) == "unix:";
    fd_ = socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer != 0) setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const timeval bound{30, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound);
    int connected = -1;
    if (local) {
      sockaddr_un to{};
      to.sun_family = AF_UNIX;
      address.substr(5).copy(to.sun_path, sizeof to.sun_path - 1);
      connected = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to);
    } else {
      const std::string_view port = address.substr(address.rfind(':') + 1);
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(std::string(port))));
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      connected = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to);
    }
    if (connected != 0) throw std::runtime_error("cannot connect to " + std::string(address));
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { leave(); }

  // True when the handshake went well.
  bool secure(SSL_CTX* context) {
    tls_.reset(SSL_new(context));
    SSL_set_fd(tls_.get(), fd_);
    return SSL_connect(tls_.get()) == 1;
  }
  void send(std::string_view bytes, std::size_t piece = std::string_view::npos) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const std::string_view next = bytes.substr(at, piece);
      const ssize_t sent = tls_ ? SSL_write(tls_.get(), next.data(), static_cast<int>(next.size()))
                                : ::send(fd_, next.data(), next.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // what the server thinks of it is read, not felt
      at += static_cast<std::size_t>(sent);
    }
  }
  // Up to and with `mark`, what came after it stays for later; less only when the server has ended the connection.
  std::string read_to(std::string_view mark) {
    while (true) {
      if (const std::size_t at = got_.find(mark); at != std::string::npos) return take(at + mark.size());
      if (!more()) return take(got_.size());
    }
  }
  std::string read(std::size_t bytes) {
    while (got_.size() < bytes && more()) {
    }
    return take(std::min(bytes, got_.size()));
  }
  std::string line() {
    std::string text = read_to("\n");
    if (!text.empty()) text.pop_back();
    return text;
  }
  // A whole response: its head, and its body by Content-Length.
  std::string response() {
    std::string text = read_to("\r\n\r\n");
    const std::size_t at = text.find("Content-Length: ");
    if (at != std::string::npos) text += read(std::stoul(text.substr(at + 16)));
    return text;
  }
  std::string rest() {
    while (more()) {
    }
    return take(got_.size());
  }
  bool at_end() { return rest().empty(); }
  // Until the other side has closed, without reading anything.
  bool wait_for_hangup() const {
    pollfd ready{fd_, 0, 0};
    return poll(&ready, 1, 30'000) == 1 && (ready.revents & (POLLHUP | POLLERR)) != 0;
  }
  void end_input() const { shutdown(fd_, SHUT_WR); }
  void reset() {
    const linger hard{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    leave();
  }
  void leave() {
    tls_.reset();
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  struct Free {
    void operator()(SSL* connection) const { SSL_free(connection); }
  };
  bool more() {
    char bytes[16384];
    const ssize_t got = tls_ ? SSL_read(tls_.get(), bytes, sizeof bytes) : recv(fd_, bytes, sizeof bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("waited in vain, after: " + got_);
    if (got <= 0) return false;
    got_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }
  std::string take(std::size_t bytes) {
    std::string text = got_.substr(0, bytes);
    got_.erase(0, bytes);
    return text;
  }

  int fd_ = -1;
  std::unique_ptr<SSL, Free> tls_;
  std::string got_;
};

}  // namespace plumbline::server::testing
