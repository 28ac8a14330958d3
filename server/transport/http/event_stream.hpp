// The answer of one POST, or of one GET that listens, on its way to the client: plain JSON when the answer is all there is, an
// event stream (text/event-stream, WHATWG HTML section 9.2) from the first message on, or when the answer lets wait.
//
// For clients of revision 2025-11-25 a stream outlives its connection: its events carry ids "<stream>-<n>", the first one is
// empty and says where to go on, the last ones are kept within bounds, and resume() gives the stream another connection. For
// all others a stream ends with its connection. Messages that a slow reader has no room for wait in a short queue and are
// then dropped and counted; an answer never is.
//
// Thread-safe; calls nothing back but the Exchange, the timers and `on_finished`. A Stream is kept alive by whoever may still
// send to it, and by its session while it can be resumed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/mcp/outlet.hpp"
#include "server/transport/http/exchange.hpp"
#include "server/transport/http/metrics.hpp"
#include "server/transport/timers.hpp"

namespace plumbline::server::transport::http {

// One event. Line breaks within `data` become several data lines, which a reader joins with "\n". "" = no id.
[[nodiscard]] std::string sse_event(std::string_view data, std::string_view id = {});
// The event that opens a stream that can be resumed.
[[nodiscard]] std::string sse_priming(std::string_view id, std::chrono::milliseconds retry);
inline constexpr std::string_view kKeepAlive = ":\n\n";

// The latest messages of one stream, numbered from 1. When the bounds are reached the oldest go, but never the latest one.
class ReplayBuffer {
 public:
  ReplayBuffer(std::size_t most, std::size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}
  std::uint64_t add(std::string message);
  // What was added after `number`, as far as it is still there.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::string_view>> after(std::uint64_t number) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t most_, most_bytes_;
  std::deque<std::string> messages_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
};

struct EventId {
  std::uint64_t stream = 0, number = 0;
};
[[nodiscard]] std::optional<EventId> parse_event_id(std::string_view text);

struct StreamTimes {
  std::chrono::milliseconds patience{5'000};     // until a waiting client gets an event stream instead
  std::chrono::milliseconds keep_alive{15'000};  // between comments
  std::chrono::milliseconds again{200};          // until a full connection is tried again
  std::chrono::milliseconds retry{1'000};        // what clients are told to wait before they come back
};

struct StreamBounds {
  std::size_t replay = 256, replay_bytes = 256U << 10;  // per stream
  std::size_t waiting = 32;                             // messages that a full connection may keep waiting
};

// What all streams of an endpoint share.
struct StreamHouse {
  StreamHouse(Timers& the_timers, std::chrono::steady_clock::time_point now) : timers(the_timers), metrics(now) {}

  Timers& timers;
  Metrics metrics;
  StreamTimes times;
  StreamBounds bounds;
  std::string forbidden;  // WWW-Authenticate of an answer with status 403; "" = none
};

struct StreamKind {
  bool json = true, events = true;  // what the client accepts
  bool listens = false;             // a GET: there is no answer, and the stream is open from the beginning
  std::uint64_t resumable = 0;      // the stream's number in its session when it can be resumed, else 0
  Headers headers;                  // to be sent with whatever is answered
};

class Stream final : public mcp::Outlet, public std::enable_shared_from_this<Stream> {
 public:
  Stream(std::shared_ptr<StreamHouse> house, StreamKind kind, std::shared_ptr<Exchange> exchange);
  ~Stream() override;

  // Called once: when the answer is out, under whatever lock it came; or when it cannot go out any more because the client has
  // `left`, under no lock. To be set before anything is sent.
  void on_finished(std::function<void(bool left)> finished) { on_finished_ = std::move(finished); }
  // From now on time counts: the event stream begins when the answer lets wait, and is kept alive; and the client may leave.
  void start();
  // There is nothing to answer: 202.
  void accept();

  void send(std::string line) override;
  bool send_surely(std::string line) override { return offer(line, true); }
  void answer(std::string line, int status) override;
  void release() override;
  // send(), and whether the client will get it: now, or when it comes back.
  bool offer(const std::string& line, bool surely = false);

  // The connection has gone.
  void gone(const Exchange* exchange);
  // The client is back, and has seen everything up to `number`.
  void resume(const std::shared_ptr<Exchange>& exchange, std::uint64_t number);
  // Nothing more will come: whoever still waits is told `status` and `line` if nothing was sent yet.
  void abandon(int status, std::string line);

  [[nodiscard]] bool listens() const { return kind_.listens; }
  [[nodiscard]] std::uint64_t number() const { return kind_.resumable; }
  [[nodiscard]] bool connected() const;
  // The answer is out, or nobody will ever read it.
  [[nodiscard]] bool finished() const;
  // The client may come back for what it has missed.
  [[nodiscard]] bool can_resume() const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  void open();
  bool deliver(const std::string& line, bool last);
  void flush();
  void close();
  void arm(std::chrono::milliseconds delay);
  void tick();
  void connect(std::shared_ptr<Exchange> exchange);
  void watch(const std::shared_ptr<Exchange>& exchange);
  void reply(int status, std::string_view type, std::string body);
  [[nodiscard]] bool out() const { return ended_ && exchange_ == nullptr; }
  void tell_if_out(std::unique_lock<std::mutex>& lock, bool left = false);

  const std::shared_ptr<StreamHouse> house_;
  const StreamKind kind_;
  std::function<void(bool left)> on_finished_;

  mutable std::mutex mutex_;
  std::shared_ptr<Exchange> exchange_;  // null: nobody is there
  bool opened_ = false;                 // the event stream has begun
  bool ended_ = false;                  // nothing more will be added
  bool told_ = false;
  std::deque<std::string> waiting_;  // events that the connection had no room for
  ReplayBuffer replay_;
  Timers::Id timer_ = 0;
};

}  // namespace plumbline::server::transport::http
