// Everything that comes over a socket: listeners of lines (Unix, TCP, TLS) and of HTTP, their connections and the one thread that
// serves them. Built after the host and the HTTP endpoint, destroyed before them. Functions are called by the thread that owns
// the object, but for traffic().
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "server/access/tokens.hpp"
#include "server/mcp/host.hpp"
#include "server/transport/http/exchange.hpp"
#include "server/transport/network/evictions.hpp"
#include "server/transport/network/limits.hpp"
#include "server/transport/network/tls.hpp"

namespace plumbline::server::transport::network {

struct NetworkOptions {
  NetworkLimits limits;
  std::optional<TlsFiles> tls;             // for every TCP and HTTP listener
  const access::Tokens* tokens = nullptr;  // what connections of lines must show, but on Unix sockets and with a certificate
  http::Handler* handler = nullptr;        // of HTTP listeners
  bool handler_asks_credentials = false;   // so that HTTP may be reached from other machines
  std::string http_path = "/mcp";          // shown in the addresses
  Evictions::Tell tell;                    // what the operator should know of, a line at a time, from the network's thread too
};

enum class Speaks { lines, http };

struct ListenOn {
  Speaks speaks = Speaks::lines;
  std::string address;  // HOST:PORT; a path when `unix_socket`
  bool unix_socket = false;
  int passed = -1;  // a socket that listens already, called `address`: taken over
};

class Network {
 public:
  Network(mcp::Host& host, NetworkOptions options);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();  // drain(0)

  // Once. All of them or, with an error, none. The addresses that were bound: "unix:/path", "tcp://127.0.0.1:4711", "tls://…",
  // "http://127.0.0.1:4711/mcp", "https://…". Whoever could be reached from other machines must ask for credentials. Who connects
  // from now on waits.
  [[nodiscard]] core::Expected<std::vector<std::string>> listen(const std::vector<ListenOn>& places);

  // Once, after listen(): those who wait and all others are let in. The handler is asked from here on.
  void open_doors();

  // Reads certificate and key again, for connections to come; what is not acceptable changes nothing.
  [[nodiscard]] core::Status reload_tls();

  // Nobody new comes in. Waits until those who have come just now have asked for something, or were silent for a while: their
  // connections stood open, and they know of no end. For the beginning of the end, while everything is still answered.
  void close_doors();

  // Nobody is let in any more, calls and answers under way may take that long, then every connection is closed and the thread
  // ended. HTTP streams end when the endpoint ends them, so it is told first.
  void drain(std::chrono::milliseconds at_most);

  [[nodiscard]] const Traffic& traffic() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumbline::server::transport::network
