// Where the messages of one exchange go: the connection itself (stdio, sockets), or the answer of one HTTP POST. Used from any
// thread, also under a call's lock: an outlet never calls back into the session. Once the other side is gone everything is
// swallowed; whoever owns the connection tells the session.
#pragma once

#include <string>

namespace plumbline::server::mcp {

class Outlet {
 public:
  virtual ~Outlet() = default;
  // A notification, or a request of ours (legacy era), that belongs to the exchange. Comes before its answer.
  virtual void send(std::string line) = 0;
  // The exchange's one answer; "" when there is deliberately none (cancelled). `status` is what HTTP makes of it.
  virtual void answer(std::string line, int status) = 0;
  // The client is to come back for the rest (legacy HTTP streams that are polled); nothing elsewhere.
  virtual void release() {}
};

}  // namespace plumbline::server::mcp
