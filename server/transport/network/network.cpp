#include "server/transport/network/network.hpp"

#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <future>
#include <mutex>
#include <thread>

#include "server/transport/http/connection.hpp"
#include "server/transport/network/address.hpp"
#include "server/transport/network/connection.hpp"
#include "server/transport/network/descriptors.hpp"
#include "server/transport/network/line_connection.hpp"
#include "server/transport/network/reactor.hpp"

namespace plumbline::server::transport::network {
namespace {

using core::ErrorCode;

constexpr std::size_t kFarewells = 64;  // of those beyond the limit; further ones are closed without a word

void set_option(int fd, int level, int option, int value) { setsockopt(fd, level, option, &value, sizeof value); }

// Answers go out as they are written, and a machine that has vanished is noticed within minutes.
void tune(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

}  // namespace

struct Network::State {
  State(mcp::Host& the_host, NetworkOptions the_options)
      : host(the_host), options(std::move(the_options)), connections(reactor, options.limits, options.tell) {}

  struct Listener {
    Speaks speaks;
    ListeningSocket socket;
    bool passed = false;
    std::unique_ptr<Acceptor> acceptor = nullptr;
  };

  [[nodiscard]] bool asks_credentials(Speaks speaks) const {
    return (options.tls && !options.tls->client_ca.empty()) ||
           (speaks == Speaks::http ? options.handler_asks_credentials : options.tokens != nullptr);
  }
  [[nodiscard]] std::string address(const Listener& listener) const;
  void fit_limits(const std::vector<ListenOn>& places);
  void accepted(const Listener& listener, int fd);
  void let_in(const Listener& listener, int fd, Peer peer);
  [[nodiscard]] std::shared_ptr<const TlsContext> tls_now() const {
    const std::lock_guard lock(tls_mutex);
    return tls;
  }

  mcp::Host& host;
  const NetworkOptions options;
  mutable std::mutex tls_mutex;
  std::shared_ptr<const TlsContext> tls;
  Reactor reactor;
  Connections connections;
  std::vector<std::unique_ptr<Listener>> listeners;
};

std::string Network::State::address(const Listener& listener) const {
  if (listener.socket.is_unix()) return "unix:" + listener.socket.name();
  if (listener.speaks == Speaks::lines) return (options.tls ? "tls://" : "tcp://") + listener.socket.name();
  return (options.tls ? "https://" : "http://") + listener.socket.name() + options.http_path;
}

void Network::State::fit_limits(const std::vector<ListenOn>& places) {
  const bool unix_sockets = std::any_of(places.begin(), places.end(), [](const ListenOn& place) { return place.unix_socket; });
  const bool tcp = std::any_of(places.begin(), places.end(), [](const ListenOn& place) { return !place.unix_socket; });
  const std::size_t descriptors = raise_descriptors(options.limits);
  connections.limits = fitted(options.limits, descriptors, tcp, unix_sockets);
  const std::size_t allowed = options.limits.connections + options.limits.unix_connections;
  if (connections_within(descriptors) >= allowed || !options.tell) return;
  options.tell(fmt::format("the limit of {} open files leaves room for {} connections of {}: raise it (ulimit -n, LimitNOFILE)",
                           descriptors, connections_within(descriptors), allowed));
}

void Network::State::accepted(const Listener& listener, int fd) {
  auto peer = peer_of(fd);
  const bool other_account = peer && peer->account && *peer->account != geteuid() && *peer->account != 0;
  if (!peer || other_account) {
    if (peer) ++connections.traffic->refused;
    close(fd);
    return;
  }
  try {
    let_in(listener, fd, std::move(*peer));
  } catch (const std::exception&) {  // out of memory; whoever owned the descriptor has closed it
    ++connections.traffic->refused;
  }
}

void Network::State::let_in(const Listener& listener, int fd, Peer peer) {
  const auto context = listener.socket.is_unix() ? nullptr : tls_now();
  const bool http = listener.speaks == Speaks::http;
  if (!listener.socket.is_unix()) tune(fd);
  auto stream = make_stream(reactor, fd, context);
  std::shared_ptr<Connection> connection;
  if (const auto there = connections.no_room_for(peer)) {
    ++connections.traffic->refused;
    // A handshake would cost more than the word is worth.
    if (context || connections.farewells() >= kFarewells) return;
    connection = std::make_shared<Farewell>(connections, std::move(stream), std::move(peer),
                                            http ? http::HttpConnection::refusal(*there) : LineConnection::refusal(*there));
  } else {
    ++connections.traffic->accepted;
    if (http) {
      connection = std::make_shared<http::HttpConnection>(connections, std::move(stream), std::move(peer), context != nullptr,
                                                          *options.handler);
    } else {
      connection = std::make_shared<LineConnection>(connections, std::move(stream), std::move(peer), host, options.tokens);
    }
  }
  connections.add(connection);
  connection->open();
}

namespace {

core::Expected<std::vector<ListeningSocket>> sockets_of(const ListenOn& place) {
  if (place.passed >= 0) {
    auto adopted = ListeningSocket::adopt(place.passed, place.address);
    if (!adopted) return core::fail(adopted.error());
    std::vector<ListeningSocket> sockets;
    sockets.push_back(std::move(*adopted));
    return sockets;
  }
  const auto address = place.unix_socket ? parse_socket_path(place.address) : parse_host_port(place.address);
  if (!address) return core::fail(address.error());
  return listen_on(*address);
}

}  // namespace

Network::Network(mcp::Host& host, NetworkOptions options) : state_(std::make_unique<State>(host, std::move(options))) {}
Network::~Network() { drain(milliseconds(0)); }

core::Expected<std::vector<std::string>> Network::listen(const std::vector<ListenOn>& places) {
  if (state_->options.tls) {
    if (auto loaded = reload_tls(); !loaded) return core::fail(loaded.error());
  }
  std::vector<std::unique_ptr<State::Listener>> listeners;
  for (const ListenOn& place : places) {
    auto sockets = sockets_of(place);
    if (!sockets) return core::fail(sockets.error());
    for (ListeningSocket& socket : *sockets) {
      if (!socket.is_loopback() && !state_->asks_credentials(place.speaks)) {
        return core::fail(ErrorCode::usage, socket.name() + " can be reached from other machines: that needs credentials",
                          "give --token-file FILE, or --tls-cert, --tls-key and --tls-client-ca; 127.0.0.1 needs none",
                          socket.name());
      }
      listeners.push_back(std::make_unique<State::Listener>(State::Listener{place.speaks, std::move(socket), place.passed >= 0}));
    }
  }
  state_->fit_limits(places);
  std::vector<std::string> addresses;
  addresses.reserve(listeners.size());
  for (const auto& listener : listeners) addresses.push_back(state_->address(*listener));
  state_->listeners = std::move(listeners);
  return addresses;
}

void Network::open_doors() {
  state_->reactor.post([state = state_.get()] {
    for (const auto& listener : state->listeners) {
      listener->acceptor = std::make_unique<Acceptor>(
          state->reactor, listener->socket.release(), [state, from = listener.get()](int fd) { state->accepted(*from, fd); },
          [state] { return state->connections.free_a_descriptor(); });
      listener->acceptor->start();
    }
  });
}

core::Status Network::reload_tls() {
  if (!state_->options.tls) return {};
  auto loaded = TlsContext::load(*state_->options.tls);
  if (!loaded) return core::fail(loaded.error());
  const std::lock_guard lock(state_->tls_mutex);
  state_->tls = std::move(*loaded);
  return {};
}

void Network::close_doors() {
  if (state_->listeners.empty()) return;
  State& state = *state_;
  constexpr milliseconds kStep{10};
  for (bool waiting = true; waiting; std::this_thread::sleep_for(waiting ? kStep : milliseconds(0))) {
    std::promise<bool> some;
    state.reactor.post([&state, &some] {
      for (const auto& listener : state.listeners) {
        // Those who wait at a socket that nobody else holds would be turned away with it.
        if (listener->acceptor && !listener->passed) listener->acceptor->take_waiting();
        listener->acceptor.reset();
      }
      some.set_value(state.connections.some_have_just_come());
    });
    waiting = some.get_future().get();
  }
}

void Network::drain(milliseconds at_most) {
  if (state_->listeners.empty()) return;
  State& state = *state_;
  std::promise<void> begun;
  state.reactor.post([&state, &begun, at_most] {
    for (const auto& listener : state.listeners) listener->acceptor.reset();
    state.connections.drain(at_most);
    begun.set_value();
  });
  begun.get_future().wait();
  // Last words may be on their way a little longer.
  static_cast<void>(state.connections.wait_for_none(at_most + state.options.limits.linger));
  state.reactor.post([&state] { state.connections.cut(); });
  state.reactor.stop();
  state.listeners.clear();
}

const Traffic& Network::traffic() const { return *state_->connections.traffic; }

}  // namespace plumbline::server::transport::network
