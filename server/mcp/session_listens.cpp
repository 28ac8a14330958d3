#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/mcp/ask.hpp"
#include "server/mcp/session_state.hpp"

namespace plumbline::server::mcp {
namespace {

using jsonrpc::RpcError;
using nlohmann::json;

constexpr std::size_t kUriBytes = 4096;
constexpr std::size_t kUris = 64;  // of one listen: each is looked at before it is acknowledged

std::string subscription_meta(std::string_view id) {
  return fmt::format(R"("_meta":{{"io.modelcontextprotocol/subscriptionId":{}}})", id);
}

std::string list_text(const std::set<std::string, std::less<>>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ",";
    core::append_quoted(out, item);
  }
  return out + "]";
}

tl::expected<std::set<std::string, std::less<>>, RpcError> texts(Params list, std::string_view name, std::size_t most) {
  std::set<std::string, std::less<>> out;
  if (list == nullptr || list->is_null()) return out;
  if (!list->is_array()) return tl::unexpected(invalid_params(fmt::format("params.notifications.{} must be an array", name)));
  if (list->size() > most) {
    return tl::unexpected(invalid_params(fmt::format("params.notifications.{} must have at most {} items", name, most)));
  }
  for (const json& item : *list) {
    if (!item.is_string() || item.get_ref<const std::string&>().size() > kUriBytes) {
      return tl::unexpected(
          invalid_params(fmt::format("params.notifications.{} must hold strings of at most {} bytes", name, kUriBytes)));
    }
    out.insert(item.get<std::string>());
  }
  return out;
}

std::string updated_params(const Event& event, std::string_view meta) {
  std::string params = "{";
  if (!meta.empty()) params.append(meta).append(",");
  if (event.kind == Event::Kind::task) return params + event.params + "}";
  return params + R"("uri":)" + core::quoted(event.subject) + "}";
}

std::string_view method_of(const Event& event) {
  return event.kind == Event::Kind::task ? "notifications/tasks" : "notifications/resources/updated";
}

}  // namespace

// What is honoured: updates of resources that can be watched, and tasks of this client. Lists never change while we run.
void Session::State::listen(Asked& asked) {
  Params wanted = member(asked.params, "notifications");
  if (wanted == nullptr || !wanted->is_object()) {
    return asked.reply.error(invalid_params("params.notifications must be an object that says what to listen for"));
  }
  for (const char* list : {"toolsListChanged", "promptsListChanged", "resourcesListChanged"}) {
    if (Params flag = member(wanted, list); flag != nullptr && !flag->is_boolean()) {
      return asked.reply.error(invalid_params(fmt::format("params.notifications.{} must be true or false", list)));
    }
  }
  auto uris = texts(member(wanted, "resourceSubscriptions"), "resourceSubscriptions", kUris);
  if (!uris) return asked.reply.error(uris.error());
  auto tasks = texts(member(wanted, "taskIds"), "taskIds", kUris);
  if (!tasks) return asked.reply.error(tasks.error());
  if (!tasks->empty() && !asked.client.tasks) {
    return asked.reply.error(missing_capability(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})"));
  }
  Interest interest;
  Hub::Versions versions = host.hub.look_at(*uris);
  for (const auto& [uri, version] : versions) interest.uris.insert(uri);
  const std::string owner = options.who.id();
  for (const std::string& id : *tasks) {
    if (host.tasks.known(owner, id)) interest.tasks.insert(id);
  }
  const std::string id = asked.message.id;
  const std::string meta = subscription_meta(id);
  std::string honoured;
  if (!interest.uris.empty()) honoured += R"("resourceSubscriptions":)" + list_text(interest.uris);
  if (!interest.tasks.empty()) {
    honoured += std::string(honoured.empty() ? "" : ",") + R"("taskIds":)" + list_text(interest.tasks);
  }
  {
    const std::lock_guard lock(mutex);
    if (listens.size() >= options.subscriptions) {
      return asked.reply.error(
          {jsonrpc::kInternalError,
           fmt::format("{} subscriptions are open on this connection: cancel one first", options.subscriptions), ""});
    }
  }
  const std::shared_ptr<Outlet> outlet = asked.outlet;
  auto listening = std::make_unique<Listen>(std::move(asked.reply), outlet);
  outlet->send_surely(jsonrpc::notification_line("notifications/subscriptions/acknowledged",
                                                 "{" + meta + R"(,"notifications":{)" + honoured + "}}"));
  listening->id = host.hub.add(std::move(interest), std::move(versions), [outlet, meta](const Event& event) {
    outlet->send(jsonrpc::notification_line(method_of(event), updated_params(event, meta)));
  });
  const std::lock_guard lock(mutex);
  listens.emplace(id, std::move(listening));
}

bool Session::State::end_listen(std::string_view id) {
  std::unique_ptr<Listen> ended;
  {
    const std::lock_guard lock(mutex);
    const auto at = listens.find(id);
    if (at == listens.end()) return false;
    ended = std::move(at->second);
    listens.erase(at);
  }
  host.hub.remove(ended->id);
  ended->reply.drop();
  return true;
}

void Session::State::end_listens(bool answer) {
  decltype(listens) ended;
  Hub::Id legacy = 0;
  {
    const std::lock_guard lock(mutex);
    ended.swap(listens);
    std::swap(legacy, legacy_listen);
    legacy_interest = {};
  }
  if (legacy != 0) host.hub.remove(legacy);
  for (const auto& [id, listen] : ended) {
    host.hub.remove(listen->id);
    if (answer) {
      listen->reply.result(R"({"resultType":"complete",)" + subscription_meta(id) + "}");
    } else {
      listen->reply.drop();
    }
  }
}

void Session::State::subscribe(Asked& asked) {
  Params uri = member(asked.params, "uri");
  if (uri == nullptr || !uri->is_string() || uri->get_ref<const std::string&>().size() > kUriBytes) {
    return asked.reply.error(invalid_params(fmt::format("params.uri must be a string of at most {} bytes", kUriBytes)));
  }
  const auto& text = uri->get_ref<const std::string&>();
  Hub::Versions versions = host.hub.look_at({text});
  if (versions.empty()) {
    return asked.reply.error({kResourceNotFound, fmt::format("{} is no resource that can be watched", core::quoted(text)),
                              R"({"uri":)" + core::quoted(text) + "}"});
  }
  Interest interest;
  Hub::Id id = 0;
  {
    const std::lock_guard lock(mutex);
    if (legacy_interest.uris.size() >= options.subscriptions) {
      return asked.reply.error(
          {jsonrpc::kInternalError,
           fmt::format("{} resources are subscribed to on this connection: unsubscribe one first", options.subscriptions), ""});
    }
    legacy_interest.uris.insert(text);
    interest = legacy_interest;
    id = legacy_listen;
  }
  if (id != 0) {
    host.hub.change(id, std::move(interest), std::move(versions));
  } else {
    id = host.hub.add(std::move(interest), std::move(versions), [weak = weak_from_this()](const Event& event) {
      const auto self = weak.lock();
      if (!self) return;
      std::shared_ptr<Outlet> to;
      {
        const std::lock_guard lock(self->mutex);
        to = self->listener;
      }
      if (to) to->send(jsonrpc::notification_line(method_of(event), updated_params(event, {})));
    });
    const std::lock_guard lock(mutex);
    legacy_listen = id;
  }
  asked.reply.result(host.server.result(Era::legacy, {}));
}

void Session::State::unsubscribe(Asked& asked) {
  Params uri = member(asked.params, "uri");
  if (uri == nullptr || !uri->is_string()) return asked.reply.error(invalid_params("params.uri must be a string"));
  Interest interest;
  Hub::Id id = 0;
  {
    const std::lock_guard lock(mutex);
    legacy_interest.uris.erase(uri->get<std::string>());
    interest = legacy_interest;
    id = legacy_listen;
  }
  if (id != 0) host.hub.change(id, std::move(interest));
  asked.reply.result(host.server.result(Era::legacy, {}));
}

}  // namespace plumbline::server::mcp
