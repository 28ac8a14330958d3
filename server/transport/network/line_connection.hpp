// A conversation of lines: newline-delimited JSON-RPC on a Unix socket, TCP or TLS, one session per connection. Nothing is read
// while much waits to be sent, so that a client which does not read its answers stops being served instead of costing memory.
//
// Where tokens are asked for, the first message is the request plumbline/authorize with params {"token": "…"}, answered by {};
// anything else is answered with error 401, and the third failure closes the connection.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/access/principal.hpp"
#include "server/access/tokens.hpp"
#include "server/mcp/session.hpp"
#include "server/transport/network/connection.hpp"
#include "server/transport/transport.hpp"

namespace plumbline::server::transport::network {

class LineConnection final : public Connection {
 public:
  // `tokens` null: whoever reaches the socket may ask, or whoever has shown a certificate where those are asked for.
  LineConnection(Connections& home, std::unique_ptr<Stream> stream, Peer peer, mcp::Host& host, const access::Tokens* tokens);
  void drain(milliseconds at_most) override;
  // For those who come when there are too many.
  [[nodiscard]] static std::string refusal(std::size_t connections);

 private:
  [[nodiscard]] std::optional<Idle> idle() const override;
  void opened() override;
  void received(std::string_view bytes) override;
  void ended() override;
  void sent() override;
  void sent_all() override;
  void closed() override;

  void begin(access::Principal who);
  void split_at(std::size_t bound);
  void process(std::string_view bytes);
  void hold();
  void line(std::string_view text);
  void oversized(std::size_t bound);
  void authorize(std::string_view text);
  void refuse(std::string_view id, std::string text);
  void watch_idleness();
  void wind_down(milliseconds at_most);
  void wind_down_step();

  mcp::Host& host_;
  const access::Tokens* tokens_;
  std::shared_ptr<mcp::Outlet> outlet_;
  std::unique_ptr<mcp::Session> session_;  // null until authorized and once closed
  std::unique_ptr<LineSplitter> splitter_;
  std::string waiting_;  // received, not yet looked at: too much waits to be sent
  Timer timer_;          // idleness, then winding down
  Share held_;           // of a line whose end has not come
  std::size_t failures_ = 0;
  Time last_ = std::chrono::steady_clock::now();  // when it came, something was received, or all was sent
  bool has_spoken_ = false;                       // a line, of whoever may
  std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::time_point::max();
  bool winding_down_ = false;
};

}  // namespace plumbline::server::transport::network
