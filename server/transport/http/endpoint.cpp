#include "server/transport/http/endpoint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/text.hpp"
#include "server/mcp/era.hpp"
#include "server/mcp/errors.hpp"
#include "server/transport/http/agreement.hpp"
#include "server/transport/http/negotiation.hpp"
#include "server/transport/http/upload_watch.hpp"

namespace plumbline::server::transport::http {
namespace {

using jsonrpc::Message;
using jsonrpc::RpcError;

constexpr std::string_view kPolledSince = "2025-11-25";  // streams that outlive their connection
constexpr std::string_view kMethods = "POST, GET, DELETE";
constexpr std::chrono::seconds kTidyEvery{30};

RpcError invalid(std::string message) { return {jsonrpc::kInvalidRequest, std::move(message), ""}; }

bool is_legacy_version(std::string_view version) {
  return std::find(mcp::kLegacyVersions.begin(), mcp::kLegacyVersions.end(), version) != mcp::kLegacyVersions.end();
}

// Whether the message makes a modern claim, whole or not. A _meta that is no object claims nothing.
bool claims(const Message& message) {
  const nlohmann::json* params = message.params.get();
  if (params == nullptr || !params->is_object()) return false;
  const auto meta = params->find("_meta");
  return meta != params->end() && meta->is_object() && mcp::era_of(params) != mcp::Era::legacy;
}

// The one answer of an initialize, which comes before there is a session to send it from.
struct Collected final : mcp::Outlet {
  void send(std::string) override {}
  void answer(std::string text, int code) override {
    line = std::move(text);
    status = code;
  }
  std::string line;
  int status = 500;
};

// Counts the answer of somebody else.
class Counted final : public Exchange {
 public:
  Counted(std::shared_ptr<Exchange> exchange, std::shared_ptr<StreamHouse> house, std::string method)
      : exchange_(std::move(exchange)), house_(std::move(house)), method_(std::move(method)) {}
  void reply(int status, Headers headers, std::string body) override {
    house_->metrics.answered(method_, status);
    exchange_->reply(status, std::move(headers), std::move(body));
  }
  void begin_stream(int status, Headers headers) override {
    house_->metrics.answered(method_, status);
    exchange_->begin_stream(status, std::move(headers));
  }
  bool write(std::string bytes) override { return exchange_->write(std::move(bytes)); }
  void end() override { exchange_->end(); }
  void on_gone(std::function<void()> gone) override { exchange_->on_gone(std::move(gone)); }

 private:
  const std::shared_ptr<Exchange> exchange_;
  const std::shared_ptr<StreamHouse> house_;
  const std::string method_;
};

// Keeps the one answer to a head.
struct Early final : Exchange {
  void reply(int status, Headers headers, std::string body) override {
    refusal = Refusal{status, std::move(headers), std::move(body)};
  }
  void begin_stream(int, Headers) override {}
  bool write(std::string) override { return false; }
  void end() override {}
  void on_gone(std::function<void()>) override {}
  std::optional<Refusal> refusal;
};

}  // namespace

struct Endpoint::State : std::enable_shared_from_this<Endpoint::State> {
  State(mcp::Host& the_host, EndpointOptions the_options)
      : host(the_host),
        options(std::move(the_options)),
        house(std::make_shared<StreamHouse>(host.timers, host.options.clock())),
        sessions(options.sessions, host.options.clock, house->metrics),
        tool_headers(host.server.catalogue()) {
    house->times = options.times;
    house->bounds = options.streams;
    if (options.admission.asks_for_credentials()) {
      house->forbidden = challenge_insufficient_scope(options.admission.resource, true);
    }
  }

  // One request on its way: what was found out about it.
  struct Asked {
    Request request;
    std::shared_ptr<Exchange> exchange;
    Headers headers;  // of whatever is answered
    access::Principal who;
    Accepted accepts;
    std::optional<std::string> version;  // MCP-Protocol-Version
    bool head_alone = false;             // a body is still to come
  };

  void handle(Request request, std::shared_ptr<Exchange> exchange);
  bool judge(Asked& asked);
  bool judge_mcp(Asked& asked);
  bool admit(Asked& asked);
  void preflight(Asked& asked);
  void metadata(Asked& asked);
  void show_metrics(Asked& asked);
  void operators(Asked& asked, std::string_view path);
  void beside(Asked& asked);
  bool upload(Asked& asked);
  std::optional<std::pair<std::shared_ptr<Exchange>, std::shared_ptr<UploadWatch>>> watch_upload(Asked& asked);
  [[nodiscard]] Uploads* uploads() const { return options.beside == nullptr ? nullptr : options.beside->uploads(); }
  void post(Asked& asked);
  void modern(Asked& asked, jsonrpc::Incoming incoming);
  void initialize(Asked& asked, jsonrpc::Incoming incoming);
  void legacy(Asked& asked, jsonrpc::Incoming incoming);
  void listen(Asked& asked);
  void terminate(Asked& asked);

  [[nodiscard]] std::shared_ptr<LegacySession> session_of(Asked& asked, std::string_view id);
  [[nodiscard]] bool version_fits(Asked& asked, std::string_view id);
  [[nodiscard]] mcp::SessionOptions session_options(const Asked& asked, mcp::Conversation kind) const;
  [[nodiscard]] std::shared_ptr<Stream> stream(Asked& asked, std::uint64_t resumable, bool listens = false) const;

  void reply(Asked& asked, int status, Headers headers, std::string body) const;
  void text(Asked& asked, int status, std::string body) const;
  void refuse(Asked& asked, int status, std::string_view id, const RpcError& error, Headers headers = {}) const;
  void refuse_ending(Asked& asked) const;

  void bury(std::uint64_t key, bool left);
  void tidy_later();
  [[nodiscard]] std::vector<std::shared_ptr<mcp::Session>> conversations();

  mcp::Host& host;
  const EndpointOptions options;
  const std::shared_ptr<StreamHouse> house;
  Sessions sessions;
  const ToolHeaders tool_headers;
  std::atomic<bool> draining = false, tidying = false;

  // Modern requests that are not answered yet; and those whose answer is out, which end with the next request, since an answer
  // comes from within the session.
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<mcp::Session>> live;
  std::vector<std::shared_ptr<mcp::Session>> answered;
  std::atomic<std::uint64_t> last = 0;
};

void Endpoint::State::reply(Asked& asked, int status, Headers headers, std::string body) const {
  house->metrics.answered(asked.request.method, status);
  headers.insert(headers.end(), asked.headers.begin(), asked.headers.end());
  asked.exchange->reply(status, std::move(headers), std::move(body));
}

void Endpoint::State::text(Asked& asked, int status, std::string body) const {
  reply(asked, status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(body));
}

void Endpoint::State::refuse(Asked& asked, int status, std::string_view id, const RpcError& error, Headers headers) const {
  headers.emplace_back("Content-Type", "application/json");
  reply(asked, status, std::move(headers), error_text(id, error));
}

void Endpoint::State::refuse_ending(Asked& asked) const {
  refuse(asked, 503, "", {jsonrpc::kInternalError, "the server is about to end", ""}, {{"Retry-After", "1"}});
}

void Endpoint::State::handle(Request request, std::shared_ptr<Exchange> exchange) {
  {
    std::vector<std::shared_ptr<mcp::Session>> ended;
    const std::lock_guard lock(mutex);
    ended.swap(answered);
  }
  Asked asked{std::move(request), std::move(exchange), {}, {}, {}, {}};
  if (!judge(asked)) return;
  if (asked.request.method == "POST") return post(asked);
  if (asked.request.method == "GET") return listen(asked);
  terminate(asked);
}

// What can be said without the body. False when it has been, and is the answer.
bool Endpoint::State::judge(Asked& asked) {
  const auto refused = [&](int status, std::string_view id, const RpcError& error) {
    refuse(asked, status, id, error);
    return false;
  };
  const std::string_view target = asked.request.target;
  const std::string path(target.substr(0, target.find('?')));

  bool conflict = false;
  const auto host_header = asked.request.one("host", conflict);
  const auto origin = asked.request.one("origin", conflict);
  if (conflict) return refused(400, "", invalid("Host or Origin is there twice and says two things"));
  if (const auto refusal = options.admission.hosts.check(host_header, origin)) {
    return refused(refusal->status, "",
                   {refusal->status == 403 ? mcp::kForbidden : jsonrpc::kInvalidRequest, refusal->message, ""});
  }
  const auto& pages = options.admission.cors_origins;
  const bool trusted_page = origin && std::any_of(pages.begin(), pages.end(), [&](const std::string& page) {
                              return core::to_lower(page) == core::to_lower(*origin);
                            });
  if (trusted_page) {
    asked.headers = {{"Access-Control-Allow-Origin", *origin},
                     {"Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate"},
                     {"Vary", "Origin"}};
  }

  if (path == options.path) return judge_mcp(asked);
  if (path == access::kMetadataPath || path == std::string(access::kMetadataPath) + options.path) {
    metadata(asked);
  } else if (path == "/healthz" || path == "/readyz" || path == "/metrics") {
    operators(asked, path);
  } else if (uploads() != nullptr && path.starts_with(kUploads)) {
    return upload(asked);
  } else if (options.beside != nullptr) {
    beside(asked);
  } else {
    text(asked, 404, fmt::format("nothing is here: the MCP endpoint is {}\n", options.path));
  }
  return false;
}

void Endpoint::State::metadata(Asked& asked) {
  if (!options.admission.asks_for_credentials()) return text(asked, 404, "no credentials are asked for here\n");
  if (asked.request.method != "GET") return reply(asked, 405, {{"Allow", "GET"}}, "");
  reply(asked, 200, {{"Content-Type", "application/json"}}, metadata_json(options.admission.resource));
}

void Endpoint::State::operators(Asked& asked, std::string_view path) {
  if (path == "/metrics") return show_metrics(asked);
  if (asked.request.method != "GET" || asked.head_alone) return reply(asked, 405, {{"Allow", "GET"}}, "");
  if (draining) return text(asked, 503, "ending\n");
  if (path == "/healthz") return text(asked, 200, "ok\n");
  if (!options.readiness) return text(asked, 200, "ready\n");
  options.readiness([house = house, exchange = asked.exchange](const std::string& problem) {
    const int status = problem.empty() ? 200 : 503;
    house->metrics.answered("GET", status);
    exchange->reply(status, {{"Content-Type", "text/plain; charset=utf-8"}}, problem.empty() ? "ready\n" : problem + "\n");
  });
}

void Endpoint::State::show_metrics(Asked& asked) {
  // A proxy on this machine would make everybody look local, but says so.
  const bool passed_on = asked.request.first("x-forwarded-for") || asked.request.first("forwarded") || asked.request.first("via");
  if (!asked.request.loopback || passed_on) {
    return text(asked, 404, fmt::format("nothing is here: the MCP endpoint is {}\n", options.path));
  }
  if (asked.request.method != "GET") return reply(asked, 405, {{"Allow", "GET"}}, "");
  // Other accounts of this machine have no credentials either.
  if (!admit(asked)) return;
  const Exposition form = wants_openmetrics(asked.request) ? Exposition::openmetrics : Exposition::prometheus;
  reply(asked, 200, {{"Content-Type", std::string(media_type(form))}, {"Vary", "Accept"}},
        house->metrics.text(form, options.version, host.options.clock(), sessions.size(), options.counters, options.readings()));
}

// False when the request has been refused.
bool Endpoint::State::admit(Asked& asked) {
  bool conflict = false;
  const auto authorization = asked.request.one("authorization", conflict);
  auto who = transport::http::admit(options.admission, asked.request, authorization, conflict);
  if (who) {
    asked.who = std::move(*who);
    return true;
  }
  Headers headers;
  if (!who.error().challenge.empty()) headers.emplace_back("WWW-Authenticate", std::move(who.error().challenge));
  refuse(asked, who.error().status, "", {who.error().code, std::move(who.error().message), ""}, std::move(headers));
  return false;
}

// Nothing there takes a body: a request with one is answered by its head.
void Endpoint::State::beside(Asked& asked) {
  asked.headers.clear();  // a page that may call tools may not read pages
  if (asked.head_alone) return reply(asked, 405, {{"Allow", "GET, HEAD"}}, "");
  std::string method = asked.request.method;
  options.beside->handle(std::move(asked.request),
                         std::make_shared<Counted>(std::move(asked.exchange), house, std::move(method)));
}

// True when a body may come; what has none is answered. Whoever may only read sends nothing and learns nothing of what others
// sent.
bool Endpoint::State::upload(Asked& asked) {
  asked.headers.clear();
  if (!admit(asked)) return false;
  if (!asked.who.may_write) {
    refuse(asked, 403, "", {mcp::kForbidden, "the token does not allow writing, and an upload writes", ""},
           {{"WWW-Authenticate", house->forbidden}});
    return false;
  }
  if (draining) {
    refuse_ending(asked);
    return false;
  }
  if (asked.head_alone) {
    if (asked.request.method == "PUT") return true;
    reply(asked, 405, {{"Allow", "PUT, HEAD"}}, "");  // nothing else has a body
    return false;
  }
  if (auto exchange = watch_upload(asked)) uploads()->handle(std::move(asked.request), std::move(exchange->first), asked.who);
  return false;
}

// The exchange that counts, and what watches; nothing when the client has too much under way, and was told so.
std::optional<std::pair<std::shared_ptr<Exchange>, std::shared_ptr<UploadWatch>>> Endpoint::State::watch_upload(Asked& asked) {
  auto watch = std::make_shared<UploadWatch>(host, house->metrics, asked.request, asked.who);
  if (auto refused = watch->enter()) {
    reply(asked, refused->status, std::move(refused->headers), std::move(refused->body));
    return std::nullopt;
  }
  auto counted = std::make_shared<Counted>(std::move(asked.exchange), house, asked.request.method);
  return std::make_pair(watched(std::move(counted), watch), std::move(watch));
}

void Endpoint::State::preflight(Asked& asked) {
  const auto method = asked.request.first("access-control-request-method");
  if (asked.headers.empty() || !method) return reply(asked, 405, {{"Allow", std::string(kMethods)}}, "");
  // What is asked for is granted, if it is a list of names: these are headers of requests, which are checked when they come.
  std::string names = asked.request.first("access-control-request-headers").value_or("");
  const bool listed = std::all_of(names.begin(), names.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == ',' ||
           c == ' ';
  });
  if (names.empty() || !listed) names = "Content-Type";
  reply(asked, 204,
        {{"Access-Control-Allow-Methods", std::string(kMethods)},
         {"Access-Control-Allow-Headers", std::move(names)},
         {"Access-Control-Max-Age", "600"}},
        "");
}

bool Endpoint::State::judge_mcp(Asked& asked) {
  const auto refused = [&](int status, const RpcError& error, Headers headers = {}) {
    refuse(asked, status, "", error, std::move(headers));
    return false;
  };
  const std::string& method = asked.request.method;
  if (method == "OPTIONS") {
    preflight(asked);
    return false;
  }
  if (!admit(asked)) return false;
  if (method != "POST" && method != "GET" && method != "DELETE") {
    return refused(405, invalid(fmt::format("{} is not served here", jsonrpc::shortened(method))),
                   {{"Allow", std::string(kMethods)}});
  }
  bool conflict = false;
  asked.version = asked.request.one("mcp-protocol-version", conflict);
  if (conflict) return refused(400, {mcp::kHeaderMismatch, "MCP-Protocol-Version is there twice and says two things", ""});
  asked.accepts = accepted(asked.request);
  if (method != "POST") {
    if (asked.version != mcp::kModernVersion) return true;
    return refused(405, invalid(fmt::format("revision {} is spoken with POST alone", mcp::kModernVersion)), {{"Allow", "POST"}});
  }
  if (!is_json(asked.request)) {
    return refused(415, invalid("Content-Type must be application/json, in UTF-8 and not compressed"));
  }
  if (!asked.accepts.json && !asked.accepts.events) {
    return refused(406, invalid("Accept must list application/json and text/event-stream"));
  }
  if (!draining) return true;
  refuse_ending(asked);
  return false;
}

void Endpoint::State::post(Asked& asked) {
  jsonrpc::Incoming incoming = jsonrpc::read(asked.request.body, options.bounds);
  if (incoming.error) return refuse(asked, 400, "", *incoming.error);
  if (incoming.batch) {
    if (asked.version == mcp::kModernVersion || std::any_of(incoming.messages.begin(), incoming.messages.end(), claims)) {
      return refuse(asked, 400, "",
                    invalid(fmt::format("batches exist only in revision {}: send one message", mcp::kBatchVersion)));
    }
    return legacy(asked, std::move(incoming));
  }
  const Message& message = incoming.messages.front();
  if (message.kind == Message::Kind::invalid) return refuse(asked, 400, message.id, message.error);
  if (asked.version == mcp::kModernVersion || claims(message)) return modern(asked, std::move(incoming));
  if (message.kind == Message::Kind::request && message.method == "initialize") return initialize(asked, std::move(incoming));
  legacy(asked, std::move(incoming));
}

void Endpoint::State::modern(Asked& asked, jsonrpc::Incoming incoming) {
  const Message& message = incoming.messages.front();
  if (message.kind == Message::Kind::response) {
    return refuse(asked, 400, "",
                  invalid(fmt::format("revision {} has no responses from clients: answers go into the inputResponses of "
                                      "the next request",
                                      mcp::kModernVersion)));
  }
  const auto version = claimed_version(message.params.get());
  if (const auto error = version_disagreement(asked.request, version)) return refuse(asked, 400, message.id, *error);
  // A revision that we do not know may have other headers.
  if (version && *version != mcp::kModernVersion) return refuse(asked, 400, message.id, mcp::unsupported_version(*version));
  if (const auto error = disagreement(asked.request, message, tool_headers.of(message))) {
    return refuse(asked, 400, message.id, *error);
  }
  if (!version && message.kind == Message::Kind::request) {
    return refuse(asked, 400, message.id,
                  mcp::invalid_params("params._meta[\"io.modelcontextprotocol/protocolVersion\"] is missing"));
  }
  if (message.method == "subscriptions/listen" && !asked.accepts.events) {
    return refuse(asked, 406, message.id, invalid("Accept must list text/event-stream: a subscription has no other form"));
  }
  auto session = std::make_shared<mcp::Session>(host, session_options(asked, mcp::Conversation::single));
  const auto out = stream(asked, 0);
  const std::uint64_t key = ++last;
  out->on_finished([state = weak_from_this(), key](bool left) {
    if (const auto self = state.lock()) self->bury(key, left);
  });
  if (!session->handle(std::move(incoming), out)) return out->accept();
  if (out->finished()) return;
  {
    const std::lock_guard lock(mutex);
    live.emplace(key, session);
  }
  if (draining) session->close_subscriptions();  // drain() may have looked before it was among the living
  session.reset();
  out->start();
  if (out->finished()) bury(key, true);  // while it was on its way into `live`
}

void Endpoint::State::bury(std::uint64_t key, bool left) {
  std::shared_ptr<mcp::Session> session;  // its end tells what runs to stop
  const std::lock_guard lock(mutex);
  const auto at = live.find(key);
  if (at == live.end()) return;
  session = std::move(at->second);
  live.erase(at);
  if (!left) answered.push_back(std::move(session));
}

void Endpoint::State::initialize(Asked& asked, jsonrpc::Incoming incoming) {
  const std::string id = incoming.messages.front().id;
  if (!version_fits(asked, id)) return;
  if (asked.request.first("mcp-session-id")) {
    if (session_of(asked, id) == nullptr) return;
    return refuse(asked, 400, id, invalid("this session is initialized: leave out Mcp-Session-Id to begin another one"));
  }
  auto streams = std::make_shared<Streams>(house, host.options.clock, options.sessions);
  auto session = std::make_shared<LegacySession>(host, session_options(asked, mcp::Conversation::legacy_session), streams);
  const auto collected = std::make_shared<Collected>();
  session->session.handle(std::move(incoming), collected);
  if (!session->session.legacy_version().empty()) {
    session->session.attach(streams);
    if (auto problem = sessions.add(session)) {
      return refuse(asked, 503, id, {jsonrpc::kInternalError, std::move(*problem), ""}, {{"Retry-After", "5"}});
    }
    tidy_later();
    asked.headers.emplace_back("Mcp-Session-Id", session->id);
  }
  stream(asked, 0)->answer(std::move(collected->line), collected->status);
}

void Endpoint::State::legacy(Asked& asked, jsonrpc::Incoming incoming) {
  // An error about a response must not look like the answer to a request of that id.
  const bool request = !incoming.batch && incoming.messages.front().kind == Message::Kind::request;
  const std::string id = request ? incoming.messages.front().id : "";
  if (!version_fits(asked, id)) return;
  const auto session = session_of(asked, id);
  if (session == nullptr) return;
  const std::lock_guard handling(session->handling);
  const std::string version = session->session.legacy_version();
  if (incoming.batch && version != mcp::kBatchVersion) {
    return refuse(asked, 400, "",
                  invalid(fmt::format("batches exist only in revision {}: send one message", mcp::kBatchVersion)));
  }
  const auto out = stream(asked, version >= kPolledSince ? session->streams->next_number() : 0);
  if (!session->session.handle(std::move(incoming), out)) return out->accept();
  if (out->finished() && !out->can_resume()) return;
  session->streams->add(out);
  out->start();
}

void Endpoint::State::listen(Asked& asked) {
  if (!version_fits(asked, "")) return;
  if (!asked.accepts.events) return refuse(asked, 406, "", invalid("Accept must list text/event-stream"));
  const auto session = session_of(asked, "");
  if (session == nullptr) return;
  const std::lock_guard handling(session->handling);
  const bool polled = session->session.legacy_version() >= kPolledSince;
  const auto from = polled ? parse_event_id(asked.request.first("last-event-id").value_or("")) : std::nullopt;
  const auto known = from ? session->streams->find(from->stream) : nullptr;
  // An answer that somebody comes back for is still given.
  if (draining && (known == nullptr || known->listens())) return refuse_ending(asked);
  if (known != nullptr) return known->resume(asked.exchange, from->number);
  if (from) return refuse(asked, 400, "", invalid("the stream of this Last-Event-ID is forgotten: send the request again"));
  if (!session->streams->may_listen()) {
    return refuse(asked, 429, "", {mcp::kTooManyRequests, "this session has as many streams as it may have: close one first", ""},
                  {{"Retry-After", "5"}});
  }
  const auto out = stream(asked, polled ? session->streams->next_number() : 0, true);
  session->streams->add(out);
  out->start();
  if (draining) session->streams->end_listening();
}

void Endpoint::State::terminate(Asked& asked) {
  if (!version_fits(asked, "")) return;
  const auto session = session_of(asked, "");
  if (session == nullptr) return;
  sessions.end(session);
  reply(asked, 204, {}, "");
}

// Null when the request has been refused.
std::shared_ptr<LegacySession> Endpoint::State::session_of(Asked& asked, std::string_view id) {
  bool conflict = false;
  const auto header = asked.request.one("mcp-session-id", conflict);
  if (!header || conflict) {
    refuse(asked, 400, id,
           invalid(fmt::format(
               "Mcp-Session-Id must be there once: it comes with the answer to initialize (revision {} needs none, but "
               "params._meta)",
               mcp::kModernVersion)));
    return nullptr;
  }
  auto session = sessions.find(*header, asked.who.id());
  if (session == nullptr) {
    house->metrics.answered(asked.request.method, 404);
    Headers headers = asked.headers;
    headers.emplace_back("Content-Type", "application/json");
    asked.exchange->reply(404, std::move(headers), no_such_session(id));
  }
  return session;
}

// False when the request has been refused.
bool Endpoint::State::version_fits(Asked& asked, std::string_view id) {
  if (!asked.version || is_legacy_version(*asked.version)) return true;
  const std::vector<std::string> spoken(mcp::kLegacyVersions.begin(), mcp::kLegacyVersions.end());
  refuse(asked, 400, id,
         invalid(fmt::format("MCP-Protocol-Version {} is none that sessions speak: {}",
                             core::quoted(jsonrpc::shortened(*asked.version)), core::listed(spoken))));
  return false;
}

mcp::SessionOptions Endpoint::State::session_options(const Asked& asked, mcp::Conversation kind) const {
  mcp::SessionOptions made;
  made.kind = kind;
  made.who = asked.who;
  made.peer = asked.request.peer;
  made.bounds = options.bounds;
  made.calls = options.calls;
  made.subscriptions = options.subscriptions;
  return made;
}

std::shared_ptr<Stream> Endpoint::State::stream(Asked& asked, std::uint64_t resumable, bool listens) const {
  StreamKind kind;
  kind.json = asked.accepts.json;
  kind.events = asked.accepts.events;
  kind.listens = listens;
  kind.resumable = resumable;
  kind.headers = asked.headers;
  return std::make_shared<Stream>(house, std::move(kind), asked.exchange);
}

void Endpoint::State::tidy_later() {
  if (tidying.exchange(true)) return;
  host.timers.after(kTidyEvery, [state = weak_from_this()] {
    const auto self = state.lock();
    if (self == nullptr) return;
    self->sessions.tidy();
    self->tidying = false;
    if (self->sessions.size() > 0) self->tidy_later();
  });
}

std::vector<std::shared_ptr<mcp::Session>> Endpoint::State::conversations() {
  std::vector<std::shared_ptr<mcp::Session>> found;
  for (auto& session : sessions.all()) found.emplace_back(session, &session->session);
  const std::lock_guard lock(mutex);
  for (const auto& [key, session] : live) found.push_back(session);
  return found;
}

Endpoint::Endpoint(mcp::Host& host, EndpointOptions options) : state_(std::make_shared<State>(host, std::move(options))) {}

Endpoint::~Endpoint() { cancel_all(); }

std::optional<Refusal> Endpoint::admits(const Request& head) {
  const auto early = std::make_shared<Early>();
  State::Asked asked{head, early, {}, {}, {}, {}};
  asked.head_alone = true;
  if (state_->judge(asked)) return std::nullopt;
  return std::move(early->refusal);
}

void Endpoint::handle(Request request, std::shared_ptr<Exchange> exchange) {
  state_->handle(std::move(request), std::move(exchange));
}

std::unique_ptr<BodySink> Endpoint::receive(Request head, std::shared_ptr<Exchange> exchange) {
  State::Asked asked{std::move(head), std::move(exchange), {}, {}, {}, {}};
  asked.head_alone = true;
  if (!state_->judge(asked)) return nullptr;
  auto watching = state_->watch_upload(asked);
  if (!watching) return nullptr;
  auto sink = state_->uploads()->receive(std::move(asked.request), std::move(watching->first), asked.who);
  return watched(std::move(sink), std::move(watching->second));
}

Metrics& Endpoint::metrics() { return state_->house->metrics; }

void Endpoint::tidy() { state_->sessions.tidy(); }

void Endpoint::drain() {
  state_->draining = true;
  if (state_->options.beside != nullptr) state_->options.beside->drain();
  for (const auto& session : state_->conversations()) session->close_subscriptions();
  for (const auto& session : state_->sessions.all()) session->streams->end_listening();
}

bool Endpoint::wait_idle(std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  for (const auto& session : state_->conversations()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (!session->wait_idle(std::max(left, std::chrono::milliseconds(0)))) return false;
  }
  return true;
}

void Endpoint::cancel_all() {
  for (const auto& session : state_->sessions.all()) state_->sessions.end(session);
  for (const auto& session : state_->conversations()) session->cancel_all();
}

}  // namespace plumbline::server::transport::http
