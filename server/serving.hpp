// The transports of one server process, put together: what is listened on, who is let in, what is written down, and how it
// ends. The server itself (verbs, or the conformance fixtures) is handed in.
//
// SIGTERM and SIGINT: nobody is let in any more, calls under way over sockets are finished (`drain`; those over stdio are told to
// stop), subscriptions are answered with their end. SIGHUP: tokens, keys, certificates and the audit file are read again; on
// stdio alone it ends the process, since then it means that the terminal has gone. The end of standard input ends the process
// too, sockets or not: whoever started it has left.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "server/log.hpp"
#include "server/service_manager.hpp"

namespace plumbline::server {

namespace mcp {
struct Host;
class Server;
}  // namespace mcp
namespace transport::http {
struct Admission;
class Beside;
}  // namespace transport::http

// Makes what the HTTP listeners serve beside MCP, under the same rule of who is let in. The host outlives it.
using MakeBeside = std::function<std::unique_ptr<transport::http::Beside>(mcp::Host&, const transport::http::Admission&)>;

struct ServingOptions {
  bool stdio = false;                     // the default when nothing else is asked for
  std::vector<std::string> unix_sockets;  // paths
  std::vector<std::string> tcp, http;     // HOST:PORT
  std::vector<PassedSocket> passed;       // that listen already
  std::string tls_certificate, tls_key, tls_client_ca;
  std::string token_file;
  std::string state_key;                 // a file that all servers of the same clients have, see access/seal.hpp
  std::string oauth_issuer, oauth_keys;  // both or none
  std::string public_url;                // of the HTTP endpoint, as clients reach it; "" = the address listened on
  std::vector<std::string> allow_hosts, allow_origins;
  std::optional<double> calls_per_second;  // of one client; nothing = 50 where credentials are asked for, else no limit
  std::string audit_log;                   // a file; "" = standard error, where there are sockets; "off"
  Log::Level log_level = Log::Level::info;
  std::chrono::seconds drain{10};
  std::size_t jobs = 4;  // calls that run at once

  std::function<std::string()> look;  // why no work should be sent here, "" when it should; may block. Empty: it always should
  std::uint64_t unpack_memory = 1ULL << 30;  // of all calls together, for what compressed files unpack to; 0: no bound

  [[nodiscard]] bool network() const { return !unix_sockets.empty() || !tcp.empty() || !http.empty() || !passed.empty(); }
  [[nodiscard]] bool over_http() const;  // on a socket of `http`, or on one that was handed over
};

// Returns when the server has ended: its exit status. Errors come before anything is served.
// `make_beside` may be empty: nothing but MCP is served.
[[nodiscard]] core::Expected<int> serve(const mcp::Server& server, std::string_view version, const ServingOptions& options,
                                        const MakeBeside& make_beside = {});

}  // namespace plumbline::server
