// One request under way that needs a worker: a tool call, a prompt, a resource, a list that must be read. Three parties meet
// here: the worker that runs it, the reader that may cancel it, and whoever waits for its answer. Answering and cancelling
// exclude each other under the call's own lock, so that nothing is sent for a request once its cancellation has been read.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "server/access/limits.hpp"
#include "server/jsonrpc/reply.hpp"
#include "server/mcp/catalogue.hpp"
#include "server/mcp/era.hpp"
#include "server/mcp/outlet.hpp"
#include "server/mcp/progress.hpp"
#include "server/transport/timers.hpp"

namespace plumbline::server::mcp {

// What the work came to: the members of the result object, or one of the others.
struct WorkResult {
  std::string members;
  bool is_error = false;  // an isError result, and its code: for the audit
  std::string code = {};
  std::optional<InputRequired> input = {};
  std::optional<jsonrpc::RpcError> error = {};
};
using Work = std::function<WorkResult(const CallContext& context)>;

struct CallRequest {
  Work work;
  std::string method;                            // "tools/call"
  std::string name;                              // the tool's, the prompt's, the URI
  std::shared_ptr<const std::string> arguments;  // what counts of the params: binds sealed state; its digest goes to the audit
  TaskPolicy task;
  bool writes = false, answers_readers = false, instant = false;
  std::string progress_token;         // JSON text; "" = the client wants none
  std::optional<LogLevel> log_level;  // nothing = the client wants no log
  Era era = Era::legacy;
  ClientCan client;
  access::Principal who;
  std::shared_ptr<const nlohmann::json> inputs;  // never null
  std::string state;
  int round = 0;
};

class Call {
 public:
  Call(CallRequest request, jsonrpc::ReplyOnce reply, std::shared_ptr<Outlet> outlet, Clock clock);
  ~Call();

  [[nodiscard]] const std::string& id() const { return reply_.id(); }
  [[nodiscard]] const CallRequest& request() const { return request_; }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const { return outlet_; }
  [[nodiscard]] std::chrono::steady_clock::time_point began() const { return began_; }

  // Runs the work; its result, whatever happens in it. `told`: progress messages, for a task.
  [[nodiscard]] WorkResult run(const std::function<void(std::string_view message)>& told);
  // The next round, with what the client answered.
  void next_round(std::shared_ptr<const nlohmann::json> inputs, std::string state);
  // From now on nothing is sent for this call, and the work is told to stop. False when it had been answered already.
  bool cancel();
  // Gives the reply to `answer`, unless the call was cancelled or answered: then false.
  bool finish(const std::function<void(jsonrpc::ReplyOnce&)>& answer);
  // A request of ours on the call's outlet, unless the call was cancelled.
  bool ask(const std::string& line);

  // The session's notes, guarded by its lock.
  std::map<std::string, std::string, std::less<>> waiting;  // key by the id of our question (legacy era)
  std::shared_ptr<const nlohmann::json> asked;              // what was asked in this round, by key
  std::shared_ptr<nlohmann::json> answers;                  // so far
  std::string next_state;
  bool parked = false;  // waits for answers: no worker has it
  bool left = false;
  std::string task;  // its id once the call has become one
  transport::Timers::Id timer = 0, task_timer = 0;
  access::Limits::Ticket ticket;
  std::atomic<bool> audited = false;

 private:
  void report(double progress, double total, std::string_view message);
  void log(LogLevel level, std::string_view logger, std::string_view data);

  CallRequest request_;
  std::shared_ptr<Outlet> outlet_;
  const std::chrono::steady_clock::time_point began_;
  std::mutex mutex_;  // guards reply_ (but its id) and the order of what is sent
  jsonrpc::ReplyOnce reply_;
  ProgressGate progress_;
  std::atomic<bool> cancelled_ = false;
};

[[nodiscard]] std::string_view to_string(LogLevel level);
[[nodiscard]] std::optional<LogLevel> log_level(std::string_view name);

}  // namespace plumbline::server::mcp
