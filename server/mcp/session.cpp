#include "server/mcp/session.hpp"

#include <fmt/core.h>

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "server/jsonrpc/reply.hpp"
#include "server/mcp/call.hpp"
#include "server/mcp/errors.hpp"

namespace plumbline::server::mcp {
namespace {

using jsonrpc::Message;
using jsonrpc::ReplyOnce;
using nlohmann::json;

// A string or 64-bit integer as JSON text, "" for anything else: progress tokens and the ids of cancellations.
std::string token_text(const json& value) {
  std::string text;
  if (value.is_string()) {
    core::append_quoted(text, value.get_ref<const std::string&>());
  } else if (value.is_number_unsigned()) {
    core::append_number(text, value.get<std::uint64_t>());
  } else if (value.is_number_integer()) {
    core::append_number(text, value.get<std::int64_t>());
  }
  return text;
}

const json* member(const json* object, const char* name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto at = object->find(name);
  return at == object->end() ? nullptr : &*at;
}

// The answers of a batch go out as one array when the last is there; none, and nothing is sent.
class BatchReply {
 public:
  BatchReply(std::size_t waiting, std::function<void(std::string)> send) : waiting_(waiting), send_(std::move(send)) {}
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (!line.empty()) answers_.append(answers_.empty() ? "[" : ",").append(line);
    if (--waiting_ == 0 && !answers_.empty()) send_(answers_ + "]");
  }

 private:
  std::mutex mutex_;
  std::size_t waiting_;
  std::string answers_;
  std::function<void(std::string)> send_;
};

}  // namespace

// Shared with the calls under way, so that a session may end before they do.
struct Session::State : std::enable_shared_from_this<Session::State> {
  State(const Server& the_server, transport::LineWriter& the_writer, transport::Executor& the_executor,
        SessionOptions the_options)
      : server(the_server), executor(the_executor), options(std::move(the_options)), writer(&the_writer) {}

  const Server& server;
  transport::Executor& executor;
  const SessionOptions options;
  std::string legacy_version;  // "" until initialize; the reader's thread only

  std::mutex writing;
  transport::LineWriter* writer;  // null once the session has ended

  std::mutex calls_mutex;
  std::condition_variable idle;
  std::map<std::string, std::shared_ptr<Call>, std::less<>> calls;  // by id text; a cancelled call's id is free again
  std::size_t active = 0;                                           // cancelled ones that still run included

  void send(const std::string& line) {
    const std::lock_guard lock(writing);
    if (writer != nullptr && !line.empty()) writer->write_line(line);
  }

  void handle(Message message, ReplyOnce::Send reply_to, bool in_batch);
  void request(const Message& message, ReplyOnce& reply, bool in_batch);
  void modern_request(const Message& message, ReplyOnce& reply);
  void legacy_request(const Message& message, ReplyOnce& reply, bool in_batch);
  void initialize(const json* params, ReplyOnce& reply);
  void list_tools(Era era, const json* params, ReplyOnce& reply) const;
  void call_tool(Era era, const json* params, ReplyOnce& reply);
  void notification(const Message& message);
  void run(const std::shared_ptr<Call>& call);
  void leave(const std::shared_ptr<Call>& call);
};

void Session::State::handle(Message message, ReplyOnce::Send reply_to, bool in_batch) {
  switch (message.kind) {
    case Message::Kind::response:
      return;  // we ask clients nothing, so there is nothing it could answer
    case Message::Kind::notification:
      notification(message);
      return;
    case Message::Kind::invalid:
      ReplyOnce(std::move(message.id), std::move(reply_to)).error(message.error);
      return;
    case Message::Kind::request:
      break;
  }
  ReplyOnce reply(message.id, std::move(reply_to));
  try {
    request(message, reply, in_batch);
  } catch (const std::exception& error) {
    if (reply.open()) reply.error({jsonrpc::kInternalError, std::string("this is a fault of the server: ") + error.what(), ""});
  }
}

void Session::State::request(const Message& message, ReplyOnce& reply, bool in_batch) {
  {
    const std::lock_guard lock(calls_mutex);
    if (calls.find(message.id) != calls.end()) {
      reply.error(
          {jsonrpc::kInvalidRequest, fmt::format("id {} belongs to a request that is still being answered", message.id), ""});
      return;
    }
  }
  const auto era = era_of(message.params.get());
  if (!era) {
    reply.error(era.error());
  } else if (*era == Era::modern) {
    modern_request(message, reply);
  } else {
    legacy_request(message, reply, in_batch);
  }
}

void Session::State::modern_request(const Message& message, ReplyOnce& reply) {
  const json* params = message.params.get();
  if (message.method == "tools/call") return call_tool(Era::modern, params, reply);
  if (message.method == "tools/list") return list_tools(Era::modern, params, reply);
  if (message.method == "server/discover") return reply.result(server.discover_result());
  reply.error(method_not_found(message.method));
}

void Session::State::legacy_request(const Message& message, ReplyOnce& reply, bool in_batch) {
  const json* params = message.params.get();
  if (message.method == "initialize") {
    if (in_batch) return reply.error({jsonrpc::kInvalidRequest, "initialize must not be part of a batch", ""});
    return initialize(params, reply);
  }
  if (message.method == "ping") return reply.result(server.empty_result(Era::legacy));
  if (legacy_version.empty()) {
    reply.error(
        invalid_params(fmt::format("params._meta[\"io.modelcontextprotocol/protocolVersion\"] is missing: send it with every "
                                   "request (\"{}\"), or send initialize first",
                                   kModernVersion)));
    return;
  }
  if (message.method == "tools/call") return call_tool(Era::legacy, params, reply);
  if (message.method == "tools/list") return list_tools(Era::legacy, params, reply);
  reply.error(method_not_found(message.method));
}

void Session::State::initialize(const json* params, ReplyOnce& reply) {
  const json* requested = member(params, "protocolVersion");
  if (requested == nullptr || !requested->is_string())
    return reply.error(invalid_params("params.protocolVersion must be a string"));
  legacy_version = negotiate(requested->get_ref<const std::string&>());
  reply.result(server.initialize_result(legacy_version));
}

void Session::State::list_tools(Era era, const json* params, ReplyOnce& reply) const {
  if (params != nullptr && !params->is_object()) return reply.error(invalid_params("params must be an object"));
  if (const json* cursor = member(params, "cursor"); cursor != nullptr && !cursor->is_null()) {
    return reply.error(invalid_params("params.cursor is none of ours: the list has one page, ask without a cursor"));
  }
  reply.result(server.tools_result(era));
}

void Session::State::call_tool(Era era, const json* params, ReplyOnce& reply) {
  const json* name = member(params, "name");
  if (name == nullptr || !name->is_string()) return reply.error(invalid_params("params.name must be a string: the tool to call"));
  const json* arguments = member(params, "arguments");
  if (arguments != nullptr && !arguments->is_object() && !arguments->is_null()) {
    return reply.error(invalid_params("params.arguments must be an object"));
  }
  CallRequest request;
  const auto& tool_name = name->get_ref<const std::string&>();
  request.tool = server.catalogue().find(tool_name);
  if (request.tool == nullptr) return reply.error(unknown_tool(tool_name, server.catalogue().nearest(tool_name)));
  if (arguments != nullptr && arguments->is_object()) request.arguments = arguments->dump();
  if (const json* token = member(member(params, "_meta"), "progressToken")) request.progress_token = token_text(*token);
  request.era = era;
  request.links = era == Era::modern || legacy_version >= kResourceLinksSince;

  std::unique_lock lock(calls_mutex);
  if (active >= options.calls) {
    lock.unlock();
    return reply.error(
        {jsonrpc::kInternalError,
         fmt::format("{} tool calls are running or waiting on this connection: repeat when one has ended", options.calls), ""});
  }
  const auto call = std::make_shared<Call>(std::move(request), std::move(reply), options.clock);
  calls.emplace(call->id(), call);
  ++active;
  lock.unlock();
  try {
    executor.submit([self = shared_from_this(), call] { self->run(call); });
  } catch (const std::exception&) {
    call->finish([](ReplyOnce& open) { open.error({jsonrpc::kInternalError, "no thread could be started for the call", ""}); });
    leave(call);
  }
}

void Session::State::run(const std::shared_ptr<Call>& call) {
  std::string answer;
  bool failed = false;
  if (!call->cancelled()) {
    try {
      const ToolResult result = call->run([this](const std::string& line) { send(line); });
      answer = server.call_result(call->request().era, result, call->request().links);
    } catch (const std::exception& error) {
      failed = true;
      answer = error.what();
    }
  }
  {
    // The id is free before the answer is out, so that a client may reuse it as soon as it has read that.
    const std::lock_guard lock(calls_mutex);
    const auto at = calls.find(call->id());
    if (at != calls.end() && at->second == call) calls.erase(at);
  }
  try {
    call->finish([&](ReplyOnce& reply) {
      if (failed) return reply.error({jsonrpc::kInternalError, "this is a fault of the server: " + answer, ""});
      reply.result(answer);
    });
  } catch (const std::exception&) {  // out of memory: the call's own end answers, shorter
  }
  leave(call);
}

void Session::State::leave(const std::shared_ptr<Call>& call) {
  const std::lock_guard lock(calls_mutex);
  const auto at = calls.find(call->id());
  if (at != calls.end() && at->second == call) calls.erase(at);
  if (--active == 0) idle.notify_all();
}

void Session::State::notification(const Message& message) {
  if (message.method != "notifications/cancelled") return;
  const json* id = member(message.params.get(), "requestId");
  if (id == nullptr) return;
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(calls_mutex);
    const auto at = calls.find(token_text(*id));
    if (at == calls.end()) return;  // unknown, answered, or no id at all
    call = at->second;
    calls.erase(at);
  }
  call->cancel();
}

Session::Session(const Server& server, transport::LineWriter& writer, transport::Executor& executor, SessionOptions options)
    : state_(std::make_shared<State>(server, writer, executor, std::move(options))) {}

Session::~Session() {
  cancel_all();
  const std::lock_guard lock(state_->writing);
  state_->writer = nullptr;
}

void Session::on_line(std::string_view line) {
  const auto send = [state = state_](const std::string& text) { state->send(text); };
  jsonrpc::Incoming incoming = jsonrpc::read(line, state_->options.bounds);
  if (incoming.batch && state_->legacy_version != kBatchVersion) {
    send(jsonrpc::error_line(
        "null", {jsonrpc::kInvalidRequest,
                 fmt::format("a line must be one JSON object: batches exist only in revision {}", kBatchVersion), ""}));
    return;
  }
  if (incoming.error) {
    send(jsonrpc::error_line("null", *incoming.error));
    return;
  }
  if (!incoming.batch) {
    state_->handle(std::move(incoming.messages.front()), send, false);
    return;
  }
  // A second request with an id of the same batch is as wrong as one with the id of a request in flight.
  std::set<std::string, std::less<>> ids;
  std::size_t answers = 0;
  for (Message& message : incoming.messages) {
    if (message.kind == Message::Kind::request && !ids.insert(message.id).second) {
      message.kind = Message::Kind::invalid;
      message.error = {jsonrpc::kInvalidRequest, fmt::format("id {} is used twice in the batch", message.id), ""};
    }
    if (message.kind == Message::Kind::request || message.kind == Message::Kind::invalid) ++answers;
  }
  const auto batch = std::make_shared<BatchReply>(answers, send);
  for (Message& message : incoming.messages) {
    state_->handle(
        std::move(message), [batch](const std::string& text) { batch->add(text); }, true);
  }
}

void Session::on_oversized_line(std::size_t bound) {
  state_->send(
      jsonrpc::error_line("null", {jsonrpc::kInvalidRequest, fmt::format("a message must have at most {} bytes", bound), ""}));
}

bool Session::wait_idle(std::chrono::milliseconds at_most) {
  std::unique_lock lock(state_->calls_mutex);
  return state_->idle.wait_for(lock, at_most, [this] { return state_->active == 0; });
}

void Session::cancel_all() {
  std::map<std::string, std::shared_ptr<Call>, std::less<>> calls;
  {
    const std::lock_guard lock(state_->calls_mutex);
    calls.swap(state_->calls);
  }
  for (const auto& [id, call] : calls) call->cancel();
}

}  // namespace plumbline::server::mcp
