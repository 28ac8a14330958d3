// One conversation: messages in, messages out, whatever carries them. Three kinds: a connection of lines (both eras on it), a
// legacy HTTP session, and one modern HTTP request, which knows nothing but itself. handle() may be called by one thread at a
// time; everything that needs no worker is answered before it returns, so that a long call never holds up a ping, a list or
// a cancellation. The host outlives its sessions; calls that still run when a session is destroyed are told to stop and their
// answers go nowhere, but for those that have become tasks.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "server/access/principal.hpp"
#include "server/jsonrpc/message.hpp"
#include "server/mcp/host.hpp"
#include "server/mcp/outlet.hpp"

namespace plumbline::server::mcp {

enum class Conversation { connection, legacy_session, single };

struct SessionOptions {
  Conversation kind = Conversation::connection;
  access::Principal who;
  std::string peer;  // for the audit: "127.0.0.1:4711", "stdio"
  jsonrpc::Bounds bounds;
  std::size_t calls = 256;           // running or waiting at once; more are refused
  std::size_t subscriptions = 1024;  // listens of one conversation, and URIs that a legacy one subscribes to
};

class Session {
 public:
  Session(Host& host, SessionOptions options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Where messages go that belong to no request (legacy: list changes, updates of subscribed resources). Null: nowhere.
  void attach(std::shared_ptr<Outlet> listener);
  // True when `outlet` will get an answer; false when there was nothing to answer (notifications, responses).
  bool handle(jsonrpc::Incoming incoming, const std::shared_ptr<Outlet>& outlet);
  // The legacy revision that initialize settled; "" before that.
  [[nodiscard]] std::string legacy_version() const;

  // True as soon as no call runs or waits; false when that takes longer.
  [[nodiscard]] bool wait_idle(std::chrono::milliseconds at_most);
  [[nodiscard]] bool idle() const;
  // Tells every call to stop; none of them is answered any more.
  void cancel_all();
  // The server is about to end: subscriptions are answered with their end, and what waits for a person is given up.
  void close_subscriptions();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace plumbline::server::mcp
