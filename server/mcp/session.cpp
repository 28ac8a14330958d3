#include "server/mcp/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>

#include "server/mcp/ask.hpp"
#include "server/mcp/session_state.hpp"

namespace plumbline::server::mcp {
namespace {

using jsonrpc::Message;
using jsonrpc::ReplyOnce;
using jsonrpc::RpcError;

// The answers of a batch go out as one array when the last is there; none, and nothing is sent.
class BatchReply {
 public:
  BatchReply(std::size_t waiting, std::shared_ptr<Outlet> outlet) : waiting_(waiting), outlet_(std::move(outlet)) {}
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (!line.empty()) answers_.append(answers_.empty() ? "[" : ",").append(line);
    if (--waiting_ == 0) outlet_->answer(answers_.empty() ? std::string() : answers_ + "]", 200);
  }

 private:
  std::mutex mutex_;
  std::size_t waiting_;
  std::string answers_;
  std::shared_ptr<Outlet> outlet_;
};

bool always(const Catalogue& /*catalogue*/) { return true; }
bool has_prompts(const Catalogue& catalogue) { return !catalogue.prompts().empty(); }
bool has_resources(const Catalogue& catalogue) { return static_cast<bool>(catalogue.resources().read); }
bool has_versions(const Catalogue& catalogue) { return static_cast<bool>(catalogue.resources().version); }
bool has_completion(const Catalogue& catalogue) { return static_cast<bool>(catalogue.complete()); }
bool has_skills(const Catalogue& catalogue) { return !catalogue.skills().empty(); }
bool has_tasks(const Catalogue& catalogue) {
  const auto& tools = catalogue.tools();
  return std::any_of(tools.begin(), tools.end(), [](const Tool& tool) { return tool.task.after.has_value(); });
}

}  // namespace

std::string Session::State::turn_of() const {
  if (options.who.how == access::How::loopback) return options.peer;
  if (options.who.how == access::How::unix_peer) return options.who.id() + fmt::format("#{}", static_cast<const void*>(this));
  return options.who.id();
}

void Session::State::request(const Message& message, ReplyOnce& reply, const std::shared_ptr<Outlet>& outlet, bool in_batch) {
  {
    const std::lock_guard lock(mutex);
    if (calls.find(message.id) != calls.end() || listens.find(message.id) != listens.end()) {
      return reply.error(
          {jsonrpc::kInvalidRequest, fmt::format("id {} belongs to a request that is still being answered", message.id), ""});
    }
  }
  Params params = message.params.get();
  const auto era = era_of(params);
  if (!era) {
    RpcError error = era.error();
    error.status = 400;
    return reply.error(error);
  }
  if (params != nullptr && !params->is_object()) {
    return reply.error(invalid_params("params must be an object"));
  }

  struct Method {
    std::string_view name;
    bool legacy, modern;
    bool (*offered)(const Catalogue&);
    void (State::*handle)(Asked&);
  };
  static constexpr std::array kMethods = {
      Method{"tools/call", true, true, &always, &State::call_tool},
      Method{"tools/list", true, true, &always, &State::list_tools},
      Method{"resources/read", true, true, &has_resources, &State::read_resource},
      Method{"resources/list", true, true, &has_resources, &State::list_resources},
      Method{"resources/templates/list", true, true, &has_resources, &State::list_templates},
      Method{"prompts/get", true, true, &has_prompts, &State::get_prompt},
      Method{"prompts/list", true, true, &has_prompts, &State::list_prompts},
      Method{"completion/complete", true, true, &has_completion, &State::complete},
      Method{"skills/list", false, true, &has_skills, &State::list_skills},
      Method{"skills/get", false, true, &has_skills, &State::get_skill},
      Method{"server/discover", false, true, &always, &State::discover},
      Method{"subscriptions/listen", false, true, &always, &State::listen},
      Method{"tasks/get", false, true, &has_tasks, &State::get_task},
      Method{"tasks/update", false, true, &has_tasks, &State::update_task},
      Method{"tasks/cancel", false, true, &has_tasks, &State::cancel_task},
      Method{"initialize", true, false, &always, &State::initialize},
      Method{"ping", true, false, &always, &State::ping},
      Method{"logging/setLevel", true, false, &always, &State::set_level},
      Method{"resources/subscribe", true, false, &has_versions, &State::subscribe},
      Method{"resources/unsubscribe", true, false, &has_versions, &State::unsubscribe},
  };
  const bool modern = *era == Era::modern;
  if (!modern && legacy_version.empty() && message.method != "initialize" && message.method != "ping") {
    RpcError error =
        invalid_params(fmt::format("params._meta[\"io.modelcontextprotocol/protocolVersion\"] is missing: send it with every "
                                   "request (\"{}\"), or send initialize first",
                                   kModernVersion));
    error.status = 400;
    return reply.error(error);
  }
  const auto* method = std::find_if(kMethods.begin(), kMethods.end(), [&](const Method& m) { return m.name == message.method; });
  if (method == kMethods.end() || !(modern ? method->modern : method->legacy) || !method->offered(host.server.catalogue())) {
    RpcError error = method_not_found(message.method);
    if (modern) error.status = 404;
    return reply.error(error);
  }
  if (Params level = modern ? member(member(params, "_meta"), "io.modelcontextprotocol/logLevel") : nullptr;
      level != nullptr && !(level->is_string() && log_level(level->get_ref<const std::string&>()))) {
    return reply.error(invalid_params(
        "params._meta[\"io.modelcontextprotocol/logLevel\"] must be one of debug, info, notice, warning, error, critical, "
        "alert, emergency"));
  }
  const ClientCan client =
      modern ? client_can(member(member(params, "_meta"), "io.modelcontextprotocol/clientCapabilities")) : legacy_client;
  Asked asked{message, params, *era, client, outlet, reply, in_batch};
  (this->*method->handle)(asked);
}

void Session::State::handle(Message message, ReplyOnce::Send reply_to, const std::shared_ptr<Outlet>& outlet, bool in_batch) {
  switch (message.kind) {
    case Message::Kind::response:
      return answered(message);
    case Message::Kind::notification:
      return notification(message);
    case Message::Kind::invalid:
      message.error.status = 400;
      ReplyOnce(std::move(message.id), std::move(reply_to)).error(message.error);
      return;
    case Message::Kind::request:
      break;
  }
  ReplyOnce reply(message.id, std::move(reply_to));
  try {
    request(message, reply, outlet, in_batch);
  } catch (const std::exception& error) {
    if (reply.open()) reply.error({jsonrpc::kInternalError, std::string("this is a fault of the server: ") + error.what(), ""});
  }
}

void Session::State::notification(const Message& message) {
  if (message.method != "notifications/cancelled") return;
  Params id = member(message.params.get(), "requestId");
  if (id == nullptr) return;
  const std::string text = token_text(*id);
  if (end_listen(text)) return;
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(mutex);
    const auto at = calls.find(text);
    if (at == calls.end()) return;  // unknown, answered, or no id at all
    call = at->second;
  }
  cancel(call);
}

void Session::State::discover(Asked& asked) { asked.reply.result(host.server.discover_result()); }

void Session::State::initialize(Asked& asked) {
  if (asked.in_batch) return asked.reply.error({jsonrpc::kInvalidRequest, "initialize must not be part of a batch", ""});
  {
    const std::lock_guard lock(mutex);
    if (active > 0) {
      return asked.reply.error({jsonrpc::kInvalidRequest, "initialize must not come while calls are running", ""});
    }
  }
  Params requested = member(asked.params, "protocolVersion");
  if (requested == nullptr || !requested->is_string()) {
    return asked.reply.error(invalid_params("params.protocolVersion must be a string"));
  }
  legacy_version = negotiate(requested->get_ref<const std::string&>());
  legacy_client = client_can(member(asked.params, "capabilities"));
  legacy_client.tasks = false;  // an extension of the modern era
  if (legacy_version < kElicitationSince) legacy_client.elicitation = false;
  asked.reply.result(host.server.initialize_result(legacy_version));
}

void Session::State::ping(Asked& asked) { asked.reply.result(host.server.result(Era::legacy, {})); }

void Session::State::set_level(Asked& asked) {
  Params level = member(asked.params, "level");
  const auto known = level != nullptr && level->is_string() ? log_level(level->get_ref<const std::string&>()) : std::nullopt;
  if (!known) {
    return asked.reply.error(
        invalid_params("params.level must be one of debug, info, notice, warning, error, critical, alert, emergency"));
  }
  legacy_log = known;
  asked.reply.result(host.server.result(Era::legacy, {}));
}

void Session::State::list_tools(Asked& asked) {
  if (const auto page = no_cursor(asked.params); !page) return asked.reply.error(page.error());
  asked.reply.result(host.server.tools_result(asked.era, asked.client.views));
}

void Session::State::list_prompts(Asked& asked) {
  if (const auto page = no_cursor(asked.params); !page) return asked.reply.error(page.error());
  asked.reply.result(host.server.prompts_result(asked.era));
}

void Session::State::list_templates(Asked& asked) {
  if (const auto page = no_cursor(asked.params); !page) return asked.reply.error(page.error());
  asked.reply.result(host.server.templates_result(asked.era));
}

void Session::State::list_skills(Asked& asked) {
  if (const auto page = no_cursor(asked.params); !page) return asked.reply.error(page.error());
  asked.reply.result(host.server.skills_result());
}

void Session::State::get_skill(Asked& asked) {
  Params uri = member(asked.params, "uri");
  if (uri == nullptr || !uri->is_string())
    return asked.reply.error(invalid_params("params.uri must be a string: the URI of a skill's SKILL.md"));
  const auto result = host.server.skill_result(uri->get_ref<const std::string&>());
  if (!result) return asked.reply.error(result.error());
  asked.reply.result(*result);
}

Session::Session(Host& host, SessionOptions options) : state_(std::make_shared<State>(host, std::move(options))) {}

Session::~Session() {
  cancel_all();
  attach(nullptr);
}

void Session::attach(std::shared_ptr<Outlet> listener) {
  const std::lock_guard lock(state_->mutex);
  state_->listener.swap(listener);
}

std::string Session::legacy_version() const { return state_->legacy_version; }

bool Session::handle(jsonrpc::Incoming incoming, const std::shared_ptr<Outlet>& outlet) {
  if (incoming.batch && state_->legacy_version != kBatchVersion) {
    outlet->answer(
        jsonrpc::error_line(
            "null", {jsonrpc::kInvalidRequest,
                     fmt::format("a line must be one JSON object: batches exist only in revision {}", kBatchVersion), ""}),
        400);
    return true;
  }
  if (incoming.error) {
    outlet->answer(jsonrpc::error_line("null", *incoming.error), 400);
    return true;
  }
  const auto wants_answer = [](const Message& message) {
    return message.kind == Message::Kind::request || message.kind == Message::Kind::invalid;
  };
  if (!incoming.batch) {
    const bool answers = wants_answer(incoming.messages.front());
    state_->handle(
        std::move(incoming.messages.front()), [outlet](std::string line, int status) { outlet->answer(std::move(line), status); },
        outlet, false);
    return answers;
  }
  // A second request with an id of the same batch is as wrong as one with the id of a request in flight.
  std::set<std::string, std::less<>> ids;
  for (Message& message : incoming.messages) {
    if (message.kind == Message::Kind::request && !ids.insert(message.id).second) {
      message.kind = Message::Kind::invalid;
      message.error = {jsonrpc::kInvalidRequest, fmt::format("id {} is used twice in the batch", message.id), ""};
    }
  }
  const auto answers = static_cast<std::size_t>(std::count_if(incoming.messages.begin(), incoming.messages.end(), wants_answer));
  const auto batch = std::make_shared<BatchReply>(answers, outlet);
  for (Message& message : incoming.messages) {
    state_->handle(
        std::move(message), [batch](const std::string& line, int /*status*/) { batch->add(line); }, outlet, true);
  }
  return answers > 0;
}

bool Session::wait_idle(std::chrono::milliseconds at_most) {
  std::unique_lock lock(state_->mutex);
  return state_->done.wait_for(lock, at_most, [this] { return state_->active == 0; });
}

bool Session::idle() const {
  const std::lock_guard lock(state_->mutex);
  return state_->active == 0 && state_->listens.empty() && state_->legacy_interest.uris.empty();
}

void Session::cancel_all() {
  state_->end_listens(false);
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [id, call] : state_->calls) calls.push_back(call);
  }
  for (const auto& call : calls) state_->cancel(call);
}

void Session::close_subscriptions() {
  state_->end_listens(true);
  std::vector<std::shared_ptr<Call>> parked;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [id, call] : state_->calls) {
      if (call->parked) parked.push_back(call);
    }
  }
  for (const auto& call : parked) state_->give_up(call, "the server is ending");
}

}  // namespace plumbline::server::mcp
