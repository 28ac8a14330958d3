#include <fmt/core.h>

#include <exception>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/mcp/ask.hpp"
#include "server/mcp/permission.hpp"
#include "server/mcp/session_state.hpp"

namespace plumbline::server::mcp {
namespace {

using access::Outcome;
using jsonrpc::ReplyOnce;
using jsonrpc::RpcError;
using nlohmann::json;

constexpr int kRounds = 16;                                // of questions in one call
constexpr std::chrono::milliseconds kStateLives{900'000};  // how long a person may think about a question

constexpr std::string_view kTooLong = "it took longer than a call may take";

RpcError fault(std::string_view what) {
  return {jsonrpc::kInternalError, "this is a fault of the server: " + std::string(what), ""};
}

std::string task_extension() { return fmt::format(R"({{"extensions":{{"{}":{{}}}}}})", kTasksExtension); }

tl::expected<std::string, RpcError> task_id(Asked& asked) {
  if (!asked.client.tasks) return tl::unexpected(missing_capability(task_extension()));
  Params id = member(asked.params, "taskId");
  if (id == nullptr || !id->is_string()) return tl::unexpected(invalid_params("params.taskId must be a string"));
  return id->get<std::string>();
}

std::string binding(const CallRequest& request) {
  return access::binding_of({request.who.id(), request.method, request.name, *request.arguments});
}

// What a round leaves behind for the next, before it is sealed.
std::string round_text(const CallRequest& request, const InputRequired& input) {
  return R"({"state":)" + core::quoted(input.state) + R"(,"asked":)" + input_requests_json(input) +
         fmt::format(R"(,"round":{}}})", request.round + 1);
}

}  // namespace

void Session::State::call_tool(Asked& asked) {
  const bool structured = asked.era == Era::modern || legacy_version >= kStructuredSince;
  start(asked, mcp::tool_call(host.server, asked.params, structured));
}
void Session::State::get_prompt(Asked& asked) { start(asked, mcp::prompt_get(host.server, asked.params)); }
void Session::State::list_resources(Asked& asked) { start(asked, mcp::resource_list(host.server, asked.params, asked.era)); }
void Session::State::read_resource(Asked& asked) { start(asked, mcp::resource_read(host.server, asked.params, asked.era)); }
void Session::State::complete(Asked& asked) { start(asked, mcp::completion(host.server, asked.params)); }

void Session::State::get_task(Asked& asked) {
  const auto id = task_id(asked);
  if (!id) return asked.reply.error(id.error());
  const auto members = host.tasks.get(options.who.id(), *id);
  if (!members) return asked.reply.error(members.error());
  asked.reply.result(host.server.result(Era::modern, *members));
}

void Session::State::update_task(Asked& asked) {
  const auto id = task_id(asked);
  if (!id) return asked.reply.error(id.error());
  Params responses = member(asked.params, "inputResponses");
  if (responses == nullptr || !responses->is_object()) {
    return asked.reply.error(invalid_params("params.inputResponses must be an object: an answer for each key that was asked"));
  }
  if (const auto updated = host.tasks.update(options.who.id(), *id, *responses); !updated) {
    return asked.reply.error(updated.error());
  }
  asked.reply.result(host.server.result(Era::modern, {}));
}

void Session::State::cancel_task(Asked& asked) {
  const auto id = task_id(asked);
  if (!id) return asked.reply.error(id.error());
  if (const auto cancelled = host.tasks.cancel(options.who.id(), *id); !cancelled) return asked.reply.error(cancelled.error());
  asked.reply.result(host.server.result(Era::modern, {}));
}

// What every request brings along. False when it was answered with what is wrong about it.
bool Session::State::prepare(Asked& asked, CallRequest& request) {
  request.method = asked.message.method;
  request.era = asked.era;
  request.client = asked.client;
  request.who = options.who;
  request.inputs = std::make_shared<const json>(json::object());
  Params meta = member(asked.params, "_meta");
  if (Params token = member(meta, "progressToken")) request.progress_token = token_text(*token);
  request.log_level = asked.era == Era::legacy ? legacy_log : std::nullopt;
  if (asked.era == Era::legacy) return true;
  if (Params level = member(meta, "io.modelcontextprotocol/logLevel")) {
    request.log_level = log_level(level->get_ref<const std::string&>());  // looked at before
  }
  Params responses = member(asked.params, "inputResponses");
  if (responses != nullptr && !responses->is_object()) {
    asked.reply.error(invalid_params("params.inputResponses must be an object: an answer for each key that was asked"));
    return false;
  }
  Params state = member(asked.params, "requestState");
  if (state == nullptr) {
    if (responses != nullptr) request.inputs = std::make_shared<const json>(acceptable_answers(*responses, nullptr));
    return true;
  }
  if (!state->is_string()) {
    asked.reply.error(invalid_params("params.requestState must be the string that came with the questions"));
    return false;
  }
  const auto opened = host.sealer.open(state->get_ref<const std::string&>(), binding(request), host.options.wall());
  if (!opened) {
    asked.reply.error(invalid_params("params." + opened.error().message + "; call again without it to begin anew"));
    return false;
  }
  const json round = json::parse(*opened);
  request.state = round.at("state").get<std::string>();
  request.round = round.at("round").get<int>();
  if (responses != nullptr) request.inputs = std::make_shared<const json>(acceptable_answers(*responses, &round.at("asked")));
  return true;
}

void Session::State::start(Asked& asked, MaybeCall request) {
  if (!request) return asked.reply.error(request.error());
  if (!prepare(asked, *request)) return;
  const bool tasks = asked.era == Era::modern && asked.client.tasks && request->task.after && !host.options.state_key;
  if (request->task.required && !tasks) return asked.reply.error(missing_capability(task_extension()));
  if (request->answers_readers && !options.who.may_write) request->writes = false;
  const bool permitted = options.who.may_read && (options.who.may_write || !request->writes);
  access::Limits::Ticket ticket;
  std::optional<RpcError> refused;
  if (!permitted) {
    refused = RpcError{kForbidden, not_permitted(options.who, request->name), "", 403};
  } else if (host.options.limits != nullptr) {
    auto entered = host.options.limits->enter(options.who.id());
    if (entered) {
      ticket = std::move(*entered);
    } else {
      refused = RpcError{kTooManyRequests, entered.error().message,
                         fmt::format(R"({{"retryAfterSeconds":{}}})", entered.error().retry_after.count()), 429};
    }
  }
  const auto call = std::make_shared<Call>(std::move(*request), std::move(asked.reply), asked.outlet, host.options.clock);
  call->ticket = std::move(ticket);
  if (refused) {
    audit(*call, Outcome::refused, std::to_string(refused->code), 0);
    call->finish([&](ReplyOnce& reply) { reply.error(*refused); });
    return;
  }
  bool crowded = false;
  {
    const std::lock_guard lock(mutex);
    crowded = active >= options.calls;
    if (!crowded) {
      calls.emplace(call->id(), call);
      ++active;
    }
  }
  if (crowded) {
    audit(*call, Outcome::refused, std::to_string(jsonrpc::kInternalError), 0);
    call->finish([&](ReplyOnce& reply) {
      reply.error(
          {jsonrpc::kInternalError,
           fmt::format("{} tool calls are running or waiting on this connection: repeat when one has ended", options.calls), "",
           503});
    });
    return;
  }
  if (call->request().instant) return run(call);
  try {
    time_limit(call, host.options.call_for, kTooLong);
    if (tasks && call->request().task.after->count() == 0) {
      become_task(call);
    } else if (tasks) {
      const std::lock_guard lock(mutex);
      call->task_timer =
          host.timers.after(*call->request().task.after, [self = shared_from_this(), call] { self->become_task(call); });
    }
    submit(call);
  } catch (const std::exception& error) {  // no thread, no memory: what has begun is answered
    WorkResult result;
    result.error = fault(error.what());
    answer(call, result);
  }
}

// From now on the call has this long, whatever it is doing.
void Session::State::time_limit(const std::shared_ptr<Call>& call, std::chrono::milliseconds limit, std::string_view why) {
  transport::Timers::Id former = 0;
  {
    const std::lock_guard lock(mutex);
    if (call->left) return;
    former = call->timer;
    call->timer = host.timers.after(limit, [self = shared_from_this(), call, why] { self->give_up(call, std::string(why)); });
  }
  if (former != 0) host.timers.cancel(former);
}

void Session::State::submit(const std::shared_ptr<Call>& call) {
  try {
    // Whoever asks takes turns with others.
    host.executor.submit([self = shared_from_this(), call] { self->run(call); }, turn);
  } catch (const std::exception&) {
    WorkResult result;
    result.error = RpcError{jsonrpc::kInternalError, "no thread could be started for the call", ""};
    answer(call, result);
  }
}

void Session::State::run(const std::shared_ptr<Call>& call) {
  WorkResult result;
  try {
    if (call->cancelled()) {
      audit(*call, Outcome::cancelled, "", 0);
      return leave(call);
    }
    result = call->run([&](std::string_view message) {
      std::string task;
      {
        const std::lock_guard lock(mutex);
        task = call->task;
      }
      if (!task.empty()) host.tasks.message(task, message);
    });
    if (result.input) return ask_again(call, *result.input);
  } catch (const std::exception& error) {
    result = {};
    result.error = fault(error.what());
  }
  try {
    answer(call, result);
  } catch (const std::exception&) {  // out of memory: the call's own end answers, shorter
    leave(call);
  }
}

void Session::State::answer(const std::shared_ptr<Call>& call, const WorkResult& result) {
  std::string task;
  {
    // The id is free before the answer is out, so that a client may reuse it as soon as it has read that.
    const std::lock_guard lock(mutex);
    task = call->task;
    forget(call);
  }
  const CallRequest& request = call->request();
  const std::string text = result.error ? std::string() : host.server.result(request.era, result.members);
  bool sent = true;
  if (!task.empty()) {
    result.error ? host.tasks.fail(task, *result.error) : host.tasks.complete(task, text);
  } else {
    sent = call->finish([&](ReplyOnce& reply) { result.error ? reply.error(*result.error) : reply.result(text); });
  }
  if (!sent) {
    audit(*call, Outcome::cancelled, "", 0);
  } else if (result.error) {
    audit(*call, Outcome::protocol_error, std::to_string(result.error->code), 0);
  } else {
    audit(*call, result.is_error ? Outcome::error : Outcome::ok, result.code, text.size());
  }
  if (request.writes) host.hub.look_soon();
  leave(call);
}

// The work wants to know something first. In the modern era the answer to the request says so and the client asks anew;
// a task waits for tasks/update; in the legacy era we ask.
void Session::State::ask_again(const std::shared_ptr<Call>& call, const InputRequired& input) {
  const CallRequest& request = call->request();
  WorkResult refusal;
  refusal.error = cannot_answer(input, request.client);
  if (!refusal.error && request.round + 1 > kRounds) {
    refusal.error = RpcError{jsonrpc::kInternalError, fmt::format("the call asked {} times without an end", kRounds), ""};
  }
  if (refusal.error) return answer(call, refusal);
  std::string task;
  bool cancelled = false;
  {
    const std::lock_guard lock(mutex);
    task = call->task;
    cancelled = call->cancelled();
    if (task.empty() && request.era == Era::modern) forget(call);  // from here on it becomes no task
    if (!cancelled && (!task.empty() || request.era == Era::legacy)) {
      call->asked = std::make_shared<const json>(json::parse(input_requests_json(input)));
      call->answers = std::make_shared<json>(json::object());
      call->next_state = input.state;
      call->parked = true;
    }
  }
  if (cancelled) {
    audit(*call, Outcome::cancelled, "", 0);
    return leave(call);
  }
  if (!task.empty()) return host.tasks.ask(task, input_requests_json(input));
  if (request.era == Era::legacy) return ask_client(call, input);
  std::string members = R"("inputRequests":)" + input_requests_json(input);
  const auto sealed = host.sealer.seal(round_text(request, input), binding(request), host.options.wall(), kStateLives);
  if (!sealed) {
    refusal.error = fault(sealed.error().message);
    return answer(call, refusal);
  }
  members.append(R"(,"requestState":")").append(*sealed).append(R"(")");
  const std::string text = host.server.other_result("input_required", members);
  call->finish([&](ReplyOnce& reply) { reply.result(text); });
  audit(*call, Outcome::ok, "input_required", text.size());
  leave(call);
}

void Session::State::ask_client(const std::shared_ptr<Call>& call, const InputRequired& input) {
  std::vector<std::string> lines;
  {
    const std::lock_guard lock(mutex);
    if (call->left) return;  // cancelled meanwhile
    for (const InputRequest& request : input.requests) {
      const std::string id = fmt::format("\"plumbline-{}\"", ++questions);
      waiting.emplace(id, call);
      call->waiting.emplace(id, request.key);
      lines.push_back(jsonrpc::request_line(id, request.method, request.params.empty() ? "{}" : request.params));
    }
  }
  time_limit(call, host.options.ask_for, "nobody answered the question that it needs answered");
  for (const std::string& line : lines) {
    if (call->ask(line)) continue;
    if (call->cancelled()) return cancel(call);
    return give_up(call, "the question that it needs answered could not be delivered: accept text/event-stream");
  }
}

void Session::State::answered(const jsonrpc::Message& response) {
  std::shared_ptr<Call> call;
  json answers;
  {
    const std::lock_guard lock(mutex);
    const auto at = waiting.find(response.id);
    if (at == waiting.end()) return;  // answered before, given up, or never asked
    call = at->second;
    waiting.erase(at);
    const auto key = call->waiting.extract(response.id);
    if (!response.failed) {
      (*call->answers)[key.mapped()] = *response.result;
      if (!call->waiting.empty()) return;
      call->parked = false;
    }
    answers = *call->answers;
  }
  if (response.failed) {
    Params text = member(response.result.get(), "message");
    return give_up(call, "the client could not answer a question that it needs answered: " +
                             (text != nullptr && text->is_string() ? jsonrpc::shortened(text->get<std::string>(), 256)
                                                                   : std::string("it said no reason")));
  }
  go_on(call, answers);
}

void Session::State::go_on(const std::shared_ptr<Call>& call, const json& answers) {
  time_limit(call, host.options.call_for, kTooLong);
  call->next_round(std::make_shared<const json>(acceptable_answers(answers, call->asked.get())), call->next_state);
  submit(call);
}

void Session::State::become_task(const std::shared_ptr<Call>& call) {
  const auto self = shared_from_this();
  const std::string owner = options.who.id();
  const auto id = host.tasks.create(owner, {[self, call] { self->cancel(call); },
                                            [self, call](const json& responses) -> tl::expected<void, RpcError> {
                                              json answers;
                                              {
                                                const std::lock_guard lock(self->mutex);
                                                if (!call->parked) return {};
                                                const json taken = acceptable_answers(responses, call->asked.get());
                                                for (const auto& item : responses.items()) {
                                                  if (call->asked->contains(item.key()) && !taken.contains(item.key())) {
                                                    return tl::unexpected(invalid_params("params.inputResponses." + item.key() +
                                                                                         " is no answer to what was asked"));
                                                  }
                                                }
                                                if (taken.empty()) return {};
                                                call->answers->update(taken);
                                                if (call->answers->size() < call->asked->size()) {
                                                  // Under the lock: a later update must not be overtaken by this one.
                                                  json open = *call->asked;
                                                  for (const auto& item : call->answers->items()) open.erase(item.key());
                                                  self->host.tasks.ask(call->task, open.dump());
                                                  return {};
                                                }
                                                call->parked = false;
                                                answers = *call->answers;
                                              }
                                              self->host.tasks.go_on(call->task);
                                              self->go_on(call, answers);
                                              return {};
                                            }});
  if (!id) return;  // too many at work: the client waits for the answer as it would without tasks
  bool late = false;
  {
    const std::lock_guard lock(mutex);
    const auto at = calls.find(call->id());
    late = at == calls.end() || at->second != call || call->parked || call->cancelled();
    if (!late) {
      call->task = *id;
      forget(call);
      --active;
      if (active == 0) done.notify_all();
    }
  }
  if (late) {
    host.tasks.discard(*id);  // the answer is on its way
    return;
  }
  const bool told =
      call->finish([&](ReplyOnce& reply) { reply.result(host.server.other_result("task", host.tasks.created(*id))); });
  if (!told) host.tasks.discard(*id);
}

// Answers in the work's place and tells it to stop.
void Session::State::give_up(const std::shared_ptr<Call>& call, const std::string& why) {
  const CallRequest& request = call->request();
  std::string task;
  bool parked = false;
  {
    const std::lock_guard lock(mutex);
    task = call->task;
    parked = call->parked;
    forget(call);
  }
  withdraw_questions(call);
  WorkResult result;
  const std::string message = request.name + " was given up: " + why;
  if (request.method == "tools/call") {
    // Who runs out of time may already have published; who waits for an answer has not.
    std::string hint = "call again";
    if (parked) hint = "nothing was written; call again when it can be answered";
    if (!parked && request.writes) hint = "it may have been written nevertheless: search_evidence shows what there is";
    result.members = Server::tool_members(failure({core::ErrorCode::cancelled, message, hint, ""}), false);
  } else {
    result.error = RpcError{jsonrpc::kInternalError, message, ""};
  }
  const std::string text = result.error ? std::string() : host.server.result(request.era, result.members);
  if (!task.empty()) {
    result.error ? host.tasks.fail(task, *result.error) : host.tasks.complete(task, text);
  }
  call->finish([&](ReplyOnce& reply) { result.error ? reply.error(*result.error) : reply.result(text); });
  audit(*call, result.error ? Outcome::protocol_error : Outcome::error, "cancelled", text.size());
  cancel(call);
}

// What nobody needs to answer any more. Before the call's own answer: over HTTP that ends the stream.
void Session::State::withdraw_questions(const std::shared_ptr<Call>& call) {
  decltype(call->waiting) open;
  {
    const std::lock_guard lock(mutex);
    open.swap(call->waiting);
    for (const auto& [id, key] : open) waiting.erase(id);
  }
  for (const auto& [id, key] : open) {
    call->ask(jsonrpc::notification_line("notifications/cancelled", R"({"requestId":)" + id + "}"));
  }
}

void Session::State::cancel(const std::shared_ptr<Call>& call) {
  withdraw_questions(call);
  call->cancel();
  bool parked = false;
  {
    const std::lock_guard lock(mutex);
    forget(call);
    std::swap(parked, call->parked);
  }
  if (!parked) return;  // the worker that has it sees that it is to stop
  audit(*call, Outcome::cancelled, "", 0);
  leave(call);
}

void Session::State::forget(const std::shared_ptr<Call>& call) {
  const auto at = calls.find(call->id());
  if (at != calls.end() && at->second == call) calls.erase(at);
}

void Session::State::leave(const std::shared_ptr<Call>& call) {
  transport::Timers::Id timer = 0;
  transport::Timers::Id task_timer = 0;
  {
    const std::lock_guard lock(mutex);
    forget(call);
    call->parked = false;
    for (const auto& [id, key] : call->waiting) waiting.erase(id);
    call->waiting.clear();
    call->ticket = {};
    std::swap(timer, call->timer);
    std::swap(task_timer, call->task_timer);
    if (!std::exchange(call->left, true) && call->task.empty() && --active == 0) done.notify_all();
  }
  if (timer != 0) host.timers.cancel(timer);
  if (task_timer != 0) host.timers.cancel(task_timer);
}

void Session::State::audit(Call& call, Outcome outcome, std::string_view code, std::size_t bytes) const {
  if (call.audited.exchange(true)) return;
  const CallRequest& request = call.request();
  const bool tool = request.method == "tools/call";
  if (host.options.counters != nullptr) {
    host.options.counters->call_ended(tool ? request.name : request.method, access::to_string(outcome),
                                      host.options.clock() - call.began());
  }
  if (host.options.audit == nullptr) return;
  access::AuditedCall line;
  line.at = std::chrono::system_clock::now();
  line.who = options.who;
  line.peer = options.peer;
  line.tool = tool ? request.name : request.method;
  line.arguments = *request.arguments;
  line.outcome = outcome;
  line.code = code;
  line.duration = std::chrono::duration_cast<std::chrono::microseconds>(host.options.clock() - call.began());
  line.bytes = bytes;
  host.options.audit->write(line);
}

}  // namespace plumbline::server::mcp
