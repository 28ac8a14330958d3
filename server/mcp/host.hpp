// What all conversations of one process share: the server, the threads, the clock, and what outlives a request: tasks,
// subscriptions, the key that seals state, limits and the audit. Built before the transports and destroyed after them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "server/access/audit.hpp"
#include "server/access/limits.hpp"
#include "server/access/seal.hpp"
#include "server/mcp/counters.hpp"
#include "server/mcp/hub.hpp"
#include "server/mcp/progress.hpp"
#include "server/mcp/server.hpp"
#include "server/mcp/tasks.hpp"
#include "server/transport/timers.hpp"
#include "server/transport/transport.hpp"

namespace plumbline::server::mcp {

struct HostOptions {
  Clock clock = [] { return std::chrono::steady_clock::now(); };
  access::Limits* limits = nullptr;  // null: none
  access::Audit* audit = nullptr;    // null: none
  Counters* counters = nullptr;      // null: none
  // Which other servers of the same clients have, too. Nothing is then promised that only this one could keep: no tasks.
  std::optional<access::Sealer::Key> state_key = {};
  std::function<access::Sealer::Time()> wall = [] { return std::chrono::system_clock::now(); };
  std::chrono::milliseconds ask_for{600'000};     // how long a person may take to answer
  std::chrono::milliseconds call_for{3'600'000};  // whatever a call is doing, it is told to stop then
};

struct Host {
  Host(const Server& the_server, transport::Executor& the_executor, HostOptions the_options = {});
  ~Host();

  const Server& server;
  transport::Executor& executor;
  const HostOptions options;
  transport::Timers timers;
  access::Sealer sealer;
  Hub hub;
  TaskStore tasks;
};

}  // namespace plumbline::server::mcp
