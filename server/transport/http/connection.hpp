// One HTTP/1.1 connection: requests out of its bytes, one after the other, each answered before the next is looked at; what
// comes meanwhile waits, up to a bound. While an answer is pending the socket is watched: a client that ends its side has left,
// and its exchange is told so. A request that breaks the protocol gets its status and ends the connection, and so does one
// whose head is refused before its body has come.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/transport/http/exchange.hpp"
#include "server/transport/http/parser.hpp"
#include "server/transport/http/uploads.hpp"
#include "server/transport/network/connection.hpp"

namespace plumbline::server::transport::http {

// The answer to one request on its way into the outbox. When nobody holds it any more and it was not given: 500, or for a stream
// that was not ended an end of the connection that the client can tell from a good one.
class HttpExchange final : public Exchange {
 public:
  // `over` is called once, when the answer is complete or never will be, unless the outbox is closed by then.
  // `last` is looked at when the answer begins: whether the connection ends with it.
  HttpExchange(std::shared_ptr<network::Outbox> outbox, bool head_only, std::function<bool()> last,
               std::function<void(bool complete)> over);
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;
  ~HttpExchange() override;

  void reply(int status, Headers headers, std::string body) override;
  void begin_stream(int status, Headers headers) override;
  bool write(std::string bytes) override;
  void end() override;
  void on_gone(std::function<void()> gone) override;

  // For the connection.
  void client_left();
  void abandon();  // something else is answered in its place

 private:
  enum class Stage { fresh, streaming, over };
  void finish(bool complete);  // mutex held

  const std::shared_ptr<network::Outbox> outbox_;
  const bool head_only_;
  std::mutex mutex_;
  const std::function<bool()> last_;
  const std::function<void(bool)> over_;
  Stage stage_ = Stage::fresh;
  bool body_ = true;  // of the stream
  bool left_ = false;
  std::function<void()> gone_;
};

class HttpConnection final : public network::Connection {
 public:
  HttpConnection(network::Connections& home, std::unique_ptr<network::Stream> stream, network::Peer peer, bool secure,
                 Handler& handler);
  void drain(network::milliseconds at_most) override;
  // For those who come when there are too many.
  [[nodiscard]] static std::string refusal(std::size_t connections);

 private:
  void opened() override;
  void received(std::string_view bytes) override;
  void ended() override;
  void sent_all() override;
  void closed() override;

  [[nodiscard]] std::optional<Idle> idle() const override;

  void serve(std::string_view bytes);
  [[nodiscard]] Request from_here(Request request) const;
  [[nodiscard]] bool let_body_come();
  [[nodiscard]] std::shared_ptr<HttpExchange> answer_to(const Request& request, std::function<bool()> last);
  bool pour();
  void give_piece();
  void poured();
  void drop_sink();
  void dispatch();
  void answered(bool complete);
  void next();
  void refuse(const Fault& fault);
  [[nodiscard]] network::milliseconds left_for_body() const;
  void watch_time();

  Handler& handler_;
  Receiver* const receiver_;  // the same; null: it takes no streamed bodies
  const bool secure_;
  std::optional<std::string> certificate_;
  RequestParser parser_;
  std::string waiting_;  // of requests after the one that is being answered
  network::Timer timer_;
  RequestParser::Stage timed_ = RequestParser::Stage::done;  // what timer_ runs for; done: nothing
  std::weak_ptr<HttpExchange> exchange_;
  bool answering_ = false;
  bool answered_ = false;
  bool keep_alive_ = true;
  Time idle_since_ = std::chrono::steady_clock::now();
  bool has_asked_ = false;
  std::optional<Time> body_since_;  // it has begun to come, and may
  network::Share held_;             // the part of it that has come

  // Of a body that is given on as it comes.
  std::unique_ptr<BodySink> sink_;
  std::string piece_;                         // collected for it
  std::uint64_t streamed_ = 0;                // that have come
  bool pouring_ = false;                      // it has a piece in hand
  std::shared_ptr<std::atomic<bool>> whole_;  // the body has come to its end
};

}  // namespace plumbline::server::transport::http
