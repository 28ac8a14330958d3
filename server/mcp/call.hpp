// One tools/call under way. Three parties meet here: the worker that runs it, the reader that may cancel it, and the batch
// or connection that waits for its answer. Answering and cancelling exclude each other under the call's own lock, so that
// nothing is sent for a request once its cancellation has been read.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "server/jsonrpc/reply.hpp"
#include "server/mcp/catalogue.hpp"
#include "server/mcp/era.hpp"
#include "server/mcp/progress.hpp"

namespace plumbline::server::mcp {

struct CallRequest {
  const Tool* tool = nullptr;
  std::string arguments = "{}";  // JSON text
  std::string progress_token;    // JSON text; "" = the client wants none
  Era era = Era::legacy;
  bool links = true;
};

class Call {
 public:
  Call(CallRequest request, jsonrpc::ReplyOnce reply, Clock clock)
      : request_(std::move(request)), reply_(std::move(reply)), progress_(std::move(clock)) {}

  [[nodiscard]] const std::string& id() const { return reply_.id(); }
  [[nodiscard]] const CallRequest& request() const { return request_; }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  // Runs the tool; its result, whatever happens in it.
  [[nodiscard]] ToolResult run(const std::function<void(std::string line)>& notify);
  // From now on nothing is sent for this call, and the tool is told to stop.
  void cancel();
  // Gives the reply to `answer`, unless the call was cancelled.
  void finish(const std::function<void(jsonrpc::ReplyOnce&)>& answer);

 private:
  void report(double progress, double total, std::string_view message, const std::function<void(std::string line)>& notify);

  CallRequest request_;
  std::mutex mutex_;  // guards reply_ (but its id) and the order of what is sent
  jsonrpc::ReplyOnce reply_;
  ProgressGate progress_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace plumbline::server::mcp
