// The legacy sessions of one endpoint (revisions up to 2025-11-25; the modern era has none). A session belongs to whoever
// opened it and does not exist for anybody else. It ends when its client says so, when nobody has used it for a while and
// nothing runs in it, or, when its owner has too many, before those that were used later; never to make room for somebody else.
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/mcp/session.hpp"
#include "server/transport/http/event_stream.hpp"

namespace plumbline::server::transport::http {

struct SessionsOptions {
  std::size_t most = 1'024;  // a quarter of them of one owner; all of clients that show no credentials
  std::chrono::milliseconds idle_for = std::chrono::minutes(30);
  std::size_t listening = 16;                 // streams of one session that listen at a time
  std::size_t streams = 64;                   // of one session, kept for those who come back; those in use come on top
  std::size_t stream_bytes = 1U << 20;        // held by those kept
  std::chrono::milliseconds linger{300'000};  // how long a stream that has ended can still be resumed
};

// The streams of one session: those in use, and those that wait for their client. As an outlet it takes the messages that
// belong to no request and gives each to one stream that listens.
class Streams final : public mcp::Outlet {
 public:
  Streams(std::shared_ptr<StreamHouse> house, mcp::Clock clock, const SessionsOptions& options)
      : house_(std::move(house)), clock_(std::move(clock)), options_(options) {}

  void send(std::string line) override;
  void answer(std::string, int) override {}

  // Numbers for streams that can be resumed, from 1.
  [[nodiscard]] std::uint64_t next_number() { return ++last_; }
  void add(const std::shared_ptr<Stream>& stream);
  // The stream of that number, when it can be resumed.
  [[nodiscard]] std::shared_ptr<Stream> find(std::uint64_t number);
  // Somebody reads one of them.
  [[nodiscard]] bool in_use();
  // Lets go of what nobody will come back for.
  void tidy();
  // Another stream that listens would not be too many.
  [[nodiscard]] bool may_listen();
  // Every stream ends, now and from now on; whoever still waits is told that the session is gone.
  void end_all();
  void end_listening();

 private:
  struct Kept {
    std::shared_ptr<Stream> stream;
    std::optional<std::chrono::steady_clock::time_point> ended;
  };
  void tidy_locked();
  [[nodiscard]] std::vector<std::shared_ptr<Stream>> listening();

  const std::shared_ptr<StreamHouse> house_;
  const mcp::Clock clock_;
  const SessionsOptions options_;
  std::atomic<std::uint64_t> last_ = 0;
  std::mutex mutex_;  // taken before a stream's own
  std::vector<Kept> kept_;
  bool closed_ = false;
};

struct LegacySession {
  LegacySession(mcp::Host& host, mcp::SessionOptions options, std::shared_ptr<Streams> the_streams);

  const std::string id;     // visible ASCII, unguessable
  const std::string owner;  // Principal::id()
  const bool anonymous;     // a client of this machine like any other: its id stands for many
  mcp::Session session;
  std::mutex handling;  // Session::handle() is for one thread at a time
  const std::shared_ptr<Streams> streams;
  std::atomic<std::chrono::steady_clock::time_point> used;
};

class Sessions {
 public:
  Sessions(SessionsOptions options, mcp::Clock clock, Metrics& metrics)
      : options_(options), clock_(std::move(clock)), metrics_(metrics) {}

  // Nothing, or why there cannot be another one.
  [[nodiscard]] std::optional<std::string> add(const std::shared_ptr<LegacySession>& session);
  // The session, used from now on; null when there is none or it is somebody else's.
  [[nodiscard]] std::shared_ptr<LegacySession> find(std::string_view id, std::string_view owner);
  // Ends it.
  void end(const std::shared_ptr<LegacySession>& session);
  // Ends those that nobody has used for long enough.
  void tidy();
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::vector<std::shared_ptr<LegacySession>> all() const;

 private:
  static void close(LegacySession& session);

  const SessionsOptions options_;
  const mcp::Clock clock_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<LegacySession>, std::less<>> sessions_;
};

// What is answered, with status 404, to a request of a session that has ended. `id`: "" = none.
[[nodiscard]] std::string no_such_session(std::string_view id);
// An error message; without an id where none could be read ("" or "null").
[[nodiscard]] std::string error_text(std::string_view id, const jsonrpc::RpcError& error);

}  // namespace plumbline::server::transport::http
