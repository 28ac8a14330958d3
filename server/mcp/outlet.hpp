// Where the messages of one exchange go: the connection itself (stdio, sockets), or the answer of one HTTP POST. Used from any
// thread, also under a call's lock: an outlet never calls back into the session. Once the other side is gone everything is
// swallowed; whoever owns the connection tells the session.
#pragma once

#include <string>
#include <utility>

namespace plumbline::server::mcp {

class Outlet {
 public:
  virtual ~Outlet() = default;
  // A notification that belongs to the exchange; it comes before its answer, and is lost when the client does not keep up.
  virtual void send(std::string line) = 0;
  // The same for what must not be lost: a request of ours (legacy era), the beginning of a subscription.
  // False when the client cannot get it.
  virtual bool send_surely(std::string line) {
    send(std::move(line));
    return true;
  }
  // The exchange's one answer; "" when there is deliberately none (cancelled). `status` is what HTTP makes of it.
  virtual void answer(std::string line, int status) = 0;
  // The client is to come back for the rest (legacy HTTP streams that are polled); nothing elsewhere.
  virtual void release() {}
};

}  // namespace plumbline::server::mcp
