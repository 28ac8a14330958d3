// HTTP/1.1 as a client: plain or TLS with the other side's certificate verified, a body from memory or read piece by piece while
// it is sent, an answer in memory or handed on piece by piece. A connection may be used for many requests, one after the other.
// What it does not understand it says, and reads no further. Blocking; every wait ends at a time limit or when the caller asks to
// stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace plumbline::net {

struct HttpUrl {
  bool tls = false;
  std::string host;       // a name or an address, without brackets
  std::string authority;  // as written: HOST[:PORT]
  std::string path;       // "/" and on; no query
  std::uint16_t port = 80;

  [[nodiscard]] bool loopback() const;
};
// Nothing for what is no such URL, or has a user, a query or a fragment.
[[nodiscard]] std::optional<HttpUrl> parse_http_url(std::string_view text);

struct HttpAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // transfer coding taken off
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

struct HttpRequest {
  std::string method = "POST", path;
  std::vector<std::pair<std::string, std::string>> headers;  // those without a value are left out
  std::string body;
  // Instead of `body`: so many bytes, which `more` gives in pieces; an empty one is an error of its own.
  std::uint64_t more_bytes = 0;
  std::function<core::Expected<std::string_view>()> more;
  // Where the body of an answer with status 200 goes, instead of into memory.
  std::function<core::Status(std::string_view)> sink;
};

struct HttpLimits {
  std::chrono::milliseconds answer{10'000};  // for the connection, and for the answer once everything is sent
  std::chrono::milliseconds stall{60'000};   // while a body is sent or handed on: without a byte
  std::size_t message_bytes = 16U << 20;     // of an answer that is kept in memory
  const std::atomic<bool>* cancelled = nullptr;
  std::function<bool()> stop;  // the same, where it is a question
  std::string ca_file;         // PEM; "" = the system's authorities
};

// Errors: environment when nothing answers, the connection breaks or time runs out; path_not_allowed for a certificate that is
// not believed; invalid_input for what is no HTTP; cancelled.
class HttpConnection {
 public:
  explicit HttpConnection(HttpUrl url);
  ~HttpConnection();
  HttpConnection(HttpConnection&&) noexcept;
  HttpConnection& operator=(HttpConnection&&) noexcept;

  // Opens a connection where there is none, or where the other side has ended it meanwhile.
  [[nodiscard]] core::Expected<HttpAnswer> exchange(const HttpRequest& request, const HttpLimits& limits);
  // Whether the last exchange went over a connection that was open before it: then an error may only mean that the server had
  // just closed it.
  [[nodiscard]] bool was_open() const;

 private:
  struct State;
  friend core::Expected<HttpAnswer> http_exchange(const HttpUrl&, const HttpRequest&, const HttpLimits&,
                                                  const std::function<bool(const HttpAnswer&)>&);
  std::unique_ptr<State> state_;
};

// One request on a connection of its own. `enough`: of an answer that is not whole yet, whether it says what was waited for
// (event streams). May be empty.
[[nodiscard]] core::Expected<HttpAnswer> http_exchange(const HttpUrl& url, const HttpRequest& request, const HttpLimits& limits,
                                                       const std::function<bool(const HttpAnswer&)>& enough = {});

}  // namespace plumbline::net
