// One HTTP request and the way to answer it: what the endpoint (what MCP means over HTTP) sees of the connection (bytes, TLS,
// parser), so that each can be tested without the other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::server::transport::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;     // as sent: "POST"
  std::string target;     // origin-form, as sent: "/mcp?x=y"
  Headers headers;        // in order, repeated ones repeated; names in lower case, values without surrounding white space
  std::string body;       // whole, already bounded
  std::string peer;       // "127.0.0.1:4711", for the audit
  bool loopback = false;  // the peer's address is a loopback one
  bool secure = false;    // TLS
  std::optional<std::string> certificate;  // subject of the verified client certificate

  // The value of a header that must not be repeated with another value: nothing when absent. Identical repetitions, also
  // joined by commas, count as one. `conflict` is set when values differ.
  [[nodiscard]] std::optional<std::string> one(std::string_view name, bool& conflict) const;
  [[nodiscard]] std::optional<std::string> first(std::string_view name) const;
};

// The answer to one request: either reply() once, or begin_stream(), write()…, end(). Every function may be called from any
// thread; all are harmless once the client is gone. The connection adds Date, Content-Length, Transfer-Encoding, Connection.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void reply(int status, Headers headers, std::string body) = 0;
  virtual void begin_stream(int status, Headers headers) = 0;
  // False when the bytes were not taken: the client is gone, or what waits to be sent has reached its bound.
  virtual bool write(std::string bytes) = 0;
  virtual void end() = 0;
  // Called once, on the connection's thread, when the client leaves before the answer is complete; at once when it has left.
  virtual void on_gone(std::function<void()> gone) = 0;
};

// An answer that is given before the request's body is read, which then never is.
struct Refusal {
  int status = 0;
  Headers headers;
  std::string body;
};

// Answers requests. Called on the connection's thread: must not block.
class Handler {
 public:
  virtual ~Handler() = default;
  // Asked when the head of a request has come and its body has not: nothing lets the body come. Whoever need not be served
  // must not cost the memory and the time that a body takes.
  [[nodiscard]] virtual std::optional<Refusal> admits(const Request& /*head*/) { return std::nullopt; }
  virtual void handle(Request request, std::shared_ptr<Exchange> exchange) = 0;
};

}  // namespace plumbline::server::transport::http
