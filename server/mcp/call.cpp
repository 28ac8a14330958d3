#include "server/mcp/call.hpp"

#include <exception>

#include "server/mcp/errors.hpp"

namespace plumbline::server::mcp {

ToolResult Call::run(const std::function<void(std::string line)>& notify) {
  CallContext context;
  context.cancelled = &cancelled_;
  context.progress = [this, &notify](double progress, double total, std::string_view message) {
    report(progress, total, message, notify);
  };
  try {
    return request_.tool->call(request_.arguments, context);
  } catch (const std::exception& error) {
    return failure({core::ErrorCode::internal, request_.tool->name + " failed: " + error.what(), "", ""});
  } catch (...) {
    return failure({core::ErrorCode::internal, request_.tool->name + " failed", "", ""});
  }
}

void Call::report(double progress, double total, std::string_view message, const std::function<void(std::string line)>& notify) {
  if (request_.progress_token.empty()) return;
  const std::lock_guard lock(mutex_);
  if (!reply_.open() || !progress_.admit(progress, total)) return;
  notify(
      jsonrpc::notification_line("notifications/progress", progress_params(request_.progress_token, progress, total, message)));
}

void Call::cancel() {
  cancelled_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  reply_.drop();
}

void Call::finish(const std::function<void(jsonrpc::ReplyOnce&)>& answer) {
  const std::lock_guard lock(mutex_);
  if (reply_.open()) answer(reply_);
}

}  // namespace plumbline::server::mcp
