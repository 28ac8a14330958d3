// One connection's conversation: lines in, lines out. on_line() and on_oversized_line() are called by one thread, the reader;
// everything but tool calls is answered before they return, so that a long call never holds up a ping, a list or a
// cancellation. Calls run on the executor. The server, the writer and the executor outlive the session; calls that still run
// when it is destroyed are told to stop and their answers go nowhere.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "server/jsonrpc/message.hpp"
#include "server/mcp/progress.hpp"
#include "server/mcp/server.hpp"
#include "server/transport/transport.hpp"

namespace plumbline::server::mcp {

struct SessionOptions {
  jsonrpc::Bounds bounds;
  std::size_t calls = 256;  // running or waiting at once; more are refused
  Clock clock = [] { return std::chrono::steady_clock::now(); };
};

class Session {
 public:
  Session(const Server& server, transport::LineWriter& writer, transport::Executor& executor, SessionOptions options = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  void on_line(std::string_view line);
  void on_oversized_line(std::size_t bound);

  // True as soon as no call runs or waits; false when that takes longer.
  [[nodiscard]] bool wait_idle(std::chrono::milliseconds at_most);
  // Tells every call to stop; none of them is answered any more.
  void cancel_all();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace plumbline::server::mcp
