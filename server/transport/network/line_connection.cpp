#include "server/transport/network/line_connection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace plumbline::server::transport::network {
namespace {

constexpr int kUnauthorized = 401;  // as HTTP calls it; outside the codes that JSON-RPC reserves
constexpr int kTooMany = 503;
constexpr std::size_t kAuthorizeBytes = 2 * access::kBearerBytes;
constexpr const char* kAuthorizeFirst = "unauthorized: send plumbline/authorize with a token first";
constexpr milliseconds kStep{10};  // how late the end of the last call is noticed while winding down

class LineOutlet final : public mcp::Outlet {
 public:
  LineOutlet(std::shared_ptr<Outbox> outbox, std::shared_ptr<Traffic> traffic)
      : outbox_(std::move(outbox)), traffic_(std::move(traffic)) {}

  void send(std::string line) override {
    line += '\n';
    if (!outbox_->put(std::move(line), true)) ++traffic_->dropped;
  }
  bool send_surely(std::string line) override {
    line += '\n';
    outbox_->put(std::move(line));
    return true;
  }
  void answer(std::string line, int /*status*/) override {
    if (!line.empty()) send_surely(std::move(line));
  }

 private:
  std::shared_ptr<Outbox> outbox_;
  std::shared_ptr<Traffic> traffic_;
};

}  // namespace

LineConnection::LineConnection(Connections& home, std::unique_ptr<Stream> stream, Peer peer, mcp::Host& host,
                               const access::Tokens* tokens)
    : Connection(home, std::move(stream), std::move(peer)),
      host_(host),
      tokens_(tokens),
      timer_(home.reactor),
      held_(home.held, peer_.place) {}

std::string LineConnection::refusal(std::size_t connections) {
  return jsonrpc::error_line("null", {kTooMany, fmt::format("{} connections are open: try again later", connections), ""}) + "\n";
}

void LineConnection::opened() {
  outlet_ = std::make_shared<LineOutlet>(outbox_, home_.traffic);
  if (peer_.account) {
    begin({std::to_string(*peer_.account), access::How::unix_peer});
  } else if (tokens_ == nullptr) {
    auto subject = stream_->certificate();
    begin(subject ? access::Principal{std::move(*subject), access::How::certificate}
                  : access::Principal{"", access::How::loopback});
  }
  split_at(session_ ? home_.limits.message.line_bytes : kAuthorizeBytes);
}

void LineConnection::begin(access::Principal who) {
  handshake_timer_.cancel();
  mcp::SessionOptions options;
  options.kind = mcp::Conversation::connection;
  options.who = std::move(who);
  options.peer = peer_.name;
  options.bounds = home_.limits.message;
  session_ = std::make_unique<mcp::Session>(host_, std::move(options));
  session_->attach(outlet_);
  watch_idleness();
}

void LineConnection::split_at(std::size_t bound) {
  splitter_ = std::make_unique<LineSplitter>(
      bound, LineSplitter::Sink{[this](std::string_view text) { line(text); }, [this](std::size_t most) { oversized(most); }});
}

void LineConnection::received(std::string_view bytes) {
  last_ = std::chrono::steady_clock::now();
  if (session_) watch_idleness();
  if (!waiting_.empty()) {
    waiting_.append(bytes);
  } else {
    process(bytes);
  }
}

// Line by line, so that many small requests in one piece cannot pile up answers.
void LineConnection::process(std::string_view bytes) {
  while (!bytes.empty() && !finishing_ && !winding_down_) {
    if (outbox_->above_mark()) {
      waiting_ = std::string(bytes);
      return read_on(false);
    }
    const std::size_t newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline == std::string_view::npos ? newline : newline + 1);
    bytes.remove_prefix(piece.size());
    const bool stranger = !session_;
    splitter_->feed(piece);
    if (stranger && session_) split_at(home_.limits.message.line_bytes);
    hold();
  }
  if (!winding_down_) read_on(true);
}

void LineConnection::hold() {
  held_.release();
  if (!held_.take(splitter_->held())) splitter_->skip();
}

// What is subscribed to is waited for, and so is what waits to be sent.
std::optional<Connection::Idle> LineConnection::idle() const {
  if (winding_down_ || !waiting_.empty() || (outbox_ && !outbox_->empty()) || (session_ && !session_->idle()))
    return std::nullopt;
  return Idle{last_, has_spoken_};
}

void LineConnection::sent_all() { last_ = std::chrono::steady_clock::now(); }

void LineConnection::sent() {
  if (waiting_.empty() || outbox_->above_mark()) return;
  process(std::exchange(waiting_, {}));
}

void LineConnection::line(std::string_view text) {
  ++home_.traffic->requests;
  if (!session_) return authorize(text);
  has_spoken_ = true;
  jsonrpc::Incoming incoming = jsonrpc::read(text, home_.limits.message);
  if (incoming.error) ++home_.traffic->faults;
  session_->handle(std::move(incoming), outlet_);
}

void LineConnection::oversized(std::size_t bound) {
  ++home_.traffic->requests;
  if (!session_) return refuse("null", fmt::format("unauthorized: before that a message must have at most {} bytes", bound));
  ++home_.traffic->faults;
  session_->handle(jsonrpc::oversized(bound), outlet_);
}

void LineConnection::authorize(std::string_view text) {
  const jsonrpc::Incoming incoming = jsonrpc::read(text, home_.limits.message);
  if (incoming.error || incoming.batch) return refuse("null", kAuthorizeFirst);
  const jsonrpc::Message& message = incoming.messages.front();
  const bool silent = message.kind == jsonrpc::Message::Kind::notification || message.kind == jsonrpc::Message::Kind::response;
  if (message.kind != jsonrpc::Message::Kind::request || message.method != "plumbline/authorize") {
    return refuse(silent ? "" : message.id, kAuthorizeFirst);
  }
  const nlohmann::json* params = message.params.get();
  const auto token = params != nullptr && params->is_object() ? params->find("token") : nlohmann::json::const_iterator();
  if (params == nullptr || !params->is_object() || token == params->end() || !token->is_string()) {
    return refuse(message.id, "unauthorized: params.token must be a string");
  }
  auto who = tokens_->find(token->get_ref<const std::string&>());
  if (!who) return refuse(message.id, "unauthorized: the token is none of ours");
  begin(std::move(*who));
  outlet_->answer(jsonrpc::result_line(message.id, "{}"), 200);
}

// `id` "": what was sent gets no answer, but counts.
void LineConnection::refuse(std::string_view id, std::string text) {
  ++home_.traffic->faults;
  if (!id.empty()) outlet_->answer(jsonrpc::error_line(id, {kUnauthorized, std::move(text), ""}), kUnauthorized);
  if (++failures_ >= home_.limits.failed_authorizations) finish();
}

void LineConnection::watch_idleness() {
  const milliseconds limit = peer_.account ? home_.limits.idle_unix : home_.limits.idle_tcp;
  if (limit.count() == 0 || winding_down_) return;
  after(timer_, limit, [this] {
    if (session_->idle()) return finish();
    watch_idleness();
  });
}

void LineConnection::ended() {
  splitter_->finish();
  wind_down(home_.limits.finish);
}

void LineConnection::drain(milliseconds at_most) { wind_down(at_most); }

// No more is read; calls under way may still be answered.
void LineConnection::wind_down(milliseconds at_most) {
  if (finishing_ || !session_) return finish();
  read_on(false);
  winding_down_ = true;
  waiting_.clear();
  until_ = std::min(until_, std::chrono::steady_clock::now() + at_most);
  wind_down_step();
}

void LineConnection::wind_down_step() {
  if (!session_->wait_idle(milliseconds(0)) && std::chrono::steady_clock::now() < until_) {
    return after(timer_, kStep, [this] { wind_down_step(); });
  }
  session_->close_subscriptions();
  finish();
}

void LineConnection::closed() {
  timer_.cancel();
  held_.release();
  session_.reset();
}

}  // namespace plumbline::server::transport::network
