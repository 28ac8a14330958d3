// HTTP/1.1 requests out of a stream of bytes in pieces of any size. Heads are checked by HeadCheck, then parsed by Boost.Beast,
// which also reads the body, declared or chunked; neither chunk extensions nor trailers are taken. What the stream means never
// depends on where it was split. One parser per connection; one thread at a time.
#pragma once

#include <memory>
#include <string_view>

#include "server/transport/http/exchange.hpp"
#include "server/transport/http/head_check.hpp"

namespace plumbline::server::transport::http {

class RequestParser {
 public:
  enum class Stage {
    idle,  // nothing of a request has come
    head,
    body,
    done,   // take() it before more is fed
    failed  // fault() says why; nothing more is taken
  };

  explicit RequestParser(const ParserBounds& bounds = {});
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  // How many bytes belong to this request: all of them but when it is done or failed before their end.
  std::size_t feed(std::string_view bytes);
  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] const Fault& fault() const { return fault_; }
  // In stage body: the client waits for "100 Continue" before it sends the body. True once per request.
  [[nodiscard]] bool take_expectation();
  // From stage body on: the body is given on in pieces, by take_piece().
  [[nodiscard]] bool streams() const { return streams_; }
  // What has come of it since the last time.
  [[nodiscard]] std::string take_piece();
  // Of the request that is done: the client may send another on this connection.
  [[nodiscard]] bool keep_alive() const;
  // In stage body: method, target and headers.
  [[nodiscard]] Request head() const;
  // method, target, headers and body are set; stage is idle again.
  [[nodiscard]] Request take();

 private:
  struct Beast;
  std::size_t feed_head(std::string_view bytes);
  void end_of_head();
  [[nodiscard]] Fault fault_of_fields();
  std::size_t feed_body(std::string_view bytes);
  std::size_t feed_chunks(std::string_view bytes);
  void fail(Fault fault);

  const ParserBounds bounds_;
  Stage stage_ = Stage::idle;
  Fault fault_;
  std::string head_;
  bool expects_ = false;
  bool streams_ = false;
  HeadCheck check_;
  std::unique_ptr<Beast> beast_;
};

}  // namespace plumbline::server::transport::http
