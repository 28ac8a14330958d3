#include "server/mcp/call.hpp"

#include <array>
#include <exception>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/mcp/errors.hpp"

namespace plumbline::server::mcp {
namespace {
constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};
}  // namespace

std::string_view to_string(LogLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

std::optional<LogLevel> log_level(std::string_view name) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

Call::Call(CallRequest request, jsonrpc::ReplyOnce reply, std::shared_ptr<Outlet> outlet, Clock clock)
    : request_(std::move(request)),
      outlet_(std::move(outlet)),
      began_(clock()),
      reply_(std::move(reply)),
      progress_(std::move(clock)) {}

Call::~Call() = default;

WorkResult Call::run(const std::function<void(std::string_view message)>& told) {
  CallContext context;
  context.cancelled = &cancelled_;
  context.progress = [this, &told](double progress, double total, std::string_view message) {
    if (!message.empty()) told(message);
    report(progress, total, message);
  };
  context.log = [this](LogLevel level, std::string_view logger, std::string_view data) { log(level, logger, data); };
  context.client = request_.client;
  context.who = &request_.who;
  context.inputs = request_.inputs.get();
  context.state = request_.state;
  context.release_stream = [this] { outlet_->release(); };
  return request_.work(context);
}

void Call::next_round(std::shared_ptr<const nlohmann::json> inputs, std::string state) {
  request_.inputs = std::move(inputs);
  request_.state = std::move(state);
  ++request_.round;
}

void Call::report(double progress, double total, std::string_view message) {
  if (request_.progress_token.empty()) return;
  const std::lock_guard lock(mutex_);
  if (!reply_.open() || !progress_.admit(progress, total)) return;
  outlet_->send(
      jsonrpc::notification_line("notifications/progress", progress_params(request_.progress_token, progress, total, message)));
}

void Call::log(LogLevel level, std::string_view logger, std::string_view data) {
  if (!request_.log_level || level < *request_.log_level) return;
  std::string params = R"({"level":")" + std::string(to_string(level)) + '"';
  if (!logger.empty()) params.append(R"(,"logger":)").append(core::quoted(logger));
  params.append(R"(,"data":)").append(jsonrpc::on_one_line(std::string(data))).append("}");
  const std::lock_guard lock(mutex_);
  if (reply_.open()) outlet_->send(jsonrpc::notification_line("notifications/message", params));
}

bool Call::cancel() {
  cancelled_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  const bool open = reply_.open();
  if (open) reply_.drop();
  return open;
}

bool Call::finish(const std::function<void(jsonrpc::ReplyOnce&)>& answer) {
  const std::lock_guard lock(mutex_);
  if (!reply_.open()) return false;
  answer(reply_);
  return true;
}

bool Call::ask(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!reply_.open()) return false;
  return outlet_->send_surely(line);
}

}  // namespace plumbline::server::mcp
