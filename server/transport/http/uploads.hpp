// What clients send to be kept, beside MCP: requests whose bodies are given on in pieces as they come. Called on the connection's
// thread: nothing here may block.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/access/principal.hpp"
#include "server/transport/http/exchange.hpp"

namespace plumbline::server::transport::http {

inline constexpr std::string_view kUploads = "/blobs/";              // below it
inline constexpr std::string_view kStreamedUploads = "PUT /blobs/";  // how the requests begin whose bodies are streamed

// Takes a body in pieces, and answers it through the exchange that it was made with: at its end, or earlier, and then the rest is
// not read. When it goes before end(), the client has left.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // `taken` is called once, from any thread: no further piece is given before.
  virtual void take(std::string piece, std::function<void()> taken) = 0;
  // The body is whole, and all of its pieces are taken.
  virtual void end() = 0;
};

// What a handler is as well when it takes streamed bodies (ParserBounds::streams). Asked after admits(); null: it has answered.
class Receiver {
 public:
  virtual ~Receiver() = default;
  [[nodiscard]] virtual std::unique_ptr<BodySink> receive(Request head, std::shared_ptr<Exchange> exchange) = 0;
};

// Who keeps what comes. Host, Origin and credentials are found good before; the principal may write.
class Uploads {
 public:
  virtual ~Uploads() = default;
  // Of a request that has no streamed body.
  virtual void handle(Request request, std::shared_ptr<Exchange> exchange, const access::Principal& who) = 0;
  // Null: it has been answered.
  [[nodiscard]] virtual std::unique_ptr<BodySink> receive(Request head, std::shared_ptr<Exchange> exchange,
                                                          const access::Principal& who) = 0;
  // The server is about to end: waits for what is under way, so that nothing of it touches an exchange any more. What comes
  // later is dropped.
  virtual void stop() {}
};

}  // namespace plumbline::server::transport::http
