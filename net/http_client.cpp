#include "net/http_client.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/descriptor.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "net/answer_reader.hpp"
#include "net/trust_store.hpp"

namespace plumbline::net {
namespace {

using core::ErrorCode;
using core::Expected;
using Clock = std::chrono::steady_clock;

bool is_stopped(const HttpLimits& limits) {
  return (limits.cancelled != nullptr && limits.cancelled->load(std::memory_order_relaxed)) || (limits.stop && limits.stop());
}

// poll() until `fd` has one of `events`; false at the deadline or when asked to stop.
bool wait_for(int fd, short events, Clock::time_point deadline, const HttpLimits& limits) {
  pollfd polled{fd, events, 0};
  for (;;) {
    if (is_stopped(limits)) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const int ready = ::poll(&polled, 1, static_cast<int>(std::min<long long>(left, 250)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// After so long.
tl::unexpected<core::Error> late(const HttpLimits& limits, std::chrono::milliseconds waited) {
  if (is_stopped(limits)) return core::fail(ErrorCode::cancelled, "stopped");
  return core::fail(ErrorCode::environment,
                    "no answer within " + core::short_number(static_cast<double>(waited.count()) / 1000.0) + " s",
                    "--timeout SECONDS waits longer");
}

tl::unexpected<core::Error> unreachable(const HttpUrl& url, const std::string& why) {
  return core::fail(ErrorCode::environment, "cannot connect to " + url.authority + ": " + why,
                    url.loopback() ? "start it: plumbline serve --http " + url.authority : "");
}

struct SslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

enum class Took { some, later_read, later_write, ended, failed };

// Bytes to and from the other side; neither blocks.
class Line {
 public:
  core::Status open(const HttpUrl& url, const HttpLimits& limits) {
    if (auto connected = connect(url, limits); !connected) return connected;
    return url.tls ? shake_hands(url, limits) : core::Status{};
  }

  Took write(std::string_view bytes, std::size_t& count) {
    if (ssl_) return of_ssl([&] { return SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count); });
    return of_socket(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), count, Took::later_write);
  }
  Took read(char* to, std::size_t room, std::size_t& count) {
    if (ssl_) return of_ssl([&] { return SSL_read_ex(ssl_.get(), to, room, &count); });
    return of_socket(::recv(socket_.get(), to, room, 0), count, Took::later_read);
  }
  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] bool has_bytes() const { return ssl_ && SSL_pending(ssl_.get()) > 0; }
  // Something waits to be read, which between two requests is the end of the connection.
  [[nodiscard]] bool is_ended() {
    pollfd ready{socket_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 0) == 0) return false;
    if (!ssl_) return true;
    // Or what TLS says by itself, such as a new ticket.
    char byte = 0;
    std::size_t count = 0;
    return of_ssl([&] { return SSL_peek_ex(ssl_.get(), &byte, 1, &count); }) != Took::later_read;
  }

 private:
  core::Status connect(const HttpUrl& url, const HttpLimits& limits) {
    const auto deadline = Clock::now() + limits.answer;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const std::string host = url.host == "localhost" ? "127.0.0.1" : url.host;
    if (const int error = ::getaddrinfo(host.c_str(), std::to_string(url.port).c_str(), &hints, &found); error != 0)
      return unreachable(url, ::gai_strerror(error));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
    int error = 0;
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
      socket_.reset(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      error = 0;
      if (::connect(socket_.get(), at->ai_addr, at->ai_addrlen) != 0 && errno != EINPROGRESS) error = errno;
      if (error == 0 && !wait_for(socket_.get(), POLLOUT, deadline, limits)) return late(limits, limits.answer);
      socklen_t size = sizeof error;
      if (error == 0) ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error == 0) break;
    }
    if (error != 0) return unreachable(url, std::generic_category().message(error));
    const int at_once = 1;  // a head and its body are two writes
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    return {};
  }

  core::Status shake_hands(const HttpUrl& url, const HttpLimits& limits) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    const bool trusts = limits.ca_file.empty()
                            ? trust_this_machine(context_.get())
                            : SSL_CTX_load_verify_locations(context_.get(), limits.ca_file.c_str(), nullptr) == 1;
    if (!trusts) {
      ERR_clear_error();
      return core::fail(ErrorCode::usage, "no certificates can be read from " + core::cited_path(limits.ca_file),
                        "a PEM file with the authority that signed the server's certificate", limits.ca_file);
    }
    ssl_.reset(SSL_new(context_.get()));
    in6_addr address{};
    const bool number =
        ::inet_pton(AF_INET, url.host.c_str(), &address) == 1 || ::inet_pton(AF_INET6, url.host.c_str(), &address) == 1;
    if (number) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), url.host.c_str());
    } else {
      SSL_set_tlsext_host_name(ssl_.get(), url.host.c_str());
      SSL_set1_host(ssl_.get(), url.host.c_str());
    }
    SSL_set_fd(ssl_.get(), socket_.get());
    const auto deadline = Clock::now() + limits.answer;
    for (;;) {
      const Took took = of_ssl([this] { return SSL_connect(ssl_.get()); });
      if (took == Took::some) return {};
      if (took == Took::ended || took == Took::failed) break;
      if (!wait_for(socket_.get(), static_cast<short>(took == Took::later_read ? POLLIN : POLLOUT), deadline, limits))
        return late(limits, limits.answer);
    }
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (verdict != X509_V_OK) {
      return core::fail(ErrorCode::path_not_allowed,
                        "the certificate of " + url.authority + " is not believed: " + X509_verify_cert_error_string(verdict),
                        "--ca FILE names the authority that signed it");
    }
    return unreachable(url, "what answers there does not speak TLS");
  }

  // What an earlier call left in this thread's queue of errors would be taken for this one's.
  template <class Call>
  Took of_ssl(const Call& call) {
    ERR_clear_error();
    const int result = call();
    if (result == 1) return Took::some;
    const int error = SSL_get_error(ssl_.get(), result);
    ERR_clear_error();
    switch (error) {
      case SSL_ERROR_WANT_READ:
        return Took::later_read;
      case SSL_ERROR_WANT_WRITE:
        return Took::later_write;
      case SSL_ERROR_ZERO_RETURN:
        return Took::ended;
      default:
        return Took::failed;
    }
  }
  static Took of_socket(ssize_t result, std::size_t& count, Took later) {
    if (result > 0) {
      count = static_cast<std::size_t>(result);
      return Took::some;
    }
    if (result == 0) return Took::ended;
    return errno == EAGAIN || errno == EINTR ? later : Took::failed;
  }

  base::Descriptor socket_;
  std::unique_ptr<SSL_CTX, SslFree> context_;
  std::unique_ptr<SSL, SslFree> ssl_;
};

// One request and its answer on an open line.
class Exchanging {
 public:
  Exchanging(Line& line, const HttpUrl& url, const HttpRequest& request, const HttpLimits& limits, bool once,
             const std::function<bool(const HttpAnswer&)>& enough)
      : line_(line),
        url_(url),
        request_(request),
        limits_(limits),
        once_(once),
        enough_(enough),
        reader_(request.method == "HEAD", limits.message_bytes, request.sink) {}

  Expected<HttpAnswer> run() {
    auto sent = send(head() + request_.body);
    while (sent && *sent && left_ > 0) {
      const auto piece = request_.more();
      if (!piece) return core::fail(piece.error());
      const auto wanted = piece->substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece->size())));
      left_ -= wanted.size();
      sent = send(wanted);  // what is beyond the length would be read as another request
    }
    if (!sent) return core::fail(std::move(sent.error()));
    sent_all_ = *sent && left_ == 0;
    return read_answer();
  }
  // Whether the line is where another request may begin.
  [[nodiscard]] bool reusable() const { return reusable_; }

 private:
  [[nodiscard]] std::string head() {
    std::string text = request_.method + " " + request_.path + " HTTP/1.1\r\nHost: " + url_.authority + "\r\n";
    if (once_) text += "Connection: close\r\n";
    for (const auto& [name, value] : request_.headers) {
      if (!value.empty()) text.append(name).append(": ").append(value).append("\r\n");
    }
    left_ = request_.more ? request_.more_bytes : 0;
    const std::uint64_t length = request_.more ? request_.more_bytes : request_.body.size();
    if (length > 0 || request_.method == "PUT") text += "Content-Length: " + std::to_string(length) + "\r\n";
    return text + "\r\n";
  }

  // False when the other side has answered, or takes no more: it may have said why.
  Expected<bool> send(std::string_view rest) {
    while (!rest.empty()) {
      if (request_.more && has_answer()) return false;
      std::size_t count = 0;
      const Took took = line_.write(rest, count);
      if (took == Took::some) {
        rest.remove_prefix(count);
      } else if (took == Took::later_read || took == Took::later_write) {
        const auto longest = request_.more ? limits_.stall : limits_.answer;
        const auto deadline = Clock::now() + longest;
        const auto events = static_cast<short>(took == Took::later_read ? POLLIN : request_.more ? POLLIN | POLLOUT : POLLOUT);
        if (!wait_for(line_.fd(), events, deadline, limits_)) return late(limits_, longest);
      } else {
        return false;
      }
    }
    return true;
  }

  // Before everything is sent. What TLS says by itself is none.
  bool has_answer() {
    pollfd ready{line_.fd(), POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) return false;
    std::array<char, 4096> block{};
    std::size_t got = 0;
    const Took took = line_.read(block.data(), block.size(), got);
    if (took == Took::some) early_.append(block.data(), got);
    return took != Took::later_read && took != Took::later_write;
  }

  // Until the body is whole, enough of it has come, or the connection ends.
  Expected<HttpAnswer> read_answer() {
    auto longest = limits_.answer;
    auto deadline = Clock::now() + longest;
    std::vector<char> block(65536);
    auto taken = reader_.take(early_);
    for (bool open = true;;) {
      if (!taken) return core::fail(std::move(taken.error()));
      if (reader_.is_whole(open) || (enough_ && reader_.has_head() && enough_(reader_.answer()))) break;
      if (!open) return core::fail(ErrorCode::environment, "the server closed the connection before its answer was whole");
      std::size_t got = 0;
      const Took took = line_.read(block.data(), block.size(), got);
      if (took == Took::later_read || took == Took::later_write) {
        if (!wait_for(line_.fd(), static_cast<short>(took == Took::later_read ? POLLIN : POLLOUT), deadline, limits_))
          return late(limits_, longest);
        continue;
      }
      open = took == Took::some;
      taken = reader_.take({block.data(), open ? got : 0});
      if (reader_.to_sink()) {
        longest = limits_.stall;
        deadline = Clock::now() + longest;
      }
    }
    const bool closes = once_ || core::to_lower(reader_.answer().header("connection")) == "close";
    reusable_ = sent_all_ && !closes && reader_.may_be_followed();
    return reader_.release();
  }

  Line& line_;
  const HttpUrl& url_;
  const HttpRequest& request_;
  const HttpLimits& limits_;
  const bool once_;
  const std::function<bool(const HttpAnswer&)>& enough_;
  AnswerReader reader_;
  std::string early_;  // what came of the answer while the request was being sent
  std::uint64_t left_ = 0;
  bool sent_all_ = false, reusable_ = false;
};

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

bool HttpUrl::loopback() const {
  in_addr four{};
  in6_addr six{};
  if (host == "localhost") return true;
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::optional<HttpUrl> parse_http_url(std::string_view text) {
  HttpUrl url;
  url.tls = text.starts_with("https://");
  if (!url.tls && !text.starts_with("http://")) return std::nullopt;
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!plain || text.find_first_of("@?#") != std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(url.tls ? 8 : 7);
  const auto slash = std::min(rest.find('/'), rest.size());
  url.path = slash == rest.size() ? "/" : std::string(rest.substr(slash));
  const std::string_view authority = rest.substr(0, slash);
  std::string_view host = authority;
  url.port = url.tls ? 443 : 80;
  if (const auto colon = authority.rfind(':'); colon != std::string_view::npos && !authority.ends_with(']')) {
    host = authority.substr(0, colon);
    const auto port = core::parse_int(authority.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) return std::nullopt;
    url.port = static_cast<std::uint16_t>(*port);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return std::nullopt;
  url.host = std::string(host);
  url.authority = std::string(authority);
  return url;
}

struct HttpConnection::State {
  HttpUrl url;
  std::optional<Line> line;
  bool was_open = false;

  Expected<HttpAnswer> exchange(const HttpRequest& request, const HttpLimits& limits, bool once,
                                const std::function<bool(const HttpAnswer&)>& enough) {
    // What waits to be read between two requests is the end, or nothing that we asked for.
    if (line && (line->has_bytes() || line->is_ended())) line.reset();
    was_open = line.has_value();
    if (!line) {
      line.emplace();
      if (auto opened = line->open(url, limits); !opened) {
        line.reset();
        return core::fail(std::move(opened.error()));
      }
    }
    Exchanging exchanging(*line, url, request, limits, once, enough);
    auto answer = exchanging.run();
    if (!answer || !exchanging.reusable()) line.reset();
    return answer;
  }
};

HttpConnection::HttpConnection(HttpUrl url) : state_(std::make_unique<State>()) { state_->url = std::move(url); }
HttpConnection::~HttpConnection() = default;
HttpConnection::HttpConnection(HttpConnection&&) noexcept = default;
HttpConnection& HttpConnection::operator=(HttpConnection&&) noexcept = default;

Expected<HttpAnswer> HttpConnection::exchange(const HttpRequest& request, const HttpLimits& limits) {
  return state_->exchange(request, limits, false, {});
}

bool HttpConnection::was_open() const { return state_->was_open; }

Expected<HttpAnswer> http_exchange(const HttpUrl& url, const HttpRequest& request, const HttpLimits& limits,
                                   const std::function<bool(const HttpAnswer&)>& enough) {
  HttpConnection::State once;
  once.url = url;
  return once.exchange(request, limits, true, enough);
}

}  // namespace plumbline::net
