#include "server/serving.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "server/access/audit.hpp"
#include "server/access/challenge.hpp"
#include "server/access/limits.hpp"
#include "server/access/oauth.hpp"
#include "server/access/tokens.hpp"
#include "server/access/web_origin.hpp"
#include "server/mcp/counters.hpp"
#include "server/mcp/host.hpp"
#include "server/mcp/server.hpp"
#include "server/readiness.hpp"
#include "server/transport/http/beside.hpp"
#include "server/transport/http/endpoint.hpp"
#include "server/transport/http/uploads.hpp"
#include "server/transport/network/address.hpp"
#include "server/transport/network/network.hpp"
#include "server/transport/process_end.hpp"
#include "server/transport/stdio.hpp"
#include "server/transport/worker_pool.hpp"

namespace plumbline::server {
namespace {

using core::ErrorCode;
using core::Expected;
using core::fail;
using std::chrono::milliseconds;
using transport::ProcessEnd;

constexpr std::chrono::seconds kStop{2};  // for calls that were told to stop
constexpr double kCallsPerSecond = 50;
// Of one client; without credentials all of this machine are one.
constexpr std::size_t kCallsAtOnce = 64, kCallsOfMachine = 1024;

// The endpoint needs the address that was bound, and binding needs somebody who answers. Nobody comes in before open().
class Door final : public transport::http::Handler, public transport::http::Receiver {
 public:
  void handle(transport::http::Request request, std::shared_ptr<transport::http::Exchange> exchange) override {
    endpoint_->handle(std::move(request), std::move(exchange));
  }
  std::optional<transport::http::Refusal> admits(const transport::http::Request& head) override {
    return endpoint_->admits(head);
  }
  std::unique_ptr<transport::http::BodySink> receive(transport::http::Request head,
                                                     std::shared_ptr<transport::http::Exchange> exchange) override {
    return endpoint_->receive(std::move(head), std::move(exchange));
  }
  void open(transport::http::Endpoint* endpoint) { endpoint_ = endpoint; }

 private:
  transport::http::Endpoint* endpoint_ = nullptr;
};

struct Credentials {
  std::unique_ptr<access::Tokens> tokens;
  std::unique_ptr<access::Oauth> oauth;
  bool certificates = false;
  [[nodiscard]] bool any() const { return tokens != nullptr || oauth != nullptr || certificates; }
};

Expected<Credentials> credentials_of(const ServingOptions& options) {
  Credentials credentials;
  credentials.certificates = !options.tls_client_ca.empty();
  if (!options.token_file.empty()) {
    auto tokens = access::Tokens::load(options.token_file);
    if (!tokens) return fail(std::move(tokens.error()));
    credentials.tokens = std::move(*tokens);
  }
  if (options.oauth_issuer.empty() != options.oauth_keys.empty()) {
    return fail(ErrorCode::usage, "--oauth-issuer and --oauth-keys belong together",
                "the issuer's URL, and a file with its JWK Set");
  }
  if (options.oauth_issuer.empty()) return credentials;
  if (options.public_url.empty()) {
    return fail(ErrorCode::usage, "--oauth-issuer needs --public-url: it is the audience that access tokens must name",
                "--public-url https://HOST/mcp");
  }
  auto oauth = access::Oauth::load({options.oauth_issuer, options.public_url, options.oauth_keys});
  if (!oauth) return fail(std::move(oauth.error()));
  credentials.oauth = std::move(*oauth);
  return credentials;
}

// What a socket that was handed over speaks: its unit says so (FileDescriptorName=), or it is HTTP on TCP and lines elsewhere.
transport::network::ListenOn place_of(const PassedSocket& passed) {
  using transport::network::Speaks;
  const bool lines = passed.name.starts_with("lines") || passed.name.starts_with("tcp");
  const bool local = transport::network::is_unix_socket(passed.fd);
  return {lines || local ? Speaks::lines : Speaks::http, passed.name, local, passed.fd};
}

// What this machine is called in its network; "" when it has no name.
std::string machine_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// "perf.example" of "https://perf.example:8443/mcp", "[::1]" of "http://[::1]:80/mcp".
std::string_view host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find('/'));
  return url.substr(0, url.find(':', url.starts_with('[') ? url.find(']') : 0));
}

// What is listened on as others reach it: nobody can open an address that stands for all.
std::string as_others_reach(const std::string& address) {
  const std::string_view host = host_of(address);
  const std::string name = machine_name();
  if (!access::is_wildcard(host) || name.empty()) return address;
  std::string url = address;
  return url.replace(static_cast<std::size_t>(host.data() - address.data()), host.size(), name);
}

// Whose requests are served: of the addresses listened on, of --allow-host, and of --public-url, which says where we are reached.
// Who listens everywhere is reached by the machine's name, too: no page of a stranger can claim it.
Expected<access::HostRule> host_rule(const ServingOptions& options) {
  std::vector<std::string> hosts;
  for (const std::string& http : options.http) {
    const auto address = transport::network::parse_host_port(http);
    if (!address) return fail(address.error());
    hosts.push_back(address->host);
  }
  for (const PassedSocket& passed : options.passed) {
    if (place_of(passed).speaks != transport::network::Speaks::http) continue;
    const auto address = transport::network::parse_host_port(transport::network::bound_name(passed.fd));
    if (address) hosts.push_back(address->host);
  }
  const std::string first = hosts.empty() ? "localhost" : hosts.front();
  if (!hosts.empty()) hosts.erase(hosts.begin());
  hosts.insert(hosts.begin(), options.allow_hosts.begin(), options.allow_hosts.end());
  std::vector<std::string> ours = {std::string(host_of(options.public_url))};
  if (access::is_wildcard(first) || std::any_of(hosts.begin(), hosts.end(), access::is_wildcard)) ours.push_back(machine_name());
  for (const std::string& host : ours) {
    // what no Host header can be is nobody's to ask for
    if (access::HostRule::make(first, {host}, {})) hosts.push_back(host);
  }
  return access::HostRule::make(first, hosts, options.allow_origins);
}

std::optional<transport::network::TlsFiles> tls_files(const ServingOptions& options) {
  if (options.tls_certificate.empty()) return std::nullopt;
  return transport::network::TlsFiles{options.tls_certificate, options.tls_key, options.tls_client_ca};
}

// "tcp://10.0.0.7:4711" and "http://…": plain, and not on this machine alone.
bool crosses_in_the_clear(std::string_view address) {
  const std::size_t host = address.find("://");
  if (host == std::string_view::npos || !(address.starts_with("tcp:") || address.starts_with("http:"))) return false;
  const std::string_view rest = address.substr(host + 3);
  return !access::is_loopback(rest.substr(0, rest.rfind(':')));
}

// Everything that sockets need, built and torn down in one place.
class Sockets {
 public:
  Sockets(mcp::Host& host, const mcp::Counters& counters, std::string_view version, const ServingOptions& options,
          Credentials credentials, const MakeBeside& make_beside, const Log& log)
      : host_(host),
        counters_(counters),
        version_(version),
        options_(options),
        credentials_(std::move(credentials)),
        make_beside_(make_beside),
        log_(log),
        readiness_(options.look ? std::make_unique<Readiness>(options.look) : nullptr) {}

  core::Status listen() {
    auto rule = host_rule(options_);
    if (!rule) return fail(rule.error());
    transport::network::NetworkOptions network;
    network.tls = tls_files(options_);
    network.tokens = credentials_.tokens.get();
    network.handler = &door_;
    network.tell = [this](const std::string& line) { log_.warning("{}", line); };
    network.limits.http.streams = transport::http::kStreamedUploads;
    network.handler_asks_credentials = credentials_.any();
    network_ = std::make_unique<transport::network::Network>(host_, std::move(network));
    std::vector<transport::network::ListenOn> places;
    using transport::network::Speaks;
    for (const auto& path : options_.unix_sockets) places.push_back({Speaks::lines, path, true});
    for (const auto& address : options_.tcp) places.push_back({Speaks::lines, address});
    for (const auto& address : options_.http) places.push_back({Speaks::http, address});
    for (const auto& passed : options_.passed) places.push_back(place_of(passed));
    const bool http = std::any_of(places.begin(), places.end(), [](const auto& place) { return place.speaks == Speaks::http; });
    const auto bound = network_->listen(places);
    if (!bound) return fail(bound.error());
    std::string url = options_.public_url;
    for (const std::string& address : *bound) {
      if (url.empty() && address.starts_with("http")) url = as_others_reach(address);
    }
    transport::http::EndpointOptions endpoint;
    endpoint.version = version_;
    endpoint.counters = &counters_;
    endpoint.readings = [this] { return readings(); };
    endpoint.admission.hosts = std::move(*rule);
    endpoint.admission.cors_origins = options_.allow_origins;
    endpoint.admission.tokens = credentials_.tokens.get();
    endpoint.admission.oauth = credentials_.oauth.get();
    endpoint.admission.certificates = credentials_.certificates;
    endpoint.admission.resource = {url, options_.oauth_issuer};
    if (make_beside_ && http) beside_ = make_beside_(host_, endpoint.admission);
    endpoint.beside = beside_.get();
    if (readiness_) {
      endpoint.readiness = [this](std::function<void(std::string)> answer) { readiness_->ask(std::move(answer)); };
    }
    const std::string path = endpoint.path;
    endpoint_ = std::make_unique<transport::http::Endpoint>(host_, std::move(endpoint));
    door_.open(endpoint_.get());
    network_->open_doors();
    for (const std::string& address : *bound) {
      if (beside_ != nullptr && beside_->has_pages() && address.starts_with("http") && address.ends_with(path)) {
        log_.info("review site: {}/", address.substr(0, address.size() - path.size()));
      }
      log_.info("listening on {}", address);
      if (credentials_.any() && crosses_in_the_clear(address)) {
        log_.warning("tokens cross the network unencrypted on {}: add --tls-cert and --tls-key", address);
      }
    }
    return {};
  }

  void reload(access::Audit* audit) {
    const auto tell = [&](std::string_view what, const core::Status& status) {
      if (status) {
        log_.info("{} read again", what);
      } else {
        log_.error("{} not read again, what was there stays in use: {}", what, status.error().message);
      }
    };
    if (credentials_.tokens) tell("tokens", credentials_.tokens->reload());
    if (credentials_.oauth) tell("OAuth keys", credentials_.oauth->reload());
    if (!options_.tls_certificate.empty()) tell("certificates", network_->reload_tls());
    if (audit != nullptr) tell("audit log", audit->reopen());
  }

  void end() {
    network_->close_doors();
    endpoint_->drain();
    network_->drain(options_.drain);
    endpoint_->cancel_all();
    static_cast<void>(endpoint_->wait_idle(kStop));
    // Uploads have threads of their own, which outlive all that is here: they hold places of their clients until they are
    // through.
    if (beside_ != nullptr && beside_->uploads() != nullptr) beside_->uploads()->stop();
  }

 private:
  [[nodiscard]] std::vector<transport::http::Reading> readings() const {
    const auto& traffic = network_->traffic();
    return {{"plumbline_connections", "Connections of all listeners that are open.", traffic.open},
            {"plumbline_connections_accepted_total", "Connections let in.", traffic.accepted},
            {"plumbline_connections_refused_total", "Connections of other accounts, or too many.", traffic.refused},
            {"plumbline_connections_evicted_total", "Idle connections closed to let others in.", traffic.evicted},
            {"plumbline_received_bytes_total", "Bytes received.", traffic.bytes_in, "bytes"},
            {"plumbline_sent_bytes_total", "Bytes sent.", traffic.bytes_out, "bytes"},
            {"plumbline_requests_total", "HTTP requests, and lines.", traffic.requests},
            {"plumbline_faults_total", "Requests that broke TLS, HTTP or JSON-RPC, or lacked a token.", traffic.faults},
            {"plumbline_notifications_dropped_total", "Notifications that lines did not take.", traffic.dropped},
            {"plumbline_audit_lines_lost_total", "Audit lines that could not be written.",
             host_.options.audit == nullptr ? 0 : host_.options.audit->lost()}};
  }

  mcp::Host& host_;
  const mcp::Counters& counters_;
  const std::string version_;
  const ServingOptions& options_;
  Credentials credentials_;
  const MakeBeside& make_beside_;
  const Log& log_;
  Door door_;
  std::unique_ptr<transport::http::Beside> beside_;  // outlives the endpoint
  std::unique_ptr<transport::http::Endpoint> endpoint_;
  std::unique_ptr<transport::network::Network> network_;  // ends before the endpoint
  std::unique_ptr<Readiness> readiness_;                  // ends first
};

core::Status check(const ServingOptions& options) {
  const bool tcp = !options.tcp.empty() || !options.http.empty() || !options.passed.empty();
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return fail(ErrorCode::usage, "--tls-cert and --tls-key belong together");
  }
  if (!options.tls_client_ca.empty() && options.tls_certificate.empty()) {
    return fail(ErrorCode::usage, "--tls-client-ca needs --tls-cert and --tls-key");
  }
  if (!options.tls_certificate.empty() && !tcp) {
    return fail(ErrorCode::usage, "--tls-cert has nothing to serve", "add --http HOST:PORT or --tcp HOST:PORT");
  }
  if (!options.token_file.empty() && !tcp) {
    return fail(ErrorCode::usage, "--token-file has nothing to guard", "add --http HOST:PORT or --tcp HOST:PORT");
  }
  return {};
}

Expected<std::unique_ptr<access::Audit>> audit_of(const ServingOptions& options) {
  if (options.audit_log == "off" || (options.audit_log.empty() && !options.network())) return nullptr;
  if (options.audit_log.empty()) return std::make_unique<access::Audit>();
  return access::Audit::open(options.audit_log);
}

void wait_for_end(ProcessEnd& end) {
  while (!end.ask()) {
    pollfd ready{end.fd(), POLLIN, 0};
    poll(&ready, 1, -1);
  }
}

}  // namespace

bool ServingOptions::over_http() const {
  return !http.empty() || std::any_of(passed.begin(), passed.end(), [](const PassedSocket& socket) {
    return place_of(socket).speaks == transport::network::Speaks::http;
  });
}

Expected<int> serve(const mcp::Server& server, std::string_view version, const ServingOptions& options,
                    const MakeBeside& make_beside) {
  const bool stdio = options.stdio || !options.network();
  if (auto checked = check(options); !checked) return fail(checked.error());
  auto credentials = credentials_of(options);
  if (!credentials) return fail(credentials.error());
  const auto audit = audit_of(options);
  if (!audit) return fail(audit.error());

  const Log log(options.log_level);
  const ServiceManager manager;
  access::LimitOptions limit;
  limit.per_second = options.calls_per_second.value_or(credentials->any() ? kCallsPerSecond : 0);
  limit.burst = 2 * limit.per_second + 1;
  limit.concurrent = credentials->any() ? kCallsAtOnce : kCallsOfMachine;
  access::Limits limits(limit);
  mcp::Counters counters;
  mcp::HostOptions host_options;
  if (!options.state_key.empty()) {
    const auto key = access::Sealer::read_key(options.state_key);
    if (!key) return fail(key.error());
    host_options.state_key = *key;
  }
  host_options.limits = options.network() ? &limits : nullptr;
  host_options.audit = audit->get();
  host_options.counters = &counters;
  // Outlives everything that may be stuck.
  Sockets* reloading = nullptr;
  transport::ProcessEndOptions endings;
  endings.parent = stdio;
  if (options.network()) {
    endings.grace = options.drain + kStop + std::chrono::seconds(3);
    endings.on_hangup = [&] {
      if (reloading == nullptr) return;
      manager.reloading();
      reloading->reload(audit->get());
      manager.ready("serving");
    };
  }
  const std::chrono::seconds grace = endings.grace;
  ProcessEnd end(std::move(endings));
  transport::WorkerPool pool(options.jobs);
  mcp::Host host(server, pool, std::move(host_options));
  Sockets sockets(host, counters, version, options, std::move(*credentials), make_beside, log);
  reloading = &sockets;
  if (options.network()) {
    if (auto listening = sockets.listen(); !listening) return fail(listening.error());
    manager.ready("serving");
  }
  if (stdio) {
    transport::StdioOptions stdio_options;
    stdio_options.own_process = !options.network();
    stdio_options.session.bounds = transport::network::NetworkLimits().message;  // lines are lines, whatever carries them
    transport::serve_lines(host, end, stdio_options);
  } else {
    wait_for_end(end);
  }
  if (options.network()) {
    log.info("ending: calls under way have {} s", options.drain.count());
    manager.stopping();
    end.end_within(grace);
    sockets.end();
    reloading = nullptr;
  }
  return 0;
}

}  // namespace plumbline::server
