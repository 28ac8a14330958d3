#include "server/site/site.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "core/text.hpp"
#include "registry/attest/base64.hpp"
#include "reports/reports.hpp"
#include "server/site/live.hpp"
#include "server/site/page.hpp"

namespace plumbline::server::site {
namespace {

using std::chrono::milliseconds;
using transport::http::Admission;
using transport::http::Exchange;
using transport::http::Headers;
using transport::http::Request;

constexpr milliseconds kPageFor{30'000};   // whatever a page is doing, it is told to stop then
constexpr milliseconds kOverviewFor{100};  // a page waits so long for what is new
constexpr std::size_t kAnswerAtMost = 64U << 20;

// A browser shows the token as a password (RFC 7617); the name beside it says nothing.
std::optional<std::string> as_bearer(const std::optional<std::string>& header) {
  constexpr std::string_view kBasic = "basic ";
  if (!header || !core::starts_with_no_case(*header, kBasic)) return header;
  const auto pair = registry::attest::decode_base64(core::trim(std::string_view(*header).substr(kBasic.size())));
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos) return "Bearer";  // malformed
  return "Bearer " + pair->substr(colon + 1);
}

// A page of somebody else's makes the visitor's browser ask, with his credentials: it may lead him here and nothing more.
bool is_made_elsewhere(const Request& request) {
  const std::string site = request.first("sec-fetch-site").value_or("none");
  if (site == "none" || site == "same-origin") return false;
  return request.first("sec-fetch-mode") != "navigate" || request.first("sec-fetch-dest") != "document";
}

std::string report_policy() {
  std::string scripts;
  for (const std::string_view digest : reports::page_script_digests()) scripts += fmt::format(" 'sha256-{}'", digest);
  return fmt::format(
      "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src{}; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'self'",
      scripts);
}

std::string policy_of(Answer::Policy policy) {
  switch (policy) {
    case Answer::Policy::framed:
      return "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
    case Answer::Policy::page:
      return "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
             "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    case Answer::Policy::report:
      return report_policy();
    case Answer::Policy::file:
      break;
  }
  return "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

Headers safety_headers(Answer::Policy policy) {
  return {{"Content-Security-Policy", policy_of(policy)},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"}};
}

// The value of an ETag that the browser has already.
bool is_known(const Request& request, const Headers& headers) {
  const auto asked = request.first("if-none-match");
  if (!asked) return false;
  const auto tag = std::find_if(headers.begin(), headers.end(), [](const auto& header) { return header.first == "ETag"; });
  if (tag == headers.end()) return false;
  const auto tags = core::split(*asked, ',');
  return std::any_of(tags.begin(), tags.end(), [&](std::string_view each) { return core::trim(each) == tag->second; });
}

Answer asset_answer(std::string_view name) {
  Answer answer;
  answer.body = asset(name);
  answer.type = name.ends_with(".css")  ? "text/css; charset=utf-8"
                : name.ends_with(".js") ? "text/javascript; charset=utf-8"
                                        : "image/svg+xml";
  answer.headers = {{"ETag", "\"" + registry::sha256_hex(answer.body) + "\""}};
  answer.keep = Answer::Keep::forever;
  answer.policy = Answer::Policy::file;
  return answer;
}

// One request on a worker.
struct Work {
  Request request;
  std::shared_ptr<Exchange> exchange;
  access::Principal who;
  const Page* page = nullptr;
  std::vector<std::string> parts;
  Query query;
  access::Limits::Ticket ticket;
  std::atomic<bool> cancelled = false;
  transport::Timers::Id timer = 0;
  std::chrono::steady_clock::time_point began;
};

class Site final : public transport::http::Beside {
 public:
  Site(const ServeOptions& options, mcp::Host& host, Admission admission)
      : state_(std::make_shared<State>(options, host, std::move(admission))) {}
  ~Site() override {
    state_->drain();
    state_->cancel_all();
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  void handle(Request request, std::shared_ptr<Exchange> exchange) override {
    state_->handle(std::move(request), std::move(exchange));
  }
  void drain() override { state_->drain(); }

 private:
  // Work under way keeps it.
  struct State : std::enable_shared_from_this<State> {
    State(const ServeOptions& options, mcp::Host& the_host, Admission the_admission)
        : host(the_host),
          admission(std::move(the_admission)),
          library(options, host.executor),
          live(std::make_shared<Live>(host, library.overview())) {}

    void handle(Request request, std::shared_ptr<Exchange> exchange);
    void begin(const std::shared_ptr<Work>& work);
    void run(Work& work);
    void drain();
    void cancel_all();
    void listen(const Request& request, const Query& query, const std::shared_ptr<Exchange>& exchange, const std::string& who);
    void refuse(const Request& request, Exchange& exchange, const transport::http::NotAdmitted& why) const;
    void send(const Request& request, Exchange& exchange, Answer answer) const;
    void audit(const Work& work, int status, std::uint64_t bytes) const;

    mcp::Host& host;
    const Admission admission;
    Library library;
    const std::shared_ptr<Live> live;

    std::mutex mutex;
    std::set<std::shared_ptr<Work>> under_way;
    bool draining = false;
  };
  const std::shared_ptr<State> state_;
};

void Site::State::handle(Request request, std::shared_ptr<Exchange> exchange) {
  if (request.method != "GET" && request.method != "HEAD") {
    Answer answer = problem(405, "The review site only reads.");
    answer.headers.emplace_back("Allow", "GET, HEAD");
    return send(request, *exchange, std::move(answer));
  }
  const std::string_view target = request.target;
  const std::size_t mark = target.find('?');
  const auto address = parts_of(target.substr(0, mark));
  auto query = Query::parse(mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1));
  // The style and the script are no secret, and a page that refuses a visitor needs them.
  if (address && address->size() == 1 && !asset(address->front()).empty()) {
    return send(request, *exchange, asset_answer(address->front()));
  }
  if (is_made_elsewhere(request)) return send(request, *exchange, problem(403, "Pages of other sites may only link here."));
  bool conflict = false;
  const auto authorization = as_bearer(request.one("authorization", conflict));
  auto who = transport::http::admit(admission, request, authorization, conflict);
  if (!who) return refuse(request, *exchange, who.error());
  if (!address || !query) return send(request, *exchange, problem(404, "This is no address of the review site."));
  if (*address == std::vector<std::string>{"live"}) return listen(request, *query, exchange, who->id());
  auto work = std::make_shared<Work>();
  work->page = find_page(*address, work->parts);
  if (work->page == nullptr) return send(request, *exchange, no_such_page(*address));
  work->request = std::move(request);
  work->exchange = std::move(exchange);
  work->who = std::move(*who);
  work->query = std::move(*query);
  begin(work);
}

void Site::State::begin(const std::shared_ptr<Work>& work) {
  work->began = std::chrono::steady_clock::now();
  if (host.options.limits != nullptr) {
    auto ticket = host.options.limits->enter(work->who.id());
    if (!ticket) {
      Answer answer = problem(429, ticket.error().message);
      answer.headers.emplace_back("Retry-After", std::to_string(ticket.error().retry_after.count()));
      return send(work->request, *work->exchange, std::move(answer));
    }
    work->ticket = std::move(*ticket);
  }
  {
    const std::lock_guard lock(mutex);
    if (draining) {
      Answer answer = problem(503, "The server is about to end.");
      answer.headers.emplace_back("Retry-After", "1");
      return send(work->request, *work->exchange, std::move(answer));
    }
    under_way.insert(work);
  }
  const auto stop = [weak = std::weak_ptr<Work>(work)] {
    if (const auto self = weak.lock()) self->cancelled = true;
  };
  work->exchange->on_gone(stop);
  work->timer = host.timers.after(kPageFor, stop);
  const std::string turn = work->who.id();
  try {
    host.executor.submit(
        [self = shared_from_this(), work] {
          self->run(*work);
          const std::lock_guard lock(self->mutex);
          self->under_way.erase(work);
        },
        turn);
  } catch (const std::exception&) {
    host.timers.cancel(work->timer);
    send(work->request, *work->exchange, problem(503, "No thread could be started for the page."));
    const std::lock_guard lock(mutex);
    under_way.erase(work);
  }
}

void Site::State::run(Work& work) {
  Answer answer;
  std::optional<Visit> visit;  // afterwards may need it
  std::unique_ptr<registry::Store> store;
  try {
    auto opened = library.open(work.cancelled);
    if (!opened) {
      answer = problem(opened.error());
    } else if (work.cancelled) {
      answer = problem(503, "Stopped.");
    } else {
      store = std::move(*opened);
      visit.emplace(Visit{std::move(work.parts), std::move(work.query), library, *store, library.limits(work.cancelled),
                          library.context(work.cancelled), library.overview().get(kOverviewFor)});
      answer = work.page->answer(*visit);
    }
  } catch (const std::exception& error) {
    answer = problem(500, std::string("This is a fault of the server: ") + error.what());
  }
  if (answer.body.size() > kAnswerAtMost) {
    answer = problem(413, fmt::format("This is more than the {} MiB that a page may have.", kAnswerAtMost >> 20));
  }
  const std::function<void()> afterwards = std::exchange(answer.afterwards, {});
  audit(work, answer.status, answer.body.size());
  send(work.request, *work.exchange, std::move(answer));
  work.exchange.reset();
  try {
    if (afterwards && !work.cancelled) afterwards();
  } catch (const std::exception&) {  // the next visit reads it
  }
  host.timers.cancel(work.timer);
}

void Site::State::listen(const Request& request, const Query& query, const std::shared_ptr<Exchange>& exchange,
                         const std::string& who) {
  Headers headers = safety_headers(Answer::Policy::file);
  headers.emplace_back("Content-Type", "text/event-stream");
  headers.emplace_back("Cache-Control", "no-store");
  if (request.method == "HEAD") return exchange->reply(200, std::move(headers), "");
  const std::string known = request.first("last-event-id").value_or(query.get("since"));
  if (live->add({query.get("scope"), known, who}, exchange, headers)) return;
  Answer answer = problem(503, "Too many pages wait for news already.");
  answer.headers.emplace_back("Retry-After", "5");
  send(request, *exchange, std::move(answer));
}

// A browser asks for a name and a password when it is challenged so; programs see that a bearer token does as well.
void Site::State::refuse(const Request& request, Exchange& exchange, const transport::http::NotAdmitted& why) const {
  Answer answer = problem(why.status, why.message,
                          why.status == 401 ? "Give a token of this server as the password; the name may be anything." : "");
  if (why.status == 401) answer.headers.emplace_back("WWW-Authenticate", R"(Basic realm="plumbline", charset="UTF-8")");
  if (!why.challenge.empty()) answer.headers.emplace_back("WWW-Authenticate", why.challenge);
  send(request, exchange, std::move(answer));
}

void Site::State::send(const Request& request, Exchange& exchange, Answer answer) const {
  Headers headers = safety_headers(answer.policy);
  headers.insert(headers.end(), answer.headers.begin(), answer.headers.end());
  const bool guarded = admission.asks_for_credentials();
  switch (answer.keep) {
    case Answer::Keep::no:
      headers.emplace_back("Cache-Control", guarded ? "no-store" : "no-cache");
      break;
    case Answer::Keep::revalidate:
      headers.emplace_back("Cache-Control", "private, no-cache");
      break;
    case Answer::Keep::forever:
      headers.emplace_back("Cache-Control", "private, max-age=31536000, immutable");
      break;
  }
  if (guarded) headers.emplace_back("Vary", "Authorization");
  if (answer.status == 200 && is_known(request, headers)) return exchange.reply(304, std::move(headers), "");
  headers.emplace_back("Content-Type", std::move(answer.type));
  exchange.reply(answer.status, std::move(headers), std::move(answer.body));
}

void Site::State::audit(const Work& work, int status, std::uint64_t bytes) const {
  if (host.options.audit == nullptr) return;
  const std::string page = "site/" + std::string(work.page->pattern);
  const std::string code = status < 400 ? std::string() : std::to_string(status);
  access::AuditedCall call;
  call.at = std::chrono::system_clock::now();
  call.who = work.who;
  call.peer = work.request.peer;
  call.tool = page;
  call.arguments = work.request.target;
  call.outcome = status < 400 ? access::Outcome::ok : work.cancelled ? access::Outcome::cancelled : access::Outcome::error;
  call.code = code;
  call.duration = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - work.began);
  call.bytes = bytes;
  host.options.audit->write(call);
}

void Site::State::drain() {
  {
    const std::lock_guard lock(mutex);
    draining = true;
  }
  library.overview().stop();
  live->drain();
}

void Site::State::cancel_all() {
  const std::lock_guard lock(mutex);
  for (const std::shared_ptr<Work>& work : under_way) work->cancelled = true;
}

}  // namespace

std::unique_ptr<transport::http::Beside> make(const ServeOptions& options, mcp::Host& host,
                                              const transport::http::Admission& admission) {
  return std::make_unique<Site>(options, host, admission);
}

}  // namespace plumbline::server::site
