#include "server/transport/http/connection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "server/transport/http/response.hpp"

namespace plumbline::server::transport::http {
namespace {

using Stage = RequestParser::Stage;

constexpr std::size_t kWaitingBytes = 64U << 10;  // of further requests; beyond it nothing is read until the answer is out
constexpr std::size_t kBodyUnit = 1U << 20;
constexpr std::size_t kUploadUnit = 64U << 10;
constexpr std::size_t kPieceBytes = 256U << 10;  // of a streamed body: given on at once; so much again is collected meanwhile
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

HttpExchange::HttpExchange(std::shared_ptr<network::Outbox> outbox, bool head_only, std::function<bool()> last,
                           std::function<void(bool complete)> over)
    : outbox_(std::move(outbox)), head_only_(head_only), last_(std::move(last)), over_(std::move(over)) {}

HttpExchange::~HttpExchange() {
  if (stage_ == Stage::fresh) {
    reply(500, {{"Content-Type", "text/plain; charset=utf-8"}}, "the request was not answered: this is a fault of the server\n");
  } else if (stage_ == Stage::streaming) {
    const std::lock_guard lock(mutex_);
    finish(false);
  }
}

void HttpExchange::finish(bool complete) {
  stage_ = Stage::over;
  outbox_->while_open([&] { over_(complete); });
}

void HttpExchange::reply(int status, Headers headers, std::string body) {
  std::function<void()> dropped;  // may own this exchange: destroyed outside the lock
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::fresh) return;
  std::string response = response_head(status, headers, {body.size(), !last_()});
  if (!head_only_ && has_body(status)) response += body;
  outbox_->put(std::move(response));
  finish(true);
  dropped.swap(gone_);
}

void HttpExchange::begin_stream(int status, Headers headers) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::fresh) return;
  outbox_->put(response_head(status, headers, {std::nullopt, !last_()}));
  stage_ = Stage::streaming;
  body_ = !head_only_ && has_body(status);
}

bool HttpExchange::write(std::string bytes) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::streaming || left_) return false;
  if (!body_ || bytes.empty()) return true;
  return outbox_->put(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes), true);
}

void HttpExchange::end() {
  std::function<void()> dropped;
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::streaming) return;
  if (body_) outbox_->put("0\r\n\r\n");
  finish(true);
  dropped.swap(gone_);
}

void HttpExchange::on_gone(std::function<void()> gone) {
  {
    const std::lock_guard lock(mutex_);
    if (stage_ == Stage::over) return;
    if (!left_) {
      gone_ = std::move(gone);
      return;
    }
  }
  gone();
}

void HttpExchange::client_left() {
  std::function<void()> gone;
  {
    const std::lock_guard lock(mutex_);
    left_ = true;
    gone.swap(gone_);
  }
  if (gone) gone();
}

void HttpExchange::abandon() {
  const std::lock_guard lock(mutex_);
  stage_ = Stage::over;
}

HttpConnection::HttpConnection(network::Connections& home, std::unique_ptr<network::Stream> stream, network::Peer peer,
                               bool secure, Handler& handler)
    : Connection(home, std::move(stream), std::move(peer)),
      handler_(handler),
      receiver_(dynamic_cast<Receiver*>(&handler)),
      secure_(secure),
      parser_(home.limits.http),
      timer_(home.reactor),
      held_(home.held, peer_.place) {}

std::string HttpConnection::refusal(std::size_t connections) {
  return closing_response(503, fmt::format("{} connections are open: try again later", connections), {{"Retry-After", "1"}});
}

void HttpConnection::opened() {
  handshake_timer_.cancel();
  certificate_ = stream_->certificate();
  watch_time();
}

void HttpConnection::received(std::string_view bytes) {
  if (!answering_) return serve(bytes);
  waiting_.append(bytes);
  read_on(waiting_.size() < kWaitingBytes);
}

void HttpConnection::serve(std::string_view bytes) {
  while (!bytes.empty() && !answering_ && !finishing_) {
    const std::size_t used = parser_.feed(bytes);
    bytes.remove_prefix(used);
    if (parser_.stage() == Stage::failed) return refuse(parser_.fault());
    if (receiver_ != nullptr && parser_.streams() && (parser_.stage() == Stage::body || parser_.stage() == Stage::done)) {
      if (!pour()) break;
      continue;
    }
    if (parser_.stage() == Stage::done) dispatch();
    if (parser_.stage() != Stage::body) continue;
    if (!body_since_ && !let_body_come()) return;
    if (!held_.take(used)) return refuse({503, "too many bodies are being received at once: try again later"});
    if (left_for_body().count() <= 0) return refuse({408, "the request's body took too long"});
  }
  waiting_ = std::string(bytes);
  if (!answering_ && parser_.take_expectation()) outbox_->put(std::string(kContinue));
  watch_time();
}

Request HttpConnection::from_here(Request request) const {
  request.peer = peer_.name;
  request.loopback = peer_.loopback;
  request.secure = secure_;
  request.certificate = certificate_;
  return request;
}

// False when the request has been refused.
bool HttpConnection::let_body_come() {
  body_since_ = std::chrono::steady_clock::now();
  const Request head = from_here(parser_.head());
  const auto refusal = handler_.admits(head);
  if (!refusal) return true;
  ++home_.traffic->requests;
  std::string response = response_head(refusal->status, refusal->headers, {refusal->body.size(), false});
  if (head.method != "HEAD" && has_body(refusal->status)) response += refusal->body;
  outbox_->put(std::move(response));
  finish();
  watch_time();
  return false;
}

// What has come of a streamed body goes to the one who takes it. False when nothing more of it is to be read.
bool HttpConnection::pour() {
  if (!body_since_) {
    if (!let_body_come()) return false;
    Request head = from_here(parser_.head());
    whole_ = std::make_shared<std::atomic<bool>>(false);
    ++home_.traffic->requests;
    streamed_ = 0;
    piece_.clear();
    pouring_ = false;
    auto exchange = answer_to(head, [draining = home_.draining, whole = whole_] { return !*whole || *draining; });
    sink_ = receiver_->receive(std::move(head), std::move(exchange));
  }
  std::string piece = parser_.take_piece();
  streamed_ += piece.size();
  piece_ += piece;
  if (parser_.stage() == Stage::done) {
    *whole_ = keep_alive_ = parser_.keep_alive();
    static_cast<void>(parser_.take());
    body_since_.reset();
    answering_ = has_asked_ = true;
  } else if (sink_ == nullptr) {  // answered already; the rest is nobody's
    keep_alive_ = false;
    answering_ = true;
    return false;
  }
  give_piece();
  if (!answering_ && left_for_body().count() <= 0) {
    refuse({408, "the request's body took too long"});
    return false;
  }
  return !answering_;
}

void HttpConnection::give_piece() {
  if (sink_ == nullptr || pouring_) return read_on(piece_.size() < kPieceBytes);
  if (piece_.size() >= kPieceBytes || (answering_ && !piece_.empty())) {
    pouring_ = true;
    // Whoever takes it may be at it longer than there is a connection, and a network.
    sink_->take(std::exchange(piece_, {}), [&reactor = home_.reactor, outbox = outbox_, weak = weak_from_this()] {
      outbox->while_open([&] {
        reactor.post([weak] {
          if (const auto self = std::static_pointer_cast<HttpConnection>(weak.lock())) self->poured();
        });
      });
    });
  } else if (answering_) {
    std::exchange(sink_, nullptr)->end();
  }
  read_on(piece_.size() < kPieceBytes);
}

void HttpConnection::drop_sink() {
  if (sink_ == nullptr) return;
  if (const auto exchange = exchange_.lock()) exchange->abandon();
  sink_.reset();
}

void HttpConnection::poured() {
  pouring_ = false;
  give_piece();
  watch_time();
}

std::shared_ptr<HttpExchange> HttpConnection::answer_to(const Request& request, std::function<bool()> last) {
  auto over = [&reactor = home_.reactor, weak = weak_from_this()](bool complete) {
    reactor.post([weak, complete] {
      if (const auto self = std::static_pointer_cast<HttpConnection>(weak.lock())) self->answered(complete);
    });
  };
  answered_ = false;
  auto exchange = std::make_shared<HttpExchange>(outbox_, request.method == "HEAD", std::move(last), std::move(over));
  exchange_ = exchange;
  return exchange;
}

void HttpConnection::dispatch() {
  keep_alive_ = parser_.keep_alive();
  Request request = from_here(parser_.take());
  body_since_.reset();
  held_.release();
  ++home_.traffic->requests;
  answering_ = has_asked_ = true;
  auto exchange = answer_to(request, [draining = home_.draining, keep_alive = keep_alive_] { return !keep_alive || *draining; });
  try {
    handler_.handle(std::move(request), std::move(exchange));
  } catch (const std::exception&) {  // the exchange, which nobody holds now, answers
  }
}

void HttpConnection::answered(bool complete) {
  answered_ = true;
  if (!complete) keep_alive_ = false;
  if (body_since_ && whole_) {  // before its body was whole: the rest is nobody's
    keep_alive_ = false;
    answering_ = true;
    sink_.reset();
    piece_ = {};
    watch_time();
  }
  flush();
}

void HttpConnection::sent_all() {
  if (answered_) next();
}

void HttpConnection::next() {
  answering_ = answered_ = false;
  sink_.reset();
  idle_since_ = std::chrono::steady_clock::now();
  if (!keep_alive_ || *home_.draining) return finish();
  const std::string bytes = std::exchange(waiting_, {});
  serve(bytes);
  read_on(waiting_.size() < kWaitingBytes);
}

// A head that is not complete asks for nothing yet.
std::optional<network::Connection::Idle> HttpConnection::idle() const {
  if (answering_ || finishing_ || parser_.stage() == Stage::body) return std::nullopt;
  return Idle{idle_since_, has_asked_};
}

network::milliseconds HttpConnection::left_for_body() const {
  const network::NetworkLimits& limits = home_.limits;
  // Who sends slowly what nobody has to keep in memory may go on, as long as he sends.
  const network::milliseconds allowed =
      limits.http_body_whole + (sink_ != nullptr ? limits.http_upload_unit * static_cast<std::int64_t>(streamed_ / kUploadUnit)
                                                 : limits.http_body_unit * static_cast<std::int64_t>(held_.amount() / kBodyUnit));
  return std::chrono::duration_cast<network::milliseconds>(*body_since_ + allowed - std::chrono::steady_clock::now());
}

// One clock: for the silence between requests, for a head as a whole, for the next piece of a body and for all of it.
void HttpConnection::watch_time() {
  const Stage stage = answering_ || finishing_ ? Stage::done : parser_.stage();
  if (stage == timed_ && stage != Stage::body) return;
  timed_ = stage;
  const network::NetworkLimits& limits = home_.limits;
  switch (stage) {
    case Stage::idle:
      return after(timer_, limits.http_idle, [this] { finish(); });
    case Stage::head:
      return after(timer_, limits.http_head, [this] { refuse({408, "the request's head took too long"}); });
    case Stage::body:
      if (pouring_ && piece_.size() >= kPieceBytes) return timer_.put_off();  // it waits for us
      return after(timer_, std::min(limits.http_body, left_for_body()), [this] {
        refuse({408, "the request's body took too long"});
      });
    case Stage::done:
    case Stage::failed:
      return timer_.put_off();
  }
}

void HttpConnection::refuse(const Fault& fault) {
  held_.release();
  drop_sink();
  ++home_.traffic->faults;
  outbox_->put(closing_response(fault.status, fault.text));
  finish();
  watch_time();
}

void HttpConnection::ended() {
  if (answering_ && !answered_) return close();
  if (!answering_ && parser_.stage() != Stage::idle) return refuse({400, "the request ended before it was complete"});
  if (!answering_) return finish();
  keep_alive_ = false;  // what is answered already is still sent
}

void HttpConnection::drain(network::milliseconds at_most) {
  if (!answering_) return finish();
  after(timer_, at_most, [this] { close(); });
}

void HttpConnection::closed() {
  timer_.cancel();
  held_.release();
  drop_sink();
  if (const auto exchange = exchange_.lock()) exchange->client_left();
}

}  // namespace plumbline::server::transport::http
